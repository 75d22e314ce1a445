package usergroup_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

var everyChange = []string{"find", "create", "update", "rotate", "delete"}

// TestPoisonedRecords: 15 of 60 groups whose calls are always answered with 500 keep no other one from being done,
// whatever their order and with however many workers.
func TestPoisonedRecords(t *testing.T) {
	t.Parallel()
	const groups, poisoned = 60, 15
	orders := map[string]func(i int) bool{
		"first": func(i int) bool { return i < poisoned }, "last": func(i int) bool { return i >= groups-poisoned },
		"every fourth": func(i int) bool { return i%4 == 3 },
	}
	for order, isPoisoned := range orders {
		for _, operation := range everyChange {
			for _, parallel := range []int{1, workers} {
				t.Run(fmt.Sprintf("%s/%s/%d", order, operation, parallel), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						w := newCrowdOf(groups, operation, emulator.Options{})
						w.workers = parallel
						var bad []string
						for i, prior := range w.priors {
							if isPoisoned(i) {
								bad = append(bad, prior.ID, prior.Token.Reveal())
							}
						}
						w.lasting = about(bad, refusal(http.StatusInternalServerError))
						w.run(t, usergroup.Settings{})
						t.Logf("| poisoned %s | %s, %d workers | %s |", order, operation, parallel, w)
						if w.succeeded != groups-poisoned || w.untrue+w.unsaid+w.left > 0 {
							t.Errorf("%s", w)
						}
					})
				})
			}
		}
	}
}

// about is the response to calls about groups with these IDs or tokens.
func about(bad []string, answer reply) lasting {
	return func(r *http.Request) reply {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		isBad := func(text string) bool { return text != "" && strings.Contains(string(body), `"`+text+`"`) }
		if slices.ContainsFunc(bad, isBad) {
			return answer
		}
		return reply{}
	}
}

// TestPatienceIsShared: whatever is wrong with the service, the first groups wait for it, and all others give up.
func TestPatienceIsShared(t *testing.T) {
	t.Parallel()
	quota := refusal(http.StatusTooManyRequests)
	quota.retryAfter = "1800"
	for name, e := range map[string]struct {
		groups  int
		answer  reply
		workers []int
		most    limits
	}{
		"a quota that is used up": {40, quota, []int{1, workers}, limits{calls: 50, took: 4 * time.Minute}},
		"500":                     {400, refusal(500), []int{1, workers}, limits{calls: 70, took: time.Minute}},
		"no connection":           {400, unreachable, []int{1, workers}, limits{calls: 70, took: time.Minute}},
		"silence":                 {400, silence, []int{workers}, limits{calls: 70, took: 5 * time.Minute}},
		"lost after the work":     {400, dropped, []int{workers}, limits{calls: 70, took: time.Minute}},
	} {
		for _, operation := range append([]string{"find of missing"}, everyChange...) {
			for _, parallel := range e.workers {
				t.Run(fmt.Sprintf("%s/%s/%d", name, operation, parallel), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						w := newCrowdOf(e.groups, operation, emulator.Options{})
						w.workers, w.lasting = parallel, always(e.answer)
						w.run(t, usergroup.Settings{})
						t.Logf("| %s | %s, %d workers | %s |", name, operation, parallel, w)
						most := e.most
						if w.rotates || w.deletes { // Each one is followed by at least one look.
							most.calls, most.took = most.calls+30, most.took+time.Minute
						}
						if w.calls > most.calls || w.took > most.took || w.explained != 1 || w.untrue+w.unsaid+w.unnamed > 0 {
							t.Errorf("%s", w)
						}
					})
				})
			}
		}
	}
}

// TestAStoppedOperationTellsNothing about the service, so patience stays shared: a data source stops its other lookups,
// which still wait for their turn, once one of them has failed.
func TestAStoppedOperationTellsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
			connect(r)
			calls++
			return refusal(http.StatusTooManyRequests).response()
		}), maxRetries, usergroup.Settings{})
		find := func(ctx context.Context, i int) {
			if _, err := s.Find(ctx, usergroup.Prior{ID: fmt.Sprintf("group-%d", i)}); err == nil {
				t.Error("it was found")
			}
		}
		find(t.Context(), 0)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var lookups sync.WaitGroup
		for i := range workers {
			lookups.Go(func() {
				find(ctx, 1+i)
				stop()
			})
		}
		lookups.Wait()
		calls = 0
		if find(t.Context(), 1+workers); calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

// TestOneCreationExplainsTheOthers: many creations meet existing groups at the same time, and the first one explains
// that. Each reads what the first one says, so nothing may be written into it any more.
func TestOneCreationExplainsTheOthers(t *testing.T) {
	t.Parallel()
	const groups = 8
	for range 50 {
		var sent, created sync.WaitGroup
		sent.Add(groups)
		s := newService(roundTrip(func(r *http.Request) (*http.Response, error) {
			connect(r)
			sent.Done()
			sent.Wait()
			const body = `{"success":1,"new_user_group":false,"user_group":{"team_id":1,"token":"ugt_1"}}`
			return reply{status: http.StatusOK, body: []byte(body)}.response()
		}), maxRetries, usergroup.Settings{})
		var explained atomic.Int64
		for i := range groups {
			created.Go(func() {
				_, err := s.Create(t.Context(), wanted(fmt.Sprintf("group-%d", i)), false)
				p := problemOf(err)
				if p.Cause == nil {
					explained.Add(1)
				} else if p.Cause.Cause != nil {
					t.Errorf("%s refers to one that refers to another one", p.ID)
				}
			})
		}
		created.Wait()
		if n := explained.Load(); n != 1 {
			t.Errorf("%d are explained", n)
		}
	}
}
