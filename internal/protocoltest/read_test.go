package protocoltest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// That another notation is no drift is in TestPropertiesInAnotherNotationAreUnchanged.
func TestReadShowsDrift(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Service.Change("acme", func(group *emulator.Group) {
		group.Name, group.Properties = "Renamed", json.RawMessage(`{"tier":"silver","rows":10}`)
	})
	token := p.Service.RotateBehind("acme")
	state.Identity = nil // Engines before Terraform 1.12 store no identity. The harness compares the one in the response.
	state = p.Refreshed(state)
	p.WantCalls("GET")
	p.WantState(state, "name", "Renamed", "properties", `{"rows":10,"tier":"silver"}`, "token", token)
	p.WantState(state, "mapping", Object{"sales": "db-1"})
	state.Identity = nil
	state = p.Updated(state, Acme())
	p.WantCalls("PUT")
	p.WantTruth(state, "acme")

	// Properties that are not managed are not shown.
	state = p.Updated(state, Acme("properties", nil))
	p.Service.Change("acme", func(group *emulator.Group) { group.Properties = json.RawMessage(`{"a":2}`) })
	p.WantSettled(p.Refreshed(state), Acme("properties", nil))
}

// The calls are a lookup, which creates a placeholder, a second lookup, which confirms that, and the deletion of the
// placeholder. For the first missing group in a process, the provider also checks the service.
func TestReadOfAMissingGroupLeavesNothing(t *testing.T) {
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	p.Service.Remove("acme")
	p.Service.Remove("other")
	acme.Identity = nil
	p.WantNoState(p.Refreshed(acme))
	p.WantCalls("GET > check > GET > DELETE")
	p.Fault(http.MethodGet, emulator.CutBefore)
	gone, diags := p.ReadToo(other)
	diags.WantWarning(`User group "other" does not exist`, "attempt at the lookup got no usable response",
		"an empty group will appear")
	p.WantNoState(gone)
	p.WantCalls("GET > GET > GET > DELETE")
	p.WantDestroyed(acme)
	p.WantGroups()
}

// What the service does not show of the new group is forgotten, so that the next plan sends it.
func TestReadOfAReplacedGroupForgetsTheOldOne(t *testing.T) {
	inVirtualTime(t, emulator.Options{}, func(t *testing.T, p *Provider) {
		state := p.Created(Acme())
		p.Service.Replace("acme")
		state, diags := p.Read(state)
		diags.WantWarning(replaced, "team_id 1001", "team_id 1002", "API key")
		p.WantTruth(state, "acme")
		p.WantState(state, "name", nil, "mapping", nil, "properties", nil)
		state = p.Refreshed(state) // The warning appears only once.

		// A destroy at this point must not delete the new group, which Terraform has never managed.
		p.Service.ResetCounts()
		second(p.Destroy(state)).WantWarning(anotherHasTheID, "was not touched")
		p.WantCalls("")

		plan := p.Plan(state, Acme())
		plan.Diags.WantWarning(mayDiffer, "mapping")
		state, _ = p.Apply(plan)
		p.WantCalls("PUT")
		p.WantSettled(p.Refreshed(state), Acme())

		// What the service does show is shown as drift.
		p.Service.Remove("acme")
		p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"a":1}`)})
		state, _ = p.Read(state)
		p.WantState(state, "name", "Theirs", "properties", `{"a":1}`, "mapping", nil, "api_environment_tag", nil)
		state, _ = p.Apply(p.Plan(state, Acme()))
		p.WantDestroyed(state)
		p.WantGroups()
	})
}

// TestFailedReadOffersACommandForAnEmptyGroup checks that a failed refresh changes no group, and that the error has the
// command that removes an empty group.
func TestFailedReadOffersACommandForAnEmptyGroup(t *testing.T) {
	p := start(t, emulator.Options{})
	remedy := "curl -X DELETE '" + p.Service.URL() + `/api/user' -H "Authorization: Token $EMBED_API_KEY" ` +
		`-H 'Content-Type: application/json' -d '{"user_group_id":"acme"}'`
	state := p.Created(Acme())
	failing := func(state State, fault emulator.Fault, title string, says ...string) {
		t.Helper()
		p.Service.Fail(fault)
		second(p.Read(state)).WantError(title, says...)
		p.WantGroups("acme")
		p.Service.ClearFaults()
	}
	lost := emulator.Fault{Method: http.MethodGet, Kind: emulator.CutAfterWork}
	failing(state, lost, cannotLookUp, "may have created an empty group",
		"which the next lookup or create of this ID will find")
	refused := emulator.Fault{Method: http.MethodGet, Kind: emulator.Refuse}
	failing(state, refused, cannotLookUp, "No group was changed", "Fix what the service reports")
	imported := Silent(p.Importing("acme", nil))
	lost.Nth = 1
	p.Service.Change("acme", func(g *emulator.Group) { g.Name, g.Properties = "", nil })
	failing(imported, lost, `Looking up user group "acme" may have created it`,
		"response to a lookup was lost", "If the group should exist, run again", "before you run again", remedy)
	p.Service.Remove("acme")
	kept := emulator.Fault{Method: http.MethodDelete, ID: "acme", Kind: emulator.Refuse}
	failing(state, kept, `User group "acme" may still exist`,
		"empty group", "Remove it before you run again", remedy, "create groups but not to delete them",
		"Fix what the service reports")
}

// creationResponse returns the body of the response to the creation of the group, as a cache could store it.
func creationResponse(group emulator.Group) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":true,"user_group":`+
		`{"team_id":%d,"token":%q,"name":%q,"provided_id":%q}}`, group.TeamID, group.Token, group.Name, group.ID)
}

