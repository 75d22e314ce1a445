package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolUpdateNoticesAnotherToken(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	old := state.token()
	p.service.RotateBehind("acme")
	state, diags := p.update(state, protocolAcme("name", "New"))
	diags.wantWarning(rotatedAway, "The group was updated", "next refresh")
	p.wantCalls("PUT")
	p.wantState(state, "token", old, "token_fingerprint", fingerprint(old), "name", "New")
	state = p.refreshed(state)
	p.wantTruth(state, "acme")
	p.wantSettled(state, protocolAcme("name", "New"))
	p.wantCalls("GET")
}

func TestProtocolWhatCausesNoCall(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]any{
		"adopt_existing":                {"adopt_existing", true},
		"adopt_existing off":            {"adopt_existing", false},
		"deletion_protection":           {"deletion_protection", true},
		"data_source_provided_id":       {"data_source_provided_id", "db-1"},
		"store_token":                   {"store_token", false},
		"store_token on":                {"store_token", true},
		"mapping no longer managed":     {"mapping", nil},
		"properties no longer managed":  {"properties", nil},
		"properties written in reverse": {"properties", ` { "rows" : 1e1, "tier" : "\u0067old" } `},
		"another key for the only one":  {"rotate_token_when_changed", protocolObject{"year": "1"}},
		"no triggers":                   {"rotate_token_when_changed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := protocolStart(t, emulator.Options{})
			state := p.updated(p.created(protocolAcme()), protocolAcme(change...))
			p.wantCalls("")
			p.wantTruth(state, "acme")
			p.wantSettled(state, protocolAcme(change...))
			state = p.updated(p.refreshed(state), protocolAcme())
			p.wantSettled(state, protocolAcme())
			if p.service.Rotations("acme") > 0 {
				t.Error("reverting the change rotated the token")
			}
		})
	}
}

func TestProtocolMappingAndPropertiesEmptied(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	empty := protocolAcme("mapping", protocolObject{}, "properties", "{}")
	state := p.updated(p.created(protocolAcme()), empty)
	p.wantCalls("PUT")
	if group := p.group("acme"); len(group.Mapping) > 0 || string(group.Properties) != "{}" {
		t.Errorf("the service has %+v", group)
	}
	p.wantSettled(p.refreshed(state), empty)
}

func TestProtocolStoreToken(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	hidden := func(q string, changes ...any) protocolObject {
		return protocolWith(protocolAcme("store_token", false, "rotate_token_when_changed", quarter(q)), changes...)
	}
	plan := p.plan(p.nothing(), hidden("Q2"))
	if plan.get("token") != nil {
		t.Errorf("the plan of a creation has the token %v", plan.get("token"))
	}
	state, diags := p.apply(plan)
	diags.wantNone()
	state = p.refreshed(state)
	p.wantTruth(state, "acme")
	p.wantState(state, "token", nil)
	p.service.ResetCounts()

	state = p.updated(state, hidden("Q3"))
	p.wantCalls("GET > POST")
	p.wantTruth(state, "acme")
	// The response to the update contains the token that the rotation after it needs.
	state = p.updated(state, hidden("Q4", "name", "New"))
	p.wantCalls("PUT > POST")
	p.wantTruth(state, "acme")
	p.service.RotateBehind("acme")
	second(p.update(state, hidden("Q4", "name", "Newer"))).wantWarning(rotatedAway)
	state = p.refreshed(state)

	// After store_token is set to true, the next refresh reads the token. While store_token is unknown, a plan promises
	// no token.
	state = p.updated(state, hidden("Q4", "name", "Newer", "store_token", true))
	p.wantState(state, "token", nil)
	state = p.refreshed(state)
	p.wantTruth(state, "acme")
	for _, flag := range []bool{true, false} {
		plan := p.plan(state, hidden("Q4", "name", "Newer", "store_token", protocolUnknown))
		state, diags = p.apply(plan, hidden("Q4", "name", "Newer", "store_token", flag))
		diags.wantNone()
		p.wantTruth(state, "acme")
	}
	p.service.ResetCounts()
	p.wantDestroyed(state)
	p.wantCalls("GET > DELETE")
}

