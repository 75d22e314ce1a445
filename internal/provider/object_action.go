package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

type rotateUserGroupTokenAction struct{ base }

var _ action.ActionWithConfigure = (*rotateUserGroupTokenAction)(nil)

func newRotateUserGroupTokenAction() action.Action { return &rotateUserGroupTokenAction{} }

func (a *rotateUserGroupTokenAction) Metadata(
	_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_rotate_user_group_token"
}

func (a *rotateUserGroupTokenAction) Configure(
	_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse,
) {
	a.configure(req.ProviderData)
}

func (a *rotateUserGroupTokenAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Rotates the token of a user group, once for each invocation. **Expect the old token to " +
			"stop working the moment the new one exists.**",
		Attributes: map[string]schema.Attribute{
			"user_group_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{userGroupIDValidator{}},
				MarkdownDescription: describeUserGroupID,
			},
		},
	}
}

// Invoke rotates the token exactly once.
func (a *rotateUserGroupTokenAction) Invoke(
	ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse,
) {
	var config struct {
		UserGroupID types.String `tfsdk:"user_group_id"`
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !a.isReady(&resp.Diagnostics, "Rotating a user group token") {
		return
	}
	id := config.UserGroupID
	progress := func(message string) { resp.SendProgress(action.InvokeProgressEvent{Message: api.Inert(message)}) }
	progress("Rotating the token of user group " + id.String())
	applied := a.service.Apply(ctx, usergroup.Change{Rotates: true}, usergroup.Prior{ID: id.ValueString()})
	report(&resp.Diagnostics, applied.NotRotated, applied.Rotated.Warnings...)
	if applied.NotRotated != nil {
		return
	}
	progress("Rotated; the new token has the fingerprint " + applied.Rotated.Group.Token.Fingerprint() + ". " +
		"If Terraform manages the group, the next refresh reads the new token.")
}
