package protocoltest_test

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestDeleteRemovesOnlyTheGroupInTheState checks that a failed deletion keeps the state, that a stale token is looked
// up, and that another group with the same ID stays.
func TestDeleteRemovesOnlyTheGroupInTheState(t *testing.T) {
	p := start(t, emulator.Options{})
	config := Acme("data_source_provided_id", "db-7")
	state := p.Created(config)
	for kind, says := range map[emulator.FaultKind]string{
		emulator.Refuse:    "was not deleted. It stays in the state",
		emulator.CutBefore: "It is not known whether the group was deleted. It stays in the state",
	} {
		p.Always(http.MethodDelete, kind)
		after, diags := p.Destroy(state)
		diags.WantError(cannotDelete, says)
		p.WantSame(after, state)
		p.WantGroups("acme")
		p.Service.ClearFaults()
	}
	p.Service.RotateBehind("acme")
	p.Service.ResetCounts()
	p.WantDestroyed(state)
	if sent := p.LastBody(http.MethodDelete)["data_source_provided_id"]; sent != "db-7" {
		t.Errorf("the deletion sent the data_source_provided_id %v, want db-7", sent)
	}
	p.WantCalls("DELETE > GET > DELETE")
	p.WantGroups()

	// Another group has replaced the one in the state. The deletion succeeds, and the other group stays.
	state = p.Created(config)
	p.Service.Replace("acme")
	gone, diags := p.Destroy(state)
	diags.WantWarning(anotherHasTheID, "team_id 1003", "was not touched")
	p.WantCalls("DELETE > GET")
	p.WantNoState(gone)
	p.WantGroups("acme")
}

// TestProtectedGroupIsNotDestroyedOrReplaced checks that the protection in the state and the one in the configuration
// each refuse a destruction and a replacement.
func TestProtectedGroupIsNotDestroyedOrReplaced(t *testing.T) {
	const at = "deletion_protection"
	p := start(t, emulator.Options{})
	state := p.Created(Acme(at, true))
	p.Plan(state, nil).Diags.WantErrorAt(at, isProtected, "This plan destroys it", "deletion_protection = false",
		"moved block", "terraform untaint", "removed block")
	// The applied protection counts. A configuration that changes the ID and drops the protection at once is refused as
	// well.
	for _, id := range []any{"acme2", Unknown} {
		for _, flag := range []any{true, false, nil} {
			p.Plan(state, Acme("user_group_id", id, at, flag)).Diags.
				WantErrorAt(at, isProtected, "replaces it", "user_group_id changes")
		}
	}
	// This is a deletion without a plan, as with -replace, or by an engine that does not ask the provider to plan a
	// destruction.
	p.Walk().WantNone()
	kept, diags := p.ApplyDeletion(state)
	diags.WantErrorAt(at, isProtected, "Nothing was deleted")
	p.WantCalls("")
	p.WantTruth(kept, "acme")

	state = p.Updated(state, Acme(at, false))
	p.WantCalls("")
	// The configured protection counts as well, even before it is applied.
	p.Plan(state, Acme("user_group_id", "acme2", at, true)).Diags.WantErrorAt(at, isProtected, "replaces it")
	p.WantDestroyed(state)
}
