package provider

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

const titleImportIDInvalid = "Invalid import ID"

// userGroupResource implements embed_user_group.
type userGroupResource struct{ base }

var (
	_ resource.ResourceWithIdentity    = (*userGroupResource)(nil)
	_ resource.ResourceWithImportState = (*userGroupResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*userGroupResource)(nil)
)

func (r *userGroupResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
	// ModifyPlan makes no call, so plans are complete even if the provider defers them.
	resp.ResourceBehavior.ProviderDeferred.EnablePlanModification = true
}

// Schema returns the schema of the resource. No flag has a default or forces replacement, so that adding one to the
// configuration of an existing group causes no call to change it.
func (r *userGroupResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version: 0,
		MarkdownDescription: "Manages a user group: one customer of a product that embeds dashboards. The group's token " +
			"tells an embedded dashboard which customer is viewing it.",
		Attributes: map[string]schema.Attribute{
			"user_group_id": schema.StringAttribute{
				Required:      true,
				Validators:    []validator.String{userGroupIDValidator{}},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: describeUserGroupID +
					" **Changing this forces a new resource**: the group is deleted, and the new one has a " +
					"different token.",
			},
			"name": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Name of the group, at least one character. The name is updated in place; the token stays " +
					"the same.",
			},
			"mapping": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "For each schema, the data source at the dashboard service that the group uses. Keys " +
					"are schema IDs. Each value identifies a data source, for example by your own ID for it. If omitted, " +
					"the mapping is not managed: it is never sent, and removing the argument later makes no call. `{}` " +
					"tells the service to empty the mapping. The service never shows a mapping, so a change made elsewhere " +
					"goes unnoticed. If this argument is set, the first apply after an import replaces whatever mapping the " +
					"group has.",
			},
			"properties": schema.StringAttribute{
				CustomType: propertiesType{},
				Optional:   true,
				MarkdownDescription: "Properties of the group as a JSON object: `properties = jsonencode({ tier = " +
					"\"gold\" })`. They are available as variables in dashboards and in the SQL editor. The provider " +
					"compares them by value: the order of keys, white space, and the notation of numbers do not matter. If " +
					"omitted, properties are not managed: they are never sent, and removing the argument later makes no " +
					"call. `jsonencode({})` tells the service to remove all properties. Plans show properties in plain text " +
					"unless the value is sensitive.",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Your own ID for the group's data source, for services that require it when a group is " +
					"deleted. It is only sent with the deletion. The deletion reads it from the state, so apply the argument " +
					"before you destroy the group. Changing it makes no call.",
			},
			"rotate_token_when_changed": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Rotates the token once, in place, when the **value** of an existing key changes, " +
					"for example in `{ quarter = \"2026-Q4\" }`. Adding or removing a key, or the whole map, does not " +
					"rotate the token. If the value of an existing key is not known during the plan, the plan shows a " +
					"rotation, and the apply rotates the token only if the value has changed. Never use `timestamp()`: its " +
					"value changes in every apply. **Expect the old token to stop working the moment the new one exists.**",
			},
			"rotate_token_after_days": schema.Int64Attribute{
				Optional:   true,
				Validators: []validator.Int64{int64validator.Between(1, 36500)}, // The limit finds numbers of seconds.
				MarkdownDescription: "Rotates the token in place when the token is older than this number of days. The " +
					"number must be a whole number between 1 and 36500. A plan shows the rotation if it refreshes the group " +
					"more than this number of days after `token_rotated_at`. If `token_rotated_at` is null, the next " +
					"apply sets it, without a rotation and without a call. Removing the argument never rotates the token. " +
					"Adding the argument, or lowering the number, rotates a token that is older than the new number of " +
					"days. If the number is not known during the plan, the plan may show a rotation, and the apply rotates " +
					"the token only if it is older than the number of days. **Expect the old token to stop working the " +
					"moment the new one exists.**",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "If `true`, and a group with this ID already exists, creating the resource takes " +
					"over that group: the group is updated to match this configuration, and keeps its token and its " +
					"`team_id`. Otherwise, an existing group is an error, and nothing is changed. The argument only affects " +
					"creation; changing it later makes no call. The plan shows an adoption as a create. To move a group to " +
					"another address, use a `moved` block instead. Without a `moved` block, Terraform may destroy the group " +
					"at the old address and then create a new one at the new address. The provider therefore rejects such a " +
					"plan, except on Terraform before 1.3. **Once adopted, the group is deleted when the resource is " +
					"destroyed.**",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "If `true`, a plan fails if it destroys the group, or replaces the group because " +
					"`user_group_id` changes. With `-replace`, with a tainted resource, and for a destroy on Terraform " +
					"before 1.3, the apply fails instead, before the group is deleted. For a destroy, only the value in the " +
					"state counts, so apply `true` before you rely on the protection. To delete the group, apply `false` " +
					"first, and then destroy the group. Changing the argument makes no call.",
			},
			"store_token": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "If `false`, `token` is null in state and plan. Rotating and deleting then take one " +
					"more call, which looks up the current token. Changing the argument never rotates the token. After you " +
					"have applied a change back to `true`, the next apply stores the token. During an import, the provider " +
					"does not know the configuration. A saved plan of the import therefore contains the token. So does the " +
					"state, after `terraform import` or a failed apply of an `import` block, until the next successful " +
					"apply. If the state contained the token before, older versions of the state still do, so rotate the " +
					"token after you have applied `false`.",
			},
			"id": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The same as `user_group_id`, but only known once the group exists, so that anything " +
					"that refers to `id` waits for the group.",
			},
			"token": schema.StringAttribute{
				Computed:  true,
				Sensitive: true,
				MarkdownDescription: "The user group token, which your product uses to embed dashboards. The state " +
					"contains it in plain text unless `store_token` is `false`.",
			},
			"token_fingerprint": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: describeFingerprint,
			},
			"token_rotated_at": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "The time at which Terraform created or rotated the token, or first saw it after a " +
					"rotation elsewhere, in UTC (RFC 3339, for example `2026-10-01T08:00:00Z`). Null while this time is " +
					"unknown, such as after an import or an adoption. In that case, the first apply with " +
					"`rotate_token_after_days` sets `token_rotated_at` to the time of that apply.",
			},
			"team_id": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: describeTeamID,
			},
			"api_environment_tag": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "Environment of the group, `Customer` or `Testing`. The service only returns the " +
					"environment for updates and rotations, so this attribute is null until the first update or rotation.",
			},
		},
	}
}

