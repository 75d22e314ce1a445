package usergroup

import (
	"context"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// A group that is known to be in another environment than the one to hold to is not touched, and nobody is asked.
func TestKnownInAnotherEnvironmentIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		title string
		run   func(context.Context, *Service, Known) (Result, error)
	}{
		"update": {titleUpdateFailed, func(ctx context.Context, s *Service, known Known) (Result, error) {
			return s.Update(ctx, wantedGroup(), known)
		}},
		"rotate": {titleRotateFailed, func(ctx context.Context, s *Service, known Known) (Result, error) {
			return s.RotateToken(ctx, known)
		}},
		"delete": {titleDeleteFailed, func(ctx context.Context, s *Service, known Known) (Result, error) {
			return s.Delete(ctx, known, "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, wrongEnvironment(emulator.Options{}))
			seed := seedGroup(e)
			result, err := test.run(t.Context(), s, knownOf(seed))
			wantOutcome(t, result, err, test.title, `"Testing"`, `"Customer"`, "No call was made", "own environment, then run again")
			wantTrace(t, e, "")
			wantLeft(t, e, seed, before)
		})
	}
}

// With the key of another environment every group seems to be gone. That is no proof, so the state is not told so.
func TestAbsenceInAnotherEnvironmentIsNoAbsence(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, wrongEnvironment(options))
			_, err := s.Find(t.Context(), Known{ID: id})
			wantOutcome(t, Result{}, err, titleWrongEnvironment, "says nothing about the right environment", "removed again", "the state keeps what it has")
			if e.Count("DELETE") != 1 || len(e.Groups()) != 0 {
				t.Errorf("left behind: %+v after %s", e.Groups(), trace(e))
			}

			e, s = newService(t, setup{emulator: options, environment: "Customer"})
			_, err = s.Find(t.Context(), Known{ID: id})
			wantOutcome(t, Result{}, err, titleNotFound)
			if e.Count("PUT") != 1 || len(e.Groups()) != 0 {
				t.Errorf("left behind: %+v after %s", e.Groups(), trace(e))
			}
		})
	}
}

func TestAbsenceThatCannotBeProvenIsAnError(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{environment: "Customer"})
	e.Fail(emulator.Fault{Method: "PUT", Kind: emulator.Refuse})
	_, err := s.Find(t.Context(), Known{ID: id})
	wantOutcome(t, Result{}, err, titleLookupFailed, "removed again", "Run again")
	wantTrace(t, e, "GET/created > PUT > DELETE/deleted")
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

// Another group has the token that was sent: its new token is all that may be told, or the next refresh would not see
// that it is another group.
func TestRotationOfAnotherTeamTellsTheTokenAlone(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	seed := seedGroup(e)
	known := knownOf(seed)
	other := seed
	other.TeamID += 1000
	e.Seed(other)
	result, err := s.RotateToken(t.Context(), known)
	wantOutcome(t, result, err, titleReplaced)
	now, _ := e.Group(id)
	if result.Group == nil || result.Group.Token.Reveal() != now.Token || result.Group.TeamID != nil {
		t.Errorf("told %+v", result.Group)
	}
}

// With the key of another environment the same id can be another group. The state must not take that one over, since the
// next destruction would reach it, and it must not be written to in order to find out.
func TestReplacementIsNotBelievedWhereAnEnvironmentIsDemanded(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, with := range []setup{wrongEnvironment(options), {emulator: options, environment: "Customer"}} {
				e, s := newService(t, with)
				seed := seedGroup(e)
				known := knownOf(seed)
				known.EnvironmentTag = nil
				*known.TeamID += 1000
				_, err := s.Find(t.Context(), known)
				wantOutcome(t, Result{}, err, titleReplaced, "a lookup does not tell which", "Nothing was changed", "Check the API key first", "state rm")
				if len(e.Calls()) != e.Count("GET") {
					t.Errorf("the calls were %s", trace(e))
				}
				wantLeft(t, e, seed, before)
			}
		})
	}
}

// The engine creates first and then destroys the old instance of the same id, which was gone without anybody knowing.
func TestANewGroupOutlivesItsOldInstance(t *testing.T) {
	t.Parallel()
	for _, teamKnown := range []bool{true, false} {
		e, s := newService(t, setup{})
		old := knownOf(seedGroup(e))
		e.Remove(id)
		if !teamKnown {
			old.TeamID = nil
		}
		result, err := s.Create(t.Context(), wantedGroup(), false)
		wantOutcome(t, result, err, fine)
		result, err = s.Delete(t.Context(), old, "")
		wantOutcome(t, result, err, warns(titleKept), "was not deleted")
		wantTrace(t, e, "GET/created")
		wantLeft(t, e, emulator.Group{}, ours)
	}
}
