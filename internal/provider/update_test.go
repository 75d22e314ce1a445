package provider_test

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

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
			t.Parallel()
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
	t.Parallel()
	p := start(t, emulator.Options{})
	hidden := func(q string, changes ...any) Object {
		return With(Acme("store_token", false, "rotate_token_when_changed", Quarter(q)), changes...)
	}
	plan := p.Plan(p.Nothing(), hidden("Q2"))
	if plan.Get("token") != nil {
		t.Errorf("the plan of a creation has the token %v", plan.Get("token"))
	}
	state := p.Refreshed(Silent(p.Apply(plan)))
	p.WantTruth(state, "acme")
	p.Service.ResetCounts()
	state = p.Updated(state, hidden("Q3", "name", "New"))
	p.WantCalls("PUT > GET > POST")
	p.WantTruth(state, "acme")
	p.Service.RotateBehind("acme")
	// The plan has promised the fingerprint in the state, so the next refresh records the new one.
	state, diags := p.Update(state, hidden("Q3", "name", "Newer"))
	diags.WantWarning(unexpectedToken, "renews tokens with each update",
		"the state has the old token until the next apply", "The group was updated.", "Plan again")
	state = p.Refreshed(state)
	p.WantTruth(state, "acme")

	// After store_token is set to true, the next refresh reads the token.
	state = p.Updated(state, hidden("Q3", "name", "Newer", "store_token", true))
	p.WantState(state, "token", nil)
	state = p.Refreshed(state)
	p.WantTruth(state, "acme")
	p.Service.ResetCounts()
	p.WantDestroyed(p.Updated(state, hidden("Q3", "name", "Newer")))
	p.WantCalls("GET > DELETE")
}

// If one fails, the provider still carries out the other. If the outcome of an update is unknown, the state forgets
// what it was to change, so that the next plan sends it even if the configuration is the old one again.
func TestUpdateAndRotationAreIndependent(t *testing.T) {
	t.Parallel()
	const perhapsUpdated = "It is not known whether the group was updated"
	for name, test := range map[string]struct {
		updates emulator.Updates
		method  string
		fails   emulator.FaultKind
		calls   string
		title   string
		says    []string
		state   []any
		rotated bool
	}{
		"update refused": {
			method: "PUT", fails: emulator.Refuse, calls: "PUT > POST", rotated: true,
			title: cannotUpdate, says: []string{"was not updated"}, state: []any{"name", "Acme"},
		},
		"update lost": {
			method: "PUT", fails: emulator.CutAfterWork, calls: "PUT > PUT > PUT > POST", rotated: true,
			title: cannotUpdate, says: []string{perhapsUpdated}, state: []any{"name", nil, "mapping", nil, "properties", nil},
		},
		"rotation refused": {
			method: "POST", fails: emulator.Refuse, calls: "PUT > POST > GET",
			title: cannotRotate, says: []string{"was not rotated"},
			state: []any{"name", "New", "api_environment_tag", "Customer"},
		},
		"rotation lost": {
			method: "POST", fails: emulator.CutBefore, calls: "PUT > POST > GET > GET > GET",
			title: cannotRotate, says: []string{"not known whether the token was rotated", "wait some minutes"},
			state: []any{"name", "New"},
		},
		"answered with a token for no group": {
			method: "POST", fails: emulator.Answer, calls: "PUT > POST > GET > GET > GET",
			title: outdated, says: []string{"should have been replaced", "wait some minutes"},
			state: []any{"name", "New"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, clock := dated(t, emulator.Options{Updates: test.updates})
			rotatedAt, quarter := clock.at(0), Quarter("Q1")
			state := p.Created(Acme())
			p.Service.Fail(emulator.Fault{
				Method: test.method, Kind: test.fails, Body: `{"success":1,"user_group":{"token":"ugt_nobodys","team_id":null}}`,
			})
			if now := clock.at(day); test.rotated {
				rotatedAt, quarter = now, Quarter("Q2")
			}
			config := NextQuarter("name", "New", "mapping", Object{}, "properties", `{"tier":"silver"}`)
			state, diags := p.Update(state, config)
			p.WantCalls(test.calls)
			diags.WantError(test.title, test.says...)
			if strings.Contains(diags.String(), "silver") {
				t.Errorf("the diagnostics show a value:\n%s", diags)
			}
			p.WantState(state, append(test.state, "rotate_token_when_changed", quarter, "token_rotated_at", rotatedAt)...)
			p.WantTruth(state, "acme")
			undone := p.Plan(state, Acme("rotate_token_when_changed", quarter))
			if isOld := name == "update refused"; isOld != (undone.Action == "no-op") {
				t.Errorf("the plan to undo the change is to %s", undone.Action)
			}
			// The next run does what is left to do.
			p.Service.ClearFaults()
			if test.updates == emulator.UpdatesMerge {
				return
			}
			p.WantTruth(p.Updated(p.Refreshed(state), config), "acme")
			group, rotations := p.Group("acme"), p.Service.Count("rotated", "acme")
			if group.Name != "New" || len(group.Mapping) > 0 || (rotations == 0) != test.rotated {
				t.Errorf("after the next run, which rotated %d times, the service has %+v", rotations, group)
			}
		})
	}
}

