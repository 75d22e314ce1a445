package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	titleProtected      = "User group %q is protected from deletion"
	titleImportReplaced = "Import of user group %q would delete it"
	titleMayDiffer      = "The plan may differ from what the apply does"
)

// ModifyPlan plans the computed attributes and refuses plans that would accidentally delete the group of a customer.
// It makes no call.
func (r *userGroupResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	creating, destroying := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	var plan, state userGroupModel
	var remembered memory
	if !creating {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		remembered = readMemory(ctx, req.Private, &resp.Diagnostics)
	}
	if !destroying {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case destroying:
		protected := state.DeletionProtection.ValueBool()
		if !refuseIfProtected(protected, state.UserGroupID, &resp.Diagnostics, "This plan destroys the group.") {
			r.planned.destroy(state.UserGroupID, remembered.Instance, &resp.Diagnostics)
		}
		return
	case creating:
		r.planned.create(plan.UserGroupID, &resp.Diagnostics)
		plan.Token = plannedToken(&plan, plan.Token) // The framework has marked all computed attributes as unknown.
	case !plan.UserGroupID.Equal(state.UserGroupID):
		r.planReplacement(&plan, &state, remembered, &resp.Diagnostics)
	default:
		r.planned.keep(plan.UserGroupID, remembered.Instance, &resp.Diagnostics)
		planUpdate(&plan, &state)
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		changed := changes(resp.Plan.Raw, req.State.Raw)
		if r.needsRotationByAge(&plan, &state, remembered, changed) && !isPriorState(req.Config.Raw) {
			planRotation(&plan, &state)
		}
		warnOfUnseen(&plan, &state, remembered, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planReplacement plans the destruction of the old group, or refuses it. Terraform plans the creation of the new
// group in a separate request.
func (r *userGroupResource) planReplacement(plan, state *userGroupModel, remembered memory, diags *diag.Diagnostics) {
	protected := state.DeletionProtection.ValueBool() || plan.DeletionProtection.ValueBool()
	switch {
	case remembered.Import == importedRead:
		id, configured := state.UserGroupID.ValueString(), "is only known after apply"
		if !plan.UserGroupID.IsUnknown() {
			configured = "is " + plan.UserGroupID.String()
		}
		diags.AddAttributeError(path.Root("user_group_id"), titleFor(titleImportReplaced, id), fmt.Sprintf(
			"The user_group_id of this resource %s, so the plan would delete the group that was just imported, and "+
				"create another group.\n\nNothing was changed.\n\nUse the same ID for the import and for user_group_id.",
			configured))
	case refuseIfProtected(protected, state.UserGroupID, diags,
		"This plan replaces the group, because user_group_id changes. The old group would be deleted."):
	default:
		r.planned.destroy(state.UserGroupID, remembered.Instance, diags)
	}
}

func planUpdate(plan, state *userGroupModel) {
	// The framework does not apply the semantic equality of a type to plans. Without this, sorting the keys of a file
	// would plan an update.
	if plan.Properties.sameJSON(state.Properties) {
		plan.Properties = state.Properties
	}
	plan.keepComputed(state)
	if plan.startsClock(state) {
		plan.TokenRotatedAt = types.StringUnknown()
	}
	if plan.needsUpdate(state) {
		planResponse(plan, state)
	}
	if plan.needsRotationByTrigger(state) {
		planRotation(plan, state)
	}
}

// planRotation plans to rotate the token. Update rotates if token_fingerprint is unknown in the plan, and only then.
func planRotation(plan, state *userGroupModel) {
	planResponse(plan, state)
	plan.TokenFingerprint = types.StringUnknown()
	plan.TokenRotatedAt = types.StringUnknown()
	plan.Token = plannedToken(plan, types.StringUnknown())
}

// planResponse plans for a response that may contain a value that no response has contained so far.
func planResponse(plan, state *userGroupModel) {
	if state.TeamID.IsNull() {
		plan.TeamID = types.Int64Unknown()
	}
	if state.APIEnvironmentTag.IsNull() {
		plan.APIEnvironmentTag = types.StringUnknown()
	}
}

// plannedToken returns the value to plan for a token. This is null if store_token is false, and the token otherwise.
// While store_token is unknown, the planned value is unknown, except that a null token remains null.
func plannedToken(plan *userGroupModel, token types.String) types.String {
	if plan.StoreToken.IsUnknown() && !token.IsNull() {
		return types.StringUnknown()
	}
	if !plan.StoreToken.IsUnknown() && !plan.storesToken() {
		return types.StringNull()
	}
	return token
}

// warnOfUnseen warns that updating an imported or replaced group has effects that the plan cannot show.
func warnOfUnseen(plan, state *userGroupModel, remembered memory, diags *diag.Diagnostics) {
	if !remembered.Unseen {
		return
	}
	var said string
	if !plan.Mapping.IsNull() && !plan.Mapping.Equal(state.Mapping) {
		said = "The service does not show the mapping of a group. The plan looks as if the group had no mapping, but the " +
			"update replaces whatever mapping the group has."
	}
	if plan.Properties.IsNull() && !state.Properties.IsNull() {
		said += " The plan shows the properties as removed, but they are not sent, because the configuration does not " +
			"manage them. The group keeps them, unless the service clears what an update does not send."
	}
	if said != "" {
		// The title does not contain the ID, so that Terraform consolidates the warnings of many groups into one.
		diags.AddWarning(titleMayDiffer, strings.TrimSpace(said))
	}
}

func refuseIfProtected(protected bool, id types.String, diags *diag.Diagnostics, what string) bool {
	if protected {
		diags.AddAttributeError(path.Root("deletion_protection"), titleFor(titleProtected, id.ValueString()),
			what+" The group has deletion_protection = true.\n\nThe group was not deleted.\n\nTo delete the group, set "+
				"deletion_protection = false while the configuration still has the resource with this user_group_id, apply, and "+
				"then destroy the group. If the resource or its for_each key was renamed, add a moved block. If the resource "+
				"is only tainted, run `terraform untaint`. To stop managing the group without deleting it, use `terraform state "+
				"rm`, or a removed block with destroy = false.")
	}
	return protected
}
