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
			"Creating, updating, rotating, deleting and refreshing cost one call each where nothing is out of the ordinary. A refresh of a group that no longer exists creates it for a moment and removes it again.",
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
				MarkdownDescription: "Name of the group, at least one character. Updated in place, with one call for `name`, `mapping` and `properties` together; the token stays.",
			},
			"mapping": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "Which data source the group sees for which schema: keys are schema ids, values are data sources or the ids you gave them. " +
					"Left out, the mapping is not managed and never sent; removing it later leaves the group's mapping as it is. `{}` empties it. A change costs one call. " +
					"The service never shows a mapping: a change made elsewhere is not noticed, and after an import the first apply sends the configured one over whatever the group had.",
			},
			"properties": schema.StringAttribute{
				CustomType:    propertiesType{},
				Optional:      true,
				PlanModifiers: []planmodifier.String{keepEqualProperties{}},
				MarkdownDescription: "Properties of the group as a JSON object: `properties = jsonencode({ tier = \"gold\" })`. Dashboards and the SQL editor have them as variables. " +
					"Compared by value: order, white space and the spelling of numbers do not matter. Left out, properties are not managed and never sent; removing them later leaves the group's properties as they are. `jsonencode({})` empties them. A change costs one call. " +
					"Plans show them in clear unless the value is sensitive.",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Your id of the group's data source. It is sent along when the group is deleted, and only then, for services that ask for it. It must have been applied before the deletion, which takes it from the state; changing it makes no call.",
			},
			"rotate_token_when_changed": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Rotates the token, in place and once, when the **value** of a key changes that was in the map before: `{ quarter = \"2026-Q4\" }`. " +
					"Adding the map, adding a key or dropping one does not rotate. Costs one call, two with `store_token = false`. " +
					"A value that is unknown at plan is planned as a rotation, so never use `timestamp()`, which would rotate in every apply. **The old token stops working the moment the new one exists.**",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "With `true`, creating a group whose id exists already takes that group over: it is updated to this configuration and keeps its token and team. " +
					"Otherwise that is an error which changes nothing. It matters during creation only, and changing it later makes no call. An adoption costs two calls, three with the provider's `environment`, and the plan shows it as a create. " +
					"It is no way to move a group to another address, since the engine may destroy the old one first, and the customer with it: a plan that does both is refused (not on Terraform before 1.3). Use a `moved` block for that. **From then on destroying the resource deletes the group.**",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "With `true`, a plan that destroys the group, or replaces it because `user_group_id` changes, fails. " +
					"A replacement by `-replace`, or of a tainted resource, is planned all the same and fails during the apply, before anything is deleted. " +
					"Terraform before 1.3 plans a destruction all the same, too. What counts is the value in the state: to delete the group, apply `false` first. Changing it makes no call.",
			},
			"store_token": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "With `false`, `token` stays null in state and plan. Rotating and deleting then cost one more call, which asks for the current token. " +
					"Changing it never rotates; when it is set back to `true`, the token appears with the next refresh. An import reads before it knows the configuration: the plan file of an `import` block, or the state after `terraform import`, holds the token until the next apply. Older versions of the state keep it: rotate afterwards.",
			},
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The same as `user_group_id`, but known only once the group exists, so that what refers to it waits for the group.",
			},
			"token": schema.StringAttribute{
				Computed:            true,
				Sensitive:           true,
				MarkdownDescription: "The user group token, to be passed along when a dashboard is embedded. It is stored in the state in clear unless `store_token` is `false`.",
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
				MarkdownDescription: "Environment of the group, `Customer` or `Testing`. The service tells it only when it updates or rotates, so it is null before the first update or rotation. With the provider's `environment`, each create includes such an update.",
			},
		},
	}
	describePlainly(&resp.Schema)
}
