package provider

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocolOverwrites is the title of what the first update after an import warns of.
const protocolOverwrites = `The update of user group "acme" overwrites what is not shown`

func TestProtocolImport(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]emulator.Answers{"stored": emulator.AnswersStored, "echo": emulator.AnswersEcho} {
		for by, identity := range map[string]protocolObject{"acme": nil, "": {"user_group_id": "acme"}} {
			t.Run(name+" by "+by, func(t *testing.T) {
				t.Parallel()
				p := protocolStart(t, emulator.Options{Answers: answers})
				p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"rows":10,"tier":"gold"}`), Mapping: map[string]string{"sales": "db-1"}})
				state, diags := p.importing(by, identity)
				diags.wantNone()
				p.wantCalls("")
				p.wantIdentity(state.identity, "acme")
				state = p.refreshed(state)
				p.wantTruth(state, "acme")
				p.wantState(state, protocolObject{"mapping": nil, "rotate_token_when_changed": nil, "store_token": nil, "adopt_existing": nil})
				p.service.ResetCounts()
				shown := answers == emulator.AnswersStored
				if shown {
					p.wantState(state, protocolObject{"name": "Acme", "properties": `{"rows":10,"tier":"gold"}`})
					p.wantSettled(state, protocolObject{"user_group_id": "acme", "name": "Acme", "properties": state.get("properties")})
				}
				plan := p.plan(state, protocolAcme())
				plan.diags.wantWarning(protocolOverwrites, "replaces whatever mapping the group has")
				state, diags = p.apply(plan)
				p.wantCalls("PUT") // The mapping is not known, so it is sent once; triggers do not rotate.
				// From here on everything is known.
				state = p.updated(p.refreshed(state), protocolWith(protocolAcme(), protocolObject{"mapping": protocolObject{"sales": "db-2"}}))
				p.wantTruth(state, "acme")
			})
		}
	}
}

// The first plan after an import cannot show everything that its update does.
func TestProtocolFirstPlanAfterAnImport(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"a":1}`)})
	state, diags := p.imported("acme")
	diags.wantNone()
	bare := protocolObject{"user_group_id": "acme", "name": "Acme"}
	plan := p.plan(state, bare)
	plan.diags.wantWarning(protocolOverwrites, "keeps them", "not managed")
	state, _ = p.apply(plan)
	p.wantState(state, protocolObject{"properties": nil})
	if got := string(p.group("acme").Properties); got != `{"a":1}` {
		t.Errorf("properties that are not managed became %s", got)
	}
	// A mapping is still to be sent for the first time, whatever was updated before.
	state = p.updated(state, protocolWith(bare, protocolObject{"name": "New"}))
	p.plan(state, protocolWith(bare, protocolObject{"name": "New", "mapping": protocolObject{"a": "b"}})).diags.wantWarning(protocolOverwrites, "mapping")
}

func TestProtocolImportOfNobody(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state, diags := p.importing("nobody", nil)
	diags.wantNone()
	for range 2 { // The mark must survive a refresh that failed.
		state, diags = p.read(state)
		diags.wantError(`User group "nobody" does not exist`, "removed it again", "spelling", "environment")
		p.wantCalls("GET > GET > check > DELETE")
	}
	p.wantGroups()
	// Once imported, a group that goes is removed like any other.
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state, diags = p.imported("acme")
	diags.wantNone()
	p.service.Remove("acme")
	p.wantNoState(p.refreshed(state))
}

// A configuration with another id would replace, that is delete, what it has just imported.
func TestProtocolImportUnderAConfigurationWithAnotherID(t *testing.T) {
	t.Parallel()
	const title = `Import of user group "acme" would delete it`
	p := protocolStart(t, emulator.Options{})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state, diags := p.imported("acme")
	diags.wantNone()
	for _, id := range []any{"acme2", protocolUnknown} {
		config := protocolWith(protocolAcme(), protocolObject{"user_group_id": id})
		p.plan(state, config).diags.wantErrorAt("user_group_id", title, "Nothing was changed", "the same")
	}
	// Once it is managed, or known from an earlier run, changing the id is a replacement like any other.
	elsewhere := protocolWith(protocolAcme(), protocolObject{"user_group_id": "acme2"})
	managed, _ := p.update(state, protocolAcme())
	for _, known := range []protocolState{managed, p.refreshed(state)} {
		if plan := p.plan(known, elsewhere); plan.action != "replace" {
			t.Errorf("the plan is to %s:\n%s", plan.action, plan.diags)
		}
	}
	p.wantGroups("acme")
}

// ignore_changes shows in that configuration and plan differ at apply. What it covers is not sent: after an import it may be
// known from nobody.
func TestProtocolIgnoreChanges(t *testing.T) {
	t.Parallel()
	seeded := emulator.Group{ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"theirs":1}`), Mapping: map[string]string{"theirs": "db"}}
	for name, options := range map[string]emulator.Options{"stored": {}, "echo": {Answers: emulator.AnswersEcho}, "name required": {Answers: emulator.AnswersEcho, NameRequired: true}} {
		for attribute, change := range map[string]protocolObject{
			"name":       {"mapping": protocolObject{"sales": "db-2"}},
			"mapping":    {"name": "Acme 2"},
			"properties": {"name": "Acme 2"},
		} {
			for _, empty := range []bool{false, true} {
				t.Run(name+" "+attribute, func(t *testing.T) {
					t.Parallel()
					p := protocolStart(t, options)
					p.service.Seed(seeded)
					state, diags := p.imported("acme")
					diags.wantNone()
					config := protocolWith(protocolAcme(), change)
					if empty && attribute != "name" {
						// What is ignored is null or empty in the configuration, and was something before.
						config[attribute] = map[string]any{"mapping": protocolObject{}, "properties": "{}"}[attribute]
					}
					p.service.ResetCounts()
					plan := p.plan(state, config, attribute)
					after, diags := p.apply(plan)
					if diags.hasError() && !(name == "name required" && attribute == "name") {
						t.Fatal(diags)
					}
					if sent, is := p.lastBody(http.MethodPut)[attribute]; is {
						t.Errorf("%s was sent: %v", attribute, sent)
					}
					group := p.group("acme")
					if got := map[string]bool{
						"name": group.Name == seeded.Name, "mapping": group.Mapping["theirs"] == "db", "properties": string(group.Properties) == `{"theirs":1}`,
					}; !got[attribute] {
						t.Errorf("%s has become something else: %+v", attribute, group)
					}
					p.wantState(after, protocolObject{attribute: state.get(attribute)})
				})
			}
		}
	}
	t.Run("nothing else to do", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		state := p.created(protocolAcme())
		plan := p.plan(state, protocolWith(protocolAcme(), protocolObject{"name": "New", "properties": "{}"}), "name", "properties")
		if plan.action != "no-op" {
			t.Errorf("the plan is to %s", plan.action)
		}
		p.wantCalls("")
	})
}
