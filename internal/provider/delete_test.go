package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestDeleteRemovesOnlyTheGroupInTheState(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	config := Acme("data_source_provided_id", "db-7")
	state := p.Created(config)
	for kind, want := range map[emulator.FaultKind]struct{ says, calls string }{
		emulator.Refuse: {"was not deleted. It stays in the state", "DELETE > GET"},
		// Without any response, a lookup could create the group that was deleted.
		emulator.CutBefore: {
			"It is not known whether the group was deleted. It stays in the state", "DELETE > DELETE > DELETE",
		},
	} {
		p.Always(http.MethodDelete, kind)
		second(p.Destroy(state)).WantError(cannotDelete, want.says)
		p.WantCalls(want.calls)
		p.WantGroups("acme")
		p.Service.ClearFaults()
	}
	p.Service.RotateBehind("acme")
	p.Service.ResetCounts()
	p.WantDestroyed(state)
	if sent := lastBody(p); !strings.Contains(sent, `"data_source_provided_id":"db-7"`) {
		t.Errorf("the deletion sent %s", sent)
	}
	p.WantCalls("DELETE > GET > DELETE")
	p.WantGroups()

	// Another group has replaced the one in the state. The deletion succeeds, and the other group stays.
	state = p.Created(config)
	p.Service.Replace("acme")
	diags := second(p.Destroy(state))
	diags.WantWarning(replaced, "the service shows 1003", "No other group was touched")
	if strings.Contains(diags.String(), "base_url") {
		t.Errorf("the warning blames the address:\n%s", diags)
	}
	p.WantCalls("DELETE > GET")
	p.WantGroups("acme")
}

