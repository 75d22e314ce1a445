package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolDelete(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	config := protocolAcme("data_source_provided_id", "db-7")
	state := p.created(config)
	for kind, says := range map[emulator.FaultKind]string{
		emulator.Refuse:    "was not deleted. It stays in the state",
		emulator.CutBefore: "It is not known whether the group was deleted. It stays in the state",
	} {
		p.always(http.MethodDelete, kind)
		after, diags := p.destroy(state)
		diags.wantError(cannotDelete, says)
		p.wantSame(after, state)
		p.wantGroups("acme")
		p.service.ClearFaults()
	}
	p.service.RotateBehind("acme")
	p.service.ResetCounts()
	p.wantDestroyed(state)
	if sent := p.lastBody(http.MethodDelete)["data_source_provided_id"]; sent != "db-7" {
		t.Errorf("the deletion sent the data_source_provided_id %v, want db-7", sent)
	}
	p.wantCalls("DELETE > GET > DELETE")
	p.wantGroups()

	// Another group has replaced the one in the state. The deletion succeeds, and the other group stays.
	state = p.created(config)
	p.service.Replace("acme")
	gone, diags := p.destroy(state)
	diags.wantWarning(anotherHasTheID, "team_id 1003", "was not touched")
	p.wantCalls("DELETE > GET")
	p.wantNoState(gone)
	p.wantGroups("acme")
}

func TestProtocolDeletionProtection(t *testing.T) {
	const at = "deletion_protection"
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme(at, true))
	p.plan(state, nil).diags.wantErrorAt(at, isProtected, "This plan destroys it", "deletion_protection = false",
		"moved block", "terraform untaint", "removed block")
	// The applied protection counts. A configuration that changes the ID and drops the protection at once is refused as
	// well.
	for _, id := range []any{"acme2", protocolUnknown} {
		for _, flag := range []any{true, false, nil} {
			p.plan(state, protocolAcme("user_group_id", id, at, flag)).diags.
				wantErrorAt(at, isProtected, "replaces it", "user_group_id changes")
		}
	}
	// This is a deletion without a plan, as with -replace, or by an engine that does not ask the provider to plan a
	// destruction.
	p.walk().wantNone()
	kept, diags := p.applyDeletion(state)
	diags.wantErrorAt(at, isProtected, "Nothing was deleted")
	p.wantCalls("")
	p.wantTruth(kept, "acme")

	state = p.updated(state, protocolAcme(at, false))
	p.wantCalls("")
	// The configured protection counts as well, even before it is applied.
	p.plan(state, protocolAcme("user_group_id", "acme2", at, true)).diags.wantErrorAt(at, isProtected, "replaces it")
	p.wantDestroyed(state)
}
