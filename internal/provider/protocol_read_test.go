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
	state = p.updated(state, protocolAcme())
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

// Engines before Terraform 1.12 keep no identity. The harness holds the one that comes back against the id.
func TestProtocolStateWithoutIdentity(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	state.identity = nil
	state = p.updated(state, protocolWith(protocolAcme(), protocolObject{"name": "New"}))
	state.identity = nil
	p.refreshed(state)
	p.always(http.MethodGet, emulator.Refuse)
	_, diags := p.read(state)
	diags.wantError(`Cannot look up user group "acme"`)
	p.service.ClearFaults()
	p.service.Remove("acme")
	p.wantNoState(p.refreshed(state))
}

// A service that insists on a name is asked with the one that the group has.
func TestProtocolReadSendsTheNameWhereOneIsNeeded(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{NameRequired: true})
	p.refreshed(p.created(protocolAcme()))
	if name := p.lastBody(http.MethodGet)["name"]; name != "Acme" {
		t.Errorf("the name in the lookup was %v", name)
	}
}

// A missing group costs a look that makes it, one that confirms that, a deletion, and once in a process a check of the service.
func TestProtocolReadOfAGroupThatIsGone(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	first, second := p.created(protocolAcme()), p.created(protocolWith(protocolAcme(), protocolObject{"user_group_id": "other"}))
	p.service.Remove("acme")
	p.service.Remove("other")
	p.walk()
	for state, calls := range map[*protocolState]string{&first: "GET > GET > check > DELETE"} {
		gone, diags := p.readToo(*state)
		diags.wantNone()
		p.wantNoState(gone)
		p.wantCalls(calls)
	}
	gone, diags := p.readToo(second)
	diags.wantNone()
	p.wantNoState(gone)
	p.wantCalls("GET > GET > DELETE")
	p.wantGroups()
	gone, diags = p.destroy(first)
	diags.wantNone()
	p.wantNoState(gone)
	p.wantGroups()
}

func TestProtocolReadOfAGroupThatWasReplaced(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{"stored": {}, "echo": {Answers: emulator.AnswersEcho}, "name required": {NameRequired: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, options)
			state := p.created(protocolAcme())
			p.service.Replace("acme")
			state, diags := p.read(state)
			diags.wantWarning(`User group "acme" has been replaced`, "team_id 1001", "team_id 1002", "API key")
			p.wantTruth(state, "acme")
			p.wantState(state, protocolObject{"mapping": nil, "properties": nil, "api_environment_tag": nil})
			p.wantTruth(p.refreshed(state), "acme") // It is said once.

			// Destroyed at this point, Terraform would delete what it has never managed.
			p.service.ResetCounts()
			gone, diags := p.destroy(p.refreshed(state))
			diags.wantWarning(`Another user group has the id "acme"`, "was not touched")
			p.wantNoState(gone)
			if p.service.Deletions("acme") > 0 {
				t.Error("another group was deleted")
			}

			plan := p.plan(state, protocolAcme())
			if plan.action != "update" || plan.get("token") == protocolUnknown {
				t.Errorf("the plan is to %s, with the token %v", plan.action, plan.get("token"))
			}
			plan.diags.wantWarning(`The update of user group "acme" overwrites what is not shown`, "mapping")
			updated, _ := p.apply(plan)
			p.wantTruth(updated, "acme")
			if group := p.group("acme"); group.Mapping["sales"] != "db-1" || group.Name != "Acme" {
				t.Errorf("the new group did not get what is configured: %+v", group)
			}
			p.wantSettled(p.refreshed(updated), protocolAcme())
			gone, diags = p.destroy(p.refreshed(updated))
			diags.wantNone()
			p.wantNoState(gone)
			p.wantGroups()
		})
	}
}

