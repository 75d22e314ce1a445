package provider_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// userGroups reads the data source embed_user_groups.
func userGroups(p *Provider, ids ...string) (Object, Diags) {
	p.T.Helper()
	return p.Data("embed_user_groups", Object{"user_group_ids": ids})
}

// wantObject checks that two objects are equal.
func wantObject(p *Provider, got, want Object) {
	p.T.Helper()
	if !reflect.DeepEqual(got, want) {
		p.T.Errorf("got %v, want %v", got, want)
	}
}

// wantLookups checks that the calls since the counts were last reset, in any order and apart from the
// preflight, were lookups of so many existing and missing groups. It resets the counts.
func wantLookups(p *Provider, existing, missing int) {
	p.T.Helper()
	calls := map[string]int{http.MethodGet: 0, http.MethodDelete: 0}
	for _, call := range p.Service.Calls() {
		if !IsPreflight(call) {
			calls[call.Method]++
		}
	}
	p.Service.ResetCounts()
	want := map[string]int{http.MethodGet: existing + 2*missing, http.MethodDelete: missing}
	if !maps.Equal(calls, want) {
		p.T.Errorf("the calls were %v, want %v", calls, want)
	}
}

// TestLookupsShowWhatTheServiceShows checks that each object makes one lookup for an existing group, and shows what it
// shows, null for what it does not show, and the token only where it belongs. A missing group is an error that leaves
// nothing behind, except in a list of groups. The data source has the token only if it is to be stored.
func TestLookupsShowWhatTheServiceShows(t *testing.T) {
	t.Parallel()
	for answers, shown := range map[emulator.Answers]Object{
		emulator.AnswersStored: {"name": "Acme", "properties": `{"a":null,"b":1}`},
		emulator.AnswersEcho:   {"name": nil, "properties": nil},
	} {
		p := start(t, emulator.Options{Answers: answers})
		acme := p.Service.Seed(emulator.Group{
			ID: "acme", Name: "Acme", Properties: json.RawMessage(` { "b" : 1.0, "a": null }`), TeamID: 9007199254740993,
		})
		bare := p.Service.Seed(emulator.Group{ID: "bare", Name: "Bare"})
		before := p.Service.Groups()
		plain := Object{"team_id": acme.TeamID, "token_fingerprint": Fingerprint(acme.Token)}
		opened := With(plain, "user_group_id", "acme", "token", acme.Token)
		wantObject(p, Silent(p.Open(ByID("acme"))), opened)
		for store, token := range map[any]any{nil: acme.Token, false: nil} {
			read := Silent(p.Data(ResourceType, With(ByID("acme"), "store_token", store)))
			wantObject(p, read, With(opened, shown, "id", "acme", "store_token", store, "token", token))
		}
		wantLookups(p, 3, 0)
		for _, missing := range []Diags{second(p.Open(ByID("nobody"))), second(p.Data(ResourceType, ByID("nobody")))} {
			missing.WantError(doesNotExist, "has no group with this ID", "No group was changed")
		}
		p.Service.ResetCounts()

		named := With(shown, "properties", nil)
		if answers == emulator.AnswersStored {
			named["name"] = "Bare"
		}
		wantObject(p, Silent(userGroups(p, "bare", "nobody", "acme", "bare")), Object{
			"user_group_ids": []any{"bare", "nobody", "acme", "bare"}, "missing_ids": []any{"nobody"},
			"groups": Object{
				"acme": With(plain, shown),
				"bare": With(named, "team_id", bare.TeamID, "token_fingerprint", Fingerprint(bare.Token)),
			},
		})
		wantLookups(p, 2, 1)
		wantObject(p, Silent(userGroups(p)), Object{"user_group_ids": []any{}, "missing_ids": []any{}, "groups": Object{}})
		p.WantCalls("")
		p.Fault(http.MethodGet, emulator.CutBefore)
		second(userGroups(p, "nobody")).WantWarning(doesNotExist, `A group with the ID "nobody" may remain`)
		if progress := "Looked up 3 of 3"; !strings.Contains(p.Logged(), progress) {
			t.Errorf("the log does not say %q", progress)
		}
		p.WantUntouched(before)
	}
}

