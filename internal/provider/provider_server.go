//nolint:lll // The methods of the server are more readable on one line.
package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// server releases the context of each request that Terraform sends for each instance. proto6server.Server of the
// framework (v1.19) keeps all of them until StopProvider, which is about 40 KiB for each group in a plan. Delete server
// when the framework releases contexts.
type server struct{ frameworkServer }

// frameworkServer adds the optional parts of the protocol. A server that lacks one would look like a provider without
// list resources or actions.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// NewServer returns a function that creates the protocol server of the provider with the given version, as required
// by tf6server.Serve.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return serverOf(New(version)()) }
}

func serverOf(p provider.Provider) tfprotov6.ProviderServer {
	return server{providerserver.NewProtocol6(p)().(frameworkServer)} //nolint:forcetypeassert // Tests call it.
}

func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return released(ctx, req, s.frameworkServer.ValidateResourceConfig)
}

func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return released(ctx, req, s.frameworkServer.UpgradeResourceState)
}

func (s server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return released(ctx, req, s.frameworkServer.UpgradeResourceIdentity)
}

func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return released(ctx, req, s.frameworkServer.ReadResource)
}

func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return released(ctx, req, s.frameworkServer.PlanResourceChange)
}

func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return released(ctx, req, s.frameworkServer.ApplyResourceChange)
}

func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return released(ctx, req, s.frameworkServer.ImportResourceState)
}

// released calls a method of the framework with a context that references nothing once the method has returned.
func released[Request, Response any](ctx context.Context, req Request, method func(context.Context, Request) (Response, error)) (Response, error) {
	var lent lentContext
	lent.Store(&ctx)
	done, cancel := context.WithCancel(context.Background())
	defer lent.Store(&done)
	defer cancel()
	return method(&lent, req)
}

// lentContext forwards to another context.
type lentContext struct {
	atomic.Pointer[context.Context]
}

func (c *lentContext) Deadline() (time.Time, bool) { return (*c.Load()).Deadline() }
func (c *lentContext) Done() <-chan struct{}       { return (*c.Load()).Done() }
func (c *lentContext) Err() error                  { return (*c.Load()).Err() }
func (c *lentContext) Value(key any) any           { return (*c.Load()).Value(key) }
