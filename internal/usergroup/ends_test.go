package usergroup_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestRetriesAreShared lets the service fail for good: with one method, or in four of five attempts. All calls of an
// operation share its retries, so that there are only as many attempts more as there are retries, and a last look.
// Where a group of the provider's own is not deleted, a look comes before each retry.
func TestRetriesAreShared(t *testing.T) {
	t.Parallel()
	failures := map[string]reply{"500": refusal(500), "409": refusal(409), "no response": silence}
	for _, s := range scenes() {
		isOne := !slices.Contains(twoInOne, s.named)
		if !isOne || s.variant != "stored" || s.begins == "stale" || s.environment != "" && s.environment != "Customer" {
			continue
		}
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				plain := s.attemptsWhile(lost, func(int, string) bool { return false })
				for name, failure := range failures {
					for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
						most := plain + maxRetries + 1
						if method == http.MethodDelete {
							most += maxRetries
						}
						attempts := s.attemptsWhile(failure, func(_ int, of string) bool { return of == method })
						if attempts > most {
							t.Errorf("%s %s: %d attempts, where the operation needs %d", name, method, attempts, plain)
						}
					}
					attempts := s.attemptsWhile(failure, func(attempt int, _ string) bool { return attempt%(maxRetries+1) > 0 })
					if attempts > plain+maxRetries+2 {
						t.Errorf("%s: %d attempts, where the operation needs %d", name, attempts, plain)
					}
				}
			})
		})
	}
}

// attemptsWhile returns how many attempts the operation makes while some of them, counted from 1, fail.
func (s scene) attemptsWhile(failure reply, fails func(attempt int, method string) bool) int {
	h := s.start()
	attempts := 0
	network := roundTrip(func(r *http.Request) (*http.Response, error) {
		attempts++
		kept, _ := received(r)
		if !fails(attempts, r.Method) {
			return serve(h, kept).response()
		}
		if failure.status == silence.status {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		return failure.response()
	})
	settings := usergroup.Settings{Environment: environments[s.environment].expected}
	h.actor.operate(context.Background(), h.ledger, newService(network, maxRetries, settings))
	return attempts
}

// roundTrip implements http.RoundTripper.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestFailuresInARow shows what ends operations: twenty of their kind that give up, with nothing gotten through in
// between. Only the first of them waits for retries, and explains the others.
func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	for _, e := range []struct{ name, steps, want string }{
		{
			"a deletion that is refused may be about the token", "delete refused-1, update good-1", "failed, well",
		},
		{
			"so may a rotation", "rotate refused-1, update good-1", "failed, well",
		},
		{
			"an update that is refused is about the key", "update refused-1, find good-1", "failed, ended",
		},
		{
			"an operation that the key may not use", "update forbidden-1, update forbidden-2 ×19, update good-1, find good-1",
			"failed, short, ended, well",
		},
		{
			"updates that are refused for a reason of their own", "update invalid-1, update invalid-2 ×19, update good-1",
			"failed, failed, well",
		},
		{
			"groups that it may not change", "update good-1, update forbidden-1, update forbidden-2 ×19, update good-2",
			"well, failed, failed, well",
		},
		{
			"twenty groups in a row", "update bad-1, update bad-2 ×19, update good-1", "failed, short, ended",
		},
		{
			"nineteen", "update bad-1, update bad-2 ×18, update good-1", "failed, short, well",
		},
		{
			"successes in between, long before the last one",
			"update bad-1 ×19, update good-1, update good-2, an hour passes, update bad-2, update good-3",
			"short, well, well, , failed, well",
		},
		{
			"and again twenty in a row", "update bad-1 ×19, update good-1, update bad-2, update bad-3 ×19, update good-2",
			"short, well, failed, short, ended",
		},
		{
			"a success of another kind", "update bad-1 ×19, find good-1, update bad-2, update good-2, rotate good-2",
			"short, well, short, ended, well",
		},
		{
			"a refusal of a good group in between", "update bad-1 ×19, update missing, update bad-2, update good-1",
			"short, failed, failed, well",
		},
		{
			"lookups that fail", "find bad-1 ×20, find good-1, update good-1", "short, ended, well",
		},
		{
			"rotations that fail", "rotate bad-1 ×20, rotate good-1, delete good-1", "short, ended, well",
		},
		{
			"deletions that fail", "delete bad-1 ×20, delete good-1, rotate good-1", "short, ended, well",
		},
		{
			"creations that fail", "create bad-8, create bad-9 ×19, create bad-7, find good-1", "failed, short, ended, well",
		},
		{
			"rotations that fail once lookups have ended",
			"find bad-1 ×20, rotate bad-1, rotate good-1, rotate bad-2, rotate bad-3 ×19, rotate good-1, delete good-2",
			"short, failed, well, failed, short, ended, well",
		},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRun()
				got := []string{}
				for step := range strings.SplitSeq(e.steps, ", ") {
					step, times, _ := strings.Cut(step, " ×")
					last := ""
					for n, _ := strconv.Atoi(times); n >= 0; n-- {
						if last = r.step(t.Context(), step); n == 1 {
							break
						}
					}
					got = append(got, last)
				}
				if got := strings.Join(got, ", "); got != e.want {
					t.Errorf("%s: %s, want %s", e.steps, got, e.want)
				}
			})
		})
	}
}