// TestCachedResponsesAreExplained covers a cache that stores GET responses by path, which is the same for all groups.
// TestHistories in internal/usergroup proves that nothing is deleted then, and that no command suggests it.
func TestCachedResponsesAreExplained(t *testing.T) {
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	before := p.Service.Groups()
	p.Answered(http.MethodGet, creationResponse(p.Group("acme")))
	second(p.Read(acme)).WantError(`A cache may have returned user group "acme"`, "must have existed before",
		"The lookup deleted nothing", "most likely an old one from a cache",
		"Turn off caching for the address of the service")
	// Where nothing is known about the group, the check of the service notices the cache.
	diags := second(p.Read(other))
	title := diags.List[0].Summary
	diags.WantError(title, "created a test group", "The lookup deleted nothing", "most likely an old one from a cache")
	if !strings.HasPrefix(title, `A cache may have returned user group "terraform-provider-embed-check-`) {
		t.Errorf("the title is %q", title)
	}
	p.WantUntouched(before)

	p.Service.ClearFaults()
	p.Service.Fail(emulator.Fault{
		Kind: emulator.Answer, Body: response("acme", 1001, "Customer"), Header: http.Header{"Age": {"7"}},
	})
	second(p.Read(acme)).WantError(cannotLookUp, "Age", "No group was changed", "caching")
}

// The service shows "acme" if it is asked for "Acme".
func TestIDInAnotherSpellingIsTheSameGroup(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme("user_group_id", "Acme"))
	group := p.Group("Acme")
	group.ID = "acme"
	p.Answered(http.MethodGet, strings.Replace(creationResponse(group), "true", "false", 1))
	state, diags := p.Read(state)
	diags.WantWarning(`The service spells the ID "Acme" differently`, `"Acme"`, `"acme"`, "same group")
	p.WantState(state, "user_group_id", "Acme", "id", "Acme", "token", group.Token, "team_id", group.TeamID)
	// An import has no team_id to compare with, so the provider cannot know which group the response is about.
	second(p.ImportToo("Acme")).WantError(`The service returned a different group than "Acme"`,
		`"acme"`, "use the ID that it returns")
}

