package usergroup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// seedVariable replays a storm.
const seedVariable = "EMBED_TEST_SEED"

// Fifty workers on two Services, and every fourth call is struck by a fault that a repetition or a lookup can cure.
func TestStorm(t *testing.T) {
	t.Parallel()
	seed := time.Now().UnixNano()
	if given := os.Getenv(seedVariable); given != "" {
		var err error
		if seed, err = strconv.ParseInt(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("replay with %s=%d", seedVariable, seed)
	for name, options := range map[string]emulator.Options{
		"stored": {}, "echo": {Answers: emulator.AnswersEcho, Refusals: emulator.RefusalsSuccessZero, NameRequired: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// After two strikes the emulator spares the next call of the same kind, so three repetitions are enough.
			with := setup{emulator: options, client: func(config *api.Config) { config.MaxRetries = 3 }}
			e, s := newService(t, with)
			nextRun := newClient(t, e, with)
			e.FailRandomly(seed, 4, emulator.CutBefore, emulator.CutAfterWork, emulator.Error500AfterWork, emulator.Unavailable503,
				emulator.TooMany429, emulator.HTML200, emulator.HalfDocument, emulator.CutInDocument, emulator.NoToken)
			const workers = 50
			var all sync.WaitGroup
			for n := range workers {
				all.Go(func() { liveThroughStorm(t, e, s, nextRun, fmt.Sprintf("group-%02d", n), n%2 == 0) })
			}
			all.Wait()
			e.ClearFaults()
			if left := len(e.Groups()); left != workers/2 {
				t.Errorf("%d groups are left, want %d", left, workers/2)
			}
			t.Logf("%d calls", len(e.Calls()))
		})
	}
}

// liveThroughStorm is a whole life of a group, as Terraform has it: what one run has made, the next one destroys.
func liveThroughStorm(t *testing.T, e *emulator.Emulator, s, nextRun *Service, about string, removed bool) {
	t.Helper()
	wanted := wantedGroup()
	wanted.ID = about
	result, err := s.Create(t.Context(), wanted, false)
	if err != nil {
		t.Errorf("create: %v", err)
		return
	}
	known := Known{ID: about, Name: wanted.Name, TeamID: result.Group.TeamID, Token: result.Group.Token}
	wanted.Name = "Renamed"
	if _, err = s.Update(t.Context(), wanted, known); err != nil {
		t.Errorf("update: %v", err)
	}
	if result, err = s.RotateToken(t.Context(), known); err != nil {
		t.Errorf("rotate: %v", err)
		return
	}
	old := known.Token
	known.Token = result.Group.Token
	if known.Token == old || e.Rotations(about) != 1 {
		t.Errorf("%s was rotated %d times; the token is another one: %t", about, e.Rotations(about), known.Token != old)
	}
	found, err := s.Find(t.Context(), known)
	if err != nil {
		t.Errorf("find: %v", err)
		return
	}
	group, exists := e.Group(about)
	if !exists || found.Token != known.Token || group.Token != known.Token.Reveal() || group.Name != "Renamed" || found.Replaced ||
		group.TeamID != *known.TeamID || e.Creations(about) != 1 {
		t.Errorf("what is known of %s is not what the service has: %+v", about, group)
	}
	if removed {
		removeInStorm(t.Context(), t, nextRun, known)
		if group, exists := e.Group(about); exists {
			t.Errorf("%s was destroyed and is still there: %+v", about, group)
		}
	}
}

// removeInStorm destroys as often as a person would who reads the errors. A deletion that did its work and lost its
// answer, followed by a lookup that did the same, leaves a shell and says so: the next run sees and destroys it.
func removeInStorm(ctx context.Context, t *testing.T, s *Service, known Known) {
	t.Helper()
	const enough = 20
	for range enough {
		_, err := s.Delete(ctx, known, "")
		if err == nil {
			return
		}
		outcome(t, known.ID, Result{}, err)
		found, err := s.Find(ctx, known)
		switch {
		case errors.Is(err, ErrNotFound):
			return
		case err != nil:
			// Run again, says the error; to a later lookup it is an existing group.
			outcome(t, known.ID, Result{}, err)
		default:
			known = Known{ID: known.ID, TeamID: found.TeamID, Token: found.Token}
		}
	}
	t.Errorf("%s was not destroyed in %d runs", known.ID, enough)
}

// The same group many times at once, by two runs: one creates it and the others are told that it exists; none loses or
// doubles anything.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	e, s := newService(t, setup{})
	services := []*Service{s, newClient(t, e, setup{})}
	var created, existed int
	var mu sync.Mutex
	var both sync.WaitGroup
	for n := range 20 {
		both.Go(func() {
			result, err := services[n%2].Create(t.Context(), wantedGroup(), false)
			mu.Lock()
			defer mu.Unlock()
			if title, _ := outcome(t, id, result, err); title == titleExists {
				existed++
			} else if title == fine {
				created++
			}
		})
	}
	both.Wait()
	if created != 1 || existed != 19 {
		t.Errorf("%d have created the group and %d were told that it exists", created, existed)
	}
	if e.Creations(id) != 1 || e.Deletions(id) != 0 {
		t.Errorf("%d creations, %d deletions", e.Creations(id), e.Deletions(id))
	}
	wantLeft(t, e, emulator.Group{}, ours)
}

func BenchmarkFind(b *testing.B) {
	e, s := newService(b, setup{emulator: emulator.Options{ForgetCalls: true}})
	known := knownOf(seedGroup(e))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Find(b.Context(), known); err != nil {
			b.Fatal(err)
		}
	}
}
