package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// That another notation is no drift is in TestPropertiesInAnotherNotationAreUnchanged.
func TestReadShowsDrift(t *testing.T) {
	t.Parallel()
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
// placeholder. The first missing group in a process also costs the preflight. There is a warning only if something may
// remain.
func TestReadOfAMissingGroupLeavesNothing(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	p.Service.Remove("acme")
	p.Service.Remove("other")
	acme.Identity = nil
	p.WantNoState(p.Refreshed(acme))
	p.WantCalls("GET > preflight > GET > DELETE")
	p.Fault(http.MethodGet, emulator.CutBefore)
	gone, diags := p.ReadToo(other)
	diags.WantWarning(`User group "other" does not exist`, `A group with the ID "other" may remain`,
		"a lookup or the preflight may have created it", `"Remove an empty group" in the guide Troubleshooting`)
	p.WantNoState(gone)
	p.WantCalls("GET > GET > GET > DELETE")
	p.WantDestroyed(acme)
	p.WantGroups()
}

// TestReadOfAnotherGroupRemovesTheResource checks that another number with another token is another group. Terraform
// shows warnings with the same title once, so the title has no ID. Create then says that the group exists, or adopts
// it.
func TestReadOfAnotherGroupRemovesTheResource(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(_ *testing.T, p *Provider) {
		state := p.Created(Acme())
		p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs", Properties: json.RawMessage(`{"a":1}`)})
		before := p.Service.Groups()
		// A plan without a refresh must not delete the other group either.
		second(p.Destroy(state)).WantWarning(replaced, "No other group was touched")
		p.WantCalls("DELETE > GET")
		gone, diags := p.Read(state)
		p.WantNoState(gone)
		diags.WantWarning(replaced, "team_id of the group was 1001; the service shows 1002", "Check the API key",
			"import the new one", "adopt_existing")
		p.WantCalls("GET")
		second(p.Create(Acme())).WantError(alreadyExists)
		p.WantUntouched(before)
		state, diags = p.Create(adopting())
		diags.WantWarning(adopted)
		p.WantTruth(state, "acme")
		p.WantSettled(p.Refreshed(state), adopting())
	})
}

// A state that another tool has written has no private part. It still knows its group by the number.
func TestStatesWithoutAPrivatePartKnowTheirGroup(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	state.Private = nil
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs"})
	gone, diags := p.Read(state)
	p.WantNoState(gone)
	diags.WantWarning(replaced, "team_id of the group was 1001; the service shows 1002")
}

// A service may renumber its groups, for example when it is restored from a backup. Another group can have the number
// of the one in the state: what tells them apart is that it is new.
func TestTokenAndNumberTogetherIdentifyAGroup(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Service.Change("acme", func(group *emulator.Group) { group.TeamID = 4711 })
	state = p.Refreshed(state)
	p.WantState(state, "team_id", int64(4711))
	p.WantSettled(state, Acme())
	p.Service.RotateBehind("acme")
	state = p.Refreshed(state)
	p.WantTruth(state, "acme")

	p.Service.Remove("acme")
	next := p.Service.Seed(emulator.Group{ID: "last"}).TeamID + 1 // The lookup creates a group with this number.
	p.WantNoState(p.Refreshed(p.Edited(state, "team_id", next)))
	p.WantGroups("last")
}

// The state has room for numbers only. A team_id that is a UUID tells groups apart nevertheless, also in later runs.
func TestTeamIDsThatAreNoNumbersIdentifyAGroup(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*Provider) State{
		"created": func(p *Provider) State { return p.Created(Acme()) },
		"imported": func(p *Provider) State {
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd"})
			return p.Imported("acme")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inVirtualTime(t, emulator.Options{TextTeamIDs: true}, func(_ *testing.T, p *Provider) {
				state := begin(p)
				p.WantState(state, "team_id", nil)
				p.Service.RotateBehind("acme")
				state = p.Refreshed(state)
				p.Service.Replace("acme")
				before := p.Service.Groups()
				gone, diags := p.Read(state)
				p.WantNoState(gone)
				diags.WantWarning(replaced, "team_id of the group was t-1001; the service shows t-1002",
					"The group leaves the state", "Check the API key")
				second(p.Destroy(state)).WantWarning(replaced, "No other group was touched")
				p.WantUntouched(before)
			})
		})
	}
}

// TestFailedReadNamesAnEmptyGroup checks that a failed refresh changes no group, and that the error names a group that
// may be empty, and the heading that says how to remove it.
func TestFailedReadNamesAnEmptyGroup(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	const remedy = `If no state has it, see "Remove an empty group" in the guide Troubleshooting.`
	state := p.Created(Acme())
	failing := func(state State, fault emulator.Fault, title string, says ...string) {
		t.Helper()
		p.Service.Fail(fault)
		second(p.Read(state)).WantError(title, says...)
		p.WantGroups("acme")
		p.Service.ClearFaults()
	}
	lost := emulator.Fault{Method: http.MethodGet, Kind: emulator.CutAfterWork}
	failing(state, lost, cannotLookUp, "No group was changed", `A group with the ID "acme" may remain`, remedy)
	refused := emulator.Fault{Method: http.MethodGet, Kind: emulator.Refuse}
	failing(state, refused, cannotLookUp, "No group was changed", "Fix what the service reports")
	imported := Silent(p.Importing("acme", nil))
	lost.Nth = 1
	p.Service.Change("acme", func(g *emulator.Group) { g.Name, g.Properties = "", nil })
	failing(imported, lost, `Looking up user group "acme" may have created it`, "A response to the lookup was lost",
		"If the group should exist, run again", remedy)
	p.Service.Remove("acme")
	kept := emulator.Fault{Method: http.MethodDelete, ID: "acme", Kind: emulator.Refuse}
	failing(state, kept, leftBehind,
		"refuses this call", remedy, "Fix what the service reports", "data_source_provided_id")
}

