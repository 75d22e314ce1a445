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

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// userGroups reads the data source embed_user_groups.
func userGroups(p *Provider, ids ...string) (Object, Diags) {
	p.T.Helper()
	return p.Data("embed_user_groups", Object{"user_group_ids": ids})
}

// lookUpsOfMany are the ways to look up many groups.
var lookUpsOfMany = map[string]func(*Provider, ...string) Diags{
	"data source of many": func(p *Provider, ids ...string) Diags { return second(userGroups(p, ids...)) },
	"list":                func(p *Provider, ids ...string) Diags { return second(p.List(0, true, ids...)) },
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

// An existing group costs one call and a missing one three.
func TestUserGroupsLeavesNoGroupBehind(t *testing.T) {
	p := start(t, emulator.Options{})
	var all []string
	var existing, missing []any
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
	got := Silent(userGroups(p, append(all, all[:2]...)...))
	shown, listed := fmt.Sprint(slices.Sorted(maps.Keys(got["groups"].(Object)))), fmt.Sprint(got["missing_ids"])
	if shown != fmt.Sprint(existing) || listed != fmt.Sprint(missing) {
		t.Errorf("groups has %v, want %v; missing_ids are %v, want %v", shown, existing, listed, missing)
	}
	wantLookups(p, len(existing), len(missing))
	p.WantUntouched(before)
	for _, progress := range []string{"Looked up 50 of 120", "Looked up 120 of 120"} {
		if !strings.Contains(p.Logged(), progress) {
			t.Errorf("the log does not say %q", progress)
		}
	}
}

// A lost lookup of a missing group is a warning.
func TestUserGroupsWithoutValidIDsMakesNoCall(t *testing.T) {
	p := start(t, emulator.Options{})
	got := Silent(userGroups(p))
	if fmt.Sprint(got["missing_ids"], got["groups"]) != "[] map[]" {
		t.Errorf("got %v", got)
	}
	p.WantCalls("")
	p.Fault(http.MethodGet, emulator.CutBefore)
	second(userGroups(p, "nobody")).WantWarning(doesNotExist,
		"attempt at the lookup got no usable response", "an empty group will appear")
	p.Service.ResetCounts()
	second(userGroups(p, "acme", "")).WantError(invalidID, "must not be empty")
	p.WantCalls("")
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
		p := start(t, emulator.Options{})
		p.Always("", emulator.Refuse)
		second(userGroups(p, ids...)).WantError(`Cannot look up user group "customer-0"`, "refuses this call")
		if calls := len(p.Service.Calls()); calls > 40 {
			t.Errorf("%d calls were made, although the service refuses all of them", calls)
		}
	})
	for name, looksUp := range lookUpsOfMany {
		t.Run(name, func(t *testing.T) {
			p := wrongKey(t)
			p.Walk().WantNone()
			looksUp(p, ids...).WantError("The API key belongs to another environment", `"Testing"`, `"Customer"`)
			p.WantCalls("check")
			// The same run has the explanation already.
			looksUp(p, ids...).WantError(`User group "customer-0" was left unchanged`,
				"The API key belongs to another environment")
		})
		t.Run(name+", nothing can be deleted", func(t *testing.T) {
			inVirtualTime(t, emulator.Options{Latency: time.Second}, func(t *testing.T, p *Provider) {
				p.Always(http.MethodDelete, emulator.CutBefore)
				diags := looksUp(p, ids...)
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
		var ids []string
		for i := range 200 {
			ids = append(ids, fmt.Sprint("customer-", i))
			p.Service.Seed(emulator.Group{ID: ids[i], Name: "Customer"})
		}
		stopped := time.AfterFunc(21*latency/2, p.Stop)
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
	lookUps := maps.Clone(lookUpsOfMany)
	lookUps["data source"] = func(p *Provider, ids ...string) Diags { return second(p.DataSource(ByID(ids[0]))) }
	for name, looksUp := range lookUps {
		t.Run(name, func(t *testing.T) {
			p := start(t, emulator.Options{})
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"a":1}`)})
			looksUp(p, "acme", "nobody").WantNone()
			p.Service.ResetCounts()
			state := Silent(p.ImportToo("acme"))
			p.WantCalls("")
			p.WantTruth(state, "acme")
			p.WantState(state, "name", "Acme", "properties", `{"a":1}`)

			looksUp(p, "acme", "nobody").WantNone()
			p.Service.Seed(emulator.Group{ID: "nobody", Name: "New"})
			p.Service.ResetCounts()
			p.WantTruth(Silent(p.ImportToo("nobody")), "nobody")
			p.WantCalls("GET")
		})
	}
}