func (r *userGroupResource) IdentitySchema(
	_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse,
) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"user_group_id": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Your own identifier for the user group.",
			},
		},
	}
}

// ImportState makes no call. The Read that follows looks the group up, and returns an error if it does not exist.
func (r *userGroupResource) ImportState(
	ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	id := req.ID
	if id == "" {
		var identified types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("user_group_id"), &identified)...)
		id = identified.ValueString()
	}
	if err := checkUserGroupID(id); err != nil && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError(titleImportIDInvalid, fmt.Sprintf(
			"The import ID is the user_group_id alone, as in `terraform import embed_user_group.acme acme`. "+
				"The ID %s. Nothing was imported.", err))
	}
	if !r.isReady(&resp.Diagnostics, "Importing a user group") {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	private{Instance: rand.Text(), Imported: unread}.write(ctx, resp.Private, &resp.Diagnostics)
}

// Create creates the group or, with adopt_existing, may adopt it. After an error, it writes no state, because
// Terraform would treat the resource as tainted and destroy the group in the next apply.
func (r *userGroupResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var group userGroupModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &group)...)
	wanted := group.wanted(ctx, &resp.Diagnostics)
	if !r.isReady(&resp.Diagnostics, "Creating a user group") {
		return
	}
	result, err := r.service.Create(ctx, wanted, group.AdoptExisting.ValueBool())
	r.conflicts.created(group.UserGroupID, result.Instance)
	report(&resp.Diagnostics, err, result.Warnings...)
	if err != nil {
		return
	}
	group.setComputed(*result.Group)
	group.TokenRotatedAt = instant(r.now())
	stored := private{Instance: result.Instance}
	for _, warning := range result.Warnings {
		switch {
		case warning.Finding == usergroup.Adopted && group.RotateTokenAfterDays.IsNull():
			group.TokenRotatedAt = types.StringNull()
		case warning.Finding == usergroup.Claimed:
			stored.Imported = unseen
		}
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), group.UserGroupID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &group)...)
	stored.write(ctx, resp.Private, &resp.Diagnostics)
}