// TestRefreshesNameAllEmptyGroups checks that each empty group that refreshes leave behind is named, also by those that
// end only because the run has ended, and say nothing otherwise.
func TestRefreshesNameAllEmptyGroups(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
		var states []State
		for i := range 30 {
			id := fmt.Sprint("customer-", i)
			states = append(states, p.Created(Acme("user_group_id", id)))
			p.Service.Remove(id)
		}
		p.Always(http.MethodDelete, emulator.CutBefore)
		p.Walk().WantNone()
		said, workers := make(chan Diags, len(states)), make(chan bool, 10)
		for _, state := range states {
			go func() {
				workers <- true
				said <- second(p.ReadToo(state))
				<-workers
			}()
		}
		all, silent := "", 0
		for range states {
			diags := <-said
			all += diags.String()
			if len(diags.List) == 0 {
				silent++
			}
		}
		left := p.Service.Groups()
		for _, group := range left {
			if !strings.Contains(all, fmt.Sprintf("%q", group.ID)) {
				t.Errorf("%s was left behind, and no message names it", group.ID)
			}
		}
		if len(left) < 10 || silent < 10 {
			t.Errorf("%d groups were left behind, and %d refreshes said nothing:\n%s", len(left), silent, all)
		}
	})
}

// TestARefreshThatRefersToAnotherOneStillFails: it has made a call or leaves a group behind, so the user has to know
// about it. Its state may be out of date.
func TestARefreshThatRefersToAnotherOneStillFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options     emulator.Options
		befalls     func(*Provider)
		title, says string
	}{
		"the service is not available": {
			befalls: func(p *Provider) { p.Always(http.MethodGet, emulator.Unavailable503) },
			title:   cannotLookUp, says: "No group was changed",
		},
		"nothing proves that the groups are empty": {
			options: emulator.Options{DefaultName: "Default", LateDefaults: true},
			befalls: func(p *Provider) { p.Service.Remove("acme"); p.Service.Remove("other") },
			title:   leftBehind, says: `A group with the ID "other" may remain`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, test.options)
			acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
			test.befalls(p)
			second(p.Read(acme)).WantError(test.title)
			second(p.ReadToo(other)).WantError(`Cannot look up user group "other"`,
				"See the earlier error: "+test.title, test.says)
		})
	}
}

// creationResponse returns the body of the response to the creation of the group, as a cache could store it.
func creationResponse(group emulator.Group) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":true,"user_group":`+
		`{"team_id":%d,"token":%q,"name":%q,"provided_id":%q}}`, group.TeamID, group.Token, group.Name, group.ID)
}

// TestCachedResponsesAreExplained covers a cache that stores GET responses by path, which is the same for all groups.
// The search of histories in internal/usergroup proves that nothing is deleted then.
func TestCachedResponsesAreExplained(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	before := p.Service.Groups()
	p.Answered(http.MethodGet, creationResponse(p.Group("acme")))
	second(p.Read(acme)).WantError(mismatched, "contradicts an earlier one", "look for a cache", "delete no group by hand")
	second(p.Read(other)).WantError(`The service returned a wrong response about user group "other"`,
		`The ID that was sent is "other"; the service shows "acme"`, "look for a cache", "delete no group by hand")
	p.Configure(With(p.Arguments(), Object{"environment": "Customer"})).WantNone()
	said := second(p.ReadToo(Silent(p.Importing("third", nil)))).String()
	for _, want := range []string{
		`The service returned a wrong response about user group "tf`, `The ID that was sent is "tf`,
		`"; the service shows "acme"`,
		`A group with the ID "tf`,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the preflight does not say %q:\n%s", want, said)
		}
	}
	p.WantUntouched(before)

	p.Service.ClearFaults()
	p.Service.Fail(emulator.Fault{
		Kind: emulator.Answer, Body: response(1001, "Customer"), Header: http.Header{"Age": {"7"}},
	})
	second(p.Read(acme)).WantError(cannotLookUp, "Age", "No group was changed", "caching")
}

// TestIDInAnotherSpellingIsAnotherID: the provider cannot know which group the response is about.
func TestIDInAnotherSpellingIsAnotherID(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme("user_group_id", "Acme"))
	group := p.Group("Acme")
	group.ID = "acme"
	p.Answered(http.MethodGet, strings.Replace(creationResponse(group), "true", "false", 1))
	after, diags := p.Read(state)
	diags.WantError(`The service returned a wrong response about user group "Acme"`, `"acme"`,
		"write yours as it shows them")
	p.WantSame(after, state)
}

