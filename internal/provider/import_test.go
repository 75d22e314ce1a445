package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestImportSendsOnlyTheMapping checks that an import by ID, by identity or from a query reads the group, and that the
// first apply sends only the mapping, which is unknown until then.
func TestImportSendsOnlyTheMapping(t *testing.T) {
	t.Parallel()
	for _, answers := range []emulator.Answers{emulator.AnswersStored, emulator.AnswersEcho} {
		p := start(t, emulator.Options{Answers: answers})
		p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"rows":10,"tier":"gold"}`)})
		state, byIdentity := Silent(p.Importing("acme", nil)), Silent(p.Importing("", ByID("acme")))
		p.WantCalls("")
		p.WantIdentity(state.Identity, "acme")
		p.WantIdentity(byIdentity.Identity, "acme")
		p.WantSame(byIdentity, state)
		state = p.Refreshed(state)
		p.WantTruth(state, "acme")
		p.WantState(state, "mapping", nil, "rotate_token_when_changed", nil, "store_token", nil, "adopt_existing", nil,
			"token_rotated_at", nil)
		if answers == emulator.AnswersStored {
			p.WantState(state, "name", "Acme", "properties", `{"rows":10,"tier":"gold"}`)
			p.WantSettled(state, Acme("mapping", nil, "rotate_token_when_changed", nil))
		}
		// A query generates configuration from what an import sees, apart from the token.
		listed := Silent(p.List(0, true, "acme"))
		p.WantSame(p.Edited(state, listed[0].Resource, "token", state.Token()), state)
		p.Service.ResetCounts()
		plan := p.Plan(state, Acme())
		plan.Diags.WantWarning(mayDiffer, "replaces whatever mapping the group has")
		state, _ = p.Apply(plan)
		p.WantCalls("PUT") // The mapping is unknown, so it is sent once. Added triggers do not rotate.
		// Now everything is known, so there is no warning.
		state = p.Updated(p.Refreshed(state), Acme("mapping", Object{"sales": "db-2"}))
		p.WantTruth(state, "acme")
	}
}

// The first plan after an import cannot show everything that the update does.
func TestFirstPlanAfterAnImportWarns(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"a":1}`)})
	state := p.Imported("acme")
	bare := Acme("mapping", nil, "properties", nil)
	plan := p.Plan(state, bare)
	plan.Diags.WantWarning(mayDiffer, `"properties" as removed`, "not sent", "keeps it, unless the service clears")
	state, _ = p.Apply(plan)
	p.WantState(state, "properties", nil)
	if got := string(p.Group("acme").Properties); got != `{"a":1}` {
		t.Errorf("properties that are not managed are now %s", got)
	}
	// The first mapping still causes the warning, even after refreshes and an update of other arguments.
	state = p.Refreshed(p.Updated(state, With(bare, "name", "New")))
	mapped := With(bare, "name", "New", "mapping", Object{"a": "b"})
	p.Plan(state, mapped).Diags.WantWarning(mayDiffer, "mapping")
	// So it does after an update that failed.
	p.Fault(http.MethodPut, emulator.Refuse)
	state, _ = p.Apply(p.Plan(state, mapped))
	p.Plan(p.Refreshed(state), mapped).Diags.WantWarning(mayDiffer, "mapping")
	// A creation that has most likely created the group leaves a mapping in the state.
	p.Plan(p.Edited(state, "mapping", Object{"a": "b"}), bare).Diags.WantWarning(mayDiffer, `"mapping" as removed`)
	// What responses show causes no warning, and is not forgotten meanwhile.
	shown := Acme("mapping", nil)
	plan = p.Plan(p.Imported("acme"), shown)
	plan.Diags.WantNone()
	p.WantSettled(p.Refreshed(Silent(p.Apply(plan))), shown)
}

