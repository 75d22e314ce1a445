package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolReadShowsDrift(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.service.Change("acme", func(group *emulator.Group) {
		group.Name, group.Properties = "Renamed", json.RawMessage(`{"tier":"silver","rows":10}`)
	})
	token := p.service.RotateBehind("acme")
	state = p.refreshed(state)
	p.wantCalls("GET")
	p.wantState(state, "name", "Renamed", "properties", `{"rows":10,"tier":"silver"}`, "token", token)
	p.wantState(state, "mapping", protocolObject{"sales": "db-1"})
	state = p.updated(state, protocolAcme())
	p.wantCalls("PUT")
	p.wantTruth(state, "acme")

	// A different notation is no drift, and properties that are not managed are not shown.
	state = p.updated(state, protocolAcme("properties", `{"a":1.0}`))
	p.service.Change("acme", func(group *emulator.Group) { group.Properties = json.RawMessage(` { "a" : 1 } `) })
	state = p.refreshed(state)
	p.wantState(state, "properties", `{"a":1.0}`)
	state = p.updated(state, protocolAcme("properties", nil))
	p.service.Change("acme", func(group *emulator.Group) { group.Properties = json.RawMessage(`{"a":2}`) })
	p.wantSettled(p.refreshed(state), protocolAcme("properties", nil))
}

// TestProtocolStateWithoutIdentity covers engines before Terraform 1.12, which store no identity. The harness checks
// that the provider returns the right one.
func TestProtocolStateWithoutIdentity(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	state.identity = nil
	state = p.updated(state, protocolAcme("name", "New"))
	state.identity = nil
	p.refreshed(state)
	p.always(http.MethodGet, emulator.Refuse)
	second(p.read(state)).wantError(cannotLookUp)
	p.service.ClearFaults()
	p.service.Remove("acme")
	p.wantNoState(p.refreshed(state))
}

// TestProtocolReadSendsTheNameWhereOneIsNeeded checks that a lookup sends the name in the state to a service that
// requires a name.
func TestProtocolReadSendsTheNameWhereOneIsNeeded(t *testing.T) {
	p := protocolStart(t, emulator.Options{NameRequired: true})
	p.refreshed(p.created(protocolAcme()))
	if name := p.lastBody(http.MethodGet)["name"]; name != "Acme" {
		t.Errorf("the lookup sent the name %v, want Acme", name)
	}
}

// TestProtocolReadOfAGroupThatIsGone checks the calls for a missing group: a lookup, which creates a placeholder, a
// second lookup, which confirms that, and the deletion of the placeholder. For the first missing group in a process,
// the provider also checks the service.
func TestProtocolReadOfAGroupThatIsGone(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	acme, other := p.created(protocolAcme()), p.created(protocolAcme("user_group_id", "other"))
	p.service.Remove("acme")
	p.service.Remove("other")
	p.wantNoState(p.refreshed(acme))
	p.wantCalls("GET > GET > check > DELETE")
	p.fault(http.MethodGet, emulator.CutBefore)
	gone, diags := p.readToo(other)
	diags.wantWarning(`User group "other" does not exist`, "An earlier attempt was lost", "an empty group appears")
	p.wantNoState(gone)
	p.wantCalls("GET > GET > GET > DELETE")
	p.wantDestroyed(acme)
	p.wantGroups()
}

