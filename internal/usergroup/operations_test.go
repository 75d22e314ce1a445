package usergroup_test

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestOperations shows the calls of each operation as examples to read. TestHistories proves that they are safe.
func TestOperations(t *testing.T) {
	shows(t, "a group that exists", "read/as known/stored", none, "GET")
	shows(t, "a group that is missing leaves nothing behind", "read/absent/stored", none,
		"GET, GET, GET, GET, DELETE, GET, DELETE")
	shows(t, "a group that shows a name was not made by a look that was lost", "import/exists/stored", none,
		"GET lost after the work, GET")
	shows(t, "a look that was lost proves nothing of a group without a name", "import/nameless/stored",
		usergroup.MayBeLeftBehind, "GET lost after the work, GET")
	shows(t, "an answer from a cache deletes nothing", "read/as known/stored", usergroup.AnsweredFromCache,
		"GET an old answer")
	shows(t, "a check that is answered in part twice is given up", "read/absent/stored", usergroup.CallFailed,
		"GET, GET, GET half an answer, DELETE, GET, GET half an answer, DELETE")
	shows(t, "a new group", "create/absent/stored", none, "GET")
	shows(t, "a group that exists is not adopted unasked", "create/exists/stored", usergroup.Exists, "GET")
	shows(t, "a group with the same name is looked up first", "create/alike/stored", usergroup.Exists, "GET, GET")
	shows(t, "an adoption", "adopt/exists/stored", usergroup.Adopted, "GET, PUT")
	shows(t, "an adoption asks for a token that it was not told", "adopt/exists/stored", usergroup.Adopted,
		"GET, PUT an answer without token, GET")
	shows(t, "a lost creation is claimed on evidence", "create/absent/stored", usergroup.Claimed,
		"GET lost after the work, GET, GET, GET, GET, DELETE, GET")
	shows(t, "a lost creation is claimed if lookups need a name", "create/absent/name required", usergroup.Claimed,
		"GET lost after the work, GET, GET, GET, GET, GET, DELETE, GET")
	shows(t, "a lost creation is not claimed if properties are hidden", "create/alike/hides properties",
		usergroup.MayHaveExisted, "GET lost before the work, GET, GET, GET, GET, DELETE, GET")
	shows(t, "a stopped run looks up what it may have created", "create/absent/stored", usergroup.Claimed,
		"GET lost after the work, (the run is stopped), GET, GET, GET, GET, DELETE, GET")
	shows(t, "a check recognizes an answer about another group", "create/absent/silent", usergroup.AnsweredFromCache,
		"GET lost after the work, GET, GET an old answer")
	shows(t, "a stopped run looks up what it has created", "create/absent/stored", none,
		"(the run is stopped), GET half an answer, GET")
	shows(t, "an adoption does not take an empty group", "adopt/exists/no team_id", usergroup.Replaced,
		"GET, PUT an answer without token, (another actor replaces), GET, GET, GET, GET, DELETE")
	shows(t, "another's group is not claimed", "create/exists/stored", usergroup.MayHaveExisted,
		"GET lost before the work, GET")
	shows(t, "an update", "update/as known/stored", none, "PUT")
	shows(t, "an update is sent again", "update/as known/stored", none, "PUT lost after the work, PUT")
	shows(t, "an update whose answer contradicts it is sent again", "update/as known/stored", none,
		"PUT answered with an old answer, PUT")
	shows(t, "an adoption offers no command that deletes the group", "adopt/exists/no team_id", usergroup.CallFailed,
		"GET an answer without token, PUT an answer without token, GET lost before the work, GET lost before the work")
	shows(t, "half an old answer does not show that an update was done", "adopt/exists/stored", usergroup.CallFailed,
		"GET lost before the work, GET half an answer, PUT answered with an old answer")
	shows(t, "a rotation", "rotate/as known/stored", none, "POST")
	shows(t, "a lost rotation is looked up, and not repeated", "rotate/as known/stored", none,
		"POST lost after the work, GET")
	shows(t, "a rotation that was not done is", "rotate/as known/stored", none, "POST lost before the work, GET, POST")
	shows(t, "a rotation that a rate limit refuses needs no lookup", "rotate/as known/stored", usergroup.CallFailed,
		"POST 429, POST 429")
	shows(t, "a stale token is looked up", "rotate/other token/stored", none, "POST, GET, POST")
	shows(t, "a token that is not stored", "rotate, not stored/as known/stored", none, "GET, POST")
	shows(t, "a rotation beside an update that is refused", "update and rotate/as known/stored", usergroup.CallFailed,
		"PUT refused 400, POST")
	shows(t, "a deletion", "delete/as known/stored", none, "DELETE")
	shows(t, "a deletion of what is gone", "delete/absent/stored", none, "DELETE, GET, GET, GET, GET, DELETE, GET, DELETE")
	shows(t, "a deletion that is refused says that a look was lost", "delete, not stored/as known/stored",
		usergroup.CallFailed, "GET, (another actor deletes), DELETE, GET lost after the work, GET an old answer")
	shows(t, "a rotation that is refused says that a look was lost", "rotate, not stored/as known/no team_id",
		usergroup.CallFailed, "GET, (another actor deletes), POST, GET lost after the work, GET an old answer")
	shows(t, "a deletion leaves another group under the id", "delete/another group/stored", usergroup.AnotherRemains,
		"DELETE, GET")
	shows(t, "the check of the service recognizes a wrong key", "import/exists/stored/Testing", usergroup.WrongKey,
		"GET, GET, PUT, DELETE")
	shows(t, "a wrong key updates no group of the right environment", "update/of Testing/stored/Testing",
		usergroup.WrongKey, "GET, GET, PUT, DELETE")
	shows(t, "a group of another environment is not updated", "update/of Customer/stored/Testing",
		usergroup.WrongEnvironment, "")
	shows(t, "a group of another environment is not rotated", "rotate/of Customer/stored/Testing",
		usergroup.WrongEnvironment, "")
}