// TestARotationWithAnUnknownOutcomeIsNotRepeated loses all responses to a rotation, and runs again. If a refresh then
// finds another token than the one that was sent, the rotation counts as carried out.
func TestARotationWithAnUnknownOutcomeIsNotRepeated(t *testing.T) {
	t.Parallel()
	const carriedOut, lost = emulator.CutAfterWork, emulator.CutBefore
	unchanged := func(state State) State { return state }
	triggered := func(triggers Object) Object { return Acme("rotate_token_when_changed", triggers) }
	twoKeys, null := With(Quarter("Q2"), "incident", "1"), triggered(Object{"quarter": nil})
	for name, test := range map[string]struct {
		fault       emulator.FaultKind
		first, next Object // what is configured at first, nil for NextQuarter, and then
		meanwhile   func(State) State
		action      string
		rotations   int
	}{
		"carried out":                     {carriedOut, nil, NextQuarter(), nil, "update", 1},
		"not carried out":                 {lost, nil, NextQuarter(), nil, "update", 1},
		"with a new key":                  {carriedOut, nil, triggered(twoKeys), nil, "update", 1},
		"taken back":                      {carriedOut, nil, Acme(), nil, "no-op", 1},
		"taken back, and not carried out": {lost, nil, Acme(), nil, "no-op", 0},
		"asked for again":                 {carriedOut, nil, triggered(Quarter("Q3")), nil, "update", 2},
		"without a refresh":               {lost, nil, NextQuarter(), unchanged, "update", 1},
		"to null":                         {carriedOut, null, null, nil, "update", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, emulator.Options{})
			state := p.Created(Acme())
			p.Always(http.MethodPost, test.fault)
			p.Always(http.MethodGet, emulator.CutBefore)
			if test.first == nil {
				test.first = NextQuarter()
			}
			state, diags := p.Apply(p.Plan(state, test.first))
			diags.WantError(cannotRotate, "not known whether the token was rotated")
			p.Service.ClearFaults()
			if test.meanwhile == nil {
				test.meanwhile = p.Refreshed
			}
			state = test.meanwhile(state)
			plan := p.Plan(state, test.next)
			if plan.Action != test.action {
				t.Errorf("the plan is to %s, want %s", plan.Action, test.action)
			}
			p.WantTruth(Silent(p.Apply(plan)), "acme")
			if rotations := p.Service.Count("rotated", "acme"); rotations != test.rotations {
				t.Errorf("rotated %d times, want %d", rotations, test.rotations)
			}
		})
	}
}

