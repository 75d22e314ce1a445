package provider

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocolNextQuarter rotates.
func protocolNextQuarter(changes protocolObject) protocolObject {
	return protocolWith(protocolWith(protocolAcme(), protocolObject{"rotate_token_when_changed": protocolObject{"quarter": "Q2"}}), changes)
}

func TestProtocolUpdateNoticesAnotherToken(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	old := state.get("token")
	p.service.RotateBehind("acme")
	config := protocolWith(protocolAcme(), protocolObject{"name": "New"})
	state, diags := p.update(state, config)
	diags.wantWarning(`The token of user group "acme" has changed elsewhere`, "The update was done", "next refresh")
	p.wantCalls("PUT")
	p.wantState(state, protocolObject{"token": old, "token_fingerprint": fingerprint(old.(string)), "name": "New"})
	state = p.refreshed(state)
	p.wantTruth(state, "acme")
	p.wantSettled(state, config)
	p.wantCalls("GET")
}

func TestProtocolWhatCausesNoCall(t *testing.T) {
	t.Parallel()
	tests := map[string]protocolObject{
		"adopt_existing":                {"adopt_existing": true},
		"adopt_existing off":            {"adopt_existing": false},
		"deletion_protection":           {"deletion_protection": true},
		"data_source_provided_id":       {"data_source_provided_id": "db-1"},
		"store_token":                   {"store_token": false},
		"store_token on":                {"store_token": true},
		"mapping no longer managed":     {"mapping": nil},
		"properties no longer managed":  {"properties": nil},
		"another key in the triggers":   {"rotate_token_when_changed": protocolObject{"quarter": "Q1", "more": "1"}},
		"a dropped key in the triggers": {"rotate_token_when_changed": protocolObject{}},
		"another key for the only one":  {"rotate_token_when_changed": protocolObject{"year": "1"}},
		"no triggers":                   {"rotate_token_when_changed": nil},
		"properties written in reverse": {"properties": ` { "rows" : 1e1, "tier" : "\u0067old" } `},
	}
	for name, changes := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			config := protocolWith(protocolAcme(), changes)
			state, diags := p.update(state, config)
			diags.wantNone()
			p.wantCalls("")
			p.wantTruth(state, "acme")
			p.wantSettled(state, config)
			state, diags = p.update(p.refreshed(state), protocolAcme())
			diags.wantNone()
			p.wantSettled(state, protocolAcme())
			if p.service.Rotations("acme") > 0 {
				t.Error("it rotated on the way back")
			}
		})
	}
}

func TestProtocolStoreToken(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	hidden := func(changes protocolObject) protocolObject {
		return protocolWith(protocolNextQuarter(changes), protocolObject{"store_token": false})
	}
	plan := p.plan(p.nothing(), hidden(nil))
	if plan.get("token") != nil {
		t.Errorf("the plan of a creation has the token %v", plan.get("token"))
	}
	state, diags := p.apply(plan)
	diags.wantNone()
	p.wantTruth(state, "acme")
	p.wantState(state, protocolObject{"token": nil})
	state = p.refreshed(state)
	p.wantState(state, protocolObject{"token": nil})
	p.service.ResetCounts()

	config := hidden(protocolObject{"rotate_token_when_changed": protocolObject{"quarter": "Q3"}})
	plan = p.plan(state, config)
	if plan.get("token") != nil || plan.get("token_fingerprint") != protocolUnknown {
		t.Errorf("the plan of a rotation has the token %v and the fingerprint %v", plan.get("token"), plan.get("token_fingerprint"))
	}
	state, diags = p.apply(plan)
	diags.wantNone()
	p.wantCalls("GET+POST")
	p.wantTruth(state, "acme")

	// Switched on, the token comes with the next refresh; and while the switch is not known, nothing is promised.
	on := protocolWith(config, protocolObject{"store_token": true})
	state, diags = p.update(state, on)
	diags.wantNone()
	p.wantState(state, protocolObject{"token": nil})
	state = p.refreshed(state)
	p.wantTruth(state, "acme")
	p.wantSettled(state, on)
	for _, flag := range []bool{false, true} {
		after, diags := p.apply(p.plan(state, protocolWith(on, protocolObject{"store_token": protocolUnknown})), protocolWith(on, protocolObject{"store_token": flag}))
		diags.wantNone()
		p.wantTruth(after, "acme")
	}
	p.service.ResetCounts()
	_, diags = p.destroy(protocolState{value: protocolValue(p.typ(), protocolWith(state.members(), protocolObject{"store_token": false, "token": nil})), identity: state.identity})
	diags.wantNone()
	p.wantCalls("GET+DELETE")
}