// The protection in the state and the one in the configuration each suffice.
func TestProtectedGroupIsNotDestroyedOrReplaced(t *testing.T) {
	t.Parallel()
	const at = "deletion_protection"
	p := start(t, emulator.Options{})
	state := p.Created(Acme(at, true))
	p.Plan(state, nil).Diags.WantErrorAt(at, isProtected, "This plan destroys the group",
		"In the state, it has deletion_protection = true", "apply deletion_protection = false first", "moved block",
		"terraform untaint", "removed block")
	// The applied protection counts. A configuration that changes the ID and drops the protection at once is refused as
	// well.
	for _, id := range []any{"acme2", Unknown} {
		for _, flag := range []any{true, false, nil} {
			p.Plan(state, Acme("user_group_id", id, at, flag)).Diags.
				WantErrorAt(at, isProtected, "replaces the group", "user_group_id changes", unlessForgotten)
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
	p.Plan(state, Acme("user_group_id", "acme2", at, true)).Diags.WantErrorAt(at, isProtected, "replaces the group",
		"in the state or in the configuration")
	p.WantDestroyed(state)
}

const (
	tooMany = "More user groups would be deleted than max_deletions allows"
	// unlessForgotten stands in each message of a plan that speaks of a deletion: the provider does not see what an
	// engine only forgets.
	unlessForgotten = "unless the resource has lifecycle { destroy = false }"
)

// customers returns the states of groups that an earlier run has created, and a provider with the given
// max_deletions.
func customers(p *Provider, maxDeletions any, ids ...string) (_ *Provider, states []State) {
	for _, id := range ids {
		states = append(states, p.Created(Acme("user_group_id", id)))
	}
	return p.AnotherProcess(Object{"max_deletions": maxDeletions}), states
}

// A group counts before its own protection is looked at: a list of customers that is cut short must not print an error
// for each protected group.
func TestPlanWithTooManyDeletionsFailsOnce(t *testing.T) {
	t.Parallel()
	p, states := customers(start(t, emulator.Options{}), 2, "a", "b", "c", "d")
	again := p.Imported("a") // at another address
	protected := func(i int) State { return p.Edited(states[i], "deletion_protection", true) }
	p.Walk().WantNone()
	for _, counted := range []State{states[0], states[0], again} {
		p.PlanToo(counted, nil).Diags.WantNone()
	}
	p.PlanToo(protected(1), nil).Diags.WantError(`User group "b" is protected from deletion`)
	p.PlanToo(protected(2), nil).Diags.WantError(tooMany, "deletes or replaces at least 3", unlessForgotten,
		"max_deletions is 2", "Nothing was changed", "incomplete", "moved block", "EMBED_MAX_DELETIONS")
	for _, silent := range []State{protected(3), protected(2), protected(1), states[0]} { // One error fails the plan.
		p.PlanToo(silent, nil).Diags.WantNone()
	}
	p.PlanToo(p.Nothing(), Acme("user_group_id", "new")).Diags.WantNone()

	// A group that is kept after all does not count, and a group that may be replaced does.
	p.Walk().WantNone()
	p.PlanToo(states[0], nil).Diags.WantNone()
	p.PlanToo(states[0], Acme("user_group_id", "a")).Diags.WantNone()
	p.PlanToo(states[1], Acme("user_group_id", "b2")).Diags.WantNone()
	p.PlanToo(states[2], nil).Diags.WantNone()
	p.PlanToo(states[3], Acme("user_group_id", Unknown)).Diags.WantError(tooMany, "at least 3")

	// The limit applies while other arguments are unknown. An unknown limit is no limit for the plan.
	p.AnotherProcess(Object{"max_deletions": 0, "api_key": Unknown}).Plan(states[0], nil).Diags.
		WantError(tooMany, "at least 1", "max_deletions is 0")
	p.AnotherProcess(Object{"max_deletions": Unknown}).Plan(states[0], nil).Diags.WantNone()
	p.WantCalls("")
}

// TestDeletionsWithoutPlanStopAtTheLimit covers what the engine deletes without planning it with the provider: with
// -replace, and a tainted resource. A deletion that failed counts as well.
func TestDeletionsWithoutPlanStopAtTheLimit(t *testing.T) {
	t.Parallel()
	p, states := customers(start(t, emulator.Options{}), 2, "a", "b", "c", "d", "acme")
	p.Walk().WantNone()
	protected := p.Edited(states[4], "deletion_protection", true)
	second(p.ApplyDeletion(protected)).WantErrorAt("deletion_protection", isProtected)
	p.Walk().WantNone()
	p.Fault(http.MethodDelete, emulator.Refuse)
	second(p.ApplyDeletion(states[0])).WantError(`Cannot delete user group "a"`)
	Silent(p.ApplyDeletion(states[1]))
	p.WantCalls("DELETE > GET > DELETE")
	second(p.ApplyDeletion(states[2])).WantError(tooMany, "at least 3", "max_deletions is 2",
		"This group and all further ones were not deleted", "EMBED_MAX_DELETIONS")
	// From then on, the run deletes nothing, even if it was counted before.
	for i, id := range map[int]string{0: "a", 3: "d"} {
		second(p.ApplyDeletion(states[i])).WantError(fmt.Sprintf("User group %q was not deleted", id), tooMany)
	}
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
// the group, and then the engine deletes the old instance. That is no deletion, even with a limit of zero and with
// protection: an error would leave a deposed object, and the next run would destroy the group, or be refused for good.
func TestAdoptionKeepsTheGroupFromItsOldInstance(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(_ *testing.T, p *Provider) {
		p, states := customers(p, 0, "acme")
		old := p.Edited(states[0], "deletion_protection", true)
		made, diags := p.Apply(p.Plan(p.Nothing(), adopting("deletion_protection", true)))
		diags.WantWarning(adopted)
		// A third address cannot have it, and does not change who has.
		second(p.ApplyToo(p.PlanToo(p.Nothing(), adopting()))).WantError(alreadyExists)
		p.Service.ResetCounts()
		deposed := p.PlanToo(old, nil)
		deposed.Diags.WantNone()
		const kept = `A user group was kept`
		second(p.ApplyToo(deposed)).WantWarning(kept, "was not deleted", "at this address or another one")
		second(p.ApplyDeletion(old)).WantWarning(kept)
		p.WantCalls("")
		// The new instance is protected, and counts.
		second(p.ApplyDeletion(made)).WantError(tooMany)
		p.Walk().WantNone()
		p.AnotherProcess(nil).Plan(made, nil).Diags.WantErrorAt("deletion_protection", isProtected)
		p.WantTruth(made, "acme")
		p.WantState(made, "token_rotated_at", nil)
		p.AnotherProcess(nil).WantDestroyed(p.Edited(made, "deletion_protection", nil))
		p.WantCalls("DELETE")
	})
}

// TestALostDeletionDeletesOnce checks that, after a lost response, a group that somebody has created again meanwhile
// is not touched, whatever its number.
func TestALostDeletionDeletesOnce(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Fault(http.MethodDelete, emulator.CutAfterWork)
	p.Service.BeforeCall(func(emulator.Call) {
		if _, there := p.Service.Group("acme"); !there {
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs", TeamID: 1001})
		}
	})
	second(p.Destroy(state)).WantError(cannotDelete, "not known whether the group was deleted")
	p.WantCalls("DELETE > DELETE > GET")
	p.WantGroups("acme")
}