// TestOnlyARefreshShowsThatARotationWasCarriedOut sends a rotation with another token than the state has, and loses it
// before the work. That the state has another token than was sent shows nothing then.
func TestOnlyARefreshShowsThatARotationWasCarriedOut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options emulator.Options
		before  func(*Provider)
		wanted  Object
		nth     int // the rotation that is lost
	}{
		"an update has renewed it": {
			options: emulator.Options{RenewingUpdates: true}, wanted: NextQuarter("name", "New"), nth: 1,
		},
		"another client has rotated it": {
			before: func(p *Provider) { p.Service.RotateBehind("acme") }, wanted: NextQuarter(), nth: 2,
		},
	} {
		for refreshes, refreshed := range map[string]func(*Provider, State) State{
			"refreshed":     (*Provider).Refreshed,
			"not refreshed": func(_ *Provider, state State) State { return state },
		} {
			t.Run(name+", "+refreshes, func(t *testing.T) {
				t.Parallel()
				p := start(t, test.options)
				state := p.Created(Acme())
				if test.before != nil {
					test.before(p)
				}
				p.Service.Fail(emulator.Fault{Method: http.MethodPost, Nth: test.nth, Kind: emulator.CutBefore})
				state, diags := p.Update(state, test.wanted)
				if !strings.Contains(diags.String(), "It is not known whether the token was rotated") {
					t.Fatal(diags)
				}
				state, _ = p.Update(refreshed(p, state), test.wanted)
				p.WantTruth(state, "acme")
				if rotations := p.Service.Count("rotated", "acme"); rotations != 1 {
					t.Errorf("rotated %d times, want 1", rotations)
				}
			})
		}
	}
}

// TestAnOutdatedTokenSettlesNoRotation refreshes after a lost rotation, while lookups show the token of before the last
// one that was carried out. That is another token than was sent, and shows nothing.
func TestAnOutdatedTokenSettlesNoRotation(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{TokenLag: 50 * time.Second}, func(t *testing.T, p *Provider) {
		state := p.Updated(p.Created(Acme()), NextQuarter())
		wanted := Acme("rotate_token_when_changed", Quarter("Q3"))
		p.Fault(http.MethodPost, emulator.CutBefore)
		state, diags := p.Update(state, wanted)
		if !diags.HasError() {
			t.Error("a rotation that was lost has no error")
		}
		if plan := p.Plan(p.Refreshed(state), wanted); plan.Get("token_fingerprint") != Unknown {
			t.Error("the next plan takes the lost rotation for carried out")
		}
	})
}

// TestASettledRotationIsForgotten goes back to the value of a rotation that turned out to be carried out, after another
// one. That value rotates like any other.
func TestASettledRotationIsForgotten(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Always(http.MethodPost, emulator.CutAfterWork)
	p.Always(http.MethodGet, emulator.CutBefore)
	state, diags := p.Update(state, NextQuarter())
	diags.WantError(cannotRotate, "not known whether the token was rotated")
	p.Service.ClearFaults()
	state = p.Updated(p.Refreshed(state), NextQuarter())
	state = p.Updated(state, Acme("rotate_token_when_changed", Quarter("Q3")))
	p.WantTruth(p.Updated(state, NextQuarter()), "acme")
	if rotations := p.Service.Count("rotated", "acme"); rotations != 3 {
		t.Errorf("rotated %d times, want 3", rotations)
	}
}

// TestARefusedRotationIsStillDue has another client rotate the token after the service has refused to. The rotation
// that was asked for has not been carried out, so it is still planned.
func TestARefusedRotationIsStillDue(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Always(http.MethodPost, emulator.Refuse)
	state, diags := p.Update(state, NextQuarter())
	diags.WantError(cannotRotate, "The token was not rotated.")
	p.Service.ClearFaults()
	p.Service.RotateBehind("acme")
	p.WantTruth(p.Updated(p.Refreshed(state), NextQuarter()), "acme")
	if rotations := p.Service.Count("rotated", "acme"); rotations != 1 {
		t.Errorf("rotated %d times, want 1", rotations)
	}
}

