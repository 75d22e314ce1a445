package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// userGroupsDataSource implements embed_user_groups, which determines which of the given groups exist.
type userGroupsDataSource struct{ service *usergroup.Service }

var _ datasource.DataSourceWithConfigure = (*userGroupsDataSource)(nil)

func newUserGroupsDataSource() datasource.DataSource { return &userGroupsDataSource{} }

type userGroupsModel struct {
	UserGroupIDs []string `tfsdk:"user_group_ids"`
	ExistingIDs  []string `tfsdk:"existing_ids"`
	MissingIDs   []string `tfsdk:"missing_ids"`
}

func (d *userGroupsDataSource) Metadata(
	_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_user_groups"
}

func (d *userGroupsDataSource) Configure(
	_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	d.service = dataFrom[*usergroup.Service](req.ProviderData, &resp.Diagnostics)
}

func (d *userGroupsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds out which of the given user groups exist. With `for_each` in an `import` block, " +
			"a single plan imports the existing groups and creates the missing ones.\n\nIt makes one call for each " +
			"group that exists and three for each that does not, ten groups at a time, whenever it is read. Looking " +
			"up a missing group creates it. The provider removes it again, so nothing is left behind. " +
			describeKeyRights,
		Attributes: map[string]schema.Attribute{
			"user_group_ids": schema.SetAttribute{
				Required:   true,
				CustomType: newIDsType(),
				Validators: []validator.Set{
					setvalidator.NoNullValues(),
					setvalidator.ValueStringsAre(userGroupIDValidator{}),
				},
				MarkdownDescription: "The IDs of the user groups to look up.",
			},
			"existing_ids": schema.SetAttribute{
				Computed:            true,
				CustomType:          newIDsType(),
				MarkdownDescription: "The IDs of the user groups that exist.",
			},
			"missing_ids": schema.SetAttribute{
				Computed:            true,
				CustomType:          newIDsType(),
				MarkdownDescription: "The IDs of the user groups that do not exist.",
			},
		},
	}
}

// Read looks all groups up and leaves the service as it was.
func (d *userGroupsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data userGroupsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if cannot(&resp.Diagnostics, d.service, "looking up user groups") {
		return
	}
	data.ExistingIDs, data.MissingIDs = d.lookUp(ctx, data.UserGroupIDs, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
	}
}

// lookUp returns which of the IDs exist and which do not. After the first error it makes no further calls, since the
// other lookups would most likely fail for the same reason.
func (d *userGroupsDataSource) lookUp(
	ctx context.Context, ids []string, diags *diag.Diagnostics,
) (existing, missing []string) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	existing, missing = []string{}, []string{}
	for one := range lookUpAll(ctx, d.service, ids, 0) {
		switch {
		case one.err == nil:
			existing = append(existing, one.id)
			report(diags, nil, one.found.Warnings...)
		case isMissing(diags, one.err):
			missing = append(missing, one.id)
		default:
			if !diags.HasError() {
				report(diags, one.err)
				stop()
			}
			continue
		}
		if done := len(existing) + len(missing); done%50 == 0 || done == len(ids) {
			tflog.Info(ctx, fmt.Sprintf("Looked up %d of %d user groups", done, len(ids)))
		}
	}
	return existing, missing
}
