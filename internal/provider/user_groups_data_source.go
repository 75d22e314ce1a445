package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// userGroupsDataSource implements embed_user_groups, which determines which of the given groups exist.
type userGroupsDataSource struct{ service *usergroup.Service }

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
	_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse,
) {
	d.service = dataFrom[*usergroup.Service](req.ProviderData, &resp.Diagnostics)
}

func (d *userGroupsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds out which of the given user groups exist. With `for_each` in an `import` block, " +
			"a single plan can import the existing groups and create the missing ones.\n\nEach time the data source " +
			"is read, it usually makes one call for each group that exists, and three calls for each group that does " +
			"not. It looks up at most ten groups at a time. Looking up a missing group creates the group, and the " +
			"provider removes it at once. " + describeKeyRights,
		Attributes: map[string]schema.Attribute{
			"user_group_ids": schema.ListAttribute{
				Required:            true,
				ElementType:         types.StringType,
				Validators:          validUserGroupIDs,
				MarkdownDescription: "The IDs of the user groups to look up. An ID that is repeated is looked up once.",
			},
			"missing_ids": schema.ListAttribute{
				Computed:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "The IDs of the user groups that do not exist, in the order of `user_group_ids`.",
			},
			"groups": schema.MapNestedAttribute{
				Computed: true,
				MarkdownDescription: "The user groups that exist, by ID, without their tokens. Use it as the " +
					"`for_each` of an `import` block. The state contains their names and properties in plain text.",
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
	if reportsUnconfigured(&resp.Diagnostics, d.service, "looking up user groups") {
		return
	}
	d.lookUp(ctx, &data, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
	}
}

// lookUp looks up data.UserGroupIDs and sets the rest of data. After the first error it makes no further calls, since
// the other lookups would most likely fail for the same reason. Of those under way, it reports the ones that may have
// left a group behind.
func (d *userGroupsDataSource) lookUp(ctx context.Context, data *userGroupsModel, diags *diag.Diagnostics) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	data.MissingIDs = []string{}
	ids := withoutRepeats(data.UserGroupIDs)
	data.Groups = make(map[string]userGroupShown, len(ids))
	var failed []error
	for one := range lookUpAll(ctx, d.service, ids, 0) {
		switch {
		case one.err == nil:
			data.Groups[one.id] = newUserGroupShown(one.found)
			report(diags, nil, one.found.Warnings...)
		case reportsMissing(diags, one.err):
			data.MissingIDs = append(data.MissingIDs, one.id)
		default:
			if len(failed) == 0 || ctx.Err() == nil || mayHaveLeftAGroup(one.err) {
				failed = append(failed, one.err)
			}
			if !refersOnly(one.err) { // What it refers to may be the error of a lookup that comes later.
				stop()
			}
			continue
		}
		if done := len(data.Groups) + len(data.MissingIDs); done%50 == 0 || done == len(ids) {
			tflog.Info(ctx, fmt.Sprintf("Looked up %d of %d user groups", done, len(ids)))
		}
	}
	reportFailed(diags, failed)
}

func newUserGroupShown(found usergroup.Found) userGroupShown {
	group := newUserGroupModel(types.StringNull(), types.BoolValue(false), found)
	return userGroupShown{group.Name, group.Properties, group.TokenFingerprint, group.TeamID}
}

const (
	// lookupsAtATime is the maximum number of concurrent lookups. It equals the default of Terraform's -parallelism.
	lookupsAtATime = 10
	// lookupsAhead is the maximum number of lookups whose results have not been taken yet. With twice as many as run at
	// a time, those of missing groups, which make three calls, rarely hold up the others.
	lookupsAhead = 2 * lookupsAtATime
)

// lookup is the result of looking up one group.
type lookup struct {
	id    string
	found usergroup.Found
	err   error
	ended bool
}

// lookUpAll looks up groups, at most lookupsAtATime at once, and yields the results in the order of the IDs. With a
// limit other than 0, missing groups do not count, and no lookup is made whose result would be beyond the limit: each
// could create and delete a group. Once ctx has ended or the caller takes no more results, no further lookup begins,
// and lookUpAll returns when those under way have ended. If IDs are left when ctx has ended, the last result is an
// error.
func lookUpAll(ctx context.Context, service *usergroup.Service, ids []string, limit int64) iter.Seq[*lookup] {
	return func(yield func(*lookup) bool) {
		ctx, stop := context.WithCancel(ctx)
		var lookups sync.WaitGroup
		defer lookups.Wait()
		defer stop()
		var ahead []*lookup // begun and not yielded yet
		ended := make(chan *lookup, lookupsAtATime)
		underWay, counted := 0, int64(0)
		for next := 0; ; {
			for next < len(ids) && ctx.Err() == nil && underWay < lookupsAtATime && len(ahead) < lookupsAhead &&
				(limit == 0 || counted+int64(underWay) < limit) {
				one := &lookup{id: ids[next]}
				lookups.Go(func() {
					one.found, one.err = service.Find(ctx, usergroup.Known{ID: one.id})
					ended <- one
				})
				ahead = append(ahead, one)
				next, underWay = next+1, underWay+1
			}
			if len(ahead) == 0 {
				if err := ctx.Err(); err != nil && next < len(ids) {
					yield(&lookup{id: ids[next], err: &usergroup.Problem{
						Operation: usergroup.LookUp, ID: ids[next], Call: api.Stopped(http.MethodGet, err),
					}})
				}
				return
			}
			if ahead[0].ended {
				if !yield(ahead[0]) {
					return
				}
				ahead = ahead[1:]
				continue
			}
			one := <-ended
			one.ended = true
			underWay--
			if !errors.Is(one.err, usergroup.ErrNotFound) {
				counted++
			}
		}
	}
}