// TestResponsesThatContradictTheStateAreErrors checks that a response about another group, or another environment,
// causes an error that says so, and not an inconsistent result.
func TestResponsesThatContradictTheStateAreErrors(t *testing.T) {
	t.Parallel()
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
	state, diags := ask(http.MethodPut, response(7, "Customer"))
	diags.WantError(replaced, "team_id of the group was 1001; the service shows 7")
	// The outcome is unknown.
	p.WantState(state, "name", nil, "mapping", Object{"sales": "db-1"}, "team_id", int64(1001))
	// The token is not rotated then, because the group is gone.
	p.Service.ResetCounts()
	second(p.Update(known, NextQuarter("name", "Zoë"))).WantError(replaced)
	p.WantCalls("PUT")
	state, diags = ask(http.MethodPut, response(1001, "Testing"))
	diags.WantError(elsewhere, `"Customer"`, `Testing`, "API key")
	p.WantState(state, "name", "Acme", "api_environment_tag", "Testing")

	// The token of this group must be in the state, because nothing else has it, and whatever else the response shows.
	rotated := Object{"token": "ugt_answer", "rotate_token_when_changed": Quarter("Q2")}
	state, diags = ask(http.MethodPost, response(1001, "Testing"))
	diags.WantError(elsewhere, `Testing`, "The token was rotated.", "the state has the new token")
	p.WantState(state, rotated, "team_id", int64(1001), "api_environment_tag", "Testing")
	state, diags = ask(http.MethodPost, response(7, "Customer"))
	diags.WantError(replaced, "team_id of the group was 1001; the service shows 7", "the state has the new token")
	p.WantState(state, rotated)
}

// TestRespelledNamesAreNoDrift checks that the state has a name as it is configured if the service spells it
// differently, with one warning that shows both spellings. The same name in HTML is no other spelling. All else looks
// like a name that somebody has changed.
func TestRespelledNamesAreNoDrift(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		options       emulator.Options
		named, stored string
		says          string
		drifts        bool // a refresh takes it for another name
	}{
		"cut": {
			options: emulator.Options{CutNames: 10}, named: "Acme Dashboards",
			says: `sent is "Acme Dashboards"; the service shows "Acme Dashb"`, drifts: true,
		},
		"entities": {named: "Zoe & Co", stored: "Zoe &amp; Co"},
		"cut and with entities": {
			named: "Zoe & Company", stored: "Zoe &amp; Co", says: `the service shows "Zoe & Co"`, drifts: true,
		},
		"entities, which are escaped again": {
			named: "Zoe &amp; Co", stored: "Zoe &amp;amp; Co", says: `the service shows "Zoe & Co"`, drifts: true,
		},
		"decomposed": {
			named: "Zo\u00eb", stored: "Zoe\u0308", says: `sent is "Zo\u00eb"; the service shows "Zoe\u0308"`, drifts: true,
		},
		"line endings": {
			named: "Zoe\nCo", stored: "Zoe\r\nCo", says: `sent is "Zoe\nCo"; the service shows "Zoe\r\nCo"`, drifts: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, row.options)
			config := Acme("name", row.named, "properties", nil)
			state := p.Created(Acme("properties", nil))
			if group := p.Group("acme"); row.stored != "" {
				group.Name = row.stored
				p.Answered("", strings.Replace(creationResponse(group), "true", "false", 1))
			}
			state, diags := p.Apply(p.Plan(state, config))
			if row.says == "" {
				diags.WantNone()
			} else {
				const advice = "write in the configuration what the service keeps, without entities such as &amp;."
				diags.WantWarning(notAsPlanned, row.says, "The state has what was sent", advice)
			}
			p.WantState(state, "name", row.named)
			p.WantSettled(state, config)
			if state = p.Refreshed(state); row.drifts { // without another warning
				p.WantState(state, "name", cmp.Or(row.stored, p.Group("acme").Name))
			} else {
				p.WantSettled(state, config)
			}
			if row.stored == "" {
				created, diags := p.Apply(p.Plan(p.Nothing(), With(config, "user_group_id", "new")))
				diags.WantWarning(notAsPlanned, row.says)
				p.WantState(created, "name", row.named)
			}
		})
	}
}