// A service may show empty properties for a group that has none. Leaving them out removes nothing.
func TestEmptyPropertiesAreNotRemoved(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	for _, none := range []json.RawMessage{[]byte(`{}`), []byte(`[]`), nil} {
		p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: none})
		state := p.Imported("acme")
		p.Plan(state, Acme("mapping", nil, "properties", nil)).Diags.WantNone()
	}
}

func TestImportOfAMissingGroupLeavesNothing(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := Silent(p.Importing("nobody", nil))
	for range 2 { // A failed refresh must not end the import, and it keeps the state.
		second(p.Read(state)).WantError(doesNotExist, "The service has no group with this ID", "spelling", "environment")
		p.WantCalls("GET > preflight > GET > DELETE")
	}
	p.WantGroups()
	// After a successful import, a missing group is removed from the state like any other.
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state = p.Imported("acme")
	p.Service.Remove("acme")
	p.WantNoState(p.Refreshed(state))
}

// The ID of an import and that of the configuration differ by mistake. A plan would replace, and thereby delete, the
// group that was just imported. With an import block, plan and import are one run; after the command, the plan is a
// later run with a refresh of its own. Engines store what a refresh finds only if its run is applied, and no plan that
// was refused is.
func TestImportUnderAnotherIDIsRefused(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	refused := func(state State) {
		t.Helper()
		for id, says := range map[any]string{"acme2": `user_group_id of this resource is "acme2"`, Unknown: "after apply"} {
			p.PlanToo(state, Acme("user_group_id", id)).Diags.WantErrorAt("user_group_id",
				`Import of user group "acme" would delete it`, says, "Nothing was changed", "terraform state rm", "apply once",
				unlessForgotten,
				`user_group_id = "acme"`)
		}
	}
	imported := p.Imported("acme")
	refused(imported) // an import block
	p.Walk().WantNone()
	refused(imported) // the command, and then -refresh=false
	for range 3 {     // the command, and then runs that are not applied
		refused(Silent(p.Read(imported)))
		refused(Silent(p.ReadToo(Silent(p.Read(imported))))) // Some engines refresh twice in a run.
	}
	p.WantGroups("acme")
}

// TestDeliberateReplacementAfterAnImport checks that changing the ID plans a replacement as usual once a run has shown
// that configuration and state agreed: an update, even of a flag, or a run after which the engine has stored the
// refresh.
func TestDeliberateReplacementAfterAnImport(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	imported := p.Imported("acme")
	bare := Acme("mapping", nil, "properties", nil, "rotate_token_when_changed", nil)
	p.WantSettled(imported, bare) // The import block had nothing to apply.
	managed, _ := p.Update(imported, Acme())
	flagged := Silent(p.Apply(p.Plan(imported, With(bare, "deletion_protection", false))))
	for name, state := range map[string]State{
		"an update": managed, "a flag": flagged, "an update, refreshed": p.Refreshed(managed),
		"two runs without a change": p.Refreshed(p.Refreshed(imported)),
	} {
		if plan := p.Plan(state, Acme("user_group_id", "acme2")); plan.Action != "replace" {
			t.Errorf("after %s, the plan is to %s:\n%s", name, plan.Action, plan.Diags)
		}
	}
	p.WantGroups("acme")
}

// A name that the import did not show is null in the state, and ignore_changes keeps it so. It is managed nevertheless,
// because the argument is required, so a refresh records the first one that a response shows, and those after it.
func TestANameThatNoResponseHasShownIsRefreshed(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	group := p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"theirs":1}`)})
	p.Answered("GET", fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":{"team_id":%d,"token":%q}}`,
		group.TeamID, group.Token))
	state := p.Imported("acme")
	p.Service.ClearFaults()
	p.WantState(state, "name", nil)
	plan := p.Plan(state, Acme("adopt_existing", true), "name")
	state = Silent(p.Apply(plan))
	p.WantState(state, "name", nil)
	state = p.Refreshed(state)
	p.WantState(state, "name", "Theirs")
	p.Service.Change("acme", func(group *emulator.Group) { group.Name = "Renamed" })
	p.WantState(p.Refreshed(state), "name", "Renamed")
	if plan := p.Plan(state, Acme()); plan.Action != "update" {
		t.Errorf("without ignore_changes, the plan is to %s", plan.Action)
	}
}

