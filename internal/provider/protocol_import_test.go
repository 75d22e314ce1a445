package provider

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolImport(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string]emulator.Answers{"told": emulator.AnswersStored, "echo": emulator.AnswersEcho} {
		for id, identity := range map[string]protocolObject{"acme": nil, "": byID("acme")} {
			t.Run(name+" by "+id, func(t *testing.T) {
				p := protocolStart(t, emulator.Options{Answers: answers})
				p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"rows":10,"tier":"gold"}`)})
				state, diags := p.importing(id, identity)
				diags.wantNone()
				p.wantCalls("")
				p.wantIdentity(state.identity, "acme")
				state = p.refreshed(state)
				p.wantTruth(state, "acme")
				p.wantState(state, "mapping", nil, "rotate_token_when_changed", nil, "store_token", nil, "adopt_existing", nil)
				if answers == emulator.AnswersStored {
					p.wantState(state, "name", "Acme", "properties", `{"rows":10,"tier":"gold"}`)
					p.wantSettled(state, protocolAcme("mapping", nil, "rotate_token_when_changed", nil))
				}
				p.service.ResetCounts()
				plan := p.plan(state, protocolAcme())
				plan.diags.wantWarning(overwrites, "replaces whatever mapping the group has")
				state, _ = p.apply(plan)
				p.wantCalls("PUT") // The mapping is unknown, so it is sent once. Added triggers do not rotate.
				// Now everything is known, so there is no warning.
				state = p.updated(p.refreshed(state), protocolAcme("mapping", protocolObject{"sales": "db-2"}))
				p.wantTruth(state, "acme")
			})
		}
	}
}

// TestProtocolFirstPlanAfterAnImport checks the warnings of the first plan after an import, which cannot show
// everything that the update does.
func TestProtocolFirstPlanAfterAnImport(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"a":1}`)})
	state := p.imported("acme")
	bare := protocolAcme("mapping", nil, "properties", nil)
	plan := p.plan(state, bare)
	plan.diags.wantWarning(overwrites, "keeps them", "not managed")
	state, _ = p.apply(plan)
	p.wantState(state, "properties", nil)
	if got := string(p.group("acme").Properties); got != `{"a":1}` {
		t.Errorf("properties that are not managed are now %s", got)
	}
	// The first mapping still causes the warning, even after an update of other arguments.
	state = p.updated(state, protocolWith(bare, "name", "New"))
	p.plan(state, protocolWith(bare, "mapping", protocolObject{"a": "b"})).diags.wantWarning(overwrites, "mapping")
}

func TestProtocolImportOfNobody(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state, diags := p.importing("nobody", nil)
	diags.wantNone()
	for range 2 { // A failed refresh must not end the import.
		state, diags = p.read(state)
		diags.wantError(doesNotExist, "removed it again", "spelling", "environment")
		p.wantCalls("GET > GET > check > DELETE")
	}
	p.wantGroups()
	// After a successful import, a missing group is removed from the state like any other.
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state = p.imported("acme")
	p.service.Remove("acme")
	p.wantNoState(p.refreshed(state))
}

// TestProtocolImportUnderAConfigurationWithAnotherID checks that a plan is refused if it would replace, and thereby
// delete, the group that it has just imported.
func TestProtocolImportUnderAConfigurationWithAnotherID(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state := p.imported("acme")
	for _, id := range []any{"acme2", protocolUnknown} {
		p.planToo(state, protocolAcme("user_group_id", id)).diags.wantErrorAt("user_group_id",
			`Import of user group "acme" would delete it`, "Nothing was changed", "the same")
	}
	// Once the group is managed, or was imported by an earlier run, changing the ID plans a replacement as usual.
	managed, _ := p.update(state, protocolAcme())
	for _, known := range []protocolState{managed, p.refreshed(state)} {
		if plan := p.plan(known, protocolAcme("user_group_id", "acme2")); plan.action != "replace" {
			t.Errorf("the plan is to %s:\n%s", plan.action, plan.diags)
		}
	}
	p.wantGroups("acme")
}

// TestProtocolIgnoreChanges checks that attributes in ignore_changes are not sent. The provider can notice
// ignore_changes only at apply, where configuration and plan differ. After an import, it may not know the value of
// such an attribute.
func TestProtocolIgnoreChanges(t *testing.T) {
	t.Parallel()
	was := emulator.Group{
		ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"theirs":1}`), Mapping: map[string]string{"theirs": "db"},
	}
	for name, options := range map[string]emulator.Options{
		"told": {}, "echo": {Answers: emulator.AnswersEcho},
		"name required": {Answers: emulator.AnswersEcho, NameRequired: true},
	} {
		for attribute, change := range map[string][]any{
			"name":       {"mapping", protocolObject{"sales": "db-2"}},
			"mapping":    {"name", "Acme 2", "mapping", protocolObject{}},
			"properties": {"name", "Acme 2", "properties", "{}"},
		} {
			t.Run(name+" "+attribute, func(t *testing.T) {
				p := protocolStart(t, options)
				p.service.Seed(was)
				state := p.imported("acme")
				after, diags := p.apply(p.plan(state, protocolAcme(change...), attribute))
				if diags.hasError() && (name != "name required" || attribute != "name") {
					t.Error(diags)
				}
				if sent, is := p.lastBody(http.MethodPut)[attribute]; is {
					t.Errorf("%s was sent: %v", attribute, sent)
				}
				group := p.group("acme")
				if same := map[string]bool{
					"name": group.Name == "Theirs", "mapping": group.Mapping["theirs"] == "db",
					"properties": string(group.Properties) == `{"theirs":1}`,
				}; !same[attribute] {
					t.Errorf("%s has changed: %+v", attribute, group)
				}
				p.wantState(after, attribute, state.get(attribute))
			})
		}
	}
	p := protocolAnother(t, emulator.Options{})
	plan := p.plan(p.created(protocolAcme()), protocolAcme("name", "New", "properties", "{}"), "name", "properties")
	if plan.action != "no-op" {
		t.Errorf("with all changes ignored, the plan is to %s", plan.action)
	}
}
