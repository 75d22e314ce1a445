package protocoltest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// userGroups reads the data source embed_user_groups.
func userGroups(p *Provider, ids ...string) (Object, Diags) {
	p.T.Helper()
	values := make([]any, len(ids))
	for i, id := range ids {
		values[i] = id
	}
	return p.Data("embed_user_groups", Object{"user_group_ids": values})
}

// wantLookups checks that the calls since the counts were last reset, in any order and apart from the check of the
// service, were lookups of so many existing and missing groups. It resets the counts.
func wantLookups(p *Provider, existing, missing int) {
	p.T.Helper()
	calls := map[string]int{http.MethodGet: 0, http.MethodDelete: 0}
	for _, call := range p.Service.Calls() {
		if !IsCheck(call) {
			calls[call.Method]++
		}
	}
	p.Service.ResetCounts()
	want := map[string]int{http.MethodGet: existing + 2*missing, http.MethodDelete: missing}
	if !maps.Equal(calls, want) {
		p.T.Errorf("the calls were %v, want %v", calls, want)
	}
}

// TestUserGroupsLeavesNoGroupBehind checks that an existing group costs one call and a missing one three, and that no
// group is left behind.
func TestUserGroupsLeavesNoGroupBehind(t *testing.T) {
	p := start(t, emulator.Options{})
	var all, existing, missing []string
	for i := range 120 {
		id := fmt.Sprintf("customer-%03d", i)
		all = append(all, id)
		if i%3 == 0 {
			existing = append(existing, id)
			p.Service.Seed(emulator.Group{ID: id, Name: "Customer"})
		} else {
			missing = append(missing, id)
		}
	}
	before := p.Service.Groups()
	log := p.Logged()
	got, diags := userGroups(p, append(all, all[:2]...)...)
	diags.WantNone()
	if shown := slices.Sorted(maps.Keys(got["groups"].(Object))); !slices.Equal(shown, existing) {
		t.Errorf("groups has %v, want %v", shown, existing)
	}
	if listed := fmt.Sprint(got["missing_ids"]); listed != fmt.Sprint(missing) {
		t.Errorf("missing_ids are %v, want %v", listed, missing)
	}
	wantLookups(p, len(existing), len(missing))
	p.WantUntouched(before)
	for _, progress := range []string{"Looked up 50 of 120", "Looked up 120 of 120"} {
		if !strings.Contains(log.Text.String(), progress) {
			t.Errorf("the log does not say %q", progress)
		}
	}
}

// TestUserGroupsShowsWhatTheServiceShows checks that groups has what lookups show of the groups that exist, null for
// what they do not show, and no token.
func TestUserGroupsShowsWhatTheServiceShows(t *testing.T) {
	t.Parallel()
	for _, answers := range []emulator.Answers{emulator.AnswersStored, emulator.AnswersEcho} {
		p := another(t, emulator.Options{Answers: answers})
		acme := p.Service.Seed(emulator.Group{
			ID: "acme", Name: "Acme", Properties: json.RawMessage(` { "b" : 1.0, "a": null }`), TeamID: 9007199254740993,
		})
		bare := p.Service.Seed(emulator.Group{ID: "bare", Name: "Bare"})
		got, diags := userGroups(p, "bare", "nobody", "acme")
		diags.WantNone()
		want := Object{
			"acme": Object{
				"name": "Acme", "properties": `{"a":null,"b":1}`,
				"token_fingerprint": Fingerprint(acme.Token), "team_id": acme.TeamID,
			},
			"bare": Object{
				"name": "Bare", "properties": nil, "token_fingerprint": Fingerprint(bare.Token), "team_id": bare.TeamID,
			},
		}
		if answers == emulator.AnswersEcho {
			for _, group := range want {
				group.(Object)["name"], group.(Object)["properties"] = nil, nil
			}
		}
		p.WantObject(got["groups"].(Object), want)
	}
}

// TestUserGroupsWithoutValidIDsMakesNoCall checks that there is no call without IDs or with an invalid one, and that a
// lost lookup of a missing group is a warning.
func TestUserGroupsWithoutValidIDsMakesNoCall(t *testing.T) {
	p := start(t, emulator.Options{})
	got, diags := userGroups(p)
	diags.WantNone()
	if fmt.Sprint(got["missing_ids"], got["groups"]) != "[] map[]" {
		t.Errorf("got %v", got)
	}
	p.WantCalls("")
	p.Fault(http.MethodGet, emulator.CutBefore)
	_, diags = userGroups(p, "nobody")
	diags.WantWarning(doesNotExist, "attempt at the lookup got no usable response", "an empty group will appear")
	p.Service.ResetCounts()
	_, diags = userGroups(p, "acme", "")
	diags.WantError(invalidID, "must not be empty")
	p.WantCalls("")
}

