package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

type userGroupListResource struct{ base }

var _ list.ListResourceWithConfigure = (*userGroupListResource)(nil)

func newUserGroupListResource() list.ListResource { return &userGroupListResource{} }

func (l *userGroupListResource) Metadata(
	_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse,
) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
}

func (l *userGroupListResource) Configure(
	_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse,
) {
	l.configure(req.ProviderData)
}

func (l *userGroupListResource) ListResourceConfigSchema(
	_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists which of the given user groups exist, without their tokens. The service cannot list " +
			"its groups, so you provide the IDs.",
		Attributes: map[string]schema.Attribute{
			"user_group_ids": schema.ListAttribute{
				Required:            true,
				ElementType:         types.StringType,
				Validators:          validUserGroupIDs,
				MarkdownDescription: "The IDs to look up.",
			},
		},
	}
}

// List looks the groups up and leaves the service as it was. Errors come last: after the first one, Terraform ends the
// provider, and a lookup under way would leave a group behind. What is said of a missing group comes with the next
// result, because Terraform reads nothing after as many results as it wants.
func (l *userGroupListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var diags diag.Diagnostics
	var ids []string
	diags.Append(req.Config.GetAttribute(ctx, path.Root("user_group_ids"), &ids)...)
	if !l.isReady(&diags, "Listing user groups") {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		var said diag.Diagnostics
		var failed []*usergroup.Problem
		for one := range lookUpAll(ctx, l.service, withoutRepeats(ids), req.Limit) {
			if one.problem != nil {
				if !reportsMissing(&said, one.problem) {
					failed = append(failed, one.problem)
				}
				continue
			}
			result := req.NewListResult(ctx)
			result.Diagnostics.Append(said...)
			said = nil
			report(&result.Diagnostics, nil, one.Warnings...)
			l.describe(ctx, one.id, *one.Group, &result)
			if !push(result) {
				return
			}
		}
		if reportFailed(&said, failed, len(failed)); len(said) > 0 {
			push(list.ListResult{Diagnostics: said})
		}
	}
}

// describe fills in the result. It omits the token, because query results are printed, not always with sensitive
// values masked. The framework leaves out the resource unless it is asked for.
func (l *userGroupListResource) describe(
	ctx context.Context, id string, found api.UserGroup, result *list.ListResult,
) {
	group := newUserGroupModel(types.StringValue(id), types.BoolNull(), found)
	group.Token = types.StringNull()
	result.DisplayName = printable(id)
	if found.Name != nil {
		result.DisplayName = printable(*found.Name + " (" + id + ")")
	}
	result.Diagnostics.Append(result.Identity.SetAttribute(ctx, path.Root("user_group_id"), group.UserGroupID)...)
	result.Diagnostics.Append(result.Resource.Set(ctx, &group)...)
}