func TestProtocolReadThatFails(t *testing.T) {
	t.Parallel()
	const title, mayBe, left = `Cannot look up user group "acme"`, `Looking up user group "acme" may have created it`, `User group "acme" was left behind`
	const remedy = `curl -X DELETE "$EMBED_BASE_URL/api/user" -H "Authorization: Token $EMBED_API_KEY" -H 'Content-Type: application/json' -d '{"user_group_id":"acme"}'`
	tests := map[string]struct {
		exists, imported bool
		fault            emulator.Fault
		title            string // empty: no error
		says             []string
	}{
		"lost, the group is ours": {exists: true, fault: emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork}},
		"lost, imported": {
			exists: true, imported: true, fault: emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork},
			title: mayBe, says: []string{"answer was lost", "Run again", remedy},
		},
		"always lost":     {exists: true, fault: emulator.Fault{Method: "GET", Kind: emulator.CutAfterWork}, title: title, says: []string{"empty one", remedy}},
		"refused":         {exists: true, fault: emulator.Fault{Method: "GET", Kind: emulator.Refuse}, title: title, says: []string{"Nothing was changed"}},
		"HTML":            {exists: true, fault: emulator.Fault{Method: "GET", Kind: emulator.HTML200}, title: title, says: []string{"HTML"}},
		"removal refused": {fault: emulator.Fault{Method: "DELETE", ID: "acme", Kind: emulator.Refuse}, title: left, says: []string{"empty group", remedy, "create groups but not delete them"}},
		"removal lost":    {fault: emulator.Fault{Method: "DELETE", ID: "acme", Nth: 1, Kind: emulator.CutAfterWork}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			if test.imported {
				var diags protocolDiags
				state, diags = p.importing("acme", nil)
				diags.wantNone()
			}
			if !test.exists {
				p.service.Remove("acme")
			}
			p.service.Fail(test.fault)
			after, diags := p.read(state)
			p.wantFaultsStruck()
			if test.title != "" {
				diags.wantError(test.title, test.says...)
				p.wantSame(after, state)
				p.wantGroups("acme")
				return
			}
			diags.wantNone()
			if after.value.IsNull() == test.exists || len(p.service.Groups()) > 0 != test.exists {
				t.Errorf("the state is %v, the service has %v", after.members(), p.service.Groups())
			}
		})
	}
}

// protocolCreation is what the creation of a group was answered, as a cache keeps it.
func protocolCreation(group emulator.Group) string {
	return fmt.Sprintf(`{"success":1,"new_user_group":true,"user_group":{"team_id":%d,"token":%q,"name":%q,"provided_id":%q}}`,
		group.TeamID, group.Token, group.Name, group.ID)
}

// A cache that keeps GET answers by the path gives everyone the answer to the last creation, which reads as if a lookup had
// just made the group: deleting it would delete a customer.
func TestProtocolAnswersFromACache(t *testing.T) {
	t.Parallel()
	const title = `A cache may have answered for user group `
	says := []string{"Nothing was deleted", "repeats an old answer", "Exclude the address of the service from caching"}
	for name, nameless := range map[string]bool{"whole": false, "without a name": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			protected := protocolWith(protocolAcme(), protocolObject{"deletion_protection": true})
			acme, other := p.created(protected), p.created(protocolWith(protected, protocolObject{"user_group_id": "other"}))
			before := p.service.Groups()
			kept := p.group("acme")
			if nameless {
				kept.Name = ""
			}
			p.answered(http.MethodGet, protocolCreation(kept))
			want := func(id string, diags protocolDiags) {
				t.Helper()
				diags.wantError(title+fmt.Sprintf("%q", id), says...)
				if strings.Contains(diags.String(), "curl") {
					t.Errorf("it advises to delete what may be a customer:\n%s", diags)
				}
			}
			for _, run := range []func(){func() {}, func() { p.walk().wantNone() }} {
				p.walk()
				after, diags := p.readToo(acme)
				want("acme", diags)
				p.wantSame(after, acme)
				run()
				after, diags = p.readToo(other)
				want("other", diags)
				p.wantSame(after, other)
				run()
				_, diags = p.dataSource(protocolObject{"user_group_id": "acme"})
				want("acme", diags)
				run()
				_, diags = p.imported("acme")
				want("acme", diags)
				_, diags = p.create(protocolWith(protocolAcme(), protocolObject{"user_group_id": "new", "name": "New"}))
				want("new", diags)
			}
			if got := p.service.Count(http.MethodDelete); got > 0 {
				t.Errorf("%d deletions were sent", got)
			}
			p.service.ClearFaults()
			p.wantUntouched(before)
		})
	}
	t.Run("with an Age", func(t *testing.T) {
		t.Parallel()
		p := protocolStart(t, emulator.Options{})
		state := p.created(protocolAcme())
		p.service.Fail(emulator.Fault{
			Kind: emulator.Answer, Body: protocolAnswer("acme", 1001, "Customer"), Header: http.Header{"Age": {"7"}},
		})
		after, diags := p.read(state)
		diags.wantError(`Cannot look up user group "acme"`, "Age", "Nothing was changed", "caching")
		p.wantSame(after, state)
	})
}

