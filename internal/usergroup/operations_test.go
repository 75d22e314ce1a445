package usergroup_test

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestOperations shows the calls of each operation as examples to read. TestHistories proves that they are safe.
func TestOperations(t *testing.T) {
	const (
		find   = "read"
		lookup = "import"
		none   = usergroup.Finding(-1)
	)
	for _, test := range []struct {
		name      string
		operation string
		before    string // and the reading, unless that is "stored"
		// script names the mishap of each attempt, and events before attempts.
		script  []string
		calls   string
		finding usergroup.Finding
		ok      bool
	}{
		{"a group that exists", find, "as known", nil, "GET", none, true},
		{
			"a group that is missing leaves nothing behind", find, "absent",
			nil, "GET, GET, GET, GET, DELETE, GET, DELETE", none, true,
		},
		{
			"a group that shows a name was not made by a look that was lost", lookup, "exists",
			[]string{"lost after the work"},
			"GET lost after the work, GET", none, true,
		},
		{
			"a look that was lost proves nothing of a group without a name", lookup, "nameless",
			[]string{"lost after the work"},
			"GET lost after the work, GET", usergroup.MayBeLeftBehind, false,
		},
		{
			"a known group was there all along", find, "as known",
			[]string{"lost after the work"},
			"GET lost after the work, GET", none, true,
		},
		{
			"an answer from a cache deletes nothing", find, "as known",
			[]string{"an old answer"},
			"GET an old answer", usergroup.AnsweredFromCache, false,
		},
		{
			"a check that is answered in part twice is given up", find, "absent",
			[]string{"answered", "answered", "half an answer", "answered", "answered", "half an answer"},
			"GET, GET, GET half an answer, DELETE, GET, GET half an answer, DELETE",
			usergroup.CallFailed, false,
		},
		{
			"a lookup without retries left still removes its empty group", find, "absent",
			[]string{"500", "answered", "answered", "answered", "answered", "answered", "500"},
			"GET 500, GET, GET, GET, GET, DELETE, GET 500, GET, DELETE", usergroup.NotFound, true,
		},
		{"a new group", "create", "absent", nil, "GET", none, true},
		{"a group that exists is not adopted unasked", "create", "exists", nil, "GET", usergroup.Exists, false},
		{"a group with the same name is looked up first", "create", "alike", nil, "GET, GET", usergroup.Exists, false},
		{"an adoption", "adopt", "exists", nil, "GET, PUT", usergroup.Adopted, true},
		{
			"a group whose ID has another spelling is not adopted", "adopt", "exists/lower case",
			nil, "GET", usergroup.AnsweredForAnother, false,
		},
		{
			"an adoption asks for a token that it was not told", "adopt", "exists",
			[]string{"answered", "an answer without token"},
			"GET, PUT an answer without token, GET", usergroup.Adopted, true,
		},
		{
			"a stopped run asks for a token that it was not told", "adopt", "exists",
			[]string{"answered", "the run is stopped", "an answer without token"},
			"GET, PUT an answer without token, GET", usergroup.Adopted, true,
		},
		{
			"a lost creation is claimed on evidence", "create", "absent",
			[]string{"lost after the work"},
			"GET lost after the work, GET, GET, GET, GET, DELETE, GET", usergroup.Claimed, true,
		},
		{
			"a lost creation is claimed if lookups need a name", "create", "absent/name required",
			[]string{"lost after the work"},
			"GET lost after the work, GET, GET, GET, GET, GET, DELETE, GET", usergroup.Claimed, true,
		},
		{
			"a lost creation is not claimed if properties are hidden", "create", "alike/hides properties",
			[]string{"lost before the work"},
			"GET lost before the work, GET, GET, GET, GET, DELETE, GET", usergroup.MayHaveExisted, false,
		},
		{
			"a stopped run looks up what it may have created", "create", "absent",
			[]string{"lost after the work", "the run is stopped", "answered"},
			"GET lost after the work, GET, GET, GET, GET, DELETE, GET", usergroup.Claimed, true,
		},
		{
			"a stopped run looks up what it has created", "create", "absent",
			[]string{"the run is stopped", "half an answer"},
			"GET half an answer, GET", none, true,
		},
		{
			"an adoption does not take an empty group", "adopt", "exists/no team_id",
			[]string{"answered", "an answer without token", "another actor replaces"},
			"GET, PUT an answer without token, GET, GET, GET, GET, DELETE", usergroup.Replaced, false,
		},
		{
			"another's group is not claimed", "create", "exists",
			[]string{"lost before the work"},
			"GET lost before the work, GET", usergroup.MayHaveExisted, false,
		},
		{"an update", "update", "as known", nil, "PUT", none, true},
		{
			"an update is sent again", "update", "as known",
			[]string{"lost after the work"},
			"PUT lost after the work, PUT", none, true,
		},
		{
			"an update whose answer contradicts it is sent again", "update", "as known",
			[]string{oldAnswer},
			"PUT answered with an old answer, PUT", none, true,
		},
		{
			"an adoption offers no command that deletes the group", "adopt", "exists/no team_id",
			[]string{
				"an answer without token", "an answer without token", "lost before the work", "lost before the work",
			},
			"GET an answer without token, PUT an answer without token, GET lost before the work, GET lost before the work",
			usergroup.CallFailed, false,
		},
		{
			"half an old answer does not show that an update was done", "adopt", "exists",
			[]string{"lost before the work", "half an answer", oldAnswer},
			"GET lost before the work, GET half an answer, PUT answered with an old answer", usergroup.CallFailed, false,
		},
		{"a rotation", "rotate", "as known", nil, "POST", none, true},
		{
			"a lost rotation is looked up, and not repeated", "rotate", "as known",
			[]string{"lost after the work"},
			"POST lost after the work, GET", none, true,
		},
		{
			"a rotation that was not done is", "rotate", "as known",
			[]string{"lost before the work"},
			"POST lost before the work, GET, POST", none, true,
		},
		{
			"a rotation that a rate limit refuses needs no lookup", "rotate", "as known",
			[]string{"429", "429"},
			"POST 429, POST 429", usergroup.CallFailed, false,
		},
		{"a stale token is looked up", "rotate", "other token", nil, "POST, GET, POST", none, true},
		{"a token that is not stored", "rotate, not stored", "as known", nil, "GET, POST", none, true},
		{
			"a rotation whose token is lost is not repeated", "rotate", "as known",
			[]string{"an answer without token", "refused 400", "refused 400"},
			"POST an answer without token, GET refused 400, GET refused 400", usergroup.CallFailed, false,
		},
		{
			"a rotation beside an update that is refused", "update and rotate", "as known",
			[]string{"refused 400"},
			"PUT refused 400, POST", usergroup.CallFailed, false,
		},
		{"a deletion", "delete", "as known", nil, "DELETE", none, true},
		{
			"a deletion of what is gone", "delete", "absent",
			nil, "DELETE, GET, GET, GET, GET, DELETE, GET, DELETE", none, true,
		},
		{
			"a deletion that is refused says that a look was lost", "delete, not stored", "as known",
			[]string{"answered", "another actor deletes", "answered", "lost after the work", "an old answer"},
			"GET, DELETE, GET lost after the work, GET an old answer", usergroup.CallFailed, false,
		},
		{
			"a rotation that is refused says that a look was lost", "rotate, not stored", "as known/no team_id",
			[]string{"answered", "another actor deletes", "answered", "lost after the work", "an old answer"},
			"GET, POST, GET lost after the work, GET an old answer", usergroup.CallFailed, false,
		},
		{
			"a deletion leaves another group under the id", "delete", "another group",
			nil, "DELETE, GET", usergroup.AnotherRemains, true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				before, reading, _ := strings.Cut(test.before, "/")
				h := situationOf(test.operation, before, cmp.Or(reading, "stored"), "").start(t)
				h.script = test.script
				var ctx context.Context
				ctx, h.stop = context.WithCancel(t.Context())
				defer h.stop()
				h.operate(ctx)
				var calls []string
				for _, event := range h.events {
					if line := event(); strings.ToUpper(line[:3]) == line[:3] {
						calls = append(calls, strings.Replace(strings.TrimSuffix(line, ": answered"), ":", "", 1))
					}
				}
				if got := strings.Join(calls, ", "); got != test.calls {
					t.Errorf("the calls are %s, want %s", got, test.calls)
				}
				if (h.err == nil) != test.ok {
					t.Errorf("the operation returned the error %v", h.err)
				}
				finding := none
				if n := len(h.problems); n > 0 {
					finding = h.problems[n-1].Finding
				}
				if finding != test.finding {
					t.Errorf("the last finding is %d, want %d: %v", finding, test.finding, h.problems)
				}
				h.check()
				for _, broken := range h.broken {
					t.Error(broken)
				}
			})
		})
	}
}

