package usergroup_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestDeletionsAtOnce deletes many groups in a run whose first calls are the deletions. A lookup shows what the
// response to one of them means, before that counts as a failure of all.
func TestDeletionsAtOnce(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]struct {
		options   emulator.Options
		hasOldOne bool // the state has an old token of each group
	}{
		"no response shows yet that it is the service": {options: emulator.Options{Deletions: emulator.DeletionsNoContent}},
		"nor does an empty object":                     {options: emulator.Options{Deletions: emulator.DeletionsObject}},
		"an old token is refused like a wrong key":     {emulator.Options{StaleTokenStatus: http.StatusUnauthorized}, true},
		"or like one that lacks a permission":          {emulator.Options{StaleTokenStatus: http.StatusForbidden}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e.options.Latency = time.Second
				s := newStranger(e.options, usergroup.Settings{})
				var all sync.WaitGroup
				for i := range workers {
					group := s.emulator.Seed(emulator.Group{ID: fmt.Sprint(id, i)})
					if e.hasOldOne {
						s.emulator.RotateBehind(group.ID)
					}
					all.Go(func() {
						_, err := s.Delete(context.Background(), operations["delete"].priorOf(group))
						if err != nil {
							t.Error(err)
						}
					})
				}
				all.Wait()
				if left := s.emulator.Groups(); len(left) != 1 {
					t.Errorf("at the service: %v", left)
				}
			})
		})
	}
}

// TestAGroupWhoseDeletionFailedIsAdopted: only a group that this run has deleted is waited for.
func TestAGroupWhoseDeletionFailedIsAdopted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{}, usergroup.Settings{})
		prior := operations["delete"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.Fail(emulator.Fault{Method: http.MethodDelete, Nth: 1, Kind: emulator.Refuse})
		if _, err := s.Delete(t.Context(), prior); problemOf(err) == nil || problemOf(err).Finding != usergroup.CallFailed {
			t.Errorf("the deletion ends with %v", err)
		}
		result, err := s.Create(t.Context(), wanted(id), true)
		if err != nil || result.Warnings[0].Finding != usergroup.Adopted {
			t.Errorf("the adoption ends with %v, %v", result.Warnings, err)
		}
	})
}

// TestWhatThePreflightLeavesBehindEndsLookups, because each one of a missing group would leave another one. Nothing
// else ends.
func TestWhatThePreflightLeavesBehindEndsLookups(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStranger(emulator.Options{}, usergroup.Settings{})
		prior := operations["update"].priorOf(s.emulator.Seed(emulator.Group{ID: id, Name: oldName}))
		s.emulator.Fail(emulator.Fault{Method: http.MethodDelete, Kind: emulator.Refuse})
		if _, err := s.Find(t.Context(), usergroup.Prior{ID: "missing"}); problemOf(err) == nil ||
			problemOf(err).Finding != usergroup.LeftBehind {
			t.Errorf("the lookup of a missing group ends with %v", err)
		}
		if _, err := s.Find(t.Context(), prior); problemOf(err) == nil || problemOf(err).Finding != usergroup.RunEnded {
			t.Errorf("the next lookup ends with %v", err)
		}
		if _, err := change(t.Context(), s.Service, wanted(id), prior); err != nil {
			t.Errorf("an update ends with %v", err)
		}
	})
}
