package protocoltest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
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

// A lost lookup of a missing group is a warning.
func TestUserGroupsOfNoGroup(t *testing.T) {
	p := start(t, emulator.Options{})
	got := Silent(userGroups(p))
	if fmt.Sprint(got["missing_ids"], got["groups"]) != "[] map[]" {
		t.Errorf("got %v", got)
	}
	p.WantCalls("")
	p.Fault(http.MethodGet, emulator.CutBefore)
	second(userGroups(p, "nobody")).WantWarning(doesNotExist,
		"attempt at the lookup got no usable response", "an empty group will appear")
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
	for name, looksUp := range map[string]func(*Provider) Diags{
		"data source": func(p *Provider) Diags { return second(userGroups(p, ids...)) },
		"list":        func(p *Provider) Diags { return second(p.List(0, true, ids...)) },
	} {
		t.Run(name, func(t *testing.T) {
			p := wrongKey(t)
			p.Walk().WantNone()
			looksUp(p).WantError("The API key belongs to another environment", `"Testing"`, `"Customer"`)
			p.WantCalls("check")
			// The same run has the explanation already.
			looksUp(p).WantError(`User group "customer-0" was left unchanged`,
				"The API key belongs to another environment")
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

// TestImportUsesTheLookupBeforeIt checks that a group that a data source has just looked up is not looked up again by
// the import in the same plan, unless it was missing. TestFindForImport in internal/usergroup has the other exceptions.
func TestImportUsesTheLookupBeforeIt(t *testing.T) {
	p := start(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: json.RawMessage(`{"a":1}`)})
	second(userGroups(p, "acme", "nobody")).WantNone()
	p.Service.Seed(emulator.Group{ID: "nobody", Name: "New"})
	p.Service.ResetCounts()
	state := Silent(p.ImportToo("acme"))
	p.WantCalls("")
	p.WantTruth(state, "acme")
	p.WantState(state, "name", "Acme", "properties", `{"a":1}`)
	p.WantTruth(Silent(p.ImportToo("nobody")), "nobody")
	p.WantCalls("GET")
}
