package provider

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
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

func newUserGroupResource() resource.Resource {
	return &userGroupResource{*newBase(time.Now)}
}

var (
	_ resource.ResourceWithConfigure   = (*userGroupResource)(nil)
	_ resource.ResourceWithIdentity    = (*userGroupResource)(nil)
	_ resource.ResourceWithImportState = (*userGroupResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*userGroupResource)(nil)
)

func (r *userGroupResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_user_group"
	// ModifyPlan makes no call, so plans are complete even if the provider defers them.
	resp.ResourceBehavior.ProviderDeferred.EnablePlanModification = true
}

func (r *userGroupResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.configure(req.ProviderData)
}

// Schema returns the schema of the resource. No flag has a default or forces replacement, so that adding one to the
// configuration of an existing group causes no call to change it.
func (r *userGroupResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Version:             0,
		MarkdownDescription: "Manages a user group: one customer of a product that embeds dashboards.",
		Attributes: map[string]schema.Attribute{
			"user_group_id": schema.StringAttribute{
				Required:      true,
				Validators:    []validator.String{userGroupIDValidator{}},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Your own ID of the group, without invisible characters, or spaces at its ends. " +
					"**Changing it deletes the group, and creates another one with another token.**",
			},
			"name": schema.StringAttribute{
				Required:            true,
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Name of the group. Changing it keeps the token.",
			},
			"mapping": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				Validators:  []validator.Map{mapvalidator.NoNullValues()},
				MarkdownDescription: "The data source of each schema, by schema ID. Not managed by default. **The " +
					"first apply after an import replaces the group's mapping.**",
			},
			"properties": schema.StringAttribute{
				CustomType: propertiesType{},
				Optional:   true,
				MarkdownDescription: "JSON object of variables for dashboards and SQL queries, as in `jsonencode({ " +
					"tier = \"gold\" })`. Compared by value. Not managed by default. **Plans show what is not " +
					"sensitive.**",
			},
			"data_source_provided_id": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
				MarkdownDescription: "Your own ID of a data source, sent when the group is deleted. Defaults to the " +
					"provider's. **A deletion reads it from the state. Apply it first.**",
			},
			"rotate_token_when_changed": schema.MapAttribute{
				Optional:    true,
				ElementType: types.StringType,
				MarkdownDescription: "Rotates the token in place when the value of an existing key changes, as in `{ " +
					"quarter = \"2026-Q4\" }`. Never by default.",
			},
			"rotate_token_after_days": schema.Float64Attribute{
				Optional:   true,
				Validators: []validator.Float64{float64validator.Between(1, 36500)}, // finds numbers of seconds
				MarkdownDescription: "Rotates the token in place when it is older than this number of days. Between " +
					"`1` and `36500`. Never by default.",
			},
			"adopt_existing": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to take over and update a group that exists already. Defaults to " +
					"`false`. **Destroying the resource then deletes the group.**",
			},
			"deletion_protection": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether to refuse to delete or replace the group. Defaults to `false`. **A " +
					"deletion reads it from the state. Apply a change first.**",
			},
			"store_token": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether the state contains the token. Defaults to `true`. **Older versions of " +
					"the state keep a token.** See [Tokens](../guides/tokens.md#turn-it-on-or-off-later).",
			},
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The same as `user_group_id`, but known only once the group exists.",
			},
			"token": schema.StringAttribute{
				Computed:  true,
				Sensitive: true,
				MarkdownDescription: "The user group token, in plain text in the state. Null with `store_token = " +
					"false`.",
			},
			"token_fingerprint": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "The first 12 hexadecimal digits of the token's SHA-256 hash, which are no secret.",
			},
			"token_rotated_at": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "When Terraform created or rotated the token, or noticed a rotation elsewhere " +
					"(RFC 3339, UTC). After an import or an adoption, null or, with `rotate_token_after_days`, when its count " +
					"began.",
			},
			"team_id": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: describeTeamID,
			},
			"api_environment_tag": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Environment of the group, or null until an update or a rotation shows it.",
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
	if err := checkUserGroupID(id); err != nil {
		resp.Diagnostics.AddError(titleImportIDInvalid, fmt.Sprintf(
			"The import ID is the user_group_id alone, as in `terraform import embed_user_group.acme acme`. "+
				"The ID %s. Nothing was imported.", err))
	}
	if !r.isReady(&resp.Diagnostics, "Importing a user group") {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), id)...)
	private{Instance: rand.Text(), Imported: unread}.write(ctx, &userGroupModel{}, resp.Private, &resp.Diagnostics)
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
	stored := private{Instance: result.Instance, Environment: result.Environment}
	stored.shown(*result.Group)
	if has(result.Warnings, usergroup.Adopted) && group.RotateTokenAfterDays.IsNull() {
		group.TokenRotatedAt = types.StringNull()
	}
	if has(result.Warnings, usergroup.Claimed) {
		stored.Imported = unseen
	}
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), group.UserGroupID)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &group)...)
	stored.write(ctx, &group, resp.Private, &resp.Diagnostics)
}