// The provider can notice ignore_changes only at apply, where configuration and plan differ. After an import, it may
// not know the value of such an attribute.
func TestIgnoredChangesAreNotSent(t *testing.T) {
	t.Parallel()
	for _, answers := range []emulator.Answers{emulator.AnswersStored, emulator.AnswersEcho} {
		for attribute, change := range map[string][]any{
			"name":       {"mapping", Object{"sales": "db-2"}},
			"mapping":    {"name", "Acme 2", "mapping", Object{}},
			"properties": {"name", "Acme 2", "properties", "{}"},
		} {
			p := start(t, emulator.Options{Answers: answers})
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"theirs":1}`)})
			state := p.Imported("acme")
			p.Service.ResetCounts()
			after, diags := p.Apply(p.Plan(state, Acme(change...), attribute))
			if sent := lastBody(p); diags.HasError() || strings.Contains(sent, attribute) {
				t.Errorf("%s was sent: %s\n%s", attribute, sent, diags)
			}
			p.WantCalls("PUT")
			p.WantState(after, attribute, state.Get(attribute))
		}
	}
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	plan := p.Plan(state, Acme("name", "New", "properties", "{}"), "name", "properties")
	if plan.Action != "no-op" {
		t.Errorf("with all changes ignored, the plan is to %s", plan.Action)
	}
	// The state has the mapping that Terraform has sent. Somebody may have changed it since.
	_, _ = p.Apply(p.Plan(state, Acme("name", "New", "mapping", Object{"sales": "db-2"}), "mapping"))
	if sent := lastBody(p); !strings.Contains(sent, "New") || strings.Contains(sent, "mapping") {
		t.Errorf("the update sends %s, want no mapping", sent)
	}
}

// TestIgnoredElementsKeepTheirValues checks that, with an element of the mapping in ignore_changes, what goes into the
// state is what was sent: the mapping of the plan if the rest of it changes, and otherwise nothing.
func TestIgnoredElementsKeepTheirValues(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme("mapping", Object{"a": "1", "b": "1"}))
	config := Acme("mapping", Object{"a": "2", "b": "9"})
	planned := Object{"a": "2", "b": "1"}
	state = Silent(p.Apply(p.Plan(state, config, "mapping.b")))
	p.WantState(state, "mapping", planned)
	if mapping := p.Group("acme").Mapping; mapping["a"] != "2" || mapping["b"] != "1" {
		t.Errorf("the service has the mapping %v, and the state %v", mapping, planned)
	}
	p.WantCalls("PUT")
	// Only the name changes, so the mapping, which somebody else may have changed, is not sent.
	p.Service.Change("acme", func(group *emulator.Group) { group.Mapping = map[string]string{"a": "2", "b": "theirs"} })
	state = Silent(p.Apply(p.Plan(state, With(config, "name", "New"), "mapping.b")))
	p.WantState(state, "mapping", planned, "name", "New")
	if mapping := p.Group("acme").Mapping; mapping["b"] != "theirs" {
		t.Errorf("the service has the mapping %v", mapping)
	}
	// A failed update keeps the state, so that the next plan sends the mapping.
	p.Fault("PUT", emulator.Refuse)
	config = With(config, "name", "New", "mapping", Object{"a": "3", "b": "9"})
	state, diags := p.Apply(p.Plan(state, config, "mapping.b"))
	diags.WantError(cannotUpdate)
	p.WantState(state, "mapping", planned)
	if plan := p.Plan(state, config, "mapping.b"); plan.Action != "update" {
		t.Errorf("the next plan is to %s", plan.Action)
	}
}
