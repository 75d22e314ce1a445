package protocoltest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestChangesOfFlagsMakeNoCall checks that changes of flags, and of what is no longer managed, make no call and never
// rotate, even if the plan did not know the value yet.
func TestChangesOfFlagsMakeNoCall(t *testing.T) {
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
		"another key for the only one":  {"rotate_token_when_changed", Object{"year": "1"}},
		"no triggers":                   {"rotate_token_when_changed", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, emulator.Options{})
			state := Silent(p.Apply(p.Plan(p.Created(Acme()), Acme(change[0], Unknown)), Acme(change...)))
			p.WantCalls("")
			p.WantTruth(state, "acme")
			p.WantSettled(state, Acme(change...))
			state = p.Updated(p.Refreshed(state), Acme())
			p.Service.ResetCounts()
			p.Updated(state, Acme(change...))
			p.WantCalls("")
			if p.Service.Count("rotated", "acme") > 0 {
				t.Error("reverting the change rotated the token")
			}
		})
	}
}

func TestTokenThatIsNotStoredIsLookedUp(t *testing.T) {
	p := start(t, emulator.Options{})
	hidden := func(q string, changes ...any) Object {
		return With(Acme("store_token", false, "rotate_token_when_changed", Quarter(q)), changes...)
	}
	plan := p.Plan(p.Nothing(), hidden("Q2"))
	if plan.Get("token") != nil {
		t.Errorf("the plan of a creation has the token %v", plan.Get("token"))
	}
	state := Silent(p.Apply(plan))
	state = p.Refreshed(state)
	p.WantTruth(state, "acme")
	p.Service.ResetCounts()
	state = p.Updated(state, hidden("Q3"))
	p.WantCalls("GET > POST")
	p.WantTruth(state, "acme")
	// The response to the update contains the token that the rotation after it needs.
	state = p.Updated(state, hidden("Q4", "name", "New"))
	p.WantCalls("PUT > POST")
	p.WantTruth(state, "acme")
	p.Service.RotateBehind("acme")
	// The plan has promised the fingerprint in the state, so the next refresh records the new one.
	state, diags := p.Update(state, hidden("Q4", "name", "Newer"))
	diags.WantWarning(rotatedAway, "The group was updated", "next refresh")
	state = p.Refreshed(state)
	p.WantTruth(state, "acme")

	// After store_token is set to true, the next refresh reads the token.
	state = p.Updated(state, hidden("Q4", "name", "Newer", "store_token", true))
	p.WantState(state, "token", nil)
	p.WantTruth(p.Refreshed(state), "acme")
}

// If one fails, the provider still carries out the other. In TestServiceWithoutEnvironmentsFailsOnlyIfOneIsConfigured,
// both fail. If the outcome of an update is unknown, the state forgets what it was to change, so that the next plan
// sends it even if the configuration is the old one again. TestSequences checks that runs do what is left to do.
func TestUpdateAndRotationAreIndependent(t *testing.T) {
	t.Parallel()
	const merged, perhapsUpdated = `{"rows":10,"tier":"silver"}`, "It is not known whether the group was updated"
	for name, test := range map[string]struct {
		updates     emulator.Updates
		method      string
		fails       emulator.FaultKind
		calls       string
		title, says string
		state       []any
		rotated     bool
	}{
		"update refused": {
			method: "PUT", fails: emulator.Refuse, calls: "PUT > POST", rotated: true,
			title: cannotUpdate, says: "was not updated", state: []any{"name", "Acme"},
		},
		"update lost": {
			method: "PUT", fails: emulator.CutAfterWork, calls: "PUT > PUT > PUT > POST", rotated: true,
			title: cannotUpdate, says: perhapsUpdated, state: []any{"name", nil, "mapping", nil, "properties", nil},
		},
		"not taken as sent": {
			updates: emulator.UpdatesMerge, method: "PUT", fails: emulator.Delay, calls: "PUT > PUT > POST", rotated: true,
			title: notAsPlanned, says: "A service that merges properties keeps", state: []any{"properties", merged},
		},
		"rotation refused": {
			method: "POST", fails: emulator.Refuse, calls: "PUT > POST > GET",
			title: cannotRotate, says: "was not rotated", state: []any{"name", "New", "api_environment_tag", "Customer"},
		},
		"rotation lost": {
			method: "POST", fails: emulator.CutBefore, calls: "PUT > POST > GET > POST > GET > POST > GET",
			title: cannotRotate, says: "not known whether the token was rotated", state: []any{"name", "New"},
		},
		"answered with the same token": {
			method: "POST", fails: emulator.Answer, calls: "PUT > POST > GET > POST > GET > POST > GET",
			title: cannotRotate, says: "returned a token that is not new", state: []any{"name", "New"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock := dated(t, emulator.Options{Updates: test.updates})
			rotatedAt, quarter := clock.at(0), Quarter("Q1")
			state := p.Created(Acme())
			same := `{"success":1,"user_group":{"token":"` + state.Token() + `"}}`
			p.Service.Fail(emulator.Fault{Method: test.method, Kind: test.fails, Body: same})
			if now := clock.at(day); test.rotated {
				rotatedAt, quarter = now, Quarter("Q2")
			}
			state, diags := p.Update(state, NextQuarter("name", "New", "mapping", Object{}, "properties", `{"tier":"silver"}`))
			p.WantCalls(test.calls)
			diags.WantError(test.title, test.says)
			if strings.Contains(diags.String(), "silver") {
				t.Errorf("the diagnostics show a value:\n%s", diags)
			}
			p.WantState(state, append(test.state, "rotate_token_when_changed", quarter, "token_rotated_at", rotatedAt)...)
			p.WantTruth(state, "acme")
		})
	}
}

