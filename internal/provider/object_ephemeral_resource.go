package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type userGroupTokenEphemeralResource struct{ base }

var _ ephemeral.EphemeralResourceWithConfigure = (*userGroupTokenEphemeralResource)(nil)

func newUserGroupTokenEphemeralResource() ephemeral.EphemeralResource {
	return &userGroupTokenEphemeralResource{}
}

type userGroupTokenModel struct {
	UserGroupID      types.String `tfsdk:"user_group_id"`
	Token            types.String `tfsdk:"token"`
	TokenFingerprint types.String `tfsdk:"token_fingerprint"`
	TeamID           types.Int64  `tfsdk:"team_id"`
}

func (e *userGroupTokenEphemeralResource) Metadata(
	_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_user_group_token"
}

func (e *userGroupTokenEphemeralResource) Configure(
	_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse,
) {
	e.configure(req.ProviderData)
}

func (e *userGroupTokenEphemeralResource) Schema(
	_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads the current token of a user group without writing it to state or plan, and without " +
			"rotating it.",
		Attributes: map[string]schema.Attribute{
			"user_group_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{userGroupIDValidator{}},
				MarkdownDescription: describeUserGroupID,
			},
			"token": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "The current user group token.",
			},
			"token_fingerprint": schema.StringAttribute{Computed: true, MarkdownDescription: describeFingerprint},
			"team_id":           schema.Int64Attribute{Computed: true, MarkdownDescription: describeTeamID},
		},
	}
}

// Open looks the group up and leaves the service as it was.
func (e *userGroupTokenEphemeralResource) Open(
	ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse,
) {
	var token userGroupTokenModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &token)...)
	found := e.find(ctx, token.UserGroupID, &resp.Diagnostics, "Reading a user group token")
	if found == nil {
		return
	}
	group := newUserGroupModel(token.UserGroupID, types.BoolNull(), *found)
	token.Token, token.TokenFingerprint, token.TeamID = group.Token, group.TokenFingerprint, group.TeamID
	resp.Diagnostics.Append(resp.Result.Set(ctx, &token)...)
}