// TestLookupsOfManyGroupsSayWhatEndedTheRun checks that the error that ends a run is reported, whichever of the lookups
// under way has it, and so is each group that is left behind. The other lookups report nothing. Any error ends those of
// the data source.
func TestLookupsOfManyGroupsSayWhatEndedTheRun(t *testing.T) {
	t.Parallel()
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprint("customer-", i))
	}
	t.Run("data, all refused", func(t *testing.T) {
		t.Parallel()
		p := start(t, emulator.Options{})
		p.Always("", emulator.Refuse)
		second(userGroups(p, ids...)).WantError(`Cannot look up user group "customer-0"`, "refuses this call")
		if calls := len(p.Service.Calls()); calls > 40 {
			t.Errorf("%d calls were made, although the service refuses all of them", calls)
		}
	})
	for name, looksUp := range map[string]func(*Provider) Diags{
		"data source": func(p *Provider) Diags { return second(userGroups(p, ids...)) },
		"list":        func(p *Provider) Diags { return second(p.List(0, true, ids...)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := wrongKey(t)
			p.Walk().WantNone()
			looksUp(p).WantError(wrongKeyUsed, `"Testing"`, `Customer`)
			p.WantCalls("preflight")
			// The same run has the explanation already.
			looksUp(p).WantError(`Cannot look up user group "customer-0"`, "See the earlier error: "+wrongKeyUsed)
		})
		t.Run(name+", nothing can be deleted", func(t *testing.T) {
			t.Parallel()
			inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
				p.Always(http.MethodDelete, emulator.CutBefore)
				diags := looksUp(p)
				said, left := diags.String(), p.Service.Groups()
				for _, group := range left {
					if !strings.Contains(said, fmt.Sprintf("ID %q, may remain", group.ID)) &&
						!strings.Contains(said, fmt.Sprintf("ID %q may remain", group.ID)) {
						t.Errorf("%s was left behind, and no message names it", group.ID)
					}
				}
				if len(left) < 10 || len(diags.List) > len(left) {
					t.Errorf("%d groups are left, and there are %d messages:\n%s", len(left), len(diags.List), diags)
				}
			})
		})
	}
}

// TestNoLookupBeginsWhileAFailureWaits checks that the data source begins no lookup once one has failed, although the
// result of a slow one comes first.
func TestNoLookupBeginsWhileAFailureWaits(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
		ids := []string{"slow", "bad"}
		for i := range 100 {
			ids = append(ids, fmt.Sprint("customer-", i))
		}
		for _, id := range ids {
			p.Service.Seed(emulator.Group{ID: id, Name: "Customer"})
		}
		p.Service.BeforeCall(func(call emulator.Call) {
			if call.ID == "slow" {
				passed(5 * time.Second)
			}
		})
		p.Service.Fail(emulator.Fault{ID: "bad", Kind: emulator.Refuse})
		second(userGroups(p, ids...)).WantError(`Cannot look up user group "bad"`)
		// Ten lookups have begun at once, and each of those that ended with the failure may have had a successor.
		if calls := len(p.Service.Calls()); calls < 10 || calls > 20 {
			t.Errorf("%d lookups were made", calls)
		}
	})
}

// TestAMissingGroupHoldsUpNoLookup checks that the other lookups go on while a missing group waits for its turn.
func TestAMissingGroupHoldsUpNoLookup(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
		ids := []string{"slow", "nobody"}
		p.Service.Seed(emulator.Group{ID: "slow", Name: "Customer"})
		for i := range 100 {
			ids = append(ids, fmt.Sprint("customer-", i))
			p.Service.Seed(emulator.Group{ID: ids[i+2], Name: "Customer"})
		}
		const slow = time.Minute
		p.Service.BeforeCall(func(call emulator.Call) {
			if call.ID == "slow" {
				passed(slow)
			}
		})
		began := time.Now()
		Silent(userGroups(p, ids...))
		if took := time.Since(began); took > slow+2*time.Second {
			t.Errorf("the lookups took %s, which is longer than the slow one", took)
		}
	})
}