// unlucky is a run in which all calls about a group whose ID begins with bad get 500. Changes of one whose ID begins
// with refused get 401, with forbidden 403, and with invalid 400.
type unlucky struct {
	*usergroup.Service

	priors map[string]usergroup.Prior
	calls  int
}

func newRun() *unlucky {
	e := emulator.New(emulator.Options{Latency: 50 * time.Millisecond})
	r := &unlucky{priors: map[string]usergroup.Prior{}}
	for _, id := range []string{
		"bad-1", "bad-2", "bad-3", "refused-1", "forbidden-1", "forbidden-2", "invalid-1", "invalid-2",
		"good-1", "good-2", "good-3", "missing",
	} {
		group := e.Seed(emulator.Group{ID: id, Name: oldName})
		r.priors[id] = operations["find"].priorOf(group)
	}
	e.Remove("missing")
	r.Service = newService(roundTrip(func(q *http.Request) (*http.Response, error) {
		r.calls++
		kept, body := received(q)
		isAbout := func(kind string) bool {
			for id, prior := range r.priors {
				isNamed := strings.Contains(body, `"`+kind) || strings.Contains(body, prior.Token.Reveal())
				if strings.HasPrefix(id, kind) && isNamed {
					return true
				}
			}
			return false
		}
		switch {
		case isAbout("bad"):
			return refusal(http.StatusInternalServerError).response()
		case q.Method != http.MethodGet && isAbout("refused"):
			return refusal(http.StatusUnauthorized).response()
		case q.Method != http.MethodGet && isAbout("forbidden"):
			return refusal(http.StatusForbidden).response()
		case q.Method != http.MethodGet && isAbout("invalid"):
			return refusal(http.StatusBadRequest).response()
		default:
			return serve(e, kept).response()
		}
	}), maxRetries, usergroup.Settings{})
	return r
}

// step carries out an operation on a group, and returns how it ended. Its error is short if it leaves the explanation
// to an earlier one. Nothing is retried then.
func (r *unlucky) step(ctx context.Context, text string) string {
	operation, id, _ := strings.Cut(text, " ")
	if operation == "an" {
		time.Sleep(time.Hour)
		return ""
	}
	prior := r.priors[id]
	prior.ID = id
	calls, begun := r.calls, time.Now()
	_, err := operations[operation].do(ctx, r.Service, prior)
	switch {
	case err == nil:
		return "well"
	case problemOf(err).Finding != usergroup.RunEnded:
		return "failed"
	case problemOf(err).Cause.Finding == usergroup.RunEnded:
		return "referred to a reference"
	case r.calls == calls:
		return "ended"
	case time.Since(begun) > time.Second:
		return "short, but waited"
	default:
		return "short"
	}
}

