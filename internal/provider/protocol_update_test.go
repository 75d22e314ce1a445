package provider

import (
	"encoding/json"
	"net/http"
	"strings"
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
	old := state.token()
	p.service.RotateBehind("acme")
	config := protocolWith(protocolAcme(), protocolObject{"name": "New"})
	state, diags := p.update(state, config)
	diags.wantWarning(`The token of user group "acme" was rotated elsewhere`, "The group was updated", "next refresh")
	p.wantCalls("PUT")
	p.wantState(state, protocolObject{"token": old, "token_fingerprint": fingerprint(old), "name": "New"})
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
			config := protocolWith(protocolAcme(), changes)
			state := p.updated(p.created(protocolAcme()), config)
			p.wantCalls("")
			p.wantTruth(state, "acme")
			p.wantSettled(state, config)
			state = p.updated(p.refreshed(state), protocolAcme())
			p.wantSettled(state, protocolAcme())
			if p.service.Rotations("acme") > 0 {
				t.Error("it rotated on the way back")
			}
		})
	}
}

func TestProtocolMappingAndPropertiesEmptied(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	empty := protocolWith(protocolAcme(), protocolObject{"mapping": protocolObject{}, "properties": "{}"})
	state := p.updated(p.created(protocolAcme()), empty)
	p.wantCalls("PUT")
	if group := p.group("acme"); len(group.Mapping) > 0 || string(group.Properties) != "{}" {
		t.Errorf("the service has %+v", group)
	}
	p.wantSettled(p.refreshed(state), empty)
}

func TestProtocolStoreToken(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	hidden := func(quarter string) protocolObject {
		return protocolNextQuarter(protocolObject{"store_token": false, "rotate_token_when_changed": protocolObject{"quarter": quarter}})
	}
	plan := p.plan(p.nothing(), hidden("Q2"))
	if plan.get("token") != nil {
		t.Errorf("the plan of a creation has the token %v", plan.get("token"))
	}
	state, diags := p.apply(plan)
	diags.wantNone()
	state = p.refreshed(state)
	p.wantTruth(state, "acme")
	p.wantState(state, protocolObject{"token": nil})
	p.service.ResetCounts()

	plan = p.plan(state, hidden("Q3"))
	if plan.get("token") != nil || plan.get("token_fingerprint") != protocolUnknown {
		t.Errorf("the plan of a rotation has the token %v and the fingerprint %v", plan.get("token"), plan.get("token_fingerprint"))
	}
	state, diags = p.apply(plan)
	diags.wantNone()
	p.wantCalls("GET > POST")
	p.wantTruth(state, "acme")
	// The answer to an update tells the token that the rotation after it needs.
	state = p.updated(state, protocolWith(hidden("Q4"), protocolObject{"name": "New"}))
	p.wantCalls("PUT > POST")
	p.wantTruth(state, "acme")
	p.service.RotateBehind("acme")
	_, diags = p.update(state, protocolWith(hidden("Q4"), protocolObject{"name": "Newer"}))
	diags.wantWarning(`The token of user group "acme" was rotated elsewhere`)
	state = p.refreshed(state)

	// Switched on, the token comes with the next refresh; and while the switch is not known, nothing is promised.
	on := protocolWith(hidden("Q4"), protocolObject{"store_token": true, "name": "Newer"})
	state = p.updated(state, on)
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
	_, diags = p.destroy(p.updated(state, protocolWith(on, protocolObject{"store_token": false})))
	diags.wantNone()
	p.wantCalls("GET > DELETE")
}