// has reports whether a warning has a finding.
func has(warnings []*usergroup.Problem, finding usergroup.Finding) bool {
	return slices.ContainsFunc(warnings, func(p *usergroup.Problem) bool { return p.Finding == finding })
}

// Read refreshes the state. It removes a group that does not exist, or has been replaced, from the state. Right after
// an import, both are errors.
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
	if err != nil {
		readFailed(ctx, problemOf(err), stored, resp)
		return
	}
	report(&resp.Diagnostics, nil, result.Warnings...)
	if group.tokenDiffers(result.Group.Token) {
		group.TokenRotatedAt = instant(r.now())
	}
	if stored.Imported == unseen {
		group.forgetUnseen()
	}
	group.refreshFrom(*result.Group, stored.Imported == unread)
	resp.Diagnostics.Append(resp.State.Set(ctx, &group)...)
	stored.refreshed(r.run, result.Group.Token)
	stored.proved(result.Environment)
	stored.shown(*result.Group)
	stored.TooOld = group.isOlderThan(group.RotateTokenAfterDays, r.now())
	stored.write(ctx, &group, resp.Private, &resp.Diagnostics)
}

// readFailed reports why a refresh has failed. It removes a group that is gone from the state. A run that has ended
// fails anyway, because of the error that ended it, so a refresh without a call says nothing then.
func readFailed(ctx context.Context, problem *usergroup.Problem, stored private, resp *resource.ReadResponse) {
	isSilent := problem.Finding == usergroup.RunEnded && problem.Call == nil && len(problem.Left) == 0
	switch {
	case stored.Imported == unread:
		report(&resp.Diagnostics, problem)
	case reportsMissing(&resp.Diagnostics, problem):
		resp.State.RemoveResource(ctx)
	case problem.Finding == usergroup.Replaced:
		report(&resp.Diagnostics, nil, problem)
		resp.State.RemoveResource(ctx)
	case !isSilent:
		report(&resp.Diagnostics, problem)
	}
}

// Update updates the group, then rotates its token, each only if the plan shows it. The state records what was done
// even if one of them failed.
func (r *userGroupResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var config, plan, state userGroupModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	stored := readPrivate(ctx, req.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root("user_group_id"), plan.UserGroupID)...)
	change := plan.change(ctx, &config, &state, &resp.Diagnostics)
	isAny := change != usergroup.Change{}
	if isAny {
		r.isReady(&resp.Diagnostics, "Updating a user group")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	var applied usergroup.Applied
	if isAny {
		applied = r.service.Apply(ctx, change, state.prior(stored, r.now()))
	}
	done := plan
	done.keepComputed(&state)
	if plan.TokenRotatedAt.IsUnknown() && !change.Rotates {
		done.TokenRotatedAt = instant(r.now())
	}
	if change.Update != nil {
		done.setUpdated(applied.Updated.Group, applied.NotUpdated, &state)
	}
	stored.proved(applied.Updated.Environment)
	stored.updated(applied.Updated.Group != nil && change.Update.Mapping != nil)
	if change.Rotates {
		done.setRotated(applied.Rotated.Group, &state, r.now())
		stored.rotated(applied.Rotated, applied.NotRotated, plan.RotateTokenWhenChanged)
	}
	report(&resp.Diagnostics, applied.NotUpdated, applied.Updated.Warnings...)
	report(&resp.Diagnostics, applied.NotRotated, applied.Rotated.Warnings...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &done)...)
	stored.TooOld = false
	stored.write(ctx, &done, resp.Private, &resp.Diagnostics)
}

// Delete deletes the group. It succeeds if the group is already gone. Terraform does not ask the provider to plan every
// deletion, such as that of a tainted resource, so the plan's checks come once more.
func (r *userGroupResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var group userGroupModel
	resp.Diagnostics.Append(req.State.Get(ctx, &group)...)
	stored := readPrivate(ctx, req.Private, &resp.Diagnostics)
	if !r.isReady(&resp.Diagnostics, "Deleting a user group") || r.refusesDeletion(&group, stored, &resp.Diagnostics) {
		return
	}
	result, err := r.service.Delete(ctx, group.prior(stored, r.now()))
	r.conflicts.destroyed(group.UserGroupID, stored.Instance)
	report(&resp.Diagnostics, err, result.Warnings...)
}

// refusesDeletion reports whether a deletion is refused, and says why. A group that is only kept is never refused: an
// error would leave a deposed object, and no later run could delete it without deleting the group.
func (r *userGroupResource) refusesDeletion(group *userGroupModel, stored private, diags *diag.Diagnostics) bool {
	id, protected := group.UserGroupID, group.DeletionProtection.ValueBool()
	if r.conflicts.isMadeElsewhere(id, stored.Instance) {
		return false
	}
	const what = "The group was about to be deleted." + protectedInState
	return r.limit.refuse(id, diags) || r.refuseIfProtected(protected, id, diags, what)
}