// TestStoppedRunsBeginNothing stops a run, and begins operations afterward. None of them makes a call, not even that of
// the preflight. There are many, because a choice between two things that are both ready is random.
func TestStoppedRunsBeginNothing(t *testing.T) {
	t.Parallel()
	for named, o := range operations {
		for _, environment := range []string{"", "Customer"} {
			t.Run(named+" "+environment, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					calls := 0
					service := newService(roundTrip(func(*http.Request) (*http.Response, error) {
						calls++
						return lost.response()
					}), maxRetries, usergroup.Settings{Environment: environment})
					ctx, stop := context.WithCancel(t.Context())
					stop()
					prior := o.priorOf(emulator.Group{ID: id, Name: oldName, Token: "token", TeamID: 7})
					for range 200 {
						if _, err := o.do(ctx, service, prior); err == nil || problemOf(err).Explains {
							t.Fatalf("the error is %v", err)
						}
					}
					if calls > 0 {
						t.Errorf("200 operations make %d calls", calls)
					}
				})
			})
		}
	}
}

// TestStopsEndNothing stops a run while ten workers look up tokens that they are about to rotate. No token is rotated,
// and each error says that the run was stopped, because none of them is the cause of another one.
func TestStopsEndNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCrowd("rotate, not stored", emulator.Options{})
		ctx, stop := context.WithCancel(t.Context())
		var calls atomic.Int64
		w.lasting = func(*http.Request) reply {
			if calls.Add(1) == workers { // All of them have begun.
				stop()
			}
			return reply{}
		}
		w.ctx = ctx
		w.run(t, usergroup.Settings{})
		if w.calls != workers || w.explained != *groupsFlag || w.succeeded > 0 || w.untrue > 0 {
			t.Errorf("%d calls, %d of %d errors say why, and %d of them lie", w.calls, w.explained, *groupsFlag, w.untrue)
		}
	})
}

// TestRunsThatAreStoppedEnd stops a run while ten workers look up missing groups of an environment. Those that are
// under way clean up, and no other one begins a call.
func TestRunsThatAreStoppedEnd(t *testing.T) {
	t.Parallel()
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			w := newCrowd("find of missing", emulator.Options{})
			ctx, stop := context.WithCancel(t.Context())
			w.lasting = func(*http.Request) reply {
				stop() // by the first call
				return reply{}
			}
			w.ctx = ctx
			w.run(t, usergroup.Settings{Environment: "Customer"})
			// Each worker may have sent one lookup when the first one stopped the run, and deletes its placeholder.
			if most := 3*workers + 4; w.calls > most || w.left > 0 {
				t.Errorf("%d calls, %d groups left", w.calls, w.left)
			}
		})
	}
}

// TestWhatIsRefusedMeanwhileSaysWhy lets the service refuse an update for a reason of its own, while a refused key ends
// the run.
func TestWhatIsRefusedMeanwhileSaysWhy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
			connect(r)
			if r.Method == http.MethodGet {
				return refusal(http.StatusUnauthorized).response()
			}
			time.Sleep(2 * time.Second)
			return refusal(http.StatusBadRequest).response()
		}), maxRetries, usergroup.Settings{})
		updated := make(chan error)
		go func() {
			_, err := change(t.Context(), s, wanted(id), usergroup.Prior{ID: id})
			updated <- err
		}()
		time.Sleep(time.Second)
		_, refused := s.Find(t.Context(), usergroup.Prior{ID: "refused"})
		if !problemOf(refused).Explains {
			t.Errorf("the lookup ends with %v", refused)
		}
		if p := problemOf(<-updated); p.Finding != usergroup.CallFailed || p.Call.Status != http.StatusBadRequest {
			t.Errorf("the update ends with %s", facts{p})
		}
	})
}