// TestExistsEmpty: a creation must say that the group that exists is empty, but only where the service shows names.
func TestExistsEmpty(t *testing.T) {
	t.Parallel()
	for _, showsNames := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			h := situationOf("create", "nameless", "stored", "").start(t)
			h.service.PassCheck(showsNames)
			h.operate(t.Context())
			if len(h.problems) != 1 || h.problems[0].Empty != showsNames {
				t.Errorf("names are shown: %t; %v", showsNames, h.problems)
			}
		})
	}
}

// TestOneAtATime: operations on the same ID must run one at a time, so that none sees the placeholder of another's
// lookup.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	h := situationOf("import", "absent", "stored", "").start(t)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			if _, err := h.service.Find(t.Context(), usergroup.Known{ID: id}); !errors.Is(err, usergroup.ErrNotFound) {
				t.Errorf("the lookup of a missing group returned %v", err)
			}
		})
	}
	workers.Wait()
	if _, there := h.Group(id); there {
		t.Error("a placeholder was left behind")
	}
}

// TestEnds: an operation must end even if another actor never stops changing the group.
func TestEnds(t *testing.T) {
	t.Parallel()
	another := map[string]func(*history){
		"deletes":  func(h *history) { h.Remove(h.stored) },
		"rotates":  func(h *history) { h.RotateBehind(h.stored) },
		"replaces": func(h *history) { h.Replace(h.stored) },
	}
	for _, test := range []struct {
		operation, before, another string
		calls                      int
	}{
		{"read", "absent", "deletes", 11},
		{"read", "absent", "rotates", 9},
		{"import", "nameless", "replaces", 11},
		{"create", "nameless", "replaces", 14},
		{"rotate", "as known", "rotates", 6},
		{"delete", "as known", "rotates", 6},
	} {
		t.Run(test.operation+" while another actor "+test.another, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := situationOf(test.operation, test.before, "stored", "").start(t)
				h.restless = func() {
					if len(h.Calls()) > 20 {
						panic("the operation does not end")
					}
					another[test.another](h)
				}
				h.operate(t.Context())
				if calls := len(h.Calls()); calls != test.calls || (h.err == nil) != (test.operation == "import") {
					t.Errorf("%d calls, want %d; %v", calls, test.calls, h.err)
				}
			})
		})
	}
}