// An update and a rotation are each due by themselves: whatever becomes of the one, the other is made, and both are reported.
func TestProtocolUpdateBesideARotation(t *testing.T) {
	t.Parallel()
	const notUpdated, notRotated, notTaken = `Cannot update user group "acme"`, `Cannot rotate the token of user group "acme"`, `User group "acme" was not updated as planned`
	quarter := func(q string) protocolObject { return protocolObject{"quarter": q} }
	dropped := protocolObject{"properties": `{"tier":"silver"}`}
	tests := map[string]struct {
		options   emulator.Options
		method    string
		kind      emulator.FaultKind
		changes   protocolObject
		titles    []string
		says      string
		calls     string
		state     protocolObject
		rotations int
		next      string // the calls of the next run
	}{
		"update refused": {
			method: "PUT", kind: emulator.Refuse, titles: []string{notUpdated}, says: "was not updated", calls: "PUT > POST",
			state: protocolObject{"name": "Acme", "rotate_token_when_changed": quarter("Q2")}, rotations: 1, next: "PUT",
		},
		"update lost": {
			method: "PUT", kind: emulator.CutAfterWork, titles: []string{notUpdated}, says: "Whether the group was updated is not known", calls: "PUT > PUT > PUT > POST",
			state: protocolObject{"name": "Acme", "rotate_token_when_changed": quarter("Q2")}, rotations: 1, next: "",
		},
		"not taken as sent": {
			options: emulator.Options{Updates: emulator.UpdatesMerge}, changes: dropped, titles: []string{notTaken}, says: `which were not sent: "rows"`, calls: "PUT > POST",
			state: protocolObject{"name": "New", "properties": `{"rows":10,"tier":"silver"}`, "rotate_token_when_changed": quarter("Q2")}, rotations: 1, next: "PUT",
		},
		"rotation throttled": {
			method: "POST", kind: emulator.TooMany429, titles: []string{notRotated}, says: "was not rotated", calls: "PUT > POST > POST > POST",
			state: protocolObject{"name": "New", "rotate_token_when_changed": quarter("Q1"), "api_environment_tag": "Customer"}, next: "POST",
		},
		"both": {
			options: emulator.Options{Updates: emulator.UpdatesMerge}, method: "POST", kind: emulator.Refuse, changes: dropped,
			titles: []string{notTaken, notRotated}, says: "was not rotated", calls: "PUT > POST > GET",
			state: protocolObject{"name": "New", "rotate_token_when_changed": quarter("Q1")}, next: "PUT > POST",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, test.options)
			state := p.created(protocolAcme())
			if test.method != "" {
				p.always(test.method, test.kind)
			}
			config := protocolNextQuarter(protocolWith(protocolObject{"name": "New"}, test.changes))
			state, diags := p.update(state, config)
			p.wantCalls(test.calls)
			if diags.wantTitles(test.titles...); !strings.Contains(diags.String(), test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, diags)
			}
			p.wantState(state, test.state)
			p.wantTruth(state, "acme")
			p.service.ClearFaults()
			state = p.refreshed(state)
			p.service.ResetCounts()
			state, diags = p.update(state, config)
			p.wantCalls(test.next)
			if test.changes == nil {
				diags.wantNone()
				p.wantSettled(state, config)
			}
			p.wantTruth(state, "acme")
		})
	}
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
		"refused":            {[]emulator.Fault{{Method: "POST", Kind: emulator.Refuse}}, title, "was not rotated", 1},
		"always 503":         {[]emulator.Fault{{Method: "POST", Kind: emulator.Unavailable503}}, title, "Whether the token was rotated is not known", 1},
		"lost and no lookup": {[]emulator.Fault{{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork}, {Method: "GET", Kind: emulator.TooMany429}}, title, "Whether the token was rotated is not known", 2},
		"the same token":     {[]emulator.Fault{{Method: "POST", Kind: emulator.Answer, Body: "SAME"}}, title, "was not rotated", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			state := p.created(protocolAcme())
			for _, fault := range test.faults {
				if fault.Body == "SAME" {
					fault.Body = `{"success":1,"user_group":{"token":"` + state.token() + `"}}`
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
			state = p.updated(p.refreshed(state), config)
			p.wantTruth(state, "acme")
			p.wantSettled(state, config)
			if got := p.service.Rotations("acme"); got != test.rotations {
				t.Errorf("%d rotations, want %d", got, test.rotations)
			}
		})
	}
}

// Services refuse a stale token with any status, those for a wrong key among them; only a look tells which it is.
func TestProtocolStaleToken(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusInternalServerError} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{StaleTokenStatus: status})
			state := p.created(protocolAcme())
			p.service.RotateBehind("acme")
			state = p.updated(state, protocolNextQuarter(nil))
			if status == http.StatusInternalServerError {
				// Nothing is known of what became of the call, and a token that has changed since is the one that was asked for.
				p.wantCalls("POST > GET")
			} else {
				p.wantCalls("POST > GET > POST")
			}
			p.wantTruth(state, "acme")
			p.service.RotateBehind("acme")
			// The answer to an update tells the current token.
			state = p.updated(state, protocolWith(protocolAcme(), protocolObject{"name": "New", "rotate_token_when_changed": protocolObject{"quarter": "Q3"}}))
			p.wantCalls("PUT > POST")
			p.wantTruth(state, "acme")
			p.service.RotateBehind("acme")
			gone, diags := p.destroy(state)
			diags.wantNone()
			p.wantNoState(gone)
			p.wantGroups()
		})
	}
}