// TestThePreviousTokenSaysNothingForAMinute checks that a refresh does not believe the token from before a rotation,
// which a replica may still show. After a minute it does: the service may have been restored from a backup.
func TestThePreviousTokenSaysNothingForAMinute(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{TokenLag: 50 * time.Second}, func(_ *testing.T, p *Provider) {
		created := p.Created(Acme())
		first := created.Token()
		state := p.Updated(created, NextQuarter())
		state.Private = []byte(string(state.Private)) // An engine stores it in a file, so the provider gets a copy.
		passed(49 * time.Second)
		p.WantSame(p.Refreshed(state), state)
		p.WantSettled(state, NextQuarter())
		// With store_token = false, the token has to be looked up, but the lookup returns the previous one.
		hidden := func(quarter string) Object {
			return Acme("store_token", false, "rotate_token_when_changed", Quarter(quarter))
		}
		passed(2 * time.Second)
		rotated := p.Updated(p.Updated(state, hidden("Q2")), hidden("Q3"))
		after, diags := p.Update(rotated, hidden("Q4"))
		diags.WantError(outdated, "should have been replaced", "was not rotated", "Wait some minutes")
		p.WantState(after, "rotate_token_when_changed", Quarter("Q3"))
		second(p.Destroy(rotated)).WantError(outdated, "was not deleted", "stays in the state")
		p.WantGroups("acme")

		passed(time.Minute)
		p.WantTruth(p.Refreshed(rotated), "acme")
		p.Service.Change("acme", func(g *emulator.Group) { g.Token = first })
		restored := p.Refreshed(state) // The rotation from Q1 to Q2 was long ago.
		p.WantState(restored, "token", first, "token_rotated_at", passed(0))
		// The clock of the machine that rotated it may have been ahead.
		ahead := p.Edited(state, "token_rotated_at", time.Now().Add(time.Hour).UTC().Format(time.RFC3339))
		p.WantState(p.Refreshed(ahead), "token", first)
	})
}

// withMemory returns a state with this text as the provider's private state.
func withMemory(p *Provider, state State, memory string) State {
	p.T.Helper()
	encoded, err := json.Marshal(map[string][]byte{"memory": []byte(memory)})
	p.Must(err)
	state.Private = encoded
	return state
}

// memory returns the provider's private state.
func memory(p *Provider, state State) map[string]any {
	p.T.Helper()
	var encoded map[string][]byte
	p.Must(json.Unmarshal(state.Private, &encoded))
	var members map[string]any
	p.Must(json.Unmarshal(encoded["memory"], &members))
	return members
}

// TestPrivateStateHasOnlyWhatTheStateLacks: nothing is stored twice, where one of the two could go stale. What an
// earlier version has stored twice is understood, and forgotten.
func TestPrivateStateHasOnlyWhatTheStateLacks(t *testing.T) {
	t.Parallel()
	want := func(p *Provider, state State, lacked string) {
		t.Helper()
		var names []string
		for name := range memory(p, state) {
			if name != "instance" { // It distinguishes addresses, and the state has nothing of the kind.
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != lacked {
			t.Errorf("the private state has %q, want %q", got, lacked)
		}
	}
	p := start(t, emulator.Options{})
	p.Configure(With(p.Arguments(), "environment", "Customer")).WantNone()
	state := p.Created(Acme())
	want(p, state, "environment") // of which no response has had the tag yet
	want(p, p.Refreshed(state), "environment")
	updated := p.Updated(state, Acme("name", "New"))
	want(p, updated, "")
	want(p, p.Refreshed(updated), "")

	old := withMemory(p, updated, `{"instance":"i","environment":"Customer","team_id":"1001"}`)
	want(p, p.Refreshed(old), "")
	p.Service.Remove("acme")
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs"})
	_, diags := p.Read(old)
	diags.WantWarning(replaced, "team_id of the group was 1001")

	texts := start(t, emulator.Options{TextTeamIDs: true})
	state = texts.Created(Acme())
	want(texts, state, "team_id")
	want(texts, texts.Refreshed(texts.Updated(state, Acme("name", "New"))), "team_id")
}

// A state that another tool has written has no private state. What cannot be read is an error, and members that nobody
// knows are not.
func TestPrivateStateMayBeMissing(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	second(p.Read(withMemory(p, state, `[]`))).WantError("The provider has a bug", "private state")
	p.WantCalls("")
	p.Service.Remove("acme")
	none := state
	none.Private = nil
	for _, state := range []State{none, withMemory(p, state, `{}`), withMemory(p, state, `{"gone":["x"]}`)} {
		p.WantNoState(p.Refreshed(state))
	}
}

// A failed call must not be retried then.
func TestStopEndsRunningRequests(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Service.BeforeCall(func(emulator.Call) { p.Stop() })
	p.Service.Fail(emulator.Fault{Kind: emulator.Unavailable503})
	second(p.Read(state)).WantError(cannotLookUp, "status 503")
	p.WantCalls("GET")
}
