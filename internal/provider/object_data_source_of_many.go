package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// userGroupsDataSource implements embed_user_groups, which determines which of the given groups exist.
type userGroupsDataSource struct{ base }

var _ datasource.DataSourceWithConfigure = (*userGroupsDataSource)(nil)

func newUserGroupsDataSource() datasource.DataSource { return &userGroupsDataSource{} }

type userGroupsModel struct {
	UserGroupIDs []string                  `tfsdk:"user_group_ids"`
	MissingIDs   []string                  `tfsdk:"missing_ids"`
	Groups       map[string]userGroupShown `tfsdk:"groups"`
}

// userGroupShown is what a lookup shows of a group, apart from its token. With the tokens of all groups of a list, the
// state would contain them even if no group is managed.
type userGroupShown struct {
	Name             types.String    `tfsdk:"name"`
	Properties       propertiesValue `tfsdk:"properties"`
	TokenFingerprint types.String    `tfsdk:"token_fingerprint"`
	TeamID           types.Int64     `tfsdk:"team_id"`
}

func (d *userGroupsDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_user_groups"
}

func (d *userGroupsDataSource) Configure(
	_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse,
) {
	d.configure(req.ProviderData)
}

func (d *userGroupsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds out which of the given user groups exist.",
		Attributes: map[string]schema.Attribute{
			"user_group_ids": schema.ListAttribute{
				Required:            true,
				ElementType:         types.StringType,
				Validators:          validUserGroupIDs,
				MarkdownDescription: "The IDs to look up.",
			},
			"missing_ids": schema.ListAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "The IDs that do not exist.",
			},
			"groups": schema.MapNestedAttribute{
				Computed: true,
				MarkdownDescription: "The groups that exist, by ID, without their tokens. The state contains names and " +
					"properties in plain text.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name": schema.StringAttribute{Computed: true, MarkdownDescription: describeShownName},
					"properties": schema.StringAttribute{
						Computed: true, CustomType: propertiesType{}, MarkdownDescription: describeShownProperties,
					},
					"token_fingerprint": schema.StringAttribute{Computed: true, MarkdownDescription: describeFingerprint},
					"team_id":           schema.Int64Attribute{Computed: true, MarkdownDescription: describeTeamID},
				}},
			},
		},
	}
}

// Read looks all groups up and leaves the service as it was.
func (d *userGroupsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data userGroupsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if !d.isReady(&resp.Diagnostics, "Looking up user groups") {
		return
	}
	d.lookUp(ctx, &data, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
	}
}

// lookUp looks up data.UserGroupIDs and sets the rest of data. After the first error it makes no further calls, since
// the other lookups would most likely fail for the same reason.
func (d *userGroupsDataSource) lookUp(ctx context.Context, data *userGroupsModel, diags *diag.Diagnostics) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	data.MissingIDs = []string{}
	ids := withoutRepeats(data.UserGroupIDs)
	data.Groups = make(map[string]userGroupShown, len(ids))
	var failed []*usergroup.Problem
	for one := range lookUpAll(ctx, d.service, ids, 0) {
		switch {
		case one.problem == nil:
			data.Groups[one.id] = newUserGroupShown(*one.Group)
			report(diags, nil, one.Warnings...)
		case reportsMissing(diags, one.problem):
			data.MissingIDs = append(data.MissingIDs, one.id)
		default:
			failed = append(failed, one.problem)
			stop()
			continue
		}
		if done := len(data.Groups) + len(data.MissingIDs); done%50 == 0 || done == len(ids) {
			tflog.Info(ctx, fmt.Sprintf("Looked up %d of %d user groups", done, len(ids)))
		}
	}
	reportFailed(diags, failed, 1) // The lookups under way have failed for the same reason.
}

func newUserGroupShown(found api.UserGroup) userGroupShown {
	group := newUserGroupModel(types.StringNull(), types.BoolValue(false), found)
	return userGroupShown{group.Name, group.Properties, group.TokenFingerprint, group.TeamID}
}