// TestEveryCauseOfFailedLookupsIsExplained lets two lookups fail in different ways. What refers to the second one needs
// its explanation.
func TestEveryCauseOfFailedLookupsIsExplained(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Latency: time.Second}, func(_ *testing.T, p *Provider) {
		p.Service.BeforeCall(func(call emulator.Call) {
			if call.ID == "slow" {
				passed(time.Minute)
			}
		})
		p.Service.Fail(emulator.Fault{ID: "slow", Kind: emulator.Unavailable503})
		p.Service.Fail(emulator.Fault{ID: "busy", Kind: emulator.TooMany429})
		diags := second(userGroups(p, "slow", "busy"))
		p.Diagnostics(diags.List[:1]).WantError(`Cannot look up user group "slow"`, "status 503")
		p.Diagnostics(diags.List[1:]).WantError(`Cannot look up user group "busy"`, "status 429")
	})
}

// TestUserGroupsIsCompleteOrFails checks that the data source has no result if the run is stopped while all lookups
// under way succeed, since it would lack the groups that were not looked up.
func TestUserGroupsIsCompleteOrFails(t *testing.T) {
	t.Parallel()
	const latency = time.Second
	inVirtualTime(t, emulator.Options{Latency: latency}, func(t *testing.T, p *Provider) {
		var ids []string
		for i := range 200 {
			ids = append(ids, fmt.Sprint("customer-", i))
			p.Service.Seed(emulator.Group{ID: ids[i], Name: "Customer"})
		}
		stopped := time.AfterFunc(21*latency/2, p.Stop)
		found, diags := userGroups(p, ids...)
		next := len(p.Service.Calls()) // Each call was the lookup of a group that exists.
		diags.WantError(fmt.Sprintf("Cannot look up user group %q", ids[next]), "The run was stopped")
		if stopped.Stop() || found["groups"] != nil {
			t.Errorf("the run was not stopped, or has found %v", found["groups"])
		}
		if progress := strings.Count(p.Logged(), "Looked up "); progress != 2 || !strings.Contains(p.Logged(), "50 of 200") {
			t.Errorf("the log shows progress %d times, want after 50 and 100 groups", progress)
		}
	})
}

func TestActionRotatesOnce(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	progress := strings.Join(Silent(p.Invoke(ByID("acme"))), "\n")
	p.WantCalls("GET > POST")
	begins := `Rotating the token of user group "acme"` + "\nRotated"
	if !strings.HasPrefix(progress, begins) || !strings.Contains(progress, Fingerprint(p.Group("acme").Token)) ||
		!strings.HasSuffix(progress, "the next refresh reads the new token.") || strings.Contains(progress, "ugt_") {
		t.Errorf("the progress was %q", progress)
	}
	// The service may still carry out a lookup that was lost, and bring the group back once it is deleted.
	p.Fault(http.MethodGet, emulator.CutBefore)
	second(p.Invoke(ByID("acme"))).WantWarning(`Looking up user group "acme" may have created it`, "The token was rotated")
	p.WantCalls("GET > GET > POST")
	p.Always(http.MethodPost, emulator.Refuse)
	started, diags := p.Invoke(ByID("acme"))
	diags.WantError(cannotRotate, "was not rotated")
	if len(started) != 1 {
		t.Errorf("the progress of the failed action is %q", started)
	}
	second(p.Invoke(ByID("nobody"))).WantError(doesNotExist, "has no group with this ID", "was not rotated")
}