// An answer that is not about the planned group is an error that says so, never an inconsistent result.
func TestProtocolAnswersAboutAnotherGroup(t *testing.T) {
	t.Parallel()
	const replaced, elsewhere = `User group "acme" has been replaced`, `User group "acme" is in another environment`
	tests := map[string]struct {
		method, body, title string
		says                []string
		state               protocolObject // beside the planned name
	}{
		"update of another team": {"PUT", protocolAnswer("acme", 7, "Customer"), replaced, []string{"team_id 1001", "team_id 7"}, protocolObject{"name": "Acme 2", "team_id": int64(1001)}},
		"update elsewhere":       {"PUT", protocolAnswer("acme", 1001, "Testing"), elsewhere, []string{`"Customer"`, `"Testing"`, "API key"}, protocolObject{"api_environment_tag": "Testing"}},
		// Nobody else has the new token.
		"rotation for another team": {"POST", protocolAnswer("acme", 7, "Customer"), replaced, []string{"team_id 7"}, protocolObject{"token": "ugt_answer", "team_id": int64(1001), "rotate_token_when_changed": protocolObject{"quarter": "Q2"}}},
		"rotation elsewhere":        {"POST", protocolAnswer("acme", 1001, "Testing"), elsewhere, []string{`"Testing"`}, protocolObject{"token": "ugt_answer", "rotate_token_when_changed": protocolObject{"quarter": "Q2"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := protocolStart(t, emulator.Options{})
			config := protocolWith(protocolAcme(), protocolObject{"name": "Acme 2"})
			state := p.updated(p.created(protocolAcme()), config) // From here on the tag is known.
			p.answered(test.method, test.body)
			if test.method == http.MethodPut {
				config = protocolWith(config, protocolObject{"name": "Acme 3"})
			} else {
				config = protocolNextQuarter(protocolObject{"name": "Acme 2"})
			}
			state, diags := p.update(state, config)
			diags.wantError(test.title, test.says...)
			p.wantState(state, test.state)
		})
	}
}

// What a service that merges has kept is in the state, so that it is planned again; nothing is shown by its value.
func TestProtocolServiceThatTakesNothingAsSent(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{Updates: emulator.UpdatesMerge})
	config := protocolWith(protocolAcme(), protocolObject{"properties": `{"tier":"hunter2"}`})
	state, diags := p.update(p.created(protocolAcme()), config)
	diags.wantError(`User group "acme" was not updated as planned`, `which were not sent: "rows"`, "merges")
	if strings.Contains(diags.String(), "hunter2") {
		t.Errorf("a value is shown:\n%s", diags)
	}
	p.wantState(state, protocolObject{"properties": `{"rows":10,"tier":"hunter2"}`})
	if plan := p.plan(p.refreshed(state), config); plan.action != "update" {
		t.Errorf("the next plan is to %s, and the keys that remained are forgotten", plan.action)
	}
	p.wantSettled(state, protocolWith(config, protocolObject{"properties": `{"tier":"hunter2","rows":10.0}`}))

	// Two names that look the same are told apart.
	p = protocolStart(t, emulator.Options{})
	state = p.created(protocolAcme())
	answer := strings.Replace(protocolAnswer("acme", 1001, "Customer"), `"Acme"`, `"Zoe\u0308"`, 1)
	p.answered(http.MethodPut, answer)
	_, diags = p.update(state, protocolWith(protocolAcme(), protocolObject{"name": "Zoë"}))
	diags.wantError(`User group "acme" was not updated as planned`, `"Zo\u00eb"`, `"Zoe\u0308"`)
}

// With -refresh=false the state may know no team when the answer to an update tells one.
func TestProtocolUpdateOfTeamsNeverTold(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	p.service.Fail(emulator.Fault{Method: http.MethodGet, Nth: 1, Kind: emulator.Answer, Body: `{"success":1,"new_user_group":true,"user_group":{"token":"ugt_first"}}`})
	state := p.created(protocolAcme())
	p.wantState(state, protocolObject{"team_id": nil})
	p.service.Seed(emulator.Group{ID: "acme", Name: "Acme", Token: "ugt_first", Properties: json.RawMessage(`{}`)})
	p.wantTruth(p.updated(state, protocolWith(protocolAcme(), protocolObject{"name": "New"})), "acme")
}

func TestProtocolReplacement(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	plan := p.plan(state, protocolWith(protocolAcme(), protocolObject{"user_group_id": "acme2"}))
	plan.diags.wantNone()
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
	p.wantCalls("DELETE > GET")
	p.wantTruth(state, "acme2")
}
