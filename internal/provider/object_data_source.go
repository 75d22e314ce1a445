package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type userGroupDataSource struct{ base }

var _ datasource.DataSourceWithConfigure = (*userGroupDataSource)(nil)

func newUserGroupDataSource() datasource.DataSource { return &userGroupDataSource{} }

// userGroupData is the model of the data source. It has no mapping and no environment, because the response to a
// lookup contains neither.
type userGroupData struct {
	UserGroupID      types.String    `tfsdk:"user_group_id"`
	StoreToken       types.Bool      `tfsdk:"store_token"`
	ID               types.String    `tfsdk:"id"`
	Name             types.String    `tfsdk:"name"`
	Properties       propertiesValue `tfsdk:"properties"`
	Token            types.String    `tfsdk:"token"`
	TokenFingerprint types.String    `tfsdk:"token_fingerprint"`
	TeamID           types.Int64     `tfsdk:"team_id"`
}

func (d *userGroupDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
}

func (d *userGroupDataSource) Configure(
	_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse,
) {
	d.configure(req.ProviderData)
}

func (d *userGroupDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Looks up a user group that is managed elsewhere. If it does not exist, the data source fails.",
		Attributes: map[string]schema.Attribute{
			"user_group_id": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{userGroupIDValidator{}},
				MarkdownDescription: describeUserGroupID,
			},
			"store_token": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether the state contains the token. Defaults to `true`.",
			},
			"id":   schema.StringAttribute{Computed: true, MarkdownDescription: "The same as `user_group_id`."},
			"name": schema.StringAttribute{Computed: true, MarkdownDescription: describeShownName},
			"properties": schema.StringAttribute{
				Computed: true, CustomType: propertiesType{}, MarkdownDescription: describeShownProperties,
			},
			"token": schema.StringAttribute{
				Computed:  true,
				Sensitive: true,
				MarkdownDescription: "The user group token. Null with `store_token = false`. **The state contains it " +
					"in plain text.**",
			},
			"token_fingerprint": schema.StringAttribute{Computed: true, MarkdownDescription: describeFingerprint},
			"team_id":           schema.Int64Attribute{Computed: true, MarkdownDescription: describeTeamID},
		},
	}
}

// Read looks the group up and leaves the service as it was.
func (d *userGroupDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data userGroupData
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	found := d.find(ctx, data.UserGroupID, &resp.Diagnostics, "Looking up a user group")
	if found == nil {
		return
	}
	group := newUserGroupModel(data.UserGroupID, data.StoreToken, *found)
	data.ID, data.Name, data.Properties = group.ID, group.Name, group.Properties
	data.Token, data.TokenFingerprint, data.TeamID = group.Token, group.TokenFingerprint, group.TeamID
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}