// TestUpdatesAnsweredWithTheGroupOfBefore: a response that shows other values than were sent causes a warning, and a
// refresh shows those that were.
func TestUpdatesAnsweredWithTheGroupOfBefore(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{StaleUpdates: true})
	config := Acme("name", "New", "properties", `{"tier":"silver"}`)
	state := p.Created(Acme())
	p.Service.ResetCounts()
	state, diags := p.Update(state, config)
	diags.WantWarning(notAsPlanned, "what the group had before")
	p.WantCalls("PUT")
	p.WantTruth(state, "acme")
	p.WantSettled(state, config)
}

// TestUpdatesThatAreNotKept: a service that keeps a property which is no longer sent shows the group of before for
// good.
func TestUpdatesThatAreNotKept(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Updates: emulator.UpdatesMerge}, func(_ *testing.T, p *Provider) {
		state := p.Created(Acme("properties", `{"tier":"gold","rows":10}`))
		p.Service.ResetCounts()
		_, diags := p.Update(state, Acme("properties", `{"tier":"gold"}`))
		diags.WantWarning(notAsPlanned, `These properties differ: ["rows"]`)
		p.WantCalls("PUT")
	})
}

// TestANullRemovesAMergedProperty does what the warning says, where the service merges properties and drops those that
// are null.
func TestANullRemovesAMergedProperty(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{Updates: emulator.UpdatesMerge})
	state := p.Created(Acme("properties", `{"tier":"gold","rows":10}`))
	_, diags := p.Update(state, Acme("properties", `{"tier":"gold"}`))
	diags.WantWarning(notAsPlanned, `These properties differ: ["rows"]`, "write each as null")
	state = p.Updated(p.Refreshed(state), Acme("properties", `{"tier":"gold","rows":null}`))
	p.Service.Change("acme", func(group *emulator.Group) {
		group.Properties = bytes.ReplaceAll(group.Properties, []byte(`"rows":null,`), nil)
	})
	if got := string(p.Group("acme").Properties); got != `{"tier":"gold"}` {
		t.Errorf("the service has %s", got)
	}
	p.Updated(p.Refreshed(state), Acme("properties", `{"tier":"gold"}`)) // without another warning
}

// TestUpdatesThatRenewTheToken checks that a rotation in the same apply looks the token up, and that an update alone
// says that the state has an old one.
func TestUpdatesThatRenewTheToken(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{RenewingUpdates: true, StaleTokenStatus: http.StatusInternalServerError})
	state := p.Created(Acme())
	p.Service.ResetCounts()
	state = p.Updated(state, NextQuarter("name", "New"))
	p.WantCalls("PUT > GET > POST")
	p.WantTruth(state, "acme")
	state, diags := p.Update(state, NextQuarter("name", "Newer"))
	diags.WantWarning(unexpectedToken, "renews tokens with each update",
		"the state has the old token until the next apply", "The group was updated.", "Plan again")
	state = p.Refreshed(state)
	p.WantTruth(state, "acme")
	p.Always(http.MethodPut, emulator.NoToken)
	p.Updated(state, NextQuarter("name", "Newest")) // without a warning, because no other token was shown
	p.Service.ClearFaults()
	p.Service.Seed(emulator.Group{ID: "theirs", Name: "Theirs"})
	adoption, diags := p.ApplyToo(p.PlanToo(p.Nothing(), adopting("user_group_id", "theirs")))
	p.Diagnostics(diags.List[:1]).WantWarning(unexpectedToken, "renews tokens with each update")
	p.Diagnostics(diags.List[1:]).WantWarning(adopted, "did not rotate its token")
	p.WantTruth(adoption, "theirs")
}

// TestUpdatesAfterARotationElsewhere checks that a state with an old token is told of, also if the lookup that proves
// the key has already shown the current one.
func TestUpdatesAfterARotationElsewhere(t *testing.T) {
	t.Parallel()
	for _, environment := range []any{nil, "Customer"} {
		p := start(t, emulator.Options{})
		state := p.Updated(p.Created(Acme()), Acme("name", "New"))
		p.Service.RotateBehind("acme")
		p.Configure(With(p.Arguments(), "environment", environment)).WantNone()
		_, diags := p.Update(state, Acme("name", "Newer"))
		diags.WantWarning(unexpectedToken, "The group was updated.")
	}
}