// TestNameIsRemembered: a service that requires a name must refuse only the first lookup of a process.
func TestNameIsRemembered(t *testing.T) {
	t.Parallel()
	h := situationOf("import", "exists", "name required", "").start(t)
	for _, want := range []int{2, 3} {
		_, err := h.service.Find(t.Context(), usergroup.Known{ID: id})
		if calls := len(h.Calls()); err != nil || calls != want {
			t.Errorf("%d calls, want %d; %v", calls, want, err)
		}
	}
}

// TestNameIsSentAgain: an update without a name must be repeated with the known name if the service requires one.
func TestNameIsSentAgain(t *testing.T) {
	t.Parallel()
	for known, want := range map[string]int{oldName: 2, "": 1} {
		h := situationOf("update", "as known", "name required", "").start(t)
		before := h.state.asKnown()
		before.Name = known
		_, err := h.service.Update(t.Context(), api.GroupRequest{UserGroupID: id}, before)
		if group, _ := h.Group(id); len(h.Calls()) != want || (err == nil) != (want == 2) || group.Name != oldName {
			t.Errorf("known name %q: %d calls, want %d; the name is %q; %v", known, len(h.Calls()), want, group.Name, err)
		}
	}
}

// TestWrongEnvironment: with a key of another environment, no group may be changed. For a group that is known to
// belong to another environment, no call may be made.
func TestWrongEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		operation, before, tag string
		finding                usergroup.Finding
		calls                  int
	}{
		{"import", "exists", "", usergroup.WrongKey, 4},
		{"update", "as known", "", usergroup.WrongKey, 4},
		{"update", "as known", "Testing", usergroup.WrongKey, 4},
		{"update", "as known", "Customer", usergroup.WrongEnvironment, 0},
		{"rotate", "as known", "Customer", usergroup.WrongEnvironment, 0},
	} {
		t.Run(test.operation+" "+test.tag, func(t *testing.T) {
			t.Parallel()
			situation := situationOf(test.operation, test.before, "stored", "Testing")
			h := situation.start(t)
			if test.tag != "" {
				h.state.known.EnvironmentTag = &test.tag
			}
			before, _ := h.Group(id)
			h.operate(t.Context())
			problem := problemOf(h.err)
			if problem == nil || problem.Finding != test.finding || len(h.Calls()) != test.calls {
				t.Errorf("%d calls, want %d; %v", len(h.Calls()), test.calls, h.err)
			}
			if check := problem.Cause; check != nil && check.LookupUncertain {
				t.Error("no response was lost, and the check says that one was")
			}
			if after, _ := h.Group(id); !reflect.DeepEqual(after, before) {
				t.Errorf("the group was changed: %+v", after)
			}
		})
	}
}

// TestCheckOfCachedResponse: the check must recognize a response that reports its new group as existing, and must not
// create the group by a second lookup.
func TestCheckOfCachedResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := situationOf("update", "as known", "stored", "Customer").start(t)
		old := `{"success":1,"new_user_group":false,"user_group":{"team_id":7,"token":"token-of-another"}}`
		h.answers, h.script = []reply{{status: http.StatusOK, body: []byte(old)}}, []string{"an old answer"}
		h.operate(t.Context())
		if h.err == nil || h.Count(http.MethodGet) > 0 || h.Updates(id) > 0 {
			t.Errorf("the calls are %v; %v", h.Calls(), h.err)
		}
	})
}