// TestUserGroupsReportsACommonFailureOnce checks that a failure with the same cause for all groups is reported once,
// and that it stops further lookups.
func TestUserGroupsReportsACommonFailureOnce(t *testing.T) {
	p := start(t, emulator.Options{})
	p.Always("", emulator.Refuse)
	ids := make([]string, 100)
	for i := range ids {
		ids[i] = fmt.Sprint("customer-", i)
	}
	_, diags := userGroups(p, ids...)
	if len(diags.List) != 1 || !strings.HasPrefix(diags.List[0].Summary, "Cannot look up user group") ||
		!strings.Contains(diags.List[0].Detail, "refuses this call") {
		t.Errorf("want one error, got %v", diags)
	}
	if calls := len(p.Service.Calls()); calls > 40 {
		t.Errorf("%d calls were made, although the service refuses all of them", calls)
	}
	_, diags = userGroups(p.AnotherProcess(Object{"api_key": Unknown}), "acme")
	diags.WantError(notConfigured)
}

// TestLookupsOfManyGroupsSayWhatEndedTheRun checks that the error that ends a run is reported, whichever of the lookups
// under way has it, and so is each group that is left behind. The other lookups report nothing.
func TestLookupsOfManyGroupsSayWhatEndedTheRun(t *testing.T) {
	t.Parallel()
	ids := make([]string, 40)
	for i := range ids {
		ids[i] = fmt.Sprint("customer-", i)
	}
	for name, looksUp := range map[string]func(*Provider) Diags{
		"data": func(p *Provider) Diags { return second(userGroups(p, ids...)) },
		"list": func(p *Provider) Diags { return second(p.List(0, false, ids...)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := wrongKey(t)
			p.Walk().WantNone()
			looksUp(p).WantError("The API key belongs to another environment", `"Testing"`, `"Customer"`)
			p.WantCalls("check")
			// The same run has the explanation already.
			looksUp(p).WantError(`User group "customer-0" was left unchanged`, "The API key belongs to another environment")
		})
		t.Run(name+", nothing can be deleted", func(t *testing.T) {
			inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
				p.Always(http.MethodDelete, emulator.CutBefore)
				diags := looksUp(p)
				said, left := diags.String(), p.Service.Groups()
				for _, group := range left {
					if !strings.Contains(said, `"user_group_id":"`+group.ID+`"`) {
						t.Errorf("%s was left behind, and no command says how to remove it", group.ID)
					}
				}
				if len(left) < 10 || len(diags.List) > len(left) {
					t.Errorf("%d groups are left, and there are %d messages:\n%s", len(left), len(diags.List), diags)
				}
			})
		})
	}
}

// TestUserGroupsIsCompleteOrFails checks that the data source has no result if the run is stopped while all lookups
// under way succeed, since it would lack the groups that were not looked up.
func TestUserGroupsIsCompleteOrFails(t *testing.T) {
	const latency = time.Second
	inVirtualTime(t, emulator.Options{Latency: latency}, func(t *testing.T, p *Provider) {
		ids := make([]string, 200)
		for i := range ids {
			ids[i] = fmt.Sprint("customer-", i)
			p.Service.Seed(emulator.Group{ID: ids[i], Name: "Customer"})
		}
		stopped := time.AfterFunc(21*latency/2, func() {
			_, err := p.Server.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{})
			p.Must(err)
		})
		_, diags := userGroups(p, ids...)
		next := len(p.Service.Calls()) // Each call was the lookup of a group that exists.
		diags.WantError(fmt.Sprintf("Cannot look up user group %q", ids[next]), "The run was stopped")
		if stopped.Stop() {
			t.Error("the run was not stopped")
		}
	})
}

// TestImportUsesTheLookupBeforeIt checks that a group that a data source or a list has just looked up is not looked up
// again by the import in the same plan, unless it was missing. TestFindForImport in internal/usergroup has the other
// exceptions.
func TestImportUsesTheLookupBeforeIt(t *testing.T) {
	t.Parallel()
	for name, looksUp := range map[string]func(*Provider) Diags{
		"data source of many": func(p *Provider) Diags {
			_, diags := userGroups(p, "acme", "nobody")
			return diags
		},
		"data source": func(p *Provider) Diags {
			_, diags := p.DataSource(ByID("acme"))
			return diags
		},
		"list": func(p *Provider) Diags {
			_, diags := p.List(0, true, "acme")
			return diags
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, emulator.Options{})
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"a":1}`)})
			looksUp(p).WantNone()
			p.Service.ResetCounts()
			state := p.ImportToo("acme")
			p.WantCalls("")
			p.WantTruth(state, "acme")
			p.WantState(state, "name", "Acme", "properties", `{"a":1}`)

			looksUp(p).WantNone()
			p.Service.Seed(emulator.Group{ID: "nobody", Name: "New"})
			p.Service.ResetCounts()
			p.WantTruth(p.ImportToo("nobody"), "nobody")
			p.WantCalls("GET")
		})
	}
}