// TestResponsesThatContradictTheStateAreErrors checks that a response about another group, or with another name, causes
// an error that says so, and not an inconsistent result.
func TestResponsesThatContradictTheStateAreErrors(t *testing.T) {
	p := start(t, emulator.Options{})
	known := p.Updated(p.Created(Acme()), Acme("name", "Acme 2")) // The update makes the tag known.
	ask := func(method, body string) (State, Diags) {
		p.Service.ClearFaults()
		p.Answered(method, body)
		if method == http.MethodPut {
			return p.Update(known, Acme("name", "Zoë"))
		}
		return p.Update(known, NextQuarter("name", "Acme 2"))
	}
	state, diags := ask(http.MethodPut, response("acme", 7, "Customer"))
	diags.WantError(replaced, "team_id 1001", "team_id 7")
	p.WantState(state, "name", nil, "team_id", int64(1001)) // The outcome is unknown.
	state, diags = ask(http.MethodPut, response("acme", 1001, "Testing"))
	diags.WantError(elsewhere, `"Customer"`, `"Testing"`, "API key")
	p.WantState(state, "api_environment_tag", "Testing")

	// An error shows in which way a name differs that looks the same.
	named := strings.Replace(response("acme", 1001, "Customer"), `"Acme"`, `"Zoe\u0308"`, 1)
	second(ask(http.MethodPut, named)).WantError(notAsPlanned, `"Zo\u00eb"`, `"Zoe\u0308"`)

	// The token of another group must not be in the state: the next rotation would rotate it.
	state, diags = ask(http.MethodPost, response("acme", 7, "Customer"))
	diags.WantError(replaced, "team_id 7", "not known whether the token was rotated")
	p.WantState(state, "token", p.Group("acme").Token, "rotate_token_when_changed", Quarter("Q1"), "team_id", int64(1001))
	// The new token of this group must be, because nothing else has it.
	rotated := Object{"token": "ugt_answer", "rotate_token_when_changed": Quarter("Q2")}
	state, diags = ask(http.MethodPost, response("acme", 1001, "Testing"))
	diags.WantError(elsewhere, `"Testing"`, "The token was rotated. The state refers to the new token.")
	p.WantState(state, rotated)
}

// A rotation returns no token, and the lookup that follows it shows the old one.
func TestALostTokenIsNotInTheState(t *testing.T) {
	p := start(t, emulator.Options{TokenLag: 1 << 60})
	state := p.Created(Acme())
	p.Fault(http.MethodPost, emulator.NoToken)
	after, diags := p.Update(state, NextQuarter())
	diags.WantError(outdated, "The token was rotated. The state still refers to the old token", "a second time")
	p.WantSame(after, state)
}

// Without a team_id, and without a refresh, a group with another token may be a different group.
func TestGroupThatMayBeAnotherIsNotRotated(t *testing.T) {
	p := start(t, emulator.Options{Omit: []string{"team_id"}})
	state := p.Created(Acme())
	p.Service.RotateBehind("acme")
	second(p.Update(state, NextQuarter())).WantError(`User group "acme" may be a different group`,
		"does not show whether it is still the same group", "was not rotated", "Run again")
	p.WantTruth(p.Updated(p.Refreshed(state), NextQuarter()), "acme")
}