// TestProtocolReadOfAGroupThatWasReplaced checks that a refresh forgets the attributes that the service does not show
// of the new group, so that the next plan sends them.
func TestProtocolReadOfAGroupThatWasReplaced(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{"stored": {}, "echo": {Answers: emulator.AnswersEcho}} {
		t.Run(name, func(t *testing.T) {
			p := protocolStart(t, options)
			state := p.created(protocolAcme())
			p.service.Replace("acme")
			state, diags := p.read(state)
			diags.wantWarning(replaced, "team_id 1001", "team_id 1002", "API key")
			p.wantTruth(state, "acme")
			p.wantState(state, "name", nil, "mapping", nil, "properties", nil, "api_environment_tag", nil)
			state = p.refreshed(state) // The warning appears only once.

			// A destroy at this point must not delete the new group, which Terraform has never managed.
			p.service.ResetCounts()
			gone, diags := p.destroy(state)
			diags.wantWarning(anotherHasTheID, "was not touched")
			p.wantNoState(gone)
			p.wantCalls("")

			plan := p.plan(state, protocolAcme())
			plan.diags.wantWarning(overwrites, "mapping")
			if plan.action != "update" || plan.get("token") == protocolUnknown {
				t.Errorf("the plan is to %s, with the token %v", plan.action, plan.get("token"))
			}
			state, _ = p.apply(plan)
			p.wantTruth(state, "acme")
			if group := p.group("acme"); group.Mapping["sales"] != "db-1" || group.Name != "Acme" {
				t.Errorf("the new group does not match the configuration: %+v", group)
			}
			state = p.refreshed(state)
			p.wantSettled(state, protocolAcme())
			p.wantDestroyed(state)
			p.wantGroups()
		})
	}
	// If the service shows managed attributes of the new group, a refresh shows them as drift.
	p := protocolAnother(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.service.Remove("acme")
	p.service.Seed(emulator.Group{ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"a":1}`)})
	state, _ = p.read(state)
	p.wantState(state, "name", "Theirs", "properties", `{"a":1}`, "mapping", nil)
}

func TestProtocolReadThatFails(t *testing.T) {
	const remedy = `curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" ` +
		`-H 'Content-Type: application/json' -d '{"user_group_id":"acme"}'`
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	failing := func(state protocolState, fault emulator.Fault, title string, says ...string) {
		t.Helper()
		p.service.Fail(fault)
		after, diags := p.read(state)
		diags.wantError(title, says...)
		p.wantSame(after, state)
		p.wantGroups("acme")
		p.service.ClearFaults()
	}
	lost := emulator.Fault{Method: http.MethodGet, Kind: emulator.CutAfterWork}
	failing(state, lost, cannotLookUp, "empty one", remedy)
	refused := emulator.Fault{Method: http.MethodGet, Kind: emulator.Refuse}
	failing(state, refused, cannotLookUp, "Nothing was changed", "Fix what the service reports")
	imported, diags := p.importing("acme", nil)
	diags.wantNone()
	lost.Nth = 1
	failing(imported, lost, `Looking up user group "acme" may have created it`,
		"response to the lookup was lost", "Run again", remedy)
	p.service.Remove("acme")
	kept := emulator.Fault{Method: http.MethodDelete, ID: "acme", Kind: emulator.Refuse}
	failing(state, kept, `User group "acme" was left behind`,
		"empty group", remedy, "create groups but not delete them", "Fix what the service reports")
}

// protocolCreation returns the body of the response to the creation of the group, as a cache could store it.
func protocolCreation(group emulator.Group) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":true,"user_group":`+
		`{"team_id":%d,"token":%q,"name":%q,"provided_id":%q}}`, group.TeamID, group.Token, group.Name, group.ID)
}

// TestProtocolAnswersFromACache covers a cache that stores GET responses by path, which is the same for all groups.
// It answers every lookup with the response to the last creation, as if the lookup had just created the group.
// Deleting that group would delete a customer.
func TestProtocolAnswersFromACache(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	acme, other := p.created(protocolAcme()), p.created(protocolAcme("user_group_id", "other"))
	before := p.service.Groups()
	p.answered(http.MethodGet, protocolCreation(p.group("acme")))
	want := func(id string, diags protocolDiags) {
		t.Helper()
		title := fmt.Sprintf("A cache may have answered for user group %q", id)
		diags.wantError(title, "Nothing was deleted", "returned an old response",
			"Turn off caching for the address of the service")
		if strings.Contains(diags.String(), "curl") {
			t.Errorf("the error suggests deleting a group that may be a customer:\n%s", diags)
		}
	}
	for id, state := range map[string]protocolState{"acme": acme, "other": other} {
		after, diags := p.read(state)
		want(id, diags)
		p.wantSame(after, state)
	}
	want("acme", second(p.dataSource(byID("acme"))))
	want("acme", second(p.invoke(byID("acme"))))
	want("acme", second(p.importAndRead("acme")))
	want("new", second(p.create(protocolAcme("user_group_id", "new", "name", "New"))))
	p.wantUntouched(before)

	p.service.ClearFaults()
	aged := answering(protocolAnswer("acme", 1001, "Customer"))
	aged.Header = http.Header{"Age": {"7"}}
	p.service.Fail(aged)
	after, diags := p.read(acme)
	diags.wantError(cannotLookUp, "Age", "Nothing was changed", "caching")
	p.wantSame(after, acme)
}

