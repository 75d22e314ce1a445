package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolDelete(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before func(*emulator.Emulator)
		fault  emulator.FaultKind
		calls  string
		warns  string
		fails  string // what an error says
	}{
		"plain": {calls: "DELETE"},
		"gone": {
			before: func(service *emulator.Emulator) { service.Remove("acme") }, calls: "DELETE > GET > GET > check > DELETE",
		},
		"stale token": {
			before: func(service *emulator.Emulator) { service.RotateBehind("acme") }, calls: "DELETE > GET > DELETE",
		},
		// What the state knew is gone, so the deletion is done, and the other group stays.
		"made anew": {
			before: func(service *emulator.Emulator) { service.Replace("acme") }, calls: "DELETE > GET", warns: "team_id 1002",
		},
		"refused": {fault: emulator.Refuse, calls: "DELETE > GET", fails: "was not deleted. It stays in the state"},
		"always cut": {
			fault: emulator.CutBefore, calls: "DELETE > DELETE > DELETE > GET",
			fails: "It is not known whether the group was deleted. It stays in the state",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme("data_source_provided_id", "db-7"))
			if test.before != nil {
				test.before(p.service)
			}
			if test.fault != "" {
				p.always(http.MethodDelete, test.fault)
			}
			after, diags := p.destroy(state)
			if name == "plain" && p.lastBody(http.MethodDelete)["data_source_provided_id"] != "db-7" {
				t.Errorf("data_source_provided_id was not sent along: it is for this body only")
			}
			p.wantCalls(test.calls)
			switch {
			case test.fails != "":
				diags.wantError(cannotDelete, test.fails)
				p.wantSame(after, state)
				p.wantGroups("acme")
				return
			case test.warns != "":
				diags.wantWarning(anotherHasTheID, test.warns, "was not touched")
				p.wantGroups("acme")
			default:
				diags.wantNone()
				p.wantGroups()
			}
			p.wantNoState(after)
		})
	}
}

func TestProtocolDeletionProtection(t *testing.T) {
	const at = "deletion_protection"
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme(at, true))
	p.plan(state, nil).diags.wantErrorAt(at, isProtected, "This plan destroys it", "deletion_protection = false",
		"moved block", "terraform untaint", "removed block")
	// What was applied counts: a configuration that drops both at once is refused as well.
	for _, id := range []any{"acme2", protocolUnknown} {
		for _, flag := range []any{true, false, nil} {
			p.plan(state, protocolAcme("user_group_id", id, at, flag)).diags.
				wantErrorAt(at, isProtected, "replaces it", "user_group_id changes")
		}
	}
	// -replace, and engines that do not ask when they plan a destruction.
	p.walk().wantNone()
	kept, diags := p.applyDeletion(state)
	diags.wantErrorAt(at, isProtected, "Nothing was deleted")
	p.wantCalls("")
	p.wantTruth(kept, "acme")

	state = p.updated(state, protocolAcme(at, false))
	p.wantCalls("")
	// What is configured counts as well, although it was not applied yet.
	p.plan(state, protocolAcme("user_group_id", "acme2", at, true)).diags.wantErrorAt(at, isProtected, "replaces it")
	p.wantDestroyed(state)
}
