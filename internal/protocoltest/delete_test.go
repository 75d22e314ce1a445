package protocoltest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestDeleteRemovesOnlyTheGroupInTheState(t *testing.T) {
	p := start(t, emulator.Options{})
	config := Acme("data_source_provided_id", "db-7")
	state := p.Created(config)
	for kind, says := range map[emulator.FaultKind]string{
		emulator.Refuse:    "was not deleted. It stays in the state",
		emulator.CutBefore: "It is not known whether the group was deleted. The group stays in the state",
	} {
		p.Always(http.MethodDelete, kind)
		second(p.Destroy(state)).WantError(cannotDelete, says)
		p.WantGroups("acme")
		p.Service.ClearFaults()
	}
	p.Service.RotateBehind("acme")
	p.Service.ResetCounts()
	p.WantDestroyed(state)
	if sent := p.LastBody(); !strings.Contains(sent, `"data_source_provided_id":"db-7"`) {
		t.Errorf("the deletion sent %s", sent)
	}
	p.WantCalls("DELETE > GET > DELETE")
	p.WantGroups()

	// Another group has replaced the one in the state. The deletion succeeds, and the other group stays.
	state = p.Created(config)
	p.Service.Replace("acme")
	second(p.Destroy(state)).WantWarning(anotherHasTheID, "team_id 1003", "was not touched")
	p.WantCalls("DELETE > GET")
	p.WantGroups("acme")
}

// The protection in the state and the one in the configuration each suffice.
func TestProtectedGroupIsNotDestroyedOrReplaced(t *testing.T) {
	const at = "deletion_protection"
	p := start(t, emulator.Options{})
	state := p.Created(Acme(at, true))
	p.Plan(state, nil).Diags.WantErrorAt(at, isProtected, "This plan destroys the group", "deletion_protection = false",
		"moved block", "terraform untaint", "removed block")
	// The applied protection counts. A configuration that changes the ID and drops the protection at once is refused as
	// well.
	for _, id := range []any{"acme2", Unknown} {
		for _, flag := range []any{true, false, nil} {
			p.Plan(state, Acme("user_group_id", id, at, flag)).Diags.
				WantErrorAt(at, isProtected, "replaces the group", "user_group_id changes")
		}
	}
	// This is a deletion without a plan, as with -replace, or by an engine that does not ask the provider to plan a
	// destruction.
	p.Walk().WantNone()
	second(p.ApplyDeletion(state)).WantErrorAt(at, isProtected, "The group was not deleted")
	p.WantCalls("")
	p.WantTruth(state, "acme")

	state = p.Updated(state, Acme(at, false))
	p.WantCalls("")
	// The configured protection counts as well, even before it is applied.
	p.Plan(state, Acme("user_group_id", "acme2", at, true)).Diags.WantErrorAt(at, isProtected, "replaces the group")
	p.WantDestroyed(state)
}

const tooMany = "More user groups would be deleted than max_deletions allows"

// customers returns the states of groups that an earlier run has created, and a provider with the given
// max_deletions.
func customers(t *testing.T, maxDeletions any, ids ...string) (*Provider, []State) {
	t.Helper()
	p := start(t, emulator.Options{})
	var states []State
	for _, id := range ids {
		states = append(states, p.Created(Acme("user_group_id", id)))
	}
	return p.AnotherProcess(Object{"max_deletions": maxDeletions}), states
}