// TestUpdatesThatShowAReplacedToken checks that a rotation in the same apply does not send it.
func TestUpdatesThatShowAReplacedToken(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(_ *testing.T, p *Provider) {
		created := p.Created(Acme())
		state := p.Updated(created, NextQuarter())
		group := p.Group("acme")
		group.Token = created.Token()
		p.Service.Fail(emulator.Fault{
			Method: http.MethodPut, Nth: 1, Kind: emulator.Answer,
			Body: strings.Replace(creationResponse(group), `"new_user_group":true,`, "", 1),
		})
		p.Service.ResetCounts()
		_, diags := p.Update(state, Acme("properties", `{"tier":"silver"}`, "rotate_token_when_changed", Quarter("Q3")))
		diags.WantNone()
		p.WantCalls("PUT > POST")
	})
}

// TestRotationsGoOnAfterUpdatesHaveEnded checks that a token is rotated although an update has failed, and that the
// state has it.
func TestRotationsGoOnAfterUpdatesHaveEnded(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(_ *testing.T, p *Provider) {
		const title = "Cannot update user group %q"
		ids, plans := []string{"a", "b", "c"}, []Plan{}
		states := map[string]State{}
		for _, id := range ids {
			states[id] = p.Created(Acme("user_group_id", id))
		}
		p.Always(http.MethodPut, emulator.Unavailable503)
		p.Walk().WantNone()
		for _, id := range ids {
			plans = append(plans, p.PlanToo(states[id], NextQuarter("user_group_id", id, "name", "New")))
		}
		earlier := "See the earlier error: " + fmt.Sprintf(title, "a")
		for i, says := range []string{"status 503", earlier, earlier} {
			state, diags := p.ApplyToo(plans[i])
			diags.WantError(fmt.Sprintf(title, ids[i]), says)
			p.WantTruth(state, ids[i])
		}
		p.WantCalls("PUT > PUT > PUT > POST > PUT > POST > PUT > POST")
	})
}

// A rotation returns no token, and the lookup that follows it shows the old one.
func TestALostTokenIsNotInTheState(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{RotationDelay: 1 << 60})
	state := p.Created(Acme())
	p.Fault(http.MethodPost, emulator.NoToken)
	after, diags := p.Update(state, NextQuarter())
	diags.WantError(cannotRotate, "It is not known whether the token was rotated", "wait some minutes",
		"only if it is still the old one")
	p.WantSame(after, state)
}

// A saved plan, or a plan with -refresh=false, may be about a group that is gone.
func TestUpdateOfAMissingGroupLeavesNothing(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state, config := p.Created(Acme()), NextQuarter("name", "New")
	saved := p.Plan(state, config)
	p.Service.Remove("acme")
	after, diags := p.Apply(saved)
	p.WantCalls("PUT > GET > preflight > GET > DELETE")
	diags.WantError(`User group "acme" does not exist`, "was not updated")
	p.WantSame(after, state)
	p.WantGroups()
	p.WantNoState(p.Refreshed(after))
}

// Without a team_id, and without a refresh, a group with another token is the one in the state: somebody has rotated
// it.
func TestRotationWithoutARefreshLooksTheTokenUp(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{Omit: []string{"team_id"}})
	state := p.Created(Acme())
	p.Service.RotateBehind("acme")
	state = p.Updated(state, NextQuarter())
	p.WantCalls("POST > GET > POST")
	p.WantTruth(state, "acme")
}

