package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// rotationDays is the range of rotate_token_after_days. The limit of a hundred years finds numbers of seconds.
var rotationDays = wholeNumber{1, 36500}

// instant returns token_rotated_at for a token that was created, rotated or first seen at the given time.
func instant(at time.Time) types.String { return types.StringValue(at.UTC().Format(time.RFC3339)) }

// rotatedAt returns the time in token_rotated_at. known is false if the age of the token is unknown.
func (m *userGroupModel) rotatedAt() (at time.Time, known bool) {
	at, err := time.Parse(time.RFC3339, m.TokenRotatedAt.ValueString())
	return at, err == nil
}

// isOlderThan reports whether the token is known to be older than the number of days, in whole seconds.
func (m *userGroupModel) isOlderThan(days types.Number, now time.Time) bool {
	at, known := m.rotatedAt()
	if !known || days.IsNull() {
		return false
	}
	count, _ := days.ValueBigFloat().Int64()
	return now.Truncate(time.Second).After(at.AddDate(0, 0, int(count)))
}

// startsClock reports whether the next apply sets token_rotated_at without a rotation.
func (m *userGroupModel) startsClock(state *userGroupModel) bool {
	_, known := state.rotatedAt()
	return !known && !m.RotateTokenAfterDays.IsNull()
}

// needsRotationByAge reports whether the age of the token makes a rotation due or, if the number of days is unknown,
// may make it due. changed reports whether the plan changes anything else.
//
// An engine plans a change again when it applies it, in another process and possibly much later, and rejects a second
// plan that rotates if the first one does not. Nothing in a request tells the two apart, so the clock must not decide.
// Instead, the last refresh decides, and both plans find its decision in the private state. There are two exceptions.
// If nothing else changes, the clock decides as well, for plans without a refresh: without a change, there is no second
// plan. If the number of days changes, the clock decides alone, because no refresh knows the new number. Then, if the
// token becomes too old between the two plans, the engine reports an error and changes nothing.
func (r *userGroupResource) needsRotationByAge(plan, state *userGroupModel, remembered memory, changed bool) bool {
	days := plan.RotateTokenAfterDays
	if days.IsUnknown() {
		_, known := state.rotatedAt()
		return known
	}
	sameDays := days.Equal(state.RotateTokenAfterDays)
	if sameDays && remembered.TooOld {
		return true
	}
	return state.isOlderThan(days, r.now()) && (!sameDays || !changed)
}

// changes reports whether a planned value differs from the state. Values that are not known yet may turn out the same.
func changes(plan, state tftypes.Value) bool {
	var planned, prior map[string]tftypes.Value
	if plan.As(&planned) != nil || state.As(&prior) != nil {
		return true
	}
	for name, value := range planned {
		if value.IsFullyKnown() && !value.Equal(prior[name]) {
			return true
		}
	}
	return false
}

// isPriorState reports whether the configuration has values that no configuration can set. With ignore_changes = all,
// some versions of Terraform pass the whole prior state as the configuration, and accept no plan that differs from it.
func isPriorState(config tftypes.Value) bool {
	var configured map[string]tftypes.Value
	return config.As(&configured) == nil && !configured["id"].IsNull()
}
