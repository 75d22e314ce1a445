package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const titleProtected = "User group %q is protected from deletion"

// ModifyPlan decides what a plan promises of the computed attributes. It makes no call.
func (r *userGroupResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	creating, destroying := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	var plan, state userGroupModel
	if !creating {
		state.read(ctx, req.State.Raw, &resp.Diagnostics)
	}
	if !destroying {
		plan.read(ctx, req.Plan.Raw, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case destroying:
		if !refuseIfProtected(&state, &resp.Diagnostics, "This plan destroys it.") {
			r.planned.delete(state.UserGroupID, &resp.Diagnostics)
		}
		return
	case creating:
		r.planned.want(plan.UserGroupID, &resp.Diagnostics)
		planCreation(&plan)
	case !plan.UserGroupID.Equal(state.UserGroupID):
		if !refuseIfProtected(&state, &resp.Diagnostics, "This plan replaces it, because user_group_id changes, and so deletes the old group.") {
			r.planned.delete(state.UserGroupID, &resp.Diagnostics)
		}
		r.planned.want(plan.UserGroupID, &resp.Diagnostics)
		planCreation(&plan)
	default:
		r.planned.want(plan.UserGroupID, &resp.Diagnostics)
		planUpdate(&plan, &state)
	}
	plan.write(ctx, &resp.Plan.Raw, &resp.Diagnostics)
}

func planCreation(plan *userGroupModel) {
	plan.ID = types.StringUnknown()
	plan.TeamID = types.Int64Unknown()
	plan.APIEnvironmentTag = types.StringUnknown()
	plan.TokenFingerprint = types.StringUnknown()
	plan.Token = plannedToken(plan, types.StringUnknown())
}

func planUpdate(plan, state *userGroupModel) {
	updates, rotates := plan.needsUpdate(state), plan.needsRotation(state)
	plan.ID = state.ID
	plan.TeamID = state.TeamID
	plan.APIEnvironmentTag = state.APIEnvironmentTag
	if updates || rotates {
		// What no answer has told so far, the next one may.
		if state.TeamID.IsNull() {
			plan.TeamID = types.Int64Unknown()
		}
		if state.APIEnvironmentTag.IsNull() {
			plan.APIEnvironmentTag = types.StringUnknown()
		}
	}
	plan.TokenFingerprint = state.TokenFingerprint
	plan.Token = plannedToken(plan, state.Token)
	if rotates {
		plan.TokenFingerprint = types.StringUnknown()
		plan.Token = plannedToken(plan, types.StringUnknown())
	}
}

// plannedToken: with store_token = false the token stays out of plans too. While store_token itself is unknown, the
// token can only be promised when it would not change either way.
func plannedToken(plan *userGroupModel, token types.String) types.String {
	if plan.StoreToken.IsUnknown() && !token.IsNull() {
		return types.StringUnknown()
	}
	if !plan.StoreToken.IsUnknown() && !plan.storesToken() {
		return types.StringNull()
	}
	return token
}

func refuseIfProtected(state *userGroupModel, diags *diag.Diagnostics, what string) bool {
	if !state.DeletionProtection.ValueBool() {
		return false
	}
	diags.AddAttributeError(path.Root("deletion_protection"), fmt.Sprintf(titleProtected, state.UserGroupID.ValueString()),
		what+" The state says deletion_protection = true, so nothing was deleted. "+
			"If the group is to go, set deletion_protection = false, apply that, and then destroy it. "+
			"If it is only marked as tainted, `terraform untaint` ends the replacement. To take it out of Terraform's hands without deleting it, use a removed block or `terraform state rm`.")
	return true
}
