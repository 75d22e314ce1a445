package usergroup

import (
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The first question of a lookup is lost and then refused for want of a name. What it lost must not be forgotten.
func TestLostBeforeTheNameWasAskedFor(t *testing.T) {
	t.Parallel()
	lose := []emulator.Fault{{Method: "GET", Nth: 1, Kind: emulator.CutAfterWork}, {Method: "GET", Nth: 2, Kind: emulator.Refuse}}
	e, s := newService(t, setup{})
	for _, fault := range lose {
		e.Fail(fault)
	}
	_, err := s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleMayBeLeftBehind, removalCommand(id))
	wantTrace(t, e, "GET/created > GET > GET")

	e, s = newService(t, setup{})
	for _, fault := range append(lose, emulator.Fault{Method: "GET", Nth: 3, Kind: emulator.Refuse}) {
		e.Fail(fault)
	}
	_, err = s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleLookupFailed, removalCommand(id))
	wantTrace(t, e, "GET/created > GET > GET")

	// The first attempt told that it had made the group, and only the token was missing: the shell is removed.
	e, s = newService(t, setup{})
	e.Fail(emulator.Fault{Method: "GET", Nth: 1, Kind: emulator.NoToken})
	e.Fail(emulator.Fault{Method: "GET", Nth: 2, Kind: emulator.Refuse})
	_, err = s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleLookupFailed, "it was removed again")
	wantTrace(t, e, "GET/created > GET > DELETE/deleted")
	wantBodies(t, e, "GET "+idOnly, "GET "+idOnly, "DELETE "+idOnly)
	wantLeft(t, e, emulator.Group{}, nothing)
}

// Nothing tells whether the group that the named question finds was made by that question's own first attempt.
func TestLostAfterTheNameWasAskedFor(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{emulator: emulator.Options{NameRequired: true}})
	e.Fail(emulator.Fault{Method: "GET", Nth: 2, Kind: emulator.CutAfterWork})
	_, err := s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleMayBeLeftBehind, removalCommand(id))
	wantTrace(t, e, "GET > GET/created > GET")
}

// The service comes to a lookup after everything is over, and makes a shell. Whoever is told that the group is gone is told
// of that as well.
func TestLookupThatTheServiceComesToLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		run     operation
		outcome string
		calls   string
	}{
		"find":                  {runFind, titleNotFound, "GET/created > GET/created > DELETE/deleted"},
		"rotate":                {runRotate, titleNotFound, "POST > GET/created > GET/created > DELETE/deleted"},
		"rotate, token unknown": {tokenUnknown(runRotate), titleNotFound, "GET/created > GET/created > DELETE/deleted"},
		"delete":                {runDelete, warns(titleMayBeLeftBehind), "DELETE > GET/created > GET/created > DELETE/deleted"},
		"delete, token unknown": {tokenUnknown(runDelete), warns(titleMayBeLeftBehind), "GET/created > GET/created > DELETE/deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryAnew(t, []time.Duration{250 * time.Millisecond, time.Second, 4 * time.Second}, func(t testing.TB, timeout time.Duration) {
				t.Helper()
				e, s := newService(t, setup{client: func(config *api.Config) { config.RequestTimeout = timeout }})
				release := holdBack(t, e, func(call emulator.Call, earlier int) bool { return call.Method == "GET" && earlier == 0 })
				result, err := test.run(t.Context(), s, absentKnown())
				release()
				e.WaitIdle()
				wantOutcome(t, result, err, test.outcome, "Should the service still come to it", removalCommand(id))
				wantTrace(t, e, test.calls)
				wantLeft(t, e, emulator.Group{}, shell)
			})
		})
	}
}

// What a lookup has found is what a later one must find again, also where the state knows nothing but the id.
func TestRotationByIDAloneLostAndReplaced(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	seed := seedGroup(e)
	e.Fail(emulator.Fault{Method: "POST", Nth: 1, Kind: emulator.CutAfterWork})
	lookups := 0
	e.BeforeCall(func(call emulator.Call) {
		if call.Method == "GET" {
			if lookups++; lookups == 2 {
				e.Replace(id)
			}
		}
	})
	result, err := byIDAlone(runRotate)(t.Context(), s, knownOf(seed))
	wantOutcome(t, result, err, titleReplaced, "The token of that one was not rotated")
	wantLeft(t, e, seed, another)
}
