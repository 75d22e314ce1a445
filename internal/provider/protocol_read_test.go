package provider

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolReadShowsDrift(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.service.Change("acme", func(group *emulator.Group) {
		group.Name = "Renamed"
		group.Properties = json.RawMessage(`{"tier":"silver","rows":10}`)
	})
	token := p.service.RotateBehind("acme")
	state = p.refreshed(state)
	p.wantCalls("GET")
	p.wantState(state, protocolObject{"name": "Renamed", "properties": `{"rows":10,"tier":"silver"}`, "token": token, "mapping": protocolObject{"sales": "db-1"}})
	state, diags := p.update(state, protocolAcme())
	diags.wantNone()
	p.wantCalls("PUT")
	p.wantTruth(state, "acme")

	// What is not managed is not shown, and what is written differently has not drifted.
	plain := protocolObject{"user_group_id": "plain", "name": "Plain", "properties": `{"a":1.0}`}
	state = p.created(plain)
	p.service.Change("plain", func(group *emulator.Group) { group.Properties = json.RawMessage(` { "a" : 1 } `) })
	p.wantState(p.refreshed(state), protocolObject{"properties": `{"a":1.0}`})
	bare := protocolObject{"user_group_id": "bare", "name": "Bare"}
	state = p.created(bare)
	p.service.Change("bare", func(group *emulator.Group) { group.Properties = json.RawMessage(`{"a":1}`) })
	p.wantSettled(p.refreshed(state), bare)
}

// Engines before 1.12 know no identity, so that a state of theirs has none. The harness holds what comes back against
// the id.
// Engines before Terraform 1.12 keep none.
func TestProtocolStateWithoutIdentity(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	state.identity = nil
	state, diags := p.update(state, protocolWith(protocolAcme(), protocolObject{"name": "New"}))
	diags.wantNone()
	state.identity = nil
	p.refreshed(state)
	p.service.Fail(emulator.Fault{Nth: 1, Kind: emulator.Refuse})
	p.service.Fail(emulator.Fault{Nth: 2, Kind: emulator.Refuse})
	_, diags = p.read(state)
	diags.wantError(`Cannot look up user group "acme"`)
	p.service.Remove("acme")
	if gone := p.refreshed(state); !gone.value.IsNull() {
		t.Error("the group is still in the state")
	}
}

// A service that insists on a name is asked with the one that the group has.
func TestProtocolReadSendsTheNameWhereOneIsNeeded(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{NameRequired: true})
	p.refreshed(p.created(protocolAcme()))
	calls := p.service.Calls()
	if body := string(calls[len(calls)-1].Body); !strings.Contains(body, `"name":"Acme"`) {
		t.Errorf("the last lookup was %s", body)
	}
}

func TestProtocolReadOfAGroupThatWasReplaced(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{"stored": {}, "echo": {Answers: emulator.AnswersEcho}, "name required": {NameRequired: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, options)
			state := p.created(protocolAcme())
			p.service.Replace("acme")
			state = p.refreshed(state)
			p.wantTruth(state, "acme")
			p.wantState(state, protocolObject{"mapping": nil, "properties": nil, "api_environment_tag": nil})

			plan := p.plan(state, protocolAcme())
			if plan.action != "update" || plan.get("token") == protocolUnknown {
				t.Errorf("the plan is to %s, with the token %v", plan.action, plan.get("token"))
			}
			updated, diags := p.apply(plan)
			diags.wantNone()
			p.wantTruth(updated, "acme")
			if group, _ := p.service.Group("acme"); group.Mapping["sales"] != "db-1" || group.Name != "Acme" {
				t.Errorf("the new group did not get what is configured: %+v", group)
			}
			p.wantSettled(p.refreshed(updated), protocolAcme())

			p.service.Remove("acme")
			for _, vanished := range []protocolState{state, updated} {
				if after := p.refreshed(vanished); !after.value.IsNull() || len(p.service.Groups()) > 0 {
					t.Errorf("after it vanished there is %v, and at the service %v", after.members(), p.service.Groups())
				}
			}
		})
	}
}