func TestProtocolUpdateThatIsHalfDone(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	config := protocolNextQuarter(protocolObject{"name": "New"})
	p.fault(http.MethodPost, emulator.TooMany429)
	p.service.Fail(emulator.Fault{Method: http.MethodPost, Kind: emulator.TooMany429})
	state, diags := p.update(state, config)
	diags.wantError(`Cannot rotate the token of user group "acme"`, "was not rotated", "state keeps the one it has", "429", "were updated before that, and the state has them")
	p.wantTruth(state, "acme")
	p.wantState(state, protocolObject{"name": "New", "rotate_token_when_changed": protocolObject{"quarter": "Q1"}, "api_environment_tag": "Customer"})
	p.service.ClearFaults()
	p.service.ResetCounts()
	state = p.refreshed(state)
	p.wantCalls("GET")
	state, diags = p.update(state, config)
	diags.wantNone()
	p.wantCalls("POST")
	p.wantTruth(state, "acme")
	p.wantSettled(state, config)
}

// However a rotation goes wrong, the state says what the service has once it is refreshed, and one more run ends well.
func TestProtocolRotationsThatFail(t *testing.T) {
	t.Parallel()
	const title = `Cannot rotate the token of user group "acme"`
	tests := map[string]struct {
		faults    []emulator.Fault
		title     string // empty: no error
		says      string
		rotations int // in the end, with the next run
	}{
		"answer lost":        {[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork}}, "", "", 1},
		"answer incomplete":  {[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.NoToken}}, "", "", 1},
		"cut before":         {[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.CutBefore}}, "", "", 1},
		"half a document":    {[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.HalfDocument}}, "", "", 1},
		"refused":            {[]emulator.Fault{{Method: "POST", Kind: emulator.Refuse}}, title, "was not rotated", 1},
		"always 503":         {[]emulator.Fault{{Method: "POST", Kind: emulator.Unavailable503}}, title, "still the old one", 1},
		"always HTML":        {[]emulator.Fault{{Method: "POST", Kind: emulator.HTML200}}, title, "HTML", 1},
		"redirected":         {[]emulator.Fault{{Method: "POST", Kind: emulator.Redirect307}}, title, "was not rotated", 1},
		"lost and no lookup": {[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork}, {Method: "GET", Kind: emulator.TooMany429}}, title, "a second rotation", 2},
		"the same token":     {[]emulator.Fault{{Method: "POST", Kind: emulator.Answer, Body: "SAME"}}, title, "nothing was rotated", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			for _, fault := range test.faults {
				if fault.Body == "SAME" {
					fault.Body = `{"success":1,"user_group":{"token":"` + state.get("token").(string) + `"}}`
				}
				p.service.Fail(fault)
			}
			config := protocolNextQuarter(nil)
			state, diags := p.update(state, config)
			if test.title == "" {
				diags.wantNone()
				p.wantTruth(state, "acme")
				p.wantSettled(state, config)
			} else {
				diags.wantError(test.title, test.says)
				p.wantState(state, protocolObject{"rotate_token_when_changed": protocolObject{"quarter": "Q1"}})
			}
			p.service.ClearFaults()
			state = p.refreshed(state)
			p.wantTruth(state, "acme")
			state, diags = p.update(state, config)
			diags.wantNone()
			p.wantTruth(state, "acme")
			p.wantSettled(state, config)
			if got := p.service.Rotations("acme"); got != test.rotations {
				t.Errorf("%d rotations, want %d", got, test.rotations)
			}
		})
	}
}

func TestProtocolRotationOfAStaleToken(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.service.RotateBehind("acme")
	state, diags := p.update(state, protocolNextQuarter(nil))
	diags.wantNone()
	p.wantCalls("POST+GET+POST")
	p.wantTruth(state, "acme")
	p.service.RotateBehind("acme")
	state, diags = p.update(state, protocolWith(protocolAcme(), protocolObject{"name": "New", "rotate_token_when_changed": protocolObject{"quarter": "Q3"}}))
	diags.wantNone()
	p.wantCalls("PUT+POST") // The answer to the update tells the current token.
	p.wantTruth(state, "acme")
}

