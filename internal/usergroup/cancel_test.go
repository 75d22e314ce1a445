package usergroup

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// cancelAt returns a context that ends while the n-th call of the method is being worked on.
func cancelAt(t *testing.T, e *emulator.Emulator, method string, n int) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	e.BeforeCall(func(call emulator.Call) {
		if call.Method == method && call.ID == id {
			if n--; n == 0 {
				cancel()
				// Long enough for a call that is not shielded to be given up.
				time.Sleep(100 * time.Millisecond)
			}
		}
	})
	return ctx
}

// The run is stopped while a call is in flight: it finishes, so that what the service did is known, and whatever has
// to be undone is undone. Nothing further is begun.
func TestStoppedInFlight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		seeded      bool
		stale       bool
		environment string
		method      string
		nth         int
		run         operation
		calls, left string
		outcome     string
		says        string
	}{
		{
			name: "create", method: "GET", nth: 1, run: runCreate,
			calls: "GET/created", left: ours, outcome: fine,
		},
		{
			name: "create, between it and the check of its environment", method: "GET", nth: 1, environment: "Customer", run: runCreate,
			calls: "GET/created > PUT/updated", left: ours, outcome: fine,
		},
		{
			name: "create, between it and its undo", method: "GET", nth: 1, environment: "Testing", run: runCreate,
			calls: "GET/created > PUT/updated > DELETE/deleted", left: nothing, outcome: titleWrongEnvironment, says: "removed again",
		},
		{
			name: "create, during the check of its environment", method: "PUT", nth: 1, environment: "Testing", run: runCreate,
			calls: "GET/created > PUT/updated > DELETE/deleted", left: nothing, outcome: titleWrongEnvironment, says: "removed again",
		},
		{
			name: "create, during its undo", method: "DELETE", nth: 1, environment: "Testing", run: runCreate,
			calls: "GET/created > PUT/updated > DELETE/deleted", left: nothing, outcome: titleWrongEnvironment, says: "removed again",
		},
		{
			name: "adopt, before the update", seeded: true, method: "GET", nth: 1, run: runAdopt,
			calls: "GET", left: before, outcome: titleAdoptFailed, says: "The group was not changed",
		},
		{
			name: "adopt, during the update", seeded: true, method: "PUT", nth: 1, run: runAdopt,
			calls: "GET > PUT/updated", left: updated, outcome: warns(titleAdopted),
		},
		{
			name: "find", seeded: true, method: "GET", nth: 1, run: runFind,
			calls: "GET", left: before, outcome: fine,
		},
		{
			name: "find what is gone, before the shell is removed", method: "GET", nth: 1, run: runFind,
			calls: "GET/created > DELETE/deleted", left: nothing, outcome: titleNotFound,
		},
		{
			name: "find what is gone, while the shell is removed", method: "DELETE", nth: 1, run: runFind,
			calls: "GET/created > DELETE/deleted", left: nothing, outcome: titleNotFound,
		},
		{
			name: "update", seeded: true, method: "PUT", nth: 1, run: runUpdate,
			calls: "PUT/updated", left: updated, outcome: fine,
		},
		{
			name: "rotate", seeded: true, method: "POST", nth: 1, run: runRotate,
			calls: "POST/rotated", left: rotated, outcome: fine,
		},
		{
			name: "rotate a stale token", seeded: true, stale: true, method: "POST", nth: 1, run: runRotate,
			calls: "POST", left: rotated, outcome: titleRotateFailed, says: "The token was not rotated",
		},
		{
			name: "delete", seeded: true, method: "DELETE", nth: 1, run: runDelete,
			calls: "DELETE/deleted", left: nothing, outcome: fine,
		},
		{
			name: "delete with a stale token", seeded: true, stale: true, method: "DELETE", nth: 1, run: runDelete,
			calls: "DELETE", left: rotated, outcome: titleDeleteFailed, says: "stays in the state",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{environment: c.environment})
			var seed emulator.Group
			known := absentKnown()
			if c.seeded {
				seed = seedGroup(e)
				known = knownOf(seed)
			}
			if c.stale {
				e.RotateBehind(id)
			}
			result, err := c.run(cancelAt(t, e, c.method, c.nth), s, known)
			e.WaitIdle()
			wantOutcome(t, result, err, c.outcome, c.says)
			wantTrace(t, e, c.calls)
			wantLeft(t, e, seed, c.left)
			if err == nil && result.Group != nil {
				wantGroup(t, e, result.Group)
			}
		})
	}
}