const none = usergroup.Finding(-1)

// shows checks how the operation of a situation ends: with this finding, of the error or of the last warning. calls are
// all its attempts, each with its mishap, and the events between them.
func shows(t *testing.T, name, situation string, finding usergroup.Finding, calls string) {
	t.Helper()
	runParallel(t, name, func(t *testing.T) {
		h := situationCalled(situation).start()
		h.follow(calls)
		h.operate(t.Context())
		if got := h.attempts(); got != calls {
			t.Errorf("the calls are %s, want %s", got, calls)
		}
		last := none
		if n := len(h.problems); n > 0 {
			last = h.problems[n-1].Finding
		}
		if fails := last != none && last < usergroup.Adopted; last != finding || (h.err != nil) != fails {
			t.Errorf("the last finding is %d, want %d: %v; %v", last, finding, h.problems, h.err)
		}
		h.check()
		for _, broken := range h.broken {
			t.Error(broken)
		}
	})
}

// follow sets the script to the events and mishaps of calls, such as "PUT, (the run is stopped), GET half an answer".
func (h *history) follow(calls string) {
	for call := range strings.SplitSeq(calls, ", ") {
		_, mishap, _ := strings.Cut(call, " ")
		if event, is := strings.CutPrefix(call, "("); is {
			mishap = strings.TrimSuffix(event, ")")
		}
		h.script = append(h.script, cmp.Or(mishap, "answered"))
	}
}

// attempts returns the attempts and the events so far in the notation of follow.
func (h *history) attempts() string {
	var calls []string
	for _, event := range h.events {
		if line := event(); line[0] == '(' || strings.ToUpper(line[:3]) == line[:3] {
			calls = append(calls, strings.TrimSuffix(line, " answered"))
		}
	}
	return strings.Join(calls, ", ")
}

// TestOneAtATime: operations on the same ID must run one at a time, so that none sees the placeholder of another's
// lookup.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := situationCalled("import/absent/stored")
		s.reading.Latency = latency // Otherwise, a lookup may end before the next one begins.
		h := s.start()
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				if _, err := h.service.Find(t.Context(), usergroup.Known{ID: id}); !errors.Is(err, usergroup.ErrNotFound) {
					t.Errorf("the lookup of a missing group returned %v", err)
				}
			})
		}
		workers.Wait()
		// Who sees the placeholder of another lookup waits, and looks again.
		if _, there := h.Group(id); there || len(h.Calls()) != 8*3+callsOfCheck {
			t.Errorf("a placeholder was left behind: %t; %d calls", there, len(h.Calls()))
		}
	})
}

