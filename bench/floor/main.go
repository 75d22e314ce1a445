// Command floor is a framework provider with exactly our schema and no work behind it: what it costs is what the
// protocol costs. The schema is taken from ours and stripped of everything that would run: validators, plan modifiers
// and types of our own.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	ours "github.com/dashembed/terraform-provider-embed/internal/provider"
)

func main() {
	if err := providerserver.Serve(context.Background(), newFloor, providerserver.ServeOpts{Address: ours.Address}); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func newFloor() provider.Provider { return floor{Provider: ours.New("floor")()} }

// floor is our provider with another resource, and without a connection to anything.
type floor struct{ provider.Provider }

var (
	_ provider.ProviderWithActions            = floor{}
	_ provider.ProviderWithEphemeralResources = floor{}
	_ provider.ProviderWithListResources      = floor{}
)

func (floor) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (floor) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return floorResource{} }}
}

func (f floor) EphemeralResources(ctx context.Context) []func() ephemeral.EphemeralResource {
	if p, ok := f.Provider.(provider.ProviderWithEphemeralResources); ok {
		return p.EphemeralResources(ctx)
	}
	return nil
}

func (f floor) Actions(ctx context.Context) []func() action.Action {
	if p, ok := f.Provider.(provider.ProviderWithActions); ok {
		return p.Actions(ctx)
	}
	return nil
}

func (f floor) ListResources(ctx context.Context) []func() list.ListResource {
	if p, ok := f.Provider.(provider.ProviderWithListResources); ok {
		return p.ListResources(ctx)
	}
	return nil
}