// Somebody deletes the group that a lookup has made, and makes it anew, before the lookup is repeated: theirs stays.
func TestProtocolLookupWhoseGroupIsMadeAnewMeanwhile(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*protocol, protocolState) protocolDiags{
		"refresh": func(p *protocol, state protocolState) protocolDiags { return second(p.read(state)) },
		"import":  func(p *protocol, _ protocolState) protocolDiags { return second(p.imported("acme")) },
		"data source": func(p *protocol, _ protocolState) protocolDiags {
			return second(p.dataSource(protocolObject{"user_group_id": "acme"}))
		},
		"action": func(p *protocol, _ protocolState) protocolDiags {
			return second(p.invoke(protocolObject{"user_group_id": "acme"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			p.service.Remove("acme")
			p.fault(http.MethodGet, emulator.NoToken)
			looks := 0
			p.service.BeforeCall(func(call emulator.Call) {
				if looks++; looks == 2 {
					p.service.Remove("acme")
					p.service.Seed(emulator.Group{ID: "acme", Name: "Theirs", TeamID: 7})
				}
			})
			diags := ask(p, state)
			p.wantFaultsStruck()
			if !diags.hasError() && name != "refresh" {
				t.Errorf("no error:\n%s", diags)
			}
			if group := p.group("acme"); group.TeamID != 7 || p.service.Rotations("acme") > 0 {
				t.Errorf("their group was deleted or rotated: %+v\n%s", group, diags)
			}
		})
	}
}

// A service that keeps ids in lower case answers about "acme" when it is asked about "Acme": by its team it is the same group.
func TestProtocolServiceThatNormalizesIDs(t *testing.T) {
	t.Parallel()
	const title = `The service spells the id "Acme" differently`
	p := protocolStart(t, emulator.Options{IDs: emulator.IDsLowerCase})
	config := func(quarter string) protocolObject {
		return protocolWith(protocolAcme(), protocolObject{"user_group_id": "Acme", "rotate_token_when_changed": protocolObject{"quarter": quarter}})
	}
	truth := func(state protocolState) {
		t.Helper()
		group := p.group("acme")
		p.wantState(state, protocolObject{"user_group_id": "Acme", "id": "Acme", "token": group.Token, "team_id": group.TeamID})
	}
	state, diags := p.create(config("Q1"))
	diags.wantWarning(title, `"Acme"`, `"acme"`, "same group")
	truth(state)
	for range 2 {
		state, diags = p.read(state)
		diags.wantWarning(title)
		plan := p.plan(state, config("Q2"))
		state, _ = p.apply(plan)
		truth(state)
	}
	if got := p.service.Rotations("acme"); got != 1 {
		t.Errorf("rotated %d times", got)
	}
	state, diags = p.update(state, protocolWith(config("Q2"), protocolObject{"name": "New"}))
	diags.wantWarning(title)
	truth(state)
	_, diags = p.destroy(state)
	diags.wantNone()
	p.wantGroups()

	// Nothing to compare with: whose answer it is cannot be told.
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	_, diags = p.imported("Acme")
	diags.wantError(`The service answered about another group than "Acme"`, `"acme"`, "use the id that it answers with")
}

// Reads that lag show the retired token, and a retired token never returns.
func TestProtocolReadsThatLag(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{ReadLag: 1 << 60})
	state := p.created(protocolAcme())
	state = p.updated(state, protocolNextQuarter(protocolObject{"name": "New"}))
	for range 3 {
		// What the engine keeps of it goes through a file.
		state.private = append([]byte{}, state.private...)
		state = p.refreshed(state)
		p.wantTruth(state, "acme")
		p.wantState(state, protocolObject{"name": "New"})
		p.wantSettled(state, protocolNextQuarter(protocolObject{"name": "New"}))
	}
	// Where the token is not stored it has to be looked up, and the lookup shows none that works.
	hidden := protocolNextQuarter(protocolObject{"name": "New", "store_token": false})
	state = p.updated(state, hidden)
	after, diags := p.update(state, protocolWith(hidden, protocolObject{"rotate_token_when_changed": protocolObject{"quarter": "Q3"}}))
	diags.wantError(`The service shows an outdated token of user group "acme"`, "already been rotated away", "was not rotated", "Run again once")
	p.wantState(after, protocolObject{"rotate_token_when_changed": protocolObject{"quarter": "Q2"}})
	_, diags = p.destroy(state)
	diags.wantError(`The service shows an outdated token of user group "acme"`, "was not deleted", "stays in the state")
	p.wantGroups("acme")
}

// Of the tokens that were rotated away the last few are remembered, whoever asks for the rotations.
func TestProtocolRetiredTokensAreRemembered(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	var retired []string
	for i := range keptRetired + 2 {
		retired = append(retired, state.token())
		state = p.updated(state, protocolWith(protocolAcme(), protocolObject{"rotate_token_when_changed": protocolObject{"quarter": fmt.Sprint(i)}}))
	}
	current := p.group("acme")
	for i, token := range retired {
		shown := current
		shown.Token = token
		p.answered(http.MethodGet, strings.Replace(protocolCreation(shown), "true", "false", 1))
		believed := p.refreshed(state).token() == token
		if remembered := i >= len(retired)-keptRetired; believed == remembered {
			t.Errorf("the token that was retired as number %d of %d is believed: %t", i+1, len(retired), believed)
		}
		p.service.ClearFaults()
	}
	p.wantTruth(p.refreshed(state), "acme")
}