// A list has the names of groups if the service shows them, and no tokens. A limit counts only the groups that exist.
func TestListLeavesOutMissingGroups(t *testing.T) {
	t.Parallel()
	for answers, want := range map[emulator.Answers]struct {
		list  string
		shown Object
	}{
		emulator.AnswersStored: {
			"[{Acme (acme) acme map[]} {B (b) b map[]}]", Object{"name": "Acme", "properties": `{"a":2,"z":1}`},
		},
		emulator.AnswersEcho: {"[{acme acme map[]} {b b map[]}]", Object{}},
	} {
		p := start(t, emulator.Options{Answers: answers})
		acme := p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"z":1,"a":2}`)})
		p.Service.Seed(emulator.Group{ID: "b", Name: "B"})
		before := p.Service.Groups()
		if got := fmt.Sprint(Silent(p.List(100, false, "acme", "nobody", "b", "acme", "nobody"))); got != want.list {
			t.Errorf("listed %s, want %s", got, want.list)
		}
		wantLookups(p, 2, 1)
		limited := Silent(p.List(1, true, "nobody", "acme", "b"))
		wantLookups(p, 1, 1)
		resource := With(ByID("acme"), want.shown, "id", "acme", "team_id", acme.TeamID,
			"token_fingerprint", Fingerprint(acme.Token))
		for attribute, got := range limited[0].Resource {
			if want := resource[attribute]; got != want {
				t.Errorf("%s is %v, want %v", attribute, got, want)
			}
		}
		if len(limited) != 1 {
			t.Errorf("the list limited to one is %v", limited)
		}
		p.WantUntouched(before)
	}
}

// Once the engine has stopped reading, no lookup may begin, since each could create and delete a group.
func TestListEndsWithTheEngine(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
		p.Service.Seed(emulator.Group{ID: "a", Name: "A"})
		before := p.Service.Groups()
		p.Service.Fail(emulator.Fault{ID: "busy", Kind: emulator.TooMany429})
		ids := []string{"a", "busy"}
		for i := range 100 {
			ids = append(ids, fmt.Sprint("nobody-", i))
		}
		config := Value(p.Schema.ListResourceSchemas[ResourceType].ValueType(), Object{"user_group_ids": ids})
		stream, err := p.Server.ListResource(t.Context(),
			&tfprotov6.ListResourceRequest{TypeName: ResourceType, Config: p.Encode(config)})
		p.Must(err)
		for range stream.Results {
			break
		}
		if calls := len(p.Service.Calls()); calls > 2+3+8*3 { // the preflight, and lookups of 8 missing groups
			t.Errorf("%d calls were made for one result", calls)
		}
		// What was refused for now is not repeated.
		others := func(call emulator.Call) bool { return call.ID != "busy" }
		if calls := slices.DeleteFunc(p.Service.Calls(), others); len(calls) > 1 {
			t.Errorf("%d calls were made for a group that nobody reads", len(calls))
		}
		p.WantUntouched(before)
	})
}

// The harness checks that errors come last.
func TestListContinuesAfterAFailedLookup(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
		for _, id := range []string{"a", "b"} {
			p.Service.Seed(emulator.Group{ID: id, Name: id})
		}
		p.Service.Seed(emulator.Group{ID: "c", Name: "C"})
		list := func(want string, ids ...string) Diags {
			t.Helper()
			listed, diags := p.List(0, true, ids...)
			got := ""
			for _, one := range listed {
				got += one.ID.(string)
			}
			if got != want {
				t.Errorf("listed %q, want %q", got, want)
			}
			return diags
		}
		// The service may still carry out a lost lookup of a missing group.
		p.Service.Fail(emulator.Fault{Method: http.MethodGet, ID: "nobody", Nth: 1, Kind: emulator.CutBefore})
		list("b", "nobody", "b").WantWarning(doesNotExist, `A group with the ID "nobody" may remain`)
		// Terraform reads nothing after as many results as it wants.
		p.Service.Fail(emulator.Fault{Method: http.MethodGet, ID: "nobody", Nth: 1, Kind: emulator.CutBefore})
		second(p.List(1, true, "nobody", "b", "c")).WantWarning(doesNotExist, `A group with the ID "nobody" may remain`)
		p.Service.Fail(emulator.Fault{Method: http.MethodGet, ID: "b", Nth: 1, Kind: emulator.Refuse})
		second(p.List(1, true, "b", "c")).WantError(`Cannot look up user group "b"`, "refuses this call")
		p.Service.Fail(emulator.Fault{Method: http.MethodGet, ID: "a", Kind: emulator.Refuse})
		many := []string{}
		for i := range 26 {
			many = append(many, string(rune('A'+i)))
			p.Service.Seed(emulator.Group{ID: many[i], Name: "Many"})
		}
		// The lookup of the missing group is the last to end of those that have begun: the preflight comes first.
		p.Walk().WantNone()
		some := slices.Concat([]string{"nobody"}, many[:8], []string{"a"}, many[8:])
		list(strings.Join(many, ""), some...).WantError(`Cannot look up user group "a"`, "refuses this call")
		// After a lost response, a group that shows a name of its own exists.
		p.Service.Change("b", func(group *emulator.Group) { group.Name = "Named" })
		for _, looksUp := range []func() Diags{
			func() Diags { return list("b", "b") }, func() Diags { return second(userGroups(p, "b")) },
			func() Diags { return second(p.Data(ResourceType, ByID("b"))) }, func() Diags { return second(p.Open(ByID("b"))) },
			func() Diags { return second(p.ReadToo(Silent(p.Importing("b", nil)))) },
		} {
			p.Fault(http.MethodGet, emulator.CutBefore)
			looksUp().WantWarning(`Looking up user group "b" may have created it`, `A group with the ID "b" may remain`)
		}
		list("").WantNone()
	})
}

// TestListsSayWhatFailedOnce checks that a list reports each lookup that has failed, and a stop only once.
func TestListsSayWhatFailedOnce(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(t *testing.T, p *Provider) {
		ids := []string{"a", "b", "c", "d", "e"}
		for _, id := range ids {
			p.Service.Seed(emulator.Group{ID: id, Name: "Customer"})
		}
		p.Always(http.MethodGet, emulator.Refuse)
		diags := second(p.List(0, true, ids...))
		for i, id := range ids {
			p.Diagnostics(diags.List[i:min(i+1, len(diags.List))]).
				WantError(fmt.Sprintf("Cannot look up user group %q", id), "refuses this call")
		}
		p.Service.ClearFaults()
		slow := p.AnotherProcess(Object{"requests_per_second": 1})
		time.AfterFunc(2500*time.Millisecond, slow.Stop)
		listed, diags := slow.List(0, true, ids...)
		if len(listed) == 0 || len(diags.List) != 1 || !strings.Contains(diags.String(), "The run was stopped") {
			t.Errorf("the list that was stopped has %v, and says\n%s", listed, diags)
		}
	})
}

func TestTokenFingerprintFunctionMatchesTheState(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	call := func(token string) *tfprotov6.CallFunctionResponse {
		argument := p.Encode(Value(tftypes.String, token))
		answer, err := p.Server.CallFunction(t.Context(), &tfprotov6.CallFunctionRequest{
			Name: "token_fingerprint", Arguments: []*tfprotov6.DynamicValue{argument},
		})
		p.Must(err)
		return answer
	}
	answer := call(state.Token())
	if got := Plain(p.Decode(tftypes.String, answer.Result)); got != state.Get("token_fingerprint") {
		t.Errorf("got %v and the error %v, want %v", got, answer.Error, state.Get("token_fingerprint"))
	}
	refused := call("").Error
	if refused == nil || !strings.Contains(refused.Text, "string length must be at least 1") ||
		refused.FunctionArgument == nil || *refused.FunctionArgument != 0 {
		t.Errorf("the error for an empty token is %+v", refused)
	}
}
