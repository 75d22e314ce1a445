package usergroup_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestFirstDeletionsWithoutABody deletes many groups in a run whose first calls are the deletions. Nothing shows yet
// that it is the service which responds with 204, and a lookup does.
func TestFirstDeletionsWithoutABody(t *testing.T) {
	t.Parallel()
	for _, deletions := range []emulator.Deletions{emulator.DeletionsNoContent, emulator.DeletionsObject} {
		t.Run(fmt.Sprint(deletions), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStranger(emulator.Options{Deletions: deletions, Latency: time.Second}, usergroup.Settings{})
				var all sync.WaitGroup
				for i := range workers {
					group := s.emulator.Seed(emulator.Group{ID: fmt.Sprint(id, i)})
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

// TestOldTokensEndNoDeletions deletes groups whose tokens in the state are old, at a service that refuses these as it
// refuses a key. A lookup shows the current token of each group.
func TestOldTokensEndNoDeletions(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStranger(emulator.Options{StaleTokenStatus: status, Latency: time.Second}, usergroup.Settings{})
				var all sync.WaitGroup
				for i := range workers {
					group := s.emulator.Seed(emulator.Group{ID: fmt.Sprint(id, i)})
					s.emulator.RotateBehind(group.ID)
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