// The run is stopped while an operation waits for its next attempt: the wait ends at once.
func TestStoppedWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, run := range operations {
		for faultName, fault := range map[string]emulator.Fault{
			"503": {Kind: emulator.Unavailable503, RetryAfter: "3600"},
			"429": {Kind: emulator.TooMany429, RetryAfter: "3600"},
			"cut": {Kind: emulator.CutBefore},
		} {
			t.Run(name+"/"+faultName, func(t *testing.T) {
				t.Parallel()
				e, s := newService(t, setup{client: func(config *api.Config) {
					config.RetryWaitMin, config.RetryWaitMax = time.Hour, time.Hour
				}})
				seed := seedGroup(e)
				e.Fail(fault)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() {
					for len(e.Calls()) == 0 && ctx.Err() == nil {
						time.Sleep(time.Millisecond)
					}
					time.Sleep(100 * time.Millisecond)
					cancel()
				}()
				start := time.Now()
				result, err := run(ctx, s, knownOf(seed))
				if took := time.Since(start); took > 20*time.Second {
					t.Errorf("it took %s to stop", took)
				}
				if err == nil || result.Group != nil {
					t.Fatal("success")
				}
				p := checkProblem(t, id, err)
				// A rotation that may have been done is asked about once more, so that a new token is not lost.
				want := 1
				if name == "rotate" && faultName != "429" {
					want = 2
				}
				if len(e.Calls()) != want {
					t.Errorf("calls: %s", trace(e))
				}
				wantLeft(t, e, seed, before)
				if faultName != "429" && !containsFold(p.Detail, "not known") && !containsFold(p.Detail, "may be there now") {
					t.Errorf("the outcome is open and the error does not say so: %s", p.Detail)
				}
				if faultName == "429" && (containsFold(p.Detail, "not known") || containsFold(p.Detail, "may be there now")) {
					t.Errorf("nothing was done and the error does not say so: %s", p.Detail)
				}
			})
		}
	}
}

// The run is stopped before an operation begins: nothing is asked for.
func TestStoppedBeforehand(t *testing.T) {
	t.Parallel()
	for name, run := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{})
			seed := seedGroup(e)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := run(ctx, s, knownOf(seed))
			p := checkProblem(t, id, err)
			if !errors.Is(err, context.Canceled) || !containsFold(p.Detail, "the run was stopped") || containsFold(p.Detail, "proxy") {
				t.Errorf("the error does not say that the run was stopped: %s", p.Detail)
			}
			wantTrace(t, e, "")
			wantLeft(t, e, seed, before)
		})
	}
}

// The removal of a shell is made even then, but not repeated for as long as it takes: what is left is named.
func TestStoppedWhileTheShellCannotBeRemoved(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{client: func(config *api.Config) { config.RetryWaitMin, config.RetryWaitMax = time.Hour, time.Hour }})
	e.Fail(emulator.Fault{Method: "DELETE", Kind: emulator.Unavailable503})
	_, err := s.Find(cancelAt(t, e, "DELETE", 1), Known{ID: id})
	wantOutcome(t, Result{}, err, titleLeftBehind, removalCommand(id))
	wantTrace(t, e, "GET/created > DELETE")
	wantLeft(t, e, emulator.Group{}, shell)
}

// The rotation is done, its answer is lost and the run is stopped: the new token must not be lost with it.
func TestStoppedAfterALostRotation(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{client: func(config *api.Config) { config.RetryWaitMin, config.RetryWaitMax = time.Hour, time.Hour }})
	seed := seedGroup(e)
	e.Fail(emulator.Fault{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork})
	result, err := s.RotateToken(cancelAt(t, e, "POST", 1), knownOf(seed))
	wantOutcome(t, result, err, fine)
	wantTrace(t, e, "POST/rotated > GET")
	wantGroup(t, e, result.Group)
}