func TestProtocolReadThatFails(t *testing.T) {
	t.Parallel()
	const title, mayBe, left = `Cannot look up user group "acme"`, `Looking up user group "acme" may have created it`, `User group "acme" was left behind`
	const remedy = `curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" -H 'Content-Type: application/json' -d '{"user_group_id":"acme"}'`
	tests := map[string]struct {
		exists bool
		faults []emulator.Fault
		title  string // empty: no error
		says   []string
	}{
		"lost, the group is ours":    {true, []emulator.Fault{{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork}}, "", nil},
		"always lost":                {true, []emulator.Fault{{Method: "GET", Kind: emulator.CutAfterWork}}, title, []string{"empty shell", remedy}},
		"refused":                    {true, []emulator.Fault{{Method: "GET", Kind: emulator.Refuse}}, title, []string{"Nothing was changed"}},
		"HTML":                       {true, []emulator.Fault{{Method: "GET", Kind: emulator.HTML200}}, title, []string{"HTML"}},
		"absent, removal refused":    {false, []emulator.Fault{{Method: "DELETE", Kind: emulator.Refuse}}, left, []string{"did not exist", remedy, "import block"}},
		"absent, removal always cut": {false, []emulator.Fault{{Method: "DELETE", Kind: emulator.CutBefore}}, left, []string{"or may be", remedy}},
		"absent, removal lost":       {false, []emulator.Fault{{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork}}, "", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			if !test.exists {
				p.service.Remove("acme")
			}
			for _, fault := range test.faults {
				p.service.Fail(fault)
			}
			after, diags := p.read(state)
			p.wantFaultsStruck()
			if test.title != "" {
				diags.wantError(test.title, test.says...)
				if groups := p.service.Groups(); len(groups) != 1 || groups[0].ID != "acme" {
					t.Errorf("the service has %v", groups)
				}
				return
			}
			diags.wantNone()
			if after.value.IsNull() == test.exists || len(p.service.Groups()) > 0 != test.exists {
				t.Errorf("the state is %v, the service has %v", after.members(), p.service.Groups())
			}
		})
	}
	t.Run("lost, imported", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
		imported, diags := p.imported("acme", nil)
		diags.wantNone()
		p.fault(http.MethodGet, emulator.CutAfterWork)
		_, diags = p.read(imported)
		diags.wantError(mayBe, "first answer got lost", "Run again", remedy)
	})
	t.Run("answered for another id", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		state := p.created(protocolAcme())
		p.service.Fail(emulator.Fault{Kind: emulator.Answer, Body: protocolAnswer("ACME", 1001, "Customer")})
		_, diags := p.read(state)
		diags.wantError(`The service answered about another group than "acme"`, `"ACME"`, "nothing was deleted")
		p.wantCalls("GET")
	})
}

