package usergroup

import (
	"errors"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestRotate(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			result, err := s.RotateToken(t.Context(), knownOf(seed))
			wantOutcome(t, result, err, fine)
			wantGroup(t, e, result.Group)
			wantBodies(t, e, "POST "+tokenOnly)
			wantLeft(t, e, seed, rotated)
		})
	}
}

func TestRotateUnknownToken(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			known := knownOf(seed)
			known.Token = api.Secret{}
			result, err := s.RotateToken(t.Context(), known)
			wantOutcome(t, result, err, fine)
			wantGroup(t, e, result.Group)
			want := "GET > POST/rotated"
			if options.NameRequired {
				want = "GET > " + want
			}
			wantTrace(t, e, want)
			wantLeft(t, e, seed, rotated)
		})
	}
}

func TestRotateStale(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			e.RotateBehind(id)
			result, err := s.RotateToken(t.Context(), knownOf(seed))
			wantOutcome(t, result, err, fine)
			wantGroup(t, e, result.Group)
			want := "POST > GET > POST/rotated"
			if options.NameRequired {
				want = "POST > GET > GET > POST/rotated"
			}
			wantTrace(t, e, want)
			wantLeft(t, e, seed, rotated)
		})
	}
}

func TestRotateStaleAgainBetweenLookupAndRepetition(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			e.BeforeCall(func(call emulator.Call) {
				if call.Method == "POST" {
					e.RotateBehind(id)
				}
			})
			result, err := s.RotateToken(t.Context(), knownOf(seed))
			wantOutcome(t, result, err, titleRotateFailed, "was not rotated", "run again")
			if e.Count("POST") != 2 || e.Rotations(id) != 0 {
				t.Errorf("%d attempts and %d rotations: a stale token is cured once", e.Count("POST"), e.Rotations(id))
			}
		})
	}
}

func TestRotateAbsentOrReplaced(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tokenKnown := range []bool{true, false} {
				e, s := newService(t, setup{emulator: options})
				known := absentKnown()
				if !tokenKnown {
					known.Token = api.Secret{}
				}
				result, err := s.RotateToken(t.Context(), known)
				if !errors.Is(err, ErrNotFound) {
					t.Errorf("the error is not ErrNotFound: %v", err)
				}
				wantOutcome(t, result, err, titleNotFound, "the next plan shows it as one to create")
				wantLeft(t, e, emulator.Group{}, nothing)

				e, s = newService(t, setup{emulator: options})
				seed := seedGroup(e)
				other := e.Replace(id)
				known = knownOf(seed)
				if !tokenKnown {
					known.Token = api.Secret{}
				}
				result, err = s.RotateToken(t.Context(), known)
				wantOutcome(t, result, err, titleReplaced, "team_id 1001", "team_id 1002", "Run again")
				wantLeft(t, e, seed, another)
				if now, _ := e.Group(id); e.Rotations(id) != 0 || now.Token != other.Token {
					t.Error("another group's token was rotated")
				}
			}
		})
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for dataSource, body := range map[string]string{
				"":   tokenAndID,
				"db": `{"current_token":"TOKEN","user_group_id":"acme","data_source_provided_id":"db"}`,
			} {
				e, s := newService(t, setup{emulator: options})
				seed := seedGroup(e)
				result, err := s.Delete(t.Context(), knownOf(seed), dataSource)
				wantOutcome(t, result, err, fine)
				wantBodies(t, e, "DELETE "+body)
				wantLeft(t, e, seed, nothing)
			}
		})
	}
}

func TestDeleteUnknownOrStaleToken(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			named := ""
			if options.NameRequired {
				named = "GET > "
			}
			e, s := newService(t, setup{emulator: options})
			seed := seedGroup(e)
			known := knownOf(seed)
			known.Token = api.Secret{}
			result, err := s.Delete(t.Context(), known, "")
			wantOutcome(t, result, err, fine)
			wantTrace(t, e, named+"GET > DELETE/deleted")
			wantLeft(t, e, seed, nothing)

			e, s = newService(t, setup{emulator: options})
			seed = seedGroup(e)
			e.RotateBehind(id)
			result, err = s.Delete(t.Context(), knownOf(seed), "")
			wantOutcome(t, result, err, fine)
			wantTrace(t, e, "DELETE > "+named+"GET > DELETE/deleted")
			wantLeft(t, e, seed, nothing)

			// Rotated exactly between the lookup and the repetition, each time.
			e, s = newService(t, setup{emulator: options})
			seed = seedGroup(e)
			e.BeforeCall(func(call emulator.Call) {
				if call.Method == "DELETE" {
					e.RotateBehind(id)
				}
			})
			result, err = s.Delete(t.Context(), knownOf(seed), "")
			wantOutcome(t, result, err, titleDeleteFailed, "still exists and stays in the state", "run again")
			if e.Count("DELETE") != 2 {
				t.Errorf("%d attempts: a stale token is cured once", e.Count("DELETE"))
			}
			wantLeft(t, e, seed, rotated)
		})
	}
}

// A service for which the id counts and what is absent is deleted already: one call, whatever the state knows.
func TestDeleteAtAForgivingService(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.ForgivingDeletes = true
			e, s := newService(t, setup{emulator: options})
			result, err := s.Delete(t.Context(), absentKnown(), "")
			wantOutcome(t, result, err, fine)
			wantTrace(t, e, "DELETE")

			e, s = newService(t, setup{emulator: options})
			seed := seedGroup(e)
			e.RotateBehind(id)
			result, err = s.Delete(t.Context(), knownOf(seed), "")
			wantOutcome(t, result, err, fine)
			wantTrace(t, e, "DELETE/deleted")
			wantLeft(t, e, seed, nothing)

			e, s = newService(t, setup{emulator: options})
			seed = seedGroup(e)
			e.Fail(emulator.Fault{Method: "DELETE", Nth: 1, Kind: emulator.CutAfterWork})
			result, err = s.Delete(t.Context(), knownOf(seed), "")
			wantOutcome(t, result, err, fine)
			wantTrace(t, e, "DELETE/deleted > DELETE")
			wantLeft(t, e, seed, nothing)

			e, s = newService(t, setup{emulator: options})
			_, err = s.Find(t.Context(), Known{ID: id})
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("found nobody with %v", err)
			}
			wantLeft(t, e, emulator.Group{}, nothing)
		})
	}
}

func TestDeleteAbsentOrReplaced(t *testing.T) {
	t.Parallel()
	for name, options := range readings() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tokenKnown := range []bool{true, false} {
				e, s := newService(t, setup{emulator: options})
				known := absentKnown()
				if !tokenKnown {
					known.Token = api.Secret{}
				}
				result, err := s.Delete(t.Context(), known, "")
				wantOutcome(t, result, err, fine)
				wantLeft(t, e, emulator.Group{}, nothing)

				e, s = newService(t, setup{emulator: options})
				seed := seedGroup(e)
				e.Replace(id)
				known = knownOf(seed)
				if !tokenKnown {
					known.Token = api.Secret{}
				}
				result, err = s.Delete(t.Context(), known, "")
				wantOutcome(t, result, err, titleReplaced, "team_id 1001", "team_id 1002", "state rm")
				wantLeft(t, e, seed, another)
				if e.Deletions(id) != 0 {
					t.Error("another group was deleted")
				}
			}
		})
	}
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