// TestComputedAttributesAreTrue checks each computed attribute after every operation, also after those that the service
// has refused: then it keeps its value. An attribute that somebody has added is named until it has a row here.
func TestComputedAttributesAreTrue(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(t *testing.T, p *Provider) {
		want := func(state State, after string, rotatedAt, tag any) {
			t.Helper()
			group := p.Group("acme")
			truth := Object{
				"id": "acme", "token": group.Token, "token_fingerprint": Fingerprint(group.Token), "team_id": group.TeamID,
				"token_rotated_at": rotatedAt, "api_environment_tag": tag,
			}
			for _, name := range p.Computed() {
				value, known := truth[name]
				if got := state.Get(name); !known || got != value {
					t.Errorf("after %s, %s is %v, want %v (known: %t)", after, name, got, value, known)
				}
			}
		}
		created := passed(time.Hour)
		state := p.Created(Acme())
		want(state, "a create", created, nil)
		passed(time.Hour)
		p.Always("", emulator.Refuse)
		state, diags := p.Update(state, NextQuarter("name", "New"))
		if !diags.HasError() {
			t.Error("a refused update and rotation have no error")
		}
		want(state, "a refusal", created, nil)
		p.Service.ClearFaults()
		want(p.Refreshed(state), "a refresh", created, nil)
		state = p.Updated(state, Acme("name", "New"))
		want(state, "an update", created, "Customer")
		rotated := passed(time.Hour)
		state = p.Updated(state, NextQuarter("name", "New"))
		want(state, "a rotation", rotated, "Customer")
		want(p.Refreshed(state), "another refresh", rotated, "Customer")
		want(p.Imported("acme"), "an import", nil, nil)
		passed(2 * time.Minute)
		adoptedState, diags := p.Apply(p.Plan(p.Nothing(), adopting()))
		diags.WantWarning(adopted)
		want(adoptedState, "an adoption", nil, "Customer")
	})
}

// The numbers of both environments are equal, so only the response to the update shows that the key is wrong. It is not
// believed that the rotation of the same apply is about the group of the state.
func TestNoRotationAfterAnotherEnvironmentHasShown(t *testing.T) {
	t.Parallel()
	both := map[string]string{customerKey: "Customer", testingKey: "Testing"}
	p := start(t, emulator.Options{Environments: both, SameTeamIDs: true})
	right := p.AnotherProcess(Object{"api_key": testingKey})
	state := right.Updated(right.Created(Acme()), Acme("name", "New")) // Now the state has the tag.
	theirs := p.Service.In("Customer").Seed(emulator.Group{ID: "acme", Name: "Acme"})
	wrong := p.AnotherProcess(Object{"api_key": customerKey})
	p.Service.ResetCounts()
	_, diags := wrong.Update(state, NextQuarter("name", "Newer"))
	if !diags.HasError() {
		t.Error("no error says that the group is in another environment")
	}
	p.WantCalls("PUT")
	if group, _ := p.Service.In("Customer").Group("acme"); group.Token != theirs.Token {
		t.Error("the customer's group was rotated")
	}
}

// The known token proves that a group with another number is the one of the state.
func TestUpdateOfARenumberedGroup(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Service.Change("acme", func(group *emulator.Group) { group.TeamID = 77 })
	p.Service.ResetCounts()
	state, diags := p.Update(state, Acme("name", "New"))
	diags.WantNone()
	p.WantCalls("PUT")
	p.WantState(p.Refreshed(state), "team_id", int64(77))
	// A number that the state lacks is promised to nobody.
	p.WantState(p.Updated(p.Edited(state, "team_id", nil), Acme("name", "Newer")), "team_id", int64(77))
}

// A service that only repeats what a request has cannot show that a refused update was carried out.
func TestRefusedAdoptionIsNone(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Answers: emulator.AnswersEcho}, func(t *testing.T, p *Provider) {
		p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs"})
		p.Service.Fail(emulator.Fault{Method: "PUT", Nth: 1, Kind: emulator.Refuse, Status: 404})
		adopting := Acme("adopt_existing", true)
		after, diags := p.Apply(p.Plan(p.Nothing(), adopting), adopting)
		if !diags.HasError() {
			t.Errorf("the adoption was refused, and the state has %v", after)
		}
		if now := p.Group("acme"); now.Name != "Theirs" {
			t.Errorf("the group has the name %q", now.Name)
		}
	})
}