// A group that its own protection keeps has an error of its own, and does not count.
func TestPlanWithTooManyDeletionsFailsOnce(t *testing.T) {
	p, states := customers(t, 2, "a", "b", "c", "d")
	again := p.Imported("a") // at another address
	protected := p.Updated(states[3], Acme("user_group_id", "d", "deletion_protection", true))
	p.Walk().WantNone()
	for _, counted := range []State{states[0], states[0], again} {
		p.PlanToo(counted, nil).Diags.WantNone()
	}
	p.PlanToo(protected, nil).Diags.WantError(`User group "d" is protected from deletion`)
	p.PlanToo(states[1], Acme("user_group_id", "b2")).Diags.WantNone()
	p.PlanToo(states[2], nil).Diags.WantError(tooMany, "deletes or replaces more", "at least 3", "max_deletions is 2",
		"Nothing was changed", "incomplete", "moved block", "-var", "EMBED_MAX_DELETIONS")
	p.PlanToo(states[3], nil).Diags.WantNone()
	p.PlanToo(p.Nothing(), Acme("user_group_id", "new")).Diags.WantNone()
	// The engine may ask again, and must not take silence for consent.
	p.PlanToo(states[2], nil).Diags.WantError(tooMany)

	// A group that is kept after all does not count, and a group that may be replaced does.
	p.Walk().WantNone()
	p.PlanToo(states[0], nil).Diags.WantNone()
	p.PlanToo(states[0], Acme("user_group_id", "a")).Diags.WantNone()
	p.PlanToo(states[1], nil).Diags.WantNone()
	p.PlanToo(states[2], nil).Diags.WantNone()
	p.PlanToo(states[3], Acme("user_group_id", Unknown)).Diags.WantError(tooMany, "at least 3")

	// The limit applies while other arguments are unknown. An unknown limit is no limit for the plan.
	p.AnotherProcess(Object{"max_deletions": 0, "api_key": Unknown}).Plan(states[0], nil).Diags.
		WantError(tooMany, "at least 1", "max_deletions is 0")
	p.AnotherProcess(Object{"max_deletions": Unknown}).Plan(states[0], nil).Diags.WantNone()
	p.WantCalls("")
}

// TestDeletionsWithoutPlanStopAtTheLimit covers engines that delete without planning it with the provider: all versions
// do so with -replace, and Terraform before 1.3 always does. A deletion that failed counts as well.
func TestDeletionsWithoutPlanStopAtTheLimit(t *testing.T) {
	p, states := customers(t, 2, "a", "b", "c", "d", "acme")
	protected := p.Updated(states[4], Acme("deletion_protection", true))
	p.Walk().WantNone()
	p.Fault(http.MethodDelete, emulator.Refuse)
	second(p.ApplyDeletion(states[0])).WantError(`Cannot delete user group "a"`)
	Silent(p.ApplyDeletion(states[1]))
	p.WantCalls("DELETE > GET > DELETE")
	second(p.ApplyDeletion(states[2])).WantError(tooMany, `"c" would be deletion number 3`, "max_deletions is 2",
		"stays in the state", "EMBED_MAX_DELETIONS", "before 1.3", "-replace", "tainted")
	// From then on, the run deletes nothing, even if it was counted before.
	for i, id := range map[int]string{0: "a", 3: "d"} {
		second(p.ApplyDeletion(states[i])).
			WantError(fmt.Sprintf("User group %q was not deleted", id), "max_deletions is 2", tooMany)
	}
	second(p.ApplyDeletion(protected)).WantErrorAt("deletion_protection", isProtected)
	// Everything else goes on.
	p.PlanToo(p.Nothing(), Acme("user_group_id", "new")).Diags.WantNone()
	p.WantCalls("")
	p.WantGroups("a", "acme", "c", "d")

	// Each run has its own count.
	p.WantDestroyed(states[2])
	p.WantDestroyed(states[3])
	p.WantGroups("a", "acme")
}

// TestAdoptionKeepsTheGroupFromItsOldInstance covers create_before_destroy with adopt_existing: the replacement adopts
// the group, and then the engine deletes the old instance. That is no deletion, even with a limit of zero: an error
// would leave a deposed object, and the next run would destroy the group.
func TestAdoptionKeepsTheGroupFromItsOldInstance(t *testing.T) {
	p, states := customers(t, 0, "acme")
	made, diags := p.Apply(p.Plan(p.Nothing(), adopting()))
	diags.WantWarning(adopted)
	p.Service.ResetCounts()
	deposed := p.PlanToo(states[0], nil)
	deposed.Diags.WantNone()
	second(p.ApplyToo(deposed)).WantWarning(`User group "acme" was kept`, "was not deleted", "moved block")
	p.WantCalls("")
	second(p.ApplyDeletion(made)).WantError(tooMany)
	p.WantTruth(made, "acme")
	p.WantState(made, "token_rotated_at", nil)
	p.AnotherProcess(nil).WantDestroyed(made)
	p.WantCalls("DELETE")
}