// An answer that is not about the planned group is an error that says so, never an inconsistent result.
func TestProtocolAnswersAboutAnotherGroup(t *testing.T) {
	t.Parallel()
	const replaced, elsewhere, another = `User group "acme" has been replaced`, `User group "acme" is in another environment`, `The service answered about another group than "acme"`
	for _, method := range []string{http.MethodPut, http.MethodPost} {
		tests := map[string]struct {
			body, title string
			says        []string
		}{
			"team": {protocolAnswer("acme", 7, "Customer"), replaced, []string{"team_id 1001", "team_id 7"}},
			"tag":  {protocolAnswer("acme", 1001, "Testing"), elsewhere, []string{`"Customer"`, `"Testing"`, "API key"}},
			"id":   {protocolAnswer("other", 1001, "Customer"), another, []string{`"acme"`, `"other"`}},
		}
		for name, test := range tests {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				p := protocolStart(t, emulator.Options{})
				config := protocolWith(protocolAcme(), protocolObject{"name": "Acme 2"})
				state, diags := p.update(p.created(protocolAcme()), config) // From here on the tag is known.
				diags.wantNone()
				p.service.Fail(emulator.Fault{Method: method, Nth: 1, Kind: emulator.Answer, Body: test.body})
				change := protocolObject{"name": "Acme 3"}
				if method == http.MethodPost {
					change = protocolObject{"name": "Acme 2", "rotate_token_when_changed": protocolObject{"quarter": "Q2"}}
				}
				config = protocolWith(config, change)
				state, diags = p.update(state, config)
				diags.wantError(test.title, test.says...)
				p.wantFaultsStruck()
				if method == http.MethodPost && name != "id" {
					// Nobody else has the new token.
					p.wantState(state, protocolObject{
						"token": "ugt_answer", "token_fingerprint": fingerprint("ugt_answer"), "rotate_token_when_changed": protocolObject{"quarter": "Q2"},
					})
				}
				state = p.refreshed(state)
				p.wantTruth(state, "acme")
				state, diags = p.update(state, config)
				if method == http.MethodPut {
					if name == "tag" {
						// The state believed the answer, which this time is contradicted the other way round, and once.
						diags.wantError(test.title, test.says...)
						p.wantState(state, protocolObject{"api_environment_tag": "Customer"})
						state, diags = p.update(p.refreshed(state), config)
					}
					diags.wantNone()
					p.wantSettled(state, config)
				}
			})
		}
	}
}

func TestProtocolServiceThatMerges(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{Updates: emulator.UpdatesMerge})
	state := p.created(protocolAcme())
	config := protocolWith(protocolAcme(), protocolObject{"properties": `{"tier":"silver"}`})
	state, diags := p.update(state, config)
	diags.wantError(`User group "acme" was not updated as planned`, `still has the properties that were not sent "rows"`, "merges")
	p.wantState(state, protocolObject{"properties": `{"rows":10,"tier":"silver"}`})
	if plan := p.plan(p.refreshed(state), config); plan.action != "update" {
		t.Errorf("the next plan is to %s, and the keys that remained are forgotten", plan.action)
	}
	p.wantSettled(state, protocolWith(config, protocolObject{"properties": `{"tier":"silver","rows":10.0}`}))
}

func TestProtocolUpdateFailsInWords(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		kind emulator.FaultKind
		says string
	}{
		"refused": {emulator.Refuse, "The group was not changed."},
		"lost":    {emulator.CutAfterWork, "not known; updating it once more does no harm"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			p.service.Fail(emulator.Fault{Method: http.MethodPut, Kind: test.kind})
			config := protocolNextQuarter(protocolObject{"name": "New"})
			after, diags := p.update(state, config)
			diags.wantError(`Cannot update user group "acme"`, test.says, "The state still has what it had")
			if !after.value.Equal(state.value) || p.service.Rotations("acme") > 0 {
				t.Errorf("the state became %v", after.members())
			}
			p.service.ClearFaults()
			after, diags = p.update(p.refreshed(after), config)
			diags.wantNone()
			p.wantTruth(after, "acme")
			p.wantSettled(after, config)
		})
	}
}

func TestProtocolUpdateOfTeamsNeverTold(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	p.service.Fail(emulator.Fault{Method: http.MethodGet, Nth: 1, Kind: emulator.Answer, Body: `{"success":1,"new_user_group":true,"user_group":{"token":"ugt_first"}}`})
	state := p.created(protocolAcme())
	p.wantState(state, protocolObject{"team_id": nil})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Token: "ugt_first", Properties: json.RawMessage(`{}`)})
	// With -refresh=false the state knows no team when the answer to the update tells one.
	state, diags := p.update(state, protocolWith(protocolAcme(), protocolObject{"name": "New"}))
	diags.wantNone()
	p.wantTruth(state, "acme")
}
