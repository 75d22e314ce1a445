package usergroup_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestTokensAreRemembered: a response that reports a group as new whose token this process knows must be recognized as
// one from a cache.
func TestTokensAreRemembered(t *testing.T) {
	t.Parallel()
	h := situationCalled("adopt/exists/stored").start(t)
	h.operate(t.Context())
	h.script = []string{"an old answer"}
	h.answers = h.answers[:1] // the response to the creation
	calls := len(h.Calls())
	_, err := h.service.Find(t.Context(), usergroup.Known{ID: id})
	if !found(err, usergroup.AnsweredFromCache) || len(h.Calls()) != calls {
		t.Errorf("%d calls, %v", len(h.Calls())-calls, err)
	}
}

// TestClaimOfAnother: a group that replaces the one that a repeated creation has met must not be claimed, even if it is
// as wanted.
func TestClaimOfAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := situationCalled("create/alike/stored").start(t)
		h.script = []string{"lost before the work"}
		h.BeforeCall(func(emulator.Call) {
			if group, _ := h.Group(id); len(h.Calls()) == 1 {
				h.Remove(id)
				group.Token, group.TeamID = "", 0
				h.Seed(group)
			}
		})
		h.operate(t.Context())
		if len(h.problems) != 1 || h.problems[0].Finding != usergroup.MayHaveExisted {
			t.Errorf("%v", h.problems)
		}
	})
}

// TestCreationAfterDeletion: a creation or an adoption that meets the group that this process has just deleted must
// wait until lookups no longer show it, and must not report it, adopt it, or take it for its own.
func TestCreationAfterDeletion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		before  string
		adopts  bool
		retries int
		script  []string
		finding usergroup.Finding
	}{
		{"as known", false, maxRetries, nil, usergroup.Recreated},
		{"other token", true, maxRetries, nil, usergroup.Recreated},
		{"alike", false, 1, []string{"answered", "lost after the work"}, usergroup.MayHaveExisted},
		{"alike", true, 1, []string{"answered", "lost after the work"}, usergroup.MayHaveExisted},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := situationCalled("create, replacing/" + test.before + "/lagging reads").start(t)
			h.service, h.operation.adopts, h.script = newService(h.world, test.retries, ""), test.adopts, test.script
			h.operate(t.Context())
			group, _ := h.Group(id)
			if group.TeamID == *h.firstTeam || (h.err == nil) != (h.state.exists && h.hasToken()) {
				t.Errorf("%+v: the service has %+v; %v", test, group, h.err)
			}
			if len(h.problems) != 1 || h.problems[0].Finding != test.finding || !h.problems[0].AfterDeletion {
				t.Errorf("%+v: %v", test, h.problems)
			}
		})
	}
}

// TestFindForImport: an import must use a lookup that the same process has just made, but only if nothing has happened
// to the group since, and only once.
func TestFindForImport(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before  string
		script  []string // mishaps of the first lookup
		between string   // an operation of this process, or nothing
		later   time.Duration
		calls   int // of the import
	}{
		"at once":             {before: "exists"},
		"in time":             {before: "exists", later: 5*time.Minute - time.Second},
		"too late":            {before: "exists", later: 5 * time.Minute, calls: 1},
		"after a mishap":      {before: "exists", script: []string{"lost after the work"}, calls: 1},
		"of an empty group":   {before: "nameless", calls: 1},
		"after a refresh":     {before: "exists", between: "refresh", calls: 1},
		"after an update":     {before: "exists", between: "update", calls: 1},
		"after a rotation":    {before: "exists", between: "rotate", calls: 1},
		"after a refused try": {before: "exists", between: "create", calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := situationCalled("import/" + test.before + "/stored").start(t)
				h.script = test.script
				if _, err := h.service.Find(t.Context(), usergroup.Known{ID: id}); err != nil {
					t.Fatal(err)
				}
				if test.between != "" {
					group, _ := h.Group(id)
					_, _ = runOperationCalled(test.between).do(t.Context(), h.service, knownOf(group))
				}
				time.Sleep(test.later)
				for _, calls := range []int{test.calls, 1} {
					before := len(h.Calls())
					found, err := h.service.FindForImport(t.Context(), id)
					group, _ := h.Group(id)
					name := ""
					if found.Name != nil {
						name = *found.Name
					}
					if err != nil || found.Token.Reveal() != group.Token || name != group.Name {
						t.Errorf("the import found %+v, %v", found.UserGroup, err)
					}
					if made := len(h.Calls()) - before; made != calls {
						t.Errorf("the import made %d calls, want %d", made, calls)
					}
				}
			})
		})
	}
}