// TestARefusedKeyEndsAllPatience: an operation that waits for a retry does not send it once the key is refused.
func TestARefusedKeyEndsAllPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		updates := 0
		s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
			connect(r)
			if r.Method == http.MethodGet {
				return refusal(http.StatusUnauthorized).response()
			}
			updates++
			return refusal(http.StatusInternalServerError).response()
		}), maxRetries, usergroup.Settings{})
		updated := make(chan error)
		go func() {
			_, err := change(t.Context(), s, wanted(id), usergroup.Prior{ID: id})
			updated <- err
		}()
		time.Sleep(2 * time.Second) // The second attempt was made after one.
		_, _ = s.Find(t.Context(), usergroup.Prior{ID: "refused"})
		if p := problemOf(<-updated); p.Call.Status != http.StatusInternalServerError || updates != 2 {
			t.Errorf("%d updates end with %s", updates, facts{p})
		}
	})
}

// TestOneGroupLeftBehindEndsNothing: only if the service refuses to delete what lookups create, they are pointless.
func TestOneGroupLeftBehindEndsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{DefaultName: "Unnamed", LateDefaults: true}, usergroup.Settings{})
		here := operations["find"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		_, missing := s.Find(t.Context(), usergroup.Prior{ID: "missing"})
		if _, err := s.Find(t.Context(), here); err != nil || findingOf(missing) != usergroup.LeftBehind {
			t.Errorf("%v, and %v", missing, err)
		}
	})
}

// TestMissingGroupsInARow looks up groups where the service refuses the preflight, so that no missing group can be
// believed to be missing. That ends no lookups, because those of existing groups go well, and is explained once.
func TestMissingGroupsInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		options := emulator.Options{IDPattern: "^(gone|here)-[12]$", Latency: 50 * time.Millisecond}
		s := newStranger(options, usergroup.Settings{Environment: "Customer"})
		priors := map[string]usergroup.Prior{}
		for _, id := range []string{"gone-1", "gone-2", "here-1", "here-2"} {
			priors[id] = operations["find"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		}
		s.emulator.Remove("gone-1")
		s.emulator.Remove("gone-2")
		got := []string{}
		for _, id := range []string{"gone-1", "here-1", "gone-2", "here-2", "gone-1", "gone-2", "here-1"} {
			_, err := s.Find(t.Context(), priors[id])
			switch {
			case err == nil:
				got = append(got, "found")
			case problemOf(err).Finding == usergroup.RunEnded:
				got = append(got, "short")
			default:
				got = append(got, "failed")
			}
		}
		if got := strings.Join(got, ", "); got != "failed, found, short, found, short, short, found" {
			t.Error(got)
		}
	})
}

// TestLookupsSurviveANetworkThatLosesResponses: a data source of many groups, whose names show that they existed.
func TestLookupsSurviveANetworkThatLosesResponses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCrowd("import", emulator.Options{})
		for _, prior := range w.priors {
			w.emulator.Seed(emulator.Group{ID: prior.ID, Name: oldName})
		}
		var calls atomic.Int64
		w.lasting = func(*http.Request) reply {
			if calls.Add(1)%20 == 0 {
				return dropped
			}
			return reply{}
		}
		w.run(t, usergroup.Settings{})
		if w.succeeded != *groupsFlag || w.warned == 0 {
			t.Errorf("%d groups are found, with %d warnings", w.succeeded, w.warned)
		}
	})
}

// TestProblemsWithoutACallHaveNoCause: callers ask every error whether the run was stopped.
func TestProblemsWithoutACallHaveNoCause(t *testing.T) {
	t.Parallel()
	if errors.Is(&usergroup.Problem{Finding: usergroup.NotFound}, context.Canceled) {
		t.Error("a missing group is taken for a stopped run")
	}
}
