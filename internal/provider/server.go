// Delete this file when the framework releases contexts (terraform-plugin-framework v1.19 does not), and serve
// providerserver.NewProtocol6 instead.
//
// proto6server.Server of the framework appends the cancel function of every request to contextCancels, which only
// StopProvider clears. This keeps the context of each request alive, with everything that the loggers of the SDK have
// added to it, which is about 40 KiB for each group in a plan. The methods of server, which engines call for each
// instance, therefore pass on a lentContext, which releases the original context at the end. Methods that engines call
// for each block or once in a run are the framework's own.

package provider

import (
	"context"
	"iter"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// NewServer returns a function that creates the protocol server of the provider with the given version, as required
// by tf6server.Serve.
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

func (s *server) MoveResourceState(
	ctx context.Context, req *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	return answer(ctx, req, s.frameworkServer.MoveResourceState)
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

func (s *server) GenerateResourceConfig(
	ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return answer(ctx, req, s.frameworkServer.GenerateResourceConfig)
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

func (s *server) ValidateEphemeralResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return answer(ctx, req, s.frameworkServer.ValidateEphemeralResourceConfig)
}

func (s *server) OpenEphemeralResource(
	ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return answer(ctx, req, s.frameworkServer.OpenEphemeralResource)
}

func (s *server) CloseEphemeralResource(
	ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return answer(ctx, req, s.frameworkServer.CloseEphemeralResource)
}

func (s *server) CallFunction(
	ctx context.Context, req *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	return answer(ctx, req, s.frameworkServer.CallFunction)
}

func (s *server) PlanAction(
	ctx context.Context, req *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	return answer(ctx, req, s.frameworkServer.PlanAction)
}

func (s *server) InvokeAction(
	ctx context.Context, req *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	lent := lend(ctx)
	stream, err := s.frameworkServer.InvokeAction(lent, req)
	if err == nil {
		stream.Events = takingBack(lent, stream.Events)
	}
	return stream, err
}

func (s *server) ListResource(
	ctx context.Context, req *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	lent := lend(ctx)
	stream, err := s.frameworkServer.ListResource(lent, req)
	if err == nil {
		stream.Results = takingBack(lent, stream.Results)
	}
	return stream, err
}

func answer[Request, Response any](
	ctx context.Context, req Request, framework func(context.Context, Request) (Response, error),
) (Response, error) {
	lent := lend(ctx)
	defer lent.takeBack()
	return framework(lent, req)
}

// takingBack returns the items. They are produced while they are read, and the context is needed until the last one.
func takingBack[Item any](lent *lentContext, items iter.Seq[Item]) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		defer lent.takeBack()
		items(yield)
	}
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
