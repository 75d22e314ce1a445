package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolDelete(t *testing.T) {
	t.Parallel()
	const title, another = `Cannot delete user group "acme"`, `Another user group has the id "acme"`
	tests := map[string]struct {
		before func(*protocol)
		fault  emulator.Fault
		title  string // empty: no error
		says   string
		warns  bool
		calls  string
		left   []string
	}{
		"plain":       {calls: "DELETE"},
		"gone":        {before: func(p *protocol) { p.service.Remove("acme") }, calls: "DELETE > GET > GET > check > DELETE"},
		"stale token": {before: func(p *protocol) { p.service.RotateBehind("acme") }, calls: "DELETE > GET > DELETE"},
		// What the state knew is gone, so the deletion is done, and the other group stays.
		"made anew":  {before: func(p *protocol) { p.service.Replace("acme") }, title: another, says: "team_id 1002", warns: true, calls: "DELETE > GET", left: []string{"acme"}},
		"refused":    {fault: emulator.Fault{Kind: emulator.Refuse}, title: title, says: "was not deleted. It stays in the state", calls: "DELETE > GET", left: []string{"acme"}},
		"always 503": {fault: emulator.Fault{Kind: emulator.Unavailable503}, title: title, says: "Whether the group was deleted is not known. It stays in the state", calls: "DELETE > DELETE > DELETE > GET", left: []string{"acme"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolWith(protocolAcme(), protocolObject{"data_source_provided_id": "db-7"}))
			if test.before != nil {
				test.before(p)
			}
			if test.fault.Kind != 0 {
				test.fault.Method = http.MethodDelete
				p.service.Fail(test.fault)
			}
			after, diags := p.destroy(state)
			if name == "plain" && p.lastBody(http.MethodDelete)["data_source_provided_id"] != "db-7" {
				t.Errorf("data_source_provided_id was not sent along: it is for this body only")
			}
			p.wantCalls(test.calls)
			switch {
			case test.title == "":
				diags.wantNone()
			case test.warns:
				diags.wantWarning(test.title, test.says)
			default:
				diags.wantError(test.title, test.says)
			}
			p.wantGroups(test.left...)
			if gone := test.warns || test.title == ""; after.value.IsNull() != gone {
				t.Errorf("the state is %v", after.members())
			}
		})
	}
}

func TestProtocolDeletionProtection(t *testing.T) {
	t.Parallel()
	const title = `User group "acme" is protected from deletion`
	p := protocolStart(t, emulator.Options{})
	config := protocolWith(protocolAcme(), protocolObject{"deletion_protection": true})
	state := p.created(config)
	p.plan(state, nil).diags.wantErrorAt("deletion_protection", title, "This plan destroys it", "deletion_protection = false", "moved block", "terraform untaint", "removed block")
	// What was applied counts: a configuration that drops both at once is refused as well.
	for _, id := range []any{"acme2", protocolUnknown} {
		for _, flag := range []any{true, false, nil} {
			plan := p.plan(state, protocolWith(config, protocolObject{"user_group_id": id, "deletion_protection": flag}))
			plan.diags.wantErrorAt("deletion_protection", title, "replaces it", "user_group_id changes")
		}
	}
	// -replace, and engines that do not ask when they plan a destruction.
	p.walk()
	kept, diags := p.applyDeletion(state)
	diags.wantErrorAt("deletion_protection", title, "Nothing was deleted")
	p.wantCalls("")
	p.wantTruth(kept, "acme")

	off := protocolWith(config, protocolObject{"deletion_protection": false})
	state = p.updated(state, off)
	p.wantCalls("")
	// What is configured counts as well, although it was not applied yet.
	p.plan(state, protocolWith(config, protocolObject{"user_group_id": "acme2"})).diags.wantErrorAt("deletion_protection", title, "replaces it")
	gone, diags := p.destroy(state)
	diags.wantNone()
	p.wantNoState(gone)
}
