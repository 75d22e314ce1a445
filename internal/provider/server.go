package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewServer returns a function that creates the protocol server of the provider with the given version, as required
// by tf6server.Serve.
//
// proto6server.Server of terraform-plugin-framework (v1.19) appends the cancel function of every request to
// contextCancels, which only StopProvider clears. This keeps the context of each request alive, with everything that
// the loggers of the SDK have added to it, which is about 40 KiB for each group in a plan. The methods of server, which
// engines call for each instance, therefore pass on a lentContext, which releases the original context at the end.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		framework, ok := providerserver.NewProtocol6(New(version)())().(frameworkServer)
		if !ok {
			panic("the framework's server does not implement list resources or actions")
		}
		return &server{framework}
	}
}

// frameworkServer adds the optional parts of the protocol. A server that lacks one would look like a provider without
// list resources or actions.
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

func (s *server) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	return answer(ctx, req, s.frameworkServer.CallFunction)
}

func answer[Request, Response any](
	ctx context.Context, req Request, framework func(context.Context, Request) (Response, error),
) (Response, error) {
	lent := lend(ctx)
	defer lent.takeBack()
	return framework(lent, req)
}

// lentContext forwards to another context until takeBack is called. From then on it is canceled and references
// nothing, so that the original can be collected.
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
