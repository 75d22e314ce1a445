package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	ours "github.com/dashembed/terraform-provider-embed/internal/provider"
)

// floorResource answers from plan and state, without even decoding them into a model.
type floorResource struct{}

var _ resource.ResourceWithIdentity = floorResource{}

func ourResource(ctx context.Context) resource.Resource {
	return ours.New("floor")().Resources(ctx)[0]()
}

func (floorResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	ourResource(ctx).Metadata(ctx, req, resp)
}

func (floorResource) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	ourResource(ctx).Schema(ctx, req, resp)
	for name, attribute := range resp.Schema.Attributes {
		bare, err := stripped(attribute)
		if err != nil {
			resp.Diagnostics.AddError("The floor cannot follow the schema", fmt.Sprintf("%s: %s", name, err))
			return
		}
		resp.Schema.Attributes[name] = bare
	}
}

func stripped(attribute schema.Attribute) (schema.Attribute, error) {
	switch a := attribute.(type) {
	case schema.StringAttribute:
		a.Validators, a.PlanModifiers, a.CustomType = nil, nil, nil
		return a, nil
	case schema.BoolAttribute:
		a.Validators, a.PlanModifiers, a.CustomType = nil, nil, nil
		return a, nil
	case schema.Int64Attribute:
		a.Validators, a.PlanModifiers, a.CustomType = nil, nil, nil
		return a, nil
	case schema.MapAttribute:
		a.Validators, a.PlanModifiers, a.CustomType = nil, nil, nil
		return a, nil
	default:
		return nil, fmt.Errorf("no rule for %T", attribute)
	}
}

func (floorResource) IdentitySchema(ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	if r, ok := ourResource(ctx).(resource.ResourceWithIdentity); ok {
		r.IdentitySchema(ctx, req, resp)
	}
}

func (floorResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(identify(ctx, req.Plan, resp.Identity)...)
	resp.State.Raw = known(req.Plan.Raw)
}

// Read finds everything as it was: the answer holds the request's state already, and its identity where the engine keeps
// identities.
func (floorResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	if resp.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(identify(ctx, req.State, resp.Identity)...)
	}
}

// identify takes the identity out of a plan or a state.
func identify(ctx context.Context, data interface {
	GetAttribute(context.Context, path.Path, any) diag.Diagnostics
}, identity *tfsdk.ResourceIdentity,
) diag.Diagnostics {
	var id types.String
	diags := data.GetAttribute(ctx, path.Root("user_group_id"), &id)
	diags.Append(identity.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	return diags
}

func (floorResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	if resp.Identity.Raw.IsNull() {
		resp.Diagnostics.Append(identify(ctx, req.Plan, resp.Identity)...)
	}
	resp.State.Raw = known(req.Plan.Raw)
}

func (floorResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// known puts something of the usual size in the place of what the plan left open.
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