// Read refreshes the state. It removes a group that does not exist, or has been replaced, from the state. Right after an
// import, both are errors.
func (r *userGroupResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var group userGroupModel
	resp.Diagnostics.Append(req.State.Get(ctx, &group)...)
	stored := readPrivate(ctx, req.Private, &resp.Diagnostics)
	// The identity is set first, because the framework requires one even if the group turns out to be gone.
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), group.UserGroupID)...)
	if resp.Diagnostics.HasError() || r.service == nil {
		return
	}
	result, err := r.service.Find(ctx, group.prior(stored, r.now()))
	if problem := problemOf(err); problem != nil && stored.Imported != unread {
		switch {
		case problem.Finding == usergroup.NotFound || problem.Finding == usergroup.Replaced:
			if problem.Finding == usergroup.Replaced || problem.MayRemain {
				report(&resp.Diagnostics, nil, problem)
			}
			resp.State.RemoveResource(ctx)
			return
		case problem.Finding == usergroup.RunEnded && !problem.MayRemain:
			return // The run fails anyway, because of the error that ended it.
		}
	}
	report(&resp.Diagnostics, err, result.Warnings...)
	if err != nil {
		return
	}
	if group.tokenDiffers(result.Group.Token) {
		group.TokenRotatedAt = instant(r.now())
	}
	if stored.Imported == unseen {
		group.Mapping = types.MapNull(types.StringType) // The next plan sends it.
	}
	group.refreshFrom(*result.Group, stored.Imported == unread)
	resp.Diagnostics.Append(resp.State.Set(ctx, &group)...)
	stored.refreshed()
	stored.TooOld = group.isOlderThan(group.RotateTokenAfterDays, r.now())
	stored.write(ctx, resp.Private, &resp.Diagnostics)
}

// Update updates the group, then rotates its token, each only if the plan shows it. It rotates even if the update
// failed. The state records what was done even if one of them failed.
func (r *userGroupResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state userGroupModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	stored := readPrivate(ctx, req.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), plan.UserGroupID)...)
	updates, rotates := plan.needsUpdate(&state), plan.TokenFingerprint.IsUnknown()
	wanted := plan.withoutIgnored(&config, &state).wanted(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || (updates || rotates) && !r.isReady(&resp.Diagnostics, "Updating a user group") {
		return
	}
	done, prior := plan, state.prior(stored, r.now())
	done.keepComputed(&state)
	if plan.TokenRotatedAt.IsUnknown() && !rotates {
		done.TokenRotatedAt = instant(r.now())
	}
	if updates {
		result, err := r.service.Update(ctx, wanted, prior)
		report(&resp.Diagnostics, err, result.Warnings...)
		done.setUpdated(result.Group, err, &state)
		stored.updated(result.Group != nil, wanted)
	}
	if rotates {
		result, err := r.service.RotateToken(ctx, prior)
		report(&resp.Diagnostics, err, result.Warnings...)
		done.setRotated(result.Group, &state, r.now())
		if result.Group != nil {
			stored.Previous = result.Previous
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &done)...)
	stored.TooOld = false
	stored.write(ctx, resp.Private, &resp.Diagnostics)
}

// Delete deletes the group. It succeeds if the group is already gone. Terraform does not ask the provider to plan every
// deletion, such as that of a tainted resource, so the plan's checks come once more.
func (r *userGroupResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var group userGroupModel
	resp.Diagnostics.Append(req.State.Get(ctx, &group)...)
	stored := readPrivate(ctx, req.Private, &resp.Diagnostics)
	protected := group.DeletionProtection.ValueBool()
	if !r.isReady(&resp.Diagnostics, "Deleting a user group") ||
		r.conflicts.refuseDeletion(group.UserGroupID, stored.Instance, &resp.Diagnostics) ||
		refuseIfProtected(protected, group.UserGroupID, &resp.Diagnostics, "The group was about to be deleted.") {
		return
	}
	result, err := r.service.Delete(ctx, group.prior(stored, r.now()))
	r.conflicts.destroyed(group.UserGroupID, stored.Instance)
	report(&resp.Diagnostics, err, result.Warnings...)
}