// TestProtocolUpdateBesideARotation checks that an update and a rotation are independent. If one fails, the provider
// still carries out the other, and all errors are reported.
func TestProtocolUpdateBesideARotation(t *testing.T) {
	t.Parallel()
	const triggers = "rotate_token_when_changed"
	merging := emulator.Options{Updates: emulator.UpdatesMerge}
	silver := []any{"name", "New", "properties", `{"tier":"silver"}`}
	for name, test := range map[string]struct {
		options emulator.Options
		method  string
		kind    emulator.FaultKind
		changes []any
		calls   string
		titles  []string
		says    string
		state   []any
		next    string // the calls of the next run
	}{
		"update refused": {
			method: "PUT", kind: emulator.Refuse, calls: "PUT > POST", titles: []string{cannotUpdate}, says: "was not updated",
			state: []any{"name", "Acme", triggers, quarter("Q2")}, next: "PUT",
		},
		"update lost": {
			method: "PUT", kind: emulator.CutAfterWork, calls: "PUT > PUT > PUT > POST", titles: []string{cannotUpdate},
			says: "It is not known whether the group was updated", state: []any{"name", "Acme", triggers, quarter("Q2")},
		},
		"not taken as sent": {
			options: merging, changes: silver, calls: "PUT > POST", titles: []string{notAsPlanned}, next: "PUT",
			says:  `which were not sent: "rows"`,
			state: []any{"name", "New", "properties", `{"rows":10,"tier":"silver"}`, triggers, quarter("Q2")},
		},
		"rotation refused": {
			method: "POST", kind: emulator.Refuse, calls: "PUT > POST > GET", titles: []string{cannotRotate},
			says: "was not rotated", next: "POST",
			state: []any{"name", "New", triggers, quarter("Q1"), "api_environment_tag", "Customer"},
		},
		"rotation lost": {
			method: "POST", kind: emulator.CutBefore, calls: "PUT > POST > GET > POST > GET > POST > GET",
			titles: []string{cannotRotate}, says: "not known whether the token was rotated",
			state: []any{"name", "New", triggers, quarter("Q1")}, next: "POST",
		},
		"answered with the same token": {
			method: "POST", kind: emulator.Answer, calls: "PUT > POST", titles: []string{cannotRotate},
			says: "returned the token that it should have replaced", next: "POST",
			state: []any{"name", "New", triggers, quarter("Q1")},
		},
		"both": {
			options: merging, changes: silver, method: "POST", kind: emulator.Refuse, calls: "PUT > POST > GET",
			titles: []string{notAsPlanned, cannotRotate}, says: "was not rotated",
			state: []any{"name", "New", triggers, quarter("Q1")}, next: "PUT > POST",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := protocolStart(t, test.options)
			state := p.created(protocolAcme())
			if test.method != "" {
				same := `{"success":1,"user_group":{"token":"` + state.token() + `"}}`
				p.service.Fail(emulator.Fault{Method: test.method, Kind: test.kind, Body: same})
			}
			config := protocolNextQuarter(append([]any{"name", "New"}, test.changes...)...)
			state, diags := p.update(state, config)
			p.wantCalls(test.calls)
			if diags.wantErrors(test.titles...); !strings.Contains(diags.String(), test.says) {
				t.Errorf("the diagnostics do not say %q:\n%s", test.says, diags)
			}
			p.wantState(state, test.state...)
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

// TestProtocolAnswersAboutAnotherGroup checks that a response about another group causes an error that says so, and
// not an inconsistent result.
func TestProtocolAnswersAboutAnotherGroup(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	known := p.updated(p.created(protocolAcme()), protocolAcme("name", "Acme 2")) // The update makes the tag known.
	ask := func(method, body string) (protocolState, protocolDiags) {
		p.service.ClearFaults()
		p.answered(method, body)
		if method == http.MethodPut {
			return p.update(known, protocolAcme("name", "Acme 3"))
		}
		return p.update(known, protocolNextQuarter("name", "Acme 2"))
	}
	state, diags := ask(http.MethodPut, protocolAnswer("acme", 7, "Customer"))
	diags.wantError(replaced, "team_id 1001", "team_id 7")
	p.wantState(state, "name", "Acme 2", "team_id", int64(1001))
	state, diags = ask(http.MethodPut, protocolAnswer("acme", 1001, "Testing"))
	diags.wantError(elsewhere, `"Customer"`, `"Testing"`, "API key")
	p.wantState(state, "api_environment_tag", "Testing")

	// The new token must be in the state, because nothing else has it.
	rotated := protocolObject{"token": "ugt_answer", "rotate_token_when_changed": quarter("Q2")}
	state, diags = ask(http.MethodPost, protocolAnswer("acme", 7, "Customer"))
	diags.wantError(replaced, "team_id 7")
	p.wantState(state, rotated, "team_id", int64(1001))
	state, diags = ask(http.MethodPost, protocolAnswer("acme", 1001, "Testing"))
	diags.wantError(elsewhere, `"Testing"`)
	p.wantState(state, rotated)
}

// TestProtocolGroupThatMayBeAnother covers a service that returns no team_id. Without a refresh, a group with a
// different token may be a different group.
func TestProtocolGroupThatMayBeAnother(t *testing.T) {
	p := protocolStart(t, emulator.Options{Omit: []string{"team_id"}})
	state := p.created(protocolAcme())
	p.service.RotateBehind("acme")
	second(p.update(state, protocolNextQuarter())).wantError(`User group "acme" may be a different group`,
		"does not show whether it is still the group in the state", "was not rotated", "Run again")
	p.wantTruth(p.updated(p.refreshed(state), protocolNextQuarter()), "acme")
}

// TestProtocolServiceThatTakesNothingAsSent covers a service that merges properties. Keys that it kept must be in the
// state, so that the next plan removes them. Diagnostics must not show values.
func TestProtocolServiceThatTakesNothingAsSent(t *testing.T) {
	p := protocolStart(t, emulator.Options{Updates: emulator.UpdatesMerge})
	config := protocolAcme("properties", `{"tier":"hunter2"}`)
	state, diags := p.update(p.created(protocolAcme()), config)
	diags.wantError(notAsPlanned, `which were not sent: "rows"`, "merges")
	if strings.Contains(diags.String(), "hunter2") {
		t.Errorf("the error shows a value:\n%s", diags)
	}
	p.wantState(state, "properties", `{"rows":10,"tier":"hunter2"}`)
	if plan := p.plan(p.refreshed(state), config); plan.action != "update" {
		t.Errorf("the next plan is to %s, want an update that removes the keys that the service kept", plan.action)
	}
	p.wantSettled(state, protocolAcme("properties", `{"tier":"hunter2","rows":10.0}`))

	// If two names look the same, the error escapes them.
	p = protocolAnother(t, emulator.Options{})
	state = p.created(protocolAcme())
	p.answered(http.MethodPut, strings.Replace(protocolAnswer("acme", 1001, "Customer"), `"Acme"`, `"Zoe\u0308"`, 1))
	second(p.update(state, protocolAcme("name", "Zoë"))).wantError(notAsPlanned, `"Zo\u00eb"`, `"Zoe\u0308"`)
}

func TestProtocolReplacement(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	plan := p.plan(p.created(protocolAcme()), protocolAcme("user_group_id", "acme2"))
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