func TestProtocolImport(t *testing.T) {
	t.Parallel()
	for name, options := range protocolReadings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, options)
			p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"rows":10,"tier":"gold"}`), Mapping: map[string]string{"sales": "db-1"}})
			for _, by := range []protocolObject{nil, {"user_group_id": "acme"}} {
				id := "acme"
				if by != nil {
					id = ""
				}
				state, diags := p.imported(id, by)
				diags.wantNone()
				p.wantCalls("")
				p.wantIdentity(state.identity, "acme")
				state = p.refreshed(state)
				p.wantTruth(state, "acme")
				p.wantState(state, protocolObject{"mapping": nil, "rotate_token_when_changed": nil, "store_token": nil, "adopt_existing": nil})
				if strings.Contains(string(state.private), importedKey) {
					t.Errorf("private state still says that it was just imported: %s", state.private)
				}
				p.service.ResetCounts()
				config := protocolAcme()
				_, diags = p.update(state, config)
				diags.wantNone()
				p.wantCalls("PUT") // The mapping is not known, so it is sent once; triggers do not rotate.
				if options.Answers == emulator.AnswersStored {
					p.wantState(state, protocolObject{"name": "Acme", "properties": `{"rows":10,"tier":"gold"}`})
					p.wantSettled(state, protocolObject{"user_group_id": "acme", "name": "Acme", "properties": state.get("properties")})
				}
				p.service.ResetCounts()
			}
		})
	}
}

func TestProtocolImportOfNobody(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	for _, by := range []protocolObject{nil, {"user_group_id": "nobody"}} {
		id := "nobody"
		if by != nil {
			id = ""
		}
		state, diags := p.imported(id, by)
		diags.wantNone()
		for range 2 { // The mark must survive a refresh that failed.
			state, diags = p.read(state)
			diags.wantError(`User group "nobody" does not exist`, "left none behind", "spelling", "environment")
		}
	}
	if left := p.service.Groups(); len(left) > 0 {
		t.Errorf("the import of a typo left %v", left)
	}
	// Once imported, a group that goes is removed like any other.
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state, diags := p.imported("acme", nil)
	diags.wantNone()
	state = p.refreshed(state)
	p.service.Remove("acme")
	if gone := p.refreshed(state); !gone.value.IsNull() {
		t.Error("the group is still in the state")
	}
}

func TestProtocolImportOfAnInvalidID(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	for _, id := range []string{" acme", "acme\n", "", "a\tb"} {
		_, diags := p.imported(id, nil)
		diags.wantError("Invalid import id", "user_group_id alone", "No call was made")
	}
	_, diags := p.imported("", protocolObject{"user_group_id": " acme"})
	diags.wantError("Invalid import id")
	_, diags = p.imported("", protocolObject{"user_group_id": ""})
	diags.wantError("Invalid import id")
	for _, id := range []string{"a b", "a/b", "Zoë 😀", `"quoted"`, "a,b"} {
		p.service.Seed(emulator.Group{ID: id, Name: "x"})
		state, diags := p.imported(id, nil)
		diags.wantNone()
		p.wantTruth(p.refreshed(state), id)
	}
}

func TestProtocolDelete(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config protocolObject
		before func(*protocol)
		faults []emulator.Fault
		title  string // empty: no error
		says   string
		calls  string
		left   int
	}{
		"plain":         {calls: "DELETE"},
		"gone":          {before: func(p *protocol) { p.service.Remove("acme") }, calls: "DELETE+GET+DELETE"},
		"stale token":   {before: func(p *protocol) { p.service.RotateBehind("acme") }, calls: "DELETE+GET+DELETE"},
		"token unknown": {config: protocolObject{"store_token": false}, calls: "GET+DELETE"},
		"lost":          {faults: []emulator.Fault{{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork}}, calls: "DELETE+DELETE+GET+DELETE"},
		"replaced": {
			before: func(p *protocol) { p.service.Replace("acme") }, title: `User group "acme" has been replaced`, says: "not deleted", calls: "DELETE+GET", left: 1,
		},
		"refused":    {faults: []emulator.Fault{{Method: "DELETE", Kind: emulator.Refuse}}, title: `Cannot delete user group "acme"`, says: "still exists and stays in the state", calls: "DELETE+GET", left: 1},
		"always 503": {faults: []emulator.Fault{{Method: "DELETE", Kind: emulator.Unavailable503}}, title: `Cannot delete user group "acme"`, says: "not known; it stays in the state", calls: "DELETE+DELETE+DELETE", left: 1},
		"throttled":  {faults: []emulator.Fault{{Method: "DELETE", Kind: emulator.TooMany429}}, title: `Cannot delete user group "acme"`, says: "was not deleted", calls: "DELETE+DELETE+DELETE", left: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolWith(protocolWith(protocolAcme(), protocolObject{"data_source_provided_id": "db-7"}), test.config))
			if test.before != nil {
				test.before(p)
			}
			for _, fault := range test.faults {
				p.service.Fail(fault)
			}
			after, diags := p.destroy(state)
			if calls := p.service.Calls(); len(calls) == 1 && !strings.Contains(string(calls[0].Body), `"data_source_provided_id":"db-7"`) {
				t.Errorf("data_source_provided_id was not sent along: it is for this body only")
			}
			p.wantCalls(test.calls)
			if test.title == "" {
				diags.wantNone()
			} else {
				diags.wantError(test.title, test.says)
			}
			if len(p.service.Groups()) != test.left || after.value.IsNull() != (test.left == 0) {
				t.Errorf("%d groups are left, want %d; the state is %v", len(p.service.Groups()), test.left, after.members())
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
	p.plan(state, nil).diags.wantErrorAt("deletion_protection", title, "This plan destroys it", "deletion_protection = false", "removed block")
	// What counts is what was applied: a configuration that drops both at once is refused as well.
	for _, id := range []any{"acme2", protocolUnknown} {
		for _, flag := range []any{true, false, nil} {
			plan := p.plan(state, protocolWith(config, protocolObject{"user_group_id": id, "deletion_protection": flag}))
			plan.diags.wantErrorAt("deletion_protection", title, "replaces it", "user_group_id changes")
		}
	}
	// -replace, and engines that do not ask when they plan a destruction.
	kept, diags := p.applyOnce(state, protocolPlan{planned: p.nothing().value, private: state.private, identity: state.identity})
	diags.wantErrorAt("deletion_protection", title, "nothing was deleted")
	p.wantCalls("")
	p.wantTruth(kept, "acme")

	off := protocolWith(config, protocolObject{"deletion_protection": false})
	state, diags = p.update(state, off)
	diags.wantNone()
	p.wantCalls("")
	gone, diags := p.destroy(state)
	diags.wantNone()
	if !gone.value.IsNull() {
		t.Error("the group is still in the state")
	}
}

func TestProtocolReplacement(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	plan := p.plan(state, protocolWith(protocolAcme(), protocolObject{"user_group_id": "acme2"}))
	if plan.action != "replace" || len(plan.replaces) != 1 {
		t.Errorf("the plan is to %s, because of %v", plan.action, plan.replaces)
	}
	for _, computed := range []string{"id", "token", "token_fingerprint", "team_id", "api_environment_tag"} {
		if plan.get(computed) != protocolUnknown {
			t.Errorf("%s of the new group is planned as %v", computed, plan.get(computed))
		}
	}
	state, diags := p.apply(plan)
	diags.wantNone()
	p.wantCalls("DELETE+GET")
	p.wantTruth(state, "acme2")
}
