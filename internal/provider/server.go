package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewServer returns what makes a protocol server of the provider of the given version, as tf6server wants it.
//
// proto6server.Server of terraform-plugin-framework (v1.19) appends the cancel function of every request to
// contextCancels, which only StopProvider empties, so each request's context stays alive with all that the SDK's
// loggers have put into it: some 40 KiB for each group in a plan. So the calls that come once for each instance run
// with a context that nothing hangs on any more once they have been answered.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		framework, ok := providerserver.NewProtocol6(New(version)())().(frameworkServer)
		if !ok {
			panic("the framework's server has no list resources or no actions")
		}
		return &server{framework}
	}
}

// frameworkServer names the parts that the protocol has as options: a server that lacks one is taken for a provider
// without.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

type server struct{ frameworkServer }

func (s *server) ValidateResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return answer(ctx, req, s.frameworkServer.ValidateResourceConfig)
}

func (s *server) UpgradeResourceState(
	ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(ctx, req, s.frameworkServer.UpgradeResourceState)
}

func (s *server) UpgradeResourceIdentity(
	ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return answer(ctx, req, s.frameworkServer.UpgradeResourceIdentity)
}

func (s *server) ReadResource(
	ctx context.Context, req *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return answer(ctx, req, s.frameworkServer.ReadResource)
}

func (s *server) PlanResourceChange(
	ctx context.Context, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return answer(ctx, req, s.frameworkServer.PlanResourceChange)
}

func (s *server) ApplyResourceChange(
	ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return answer(ctx, req, s.frameworkServer.ApplyResourceChange)
}

func (s *server) ImportResourceState(
	ctx context.Context, req *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return answer(ctx, req, s.frameworkServer.ImportResourceState)
}

func (s *server) ValidateDataResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return answer(ctx, req, s.frameworkServer.ValidateDataResourceConfig)
}

func (s *server) ReadDataSource(
	ctx context.Context, req *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	return answer(ctx, req, s.frameworkServer.ReadDataSource)
}

func (s *server) OpenEphemeralResource(
	ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return answer(ctx, req, s.frameworkServer.OpenEphemeralResource)
}

func answer[Request, Response any](
	ctx context.Context, req Request, framework func(context.Context, Request) (Response, error),
) (Response, error) {
	lent := lend(ctx)
	defer lent.takeBack()
	return framework(lent, req)
}

// lentContext is another context until that is taken back, and from then on one that has ended and holds nothing.
type lentContext struct {
	inner atomic.Pointer[context.Context]
}

func lend(ctx context.Context) *lentContext {
	var lent lentContext
	lent.inner.Store(&ctx)
	return &lent
}

func (c *lentContext) takeBack() { c.inner.Store(&ended) }

func (c *lentContext) Deadline() (time.Time, bool) { return (*c.inner.Load()).Deadline() }
func (c *lentContext) Done() <-chan struct{}       { return (*c.inner.Load()).Done() }
func (c *lentContext) Err() error                  { return (*c.inner.Load()).Err() }
func (c *lentContext) Value(key any) any           { return (*c.inner.Load()).Value(key) }

var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()
