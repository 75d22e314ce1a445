package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

const (
	titleProtected      = "User group %q is protected from deletion"
	titleImportReplaced = "Import of user group %q would delete it"
	titleMayDiffer      = "The plan may differ from what the apply does"

	// unlessForgotten ends a sentence about a deletion that is only planned: an engine does not say that it will forget
	// a group in place of deleting it.
	unlessForgotten = ", unless the resource has lifecycle { destroy = false }"

	protectedInState = " In the state, it has deletion_protection = true."
)

// ModifyPlan plans the computed attributes and refuses plans that would accidentally delete the group of a customer.
// It makes no call.
func (r *userGroupResource) ModifyPlan(
	ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	creating, destroying := req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	var plan, state userGroupModel
	var stored private
	if !creating {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		stored = readPrivate(ctx, req.Private, &resp.Diagnostics)
	}
	if !destroying {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	r.refuseOtherEnvironment(&state, stored, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case destroying:
		const what = "This plan destroys the group" + unlessForgotten + "." + protectedInState
		r.planDestruction(&state, stored, state.DeletionProtection.ValueBool(), what, &resp.Diagnostics)
		return
	case creating:
		r.conflicts.create(plan.UserGroupID, &resp.Diagnostics)
		plan.Token = plannedToken(&plan, plan.Token) // The framework has marked all computed attributes as unknown.
	case !plan.UserGroupID.Equal(state.UserGroupID):
		r.planReplacement(&plan, &state, stored, &resp.Diagnostics)
	default:
		r.conflicts.keep(plan.UserGroupID, stored.Instance, &resp.Diagnostics)
		r.limit.forget(plan.UserGroupID)
		planUpdate(&plan, &state, stored, r.now())
		if plan.needsRotationByAge(&state, stored) && !isPriorState(req.Config.Raw) {
			planRotation(&plan, &state)
		}
		warnOfUnseen(&plan, &state, stored, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// refuseOtherEnvironment adds an error if the state shows that the group belongs to another environment than the
// provider expects.
func (r *userGroupResource) refuseOtherEnvironment(state *userGroupModel, stored private, diags *diag.Diagnostics) {
	if r.service != nil {
		report(diags, r.service.CheckState(state.prior(stored, r.now())))
	}
}

// planReplacement plans the destruction of the old group, or refuses it. Terraform plans the creation of the new
// group in a separate request.
func (r *userGroupResource) planReplacement(plan, state *userGroupModel, stored private, diags *diag.Diagnostics) {
	if stored.isJustImported() {
		id, configured := state.UserGroupID.ValueString(), "is only known after apply"
		if !plan.UserGroupID.IsUnknown() {
			configured = "is " + plan.UserGroupID.String()
		}
		r.explained.refuse(diags, "user_group_id", titleImportReplaced, state.UserGroupID,
			"The plan would create another group, and delete the one that was just imported"+unlessForgotten+".",
			api.Inert(fmt.Sprintf("The user_group_id of this resource %s. Nothing was changed.", configured)),
			api.Inert(fmt.Sprintf("Use the same ID for the import and for user_group_id. If the import has the wrong ID, run "+
				"`terraform state rm`, which deletes no group, and import the right one. To replace the group on purpose, first "+
				"apply once with user_group_id = %q.", id)))
		return
	}
	protected := state.DeletionProtection.ValueBool() || plan.DeletionProtection.ValueBool()
	r.planDestruction(state, stored, protected,
		"This plan replaces the group, because user_group_id changes. The old group would be deleted"+unlessForgotten+
			". It has deletion_protection = true, in the state or in the configuration.", diags)
}

// planDestruction counts the group before it looks at its protection. A plan that deletes too many groups then says so
// after max_deletions errors about the protection of single groups.
func (r *userGroupResource) planDestruction(
	state *userGroupModel, stored private, protected bool, what string, diags *diag.Diagnostics,
) {
	r.conflicts.destroy(state.UserGroupID, stored.Instance, diags)
	if r.conflicts.isMadeElsewhere(state.UserGroupID, stored.Instance) || r.limit.plan(state.UserGroupID, diags) {
		return // Delete keeps the group, or one error has said that there are too many.
	}
	r.refuseIfProtected(protected, state.UserGroupID, diags, what)
}

func (r *userGroupResource) refuseIfProtected(
	protected bool, id types.String, diags *diag.Diagnostics, what string,
) bool {
	if protected {
		r.explained.refuse(diags, "deletion_protection", titleProtected, id,
			what,
			"The group was not deleted.",
			"If the configuration lacks it by mistake, put it back. To delete it, apply deletion_protection = false first, "+
				"and then destroy the group. If only its address has changed, add a moved block. If the resource is only "+
				"tainted, run `terraform untaint`. To stop managing the group without deleting it, use `terraform state rm`, or "+
				"a removed block with destroy = false.")
	}
	return protected
}

func planUpdate(plan, state *userGroupModel, stored private, now time.Time) {
	plan.keepNotation(state)
	plan.keepComputed(state)
	if _, known := state.rotatedAt(now); !known && !plan.RotateTokenAfterDays.IsNull() {
		plan.TokenRotatedAt = types.StringUnknown() // The clock starts.
	}
	if plan.needsUpdate(state) {
		planResponse(plan, state)
	}
	if plan.needsRotationByTrigger(state, stored) {
		planRotation(plan, state)
	}
}

// needsRotationByTrigger reports whether a trigger makes a rotation due or, if values are unknown, may make it due. It
// does if the value of an existing key has changed. Adding or removing a key or the whole map does not, so that import
// and adoption never rotate. Nor does a value for which the token was rotated, although the apply did not learn that.
func (m *userGroupModel) needsRotationByTrigger(state *userGroupModel, stored private) bool {
	settled := stored.settled()
	return m.changesTriggers(state.RotateTokenWhenChanged.Elements()) && (settled == nil || m.changesTriggers(settled))
}

// changesTriggers reports whether the plan changes the value of an existing key or, if values are unknown, may.
func (m *userGroupModel) changesTriggers(before map[string]attr.Value) bool {
	if m.RotateTokenWhenChanged.IsUnknown() {
		return len(before) > 0
	}
	now := m.RotateTokenWhenChanged.Elements()
	for key, value := range before {
		if changed, stillThere := now[key]; stillThere && !changed.Equal(value) {
			return true
		}
	}
	return false
}

// needsRotationByAge reports whether the last refresh has found the token too old or, if the number of days is unknown,
// whether that may make a rotation due.
//
// An engine plans a change again when it applies it, in another process and possibly much later, with values that were
// unknown before. It rejects a second plan that rotates if the first one does not. So the clock must not decide, nor
// what else changes: both plans find the decision of the refresh in the private state. No refresh knows a new number of
// days, so that decides from the next refresh on.
func (m *userGroupModel) needsRotationByAge(state *userGroupModel, stored private) bool {
	days := m.RotateTokenAfterDays
	return stored.TooOld && (days.IsUnknown() || days.Equal(state.RotateTokenAfterDays))
}

// isPriorState reports whether the configuration has values that no configuration can set. With ignore_changes = all,
// some versions of Terraform pass the whole prior state as the configuration, and accept no plan that differs from it.
func isPriorState(config tftypes.Value) bool {
	var configured map[string]tftypes.Value
	_ = config.As(&configured) // A configuration is an object.
	return !configured["id"].IsNull()
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

// plannedToken returns the value to plan for a token: null if store_token is false, and unknown while that is. A null
// token remains null.
func plannedToken(plan *userGroupModel, token types.String) types.String {
	switch {
	case token.IsNull():
		return token
	case plan.StoreToken.IsUnknown():
		return types.StringUnknown()
	case !plan.storesToken():
		return types.StringNull()
	default:
		return token
	}
}

// warnOfUnseen warns that updating an imported group has effects that the plan cannot show.
func warnOfUnseen(plan, state *userGroupModel, stored private, diags *diag.Diagnostics) {
	if stored.Imported == "" {
		return
	}
	if said := plan.unseenEffects(state); len(said) > 0 {
		// The title does not contain the ID, so that Terraform consolidates the warnings of many groups into one.
		diags.AddWarning(titleMayDiffer, strings.Join(said, " "))
	}
}