// The lookups show an outdated group with a retired token.
func TestOutdatedReadsAreNotBelieved(t *testing.T) {
	p := start(t, emulator.Options{TokenLag: 1 << 60})
	state := p.Updated(p.Created(Acme()), NextQuarter("name", "New"))
	for range 3 {
		// An engine stores private state in a file, so the provider gets a copy.
		state.Private = []byte(string(state.Private))
		state = p.Refreshed(state)
		p.WantTruth(state, "acme")
		p.WantState(state, "name", "New")
		p.WantSettled(state, NextQuarter("name", "New"))
	}
	// With store_token = false, the token has to be looked up, but the lookup returns a retired one.
	state = p.Updated(state, NextQuarter("name", "New", "store_token", false))
	again := Acme("name", "New", "store_token", false, "rotate_token_when_changed", Quarter("Q3"))
	after, diags := p.Update(state, again)
	diags.WantError(outdated, "has already been replaced", "was not rotated", "Run again in a minute")
	p.WantState(after, "rotate_token_when_changed", Quarter("Q2"))
	second(p.Destroy(state)).WantError(outdated, "was not deleted", "stays in the state")
	p.WantGroups("acme")
}

func TestLastFiveRetiredTokensAreRemembered(t *testing.T) {
	const kept = 5
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	var retired []string
	for i := range kept + 2 {
		retired = append(retired, state.Token())
		state = p.Updated(state, Acme("rotate_token_when_changed", Quarter(fmt.Sprint(i))))
	}
	shown := p.Group("acme")
	for i, token := range retired {
		shown.Token = token
		p.Answered(http.MethodGet, strings.Replace(creationResponse(shown), "true", "false", 1))
		believed := p.Refreshed(state).Token() == token
		if remembered := i >= len(retired)-kept; believed == remembered {
			t.Errorf("a refresh takes over retired token %d of %d: %t", i+1, len(retired), believed)
		}
		p.Service.ClearFaults()
	}
	p.WantTruth(p.Refreshed(state), "acme")
}

// TestARetiredTokenThatIsCurrentAgain checks that a refresh does not believe a retired token shortly after a rotation,
// and that later on, the state gets this token with one warning: the service may have been restored from a backup. All
// rotations count as long ago if the state does not have the time. TestHistories in internal/usergroup covers the
// operations without a refresh.
func TestARetiredTokenThatIsCurrentAgain(t *testing.T) {
	p, clock := dated(t, emulator.Options{})
	state := p.Created(Acme())
	retired := state.Token()
	state = p.Updated(state, NextQuarter())
	restore := func() { p.Service.Change("acme", func(g *emulator.Group) { g.Token = retired }) }
	config, rotatedAt := NextQuarter(), int64(0)
	for _, quarter := range []string{"Q3", "Q4"} { // The same token returns twice.
		restore()
		for _, seconds := range []int64{0, 59, -59} { // The clock of another machine may be behind.
			clock.at(rotatedAt + seconds)
			p.WantSame(p.Refreshed(state), state)
		}
		clock.at(rotatedAt - 61) // But not by this much.
		second(p.Read(state)).WantWarning(tokenReturned)
		seen := clock.at(rotatedAt + 60)
		var diags Diags
		state, diags = p.Read(state)
		diags.WantWarning(tokenReturned, "lost the rotation", "backup", "locked out", "rotate it again")
		p.WantTruth(state, "acme")
		p.WantState(state, "token", retired, "token_rotated_at", seen)
		p.WantSettled(state, config)
		rotatedAt += 1000
		clock.at(rotatedAt)
		p.WantSame(p.Refreshed(state), state) // without another warning

		config = With(config, "rotate_token_when_changed", Quarter(quarter))
		p.Service.ResetCounts()
		state = p.Updated(state, config)
		p.WantCalls("POST")
		p.WantTruth(state, "acme")
	}
	state.Value = Value(p.Type(), With(state.Members(), "token_rotated_at", nil))
	restore()
	state, diags := p.Read(state)
	diags.WantWarning(tokenReturned)
	p.WantTruth(state, "acme")
}

// A failed call must not be retried then.
func TestStopEndsRunningRequests(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Service.BeforeCall(func(emulator.Call) { p.Stop() })
	p.Service.Fail(emulator.Fault{Kind: emulator.Unavailable503})
	second(p.Read(state)).WantError(cannotLookUp, "status 503")
	p.WantCalls("GET")
}