// TestProtocolServiceThatNormalizesIDs covers a service that stores IDs in lower case, and returns "acme" if it is
// asked for "Acme". The team_id shows that it is the same group.
func TestProtocolServiceThatNormalizesIDs(t *testing.T) {
	const title = `The service spells the ID "Acme" differently`
	p := protocolStart(t, emulator.Options{IDs: emulator.IDsLowerCase})
	state, diags := p.create(protocolAcme("user_group_id", "Acme"))
	diags.wantWarning(title, `"Acme"`, `"acme"`, "same group")
	state, diags = p.read(state)
	diags.wantWarning(title)
	state, diags = p.update(state, protocolNextQuarter("user_group_id", "Acme", "name", "New"))
	diags.wantWarning(title)
	group := p.group("acme")
	p.wantState(state, "user_group_id", "Acme", "id", "Acme", "token", group.Token, "team_id", group.TeamID)
	p.wantDestroyed(state)
	p.wantGroups()

	// An import has no team_id to compare with, so the provider cannot know which group the response is about.
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	second(p.importAndRead("Acme")).wantError(`The service returned a different group than "Acme"`,
		`"acme"`, "use the ID that it returns")
}

// TestProtocolReadsThatLag covers a service whose lookups show an outdated group with a retired token. The provider
// must not believe them.
func TestProtocolReadsThatLag(t *testing.T) {
	const title = `The service shows an outdated token of user group "acme"`
	p := protocolStart(t, emulator.Options{ReadLag: 1 << 60})
	state := p.updated(p.created(protocolAcme()), protocolNextQuarter("name", "New"))
	for range 3 {
		// An engine stores private state in a file, so the provider gets a copy.
		state.private = []byte(string(state.private))
		state = p.refreshed(state)
		p.wantTruth(state, "acme")
		p.wantState(state, "name", "New")
		p.wantSettled(state, protocolNextQuarter("name", "New"))
	}
	// With store_token = false, the token has to be looked up, but the lookup returns a retired one.
	state = p.updated(state, protocolNextQuarter("name", "New", "store_token", false))
	again := protocolAcme("name", "New", "store_token", false, "rotate_token_when_changed", quarter("Q3"))
	after, diags := p.update(state, again)
	diags.wantError(title, "has already been replaced", "was not rotated", "Run again once")
	p.wantState(after, "rotate_token_when_changed", quarter("Q2"))
	second(p.destroy(state)).wantError(title, "was not deleted", "stays in the state")
	p.wantGroups("acme")
}

// TestProtocolRetiredTokensAreRemembered checks that the provider remembers the last keptRetired tokens that were
// rotated away.
func TestProtocolRetiredTokensAreRemembered(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	var retired []string
	for i := range keptRetired + 2 {
		retired = append(retired, state.token())
		state = p.updated(state, protocolAcme("rotate_token_when_changed", quarter(fmt.Sprint(i))))
	}
	shown := p.group("acme")
	for i, token := range retired {
		shown.Token = token
		p.answered(http.MethodGet, strings.Replace(protocolCreation(shown), "true", "false", 1))
		believed := p.refreshed(state).token() == token
		if remembered := i >= len(retired)-keptRetired; believed == remembered {
			t.Errorf("a refresh takes over retired token %d of %d: %t", i+1, len(retired), believed)
		}
		p.service.ClearFaults()
	}
	p.wantTruth(p.refreshed(state), "acme")
}