// TestEnds: an operation must end even if another actor never stops changing the group.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		situation, event string
		calls            int
	}{
		{"read/absent/stored", "another actor deletes", 11},
		{"read/absent/stored", "another actor rotates", 9},
		{"import/nameless/stored", "another actor replaces", 11},
		{"create/nameless/stored", "another actor replaces", 14},
		{"rotate/as known/stored", "another actor rotates", 6},
		{"delete/as known/stored", "another actor rotates", 6},
	} {
		runParallel(t, test.situation+" while "+test.event, func(t *testing.T) {
			h := situationCalled(test.situation).start()
			at := slices.IndexFunc(events, func(e mishap) bool { return e.name == test.event })
			h.BeforeCall(func(emulator.Call) {
				if len(h.Calls()) > 20 {
					panic("the operation does not end")
				}
				events[at].between(h.world)
			})
			h.operate(t.Context())
			if calls := len(h.Calls()); calls != test.calls || (h.err == nil) != h.operation.imports {
				t.Errorf("%d calls, want %d; %v", calls, test.calls, h.err)
			}
		})
	}
}

// TestNameIsSentAgain: an update without a name must be repeated with the known name if the service requires one.
func TestNameIsSentAgain(t *testing.T) {
	t.Parallel()
	for known, want := range map[string]int{oldName: 2, "": 1} {
		h := situationCalled("update/as known/name required").start()
		before := h.state.asKnown()
		before.Name = known
		_, err := h.service.Update(t.Context(), api.GroupRequest{UserGroupID: id}, before)
		if group, _ := h.Group(id); len(h.Calls()) != want || (err == nil) != (want == 2) || group.Name != oldName {
			t.Errorf("known name %q: %d calls, want %d; the name is %q; %v", known, len(h.Calls()), want, group.Name, err)
		}
	}
}

// TestTokensAreRemembered: a response that reports a group as new whose token this process knows must be recognized as
// one from a cache.
func TestTokensAreRemembered(t *testing.T) {
	t.Parallel()
	h := situationCalled("adopt/exists/stored").start()
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
		h := situationCalled("create/alike/stored").start()
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
		"after a refused try": {before: "exists", between: "create", calls: 1},
	} {
		runParallel(t, name, func(t *testing.T) {
			h := situationCalled("import/" + test.before + "/stored").start()
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
				h.importGroup(t.Context())
				group, _ := h.Group(id)
				if h.err != nil || !h.hasToken() || h.state.name != group.Name {
					t.Errorf("the import found %+v, %v", h.state, h.err)
				}
				if made := len(h.Calls()) - before; made != calls {
					t.Errorf("the import made %d calls, want %d", made, calls)
				}
			}
		})
	}
}

// TestTheProblemThatEndedTheRunIsExplained: of two operations whose lookups fail at the same time, the one that
// depended on the lookup that has ended the run must explain it, even if the other one reports its own failure first.
func TestTheProblemThatEndedTheRunIsExplained(t *testing.T) {
	t.Parallel()
	service := usergroup.New(api.New(api.Config{BaseURL: &url.URL{}}), "")
	lookup := service.End(&usergroup.Problem{Operation: usergroup.LookUp, ID: "a"})
	first := &usergroup.Problem{Operation: usergroup.Delete, ID: "a", Cause: lookup}
	if got := service.EndFor(usergroup.Delete, first); got != first {
		t.Errorf("the operation that explains the end of the run returns %v", got)
	}
	other := service.EndFor(usergroup.Delete, &usergroup.Problem{Operation: usergroup.Delete, ID: "b"})
	if other.Finding != usergroup.RunEnded || other.Cause != lookup {
		t.Errorf("another operation returns %v with the cause %v", other, other.Cause)
	}
}
