package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Schema describes the resource. No flag has a default or forces replacement: adding one to the configuration of an
// existing group must not plan anything that reaches the service.
func (r *userGroupResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "A user group: one customer of the product that embeds dashboards. Its token tells an embedded dashboard who is looking.\n\n" +
			"Creating, updating, rotating, deleting and refreshing cost one call each.",
		Attributes: map[string]schema.Attribute{
			"user_group_id": schema.StringAttribute{
				Required:      true,
				Validators:    []validator.String{userGroupIDValidator{}},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: describeUserGroupID +
					" Changing it **replaces** the group: the old one is deleted, and the new one has another token.",
			},
			"name": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Name of the group. Updated in place; the token stays.",
			},
			"mapping": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "Which data source the group sees for which schema: keys are schema ids, values are data sources or the ids you gave them. " +
					"Left out, the mapping is not managed and never sent; `{}` empties it. The service never shows a mapping, so a change made elsewhere cannot be noticed.",
			},
			"properties": schema.StringAttribute{
				CustomType:    propertiesType{},
				Optional:      true,
				PlanModifiers: []planmodifier.String{keepEqualProperties{}},
				MarkdownDescription: "Properties of the group as a JSON object, available as variables in dashboards and in the SQL editor: `properties = jsonencode({ tier = \"gold\" })`. " +
					"Compared by value: order, white space and the spelling of numbers do not matter. Left out, properties are not managed and never sent; `jsonencode({})` empties them.",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Your id of the group's data source. It is only sent along when the group is deleted, for services that ask for it; changing it makes no call.",
			},
			"rotate_token_when_changed": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Rotates the token, in place and once, whenever the **value** of a key changes that was there before: `{ quarter = \"2026-Q4\" }`. " +
					"Adding the map, adding a key or dropping one does not rotate. The old token stops working the moment the new one exists.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "With `true`, creating a group whose id exists already takes that group over: it is updated to this configuration and keeps its token and team. " +
					"Otherwise that is an error which changes nothing. It matters during creation only. **From then on destroying the resource deletes the group.**",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "With `true`, plans that destroy or replace the group fail, until `false` has been applied.",
			},
			"store_token": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "With `false`, `token` stays null in state and plan. Rotating and deleting then cost one more call, which asks for the current token. " +
					"Changing it never rotates; when it is set back to `true`, the token appears with the next refresh. The state that an import writes holds the token until the apply that follows it.",
			},
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The same as `user_group_id`, but known only once the group exists, so that what refers to it waits for the group.",
			},
			"token": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "The user group token, to be passed along when a dashboard is embedded. It is stored in the state unless `store_token` is `false`.",
			},
			"token_fingerprint": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: describeFingerprint,
			},
			"team_id": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: describeTeamID,
			},
			"api_environment_tag": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Environment of the group, `Customer` or `Testing`. The service tells it only when it updates or rotates, so it is null before the first update or rotation.",
			},
		},
	}
}
