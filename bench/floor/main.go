// Command floor is the bare framework provider. It has the schema of this provider's resource, but does no work and
// makes no calls. What it costs is the framework, the protocol and the engine's requests.
package main

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	embed "github.com/dashembed/terraform-provider-embed/internal/provider"
)

func main() {
	options := providerserver.ServeOpts{Address: embed.Address}
	if err := providerserver.Serve(context.Background(), newFloor, options); err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
}

func newFloor() provider.Provider { return floor{embed.New("floor")()} }

// floor is this provider with a different resource, without a client, and without the optional interfaces that only
// newer engines use.
type floor struct{ provider.Provider }

func (floor) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (f floor) Resources(ctx context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource {
		userGroup, ok := f.Provider.Resources(ctx)[0]().(resource.ResourceWithIdentity)
		if !ok {
			panic("the resource has no identity")
		}
		return floorResource{userGroup}
	}}
}

// floorResource has the name and the identity of the resource that it embeds. It responds with the plan or the
// state, without decoding them into a model.
type floorResource struct{ resource.ResourceWithIdentity }

// Schema removes everything that would run code: validators, plan modifiers and custom types.
func (r floorResource) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	r.ResourceWithIdentity.Schema(ctx, req, resp)
	for name, attribute := range resp.Schema.Attributes {
		bare := reflect.New(reflect.TypeOf(attribute)).Elem()
		bare.Set(reflect.ValueOf(attribute))
		for _, field := range []string{"Validators", "PlanModifiers", "CustomType"} {
			bare.FieldByName(field).SetZero()
		}
		resp.Schema.Attributes[name], _ = reflect.TypeAssert[schema.Attribute](bare)
	}
}

func (floorResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = known(req.Plan.Raw)
	resp.Diagnostics.Append(identify(ctx, resp.State, resp.Identity)...)
}

// Read changes nothing, because the response already contains the state in the request.
func (floorResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	resp.Diagnostics.Append(identify(ctx, req.State, resp.Identity)...)
}

func (floorResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = known(req.Plan.Raw)
	resp.Diagnostics.Append(identify(ctx, resp.State, resp.Identity)...)
}

func (floorResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// identify sets the identity from the state if it is null. The framework requires an identity in every response, and
// engines before Terraform 1.12 do not store it.
func identify(ctx context.Context, state tfsdk.State, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	if !identity.Raw.IsNull() {
		return nil
	}
	var id types.String
	diags := state.GetAttribute(ctx, path.Root("user_group_id"), &id)
	return append(diags, identity.SetAttribute(ctx, path.Root("user_group_id"), id)...)
}

// known replaces unknown values in the plan with values of the usual size.
func known(plan tftypes.Value) tftypes.Value {
	attributes := map[string]tftypes.Value{}
	if err := plan.As(&attributes); err != nil {
		return plan
	}
	for name, value := range attributes {
		switch {
		case value.IsKnown():
		case value.Type().Is(tftypes.Number):
			attributes[name] = tftypes.NewValue(tftypes.Number, 1001)
		default:
			attributes[name] = tftypes.NewValue(tftypes.String, "0123456789abcdef0123456789abcdef")
		}
	}
	return tftypes.NewValue(plan.Type(), attributes)
}
