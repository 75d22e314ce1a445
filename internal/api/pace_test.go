package api

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// limited is a service that accepts so many calls per second and refuses the others. It stores no groups.
type limited struct {
	perSecond   float64 // 0 means no limit
	burst       float64 // how many calls it accepts at once after a pause
	status      int
	retryAfter  string
	noDeletions bool // it refuses all deletions, whatever their pace

	mu                sync.Mutex
	left              float64
	counted           time.Time
	accepted, refused int
}

// RoundTrip takes 20 ms.
func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	time.Sleep(10 * time.Millisecond)
	takes := (!l.noDeletions || request.Method != http.MethodDelete) && l.takes()
	time.Sleep(10 * time.Millisecond)
	if takes {
		return reply(http.StatusOK, successJSON), nil
	}
	return reply(l.status, htmlPage, "Retry-After", l.retryAfter), nil
}

func (l *limited) takes() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.left = min(l.burst, l.left+l.perSecond*now.Sub(l.counted).Seconds())
	l.counted = now
	// Without this tolerance, rounding would refuse calls that keep exactly to the limit.
	if l.perSecond > 0 && l.left < 0.999 {
		l.refused++
		return false
	}
	l.left--
	l.accepted++
	return true
}

// change changes the limit. The service begins to count anew.
func (l *limited) change(perSecond float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.perSecond, l.left, l.accepted, l.refused = perSecond, 0, 0, 0
}

// process returns the client of a run with the provider's defaults.
func process(t *testing.T, service *limited) *Client {
	return newClient(t, "http://127.0.0.1", retries(4), func(c *Config) {
		c.Transport, c.RetryWaitMin, c.RetryWaitMax, c.Random = service, time.Second, 30*time.Second, rand.Float64
	})
}

// tenWorkers makes n calls in ten goroutines, or fewer if the context ends. It returns how many failed before that, and
// how long all of them took.
func tenWorkers(ctx context.Context, client *Client, n int64) (failed int64, took time.Duration) {
	var begun, failures atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range 10 {
		workers.Go(func() {
			for i := begun.Add(1); i <= n && ctx.Err() == nil; i = begun.Add(1) {
				if _, err := fourCalls[i%2].make(ctx, client); err != nil && ctx.Err() == nil {
					failures.Add(1)
				}
			}
		})
	}
	workers.Wait()
	return failures.Load(), time.Since(start)
}

// TestUnknownLimit: whatever the limit and the form of a refusal, all calls must succeed, hardly later than the
// limit allows, and few may be refused.
func TestUnknownLimit(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{2, 5, 10, 20, 50, 200} {
		for _, burst := range []float64{1, 2, perSecond} {
			for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
				for _, retryAfter := range []string{"", "1"} {
					name := fmt.Sprintf("%v a second, %v at once, %d, Retry-After %q", perSecond, burst, status, retryAfter)
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						for _, n := range []int64{20, 200} {
							synctest.Test(t, func(t *testing.T) {
								service := &limited{perSecond: perSecond, burst: burst, status: status, retryAfter: retryAfter}
								failed, took := tenWorkers(t.Context(), process(t, service), n)
								most := 1.25*float64(n)/perSecond + 8
								mostRefused := 0.15 * float64(service.accepted+service.refused)
								if n == 20 && (burst > 1 || perSecond == 2) {
									// Finding a limit that a burst hides takes some refusals, which are a large part of 20 calls.
									mostRefused += 5
								}
								if failed > 0 || took.Seconds() > most || float64(service.refused) > mostRefused {
									t.Errorf("%d calls: %d failed, %d refused, %s (at most %.1f s)",
										n, failed, service.refused, took, most)
								}
							})
						}
					})
				}
			}
		}
	}
}

// TestStart: the first calls must be sent a few at a time, however many wait. After that, if there is no limit, nothing
// may hold back ten workers.
func TestStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := inTurn(then(func(net.Conn, received) bool {
			time.Sleep(20 * time.Millisecond)
			return true
		}, ok(successJSON)))
		failed, took := tenWorkers(t.Context(), service.client(t), 1035)
		var underWay []int
		var last time.Time
		for _, request := range service.seen() {
			if request.at != last {
				underWay = append(underWay, 0)
			}
			underWay[len(underWay)-1]++
			last = request.at
		}
		want := append([]int{1, 2, 3, 4, 6, 9}, slices.Repeat([]int{10}, 101)...)
		if diff := cmp.Diff(want, underWay); failed > 0 || diff != "" || took != 107*20*time.Millisecond {
			t.Errorf("%d failed; it took %s; under way: %s", failed, took, diff)
		}
	})
}

// TestLimitChanges: a service that begins to refuse after a while must not be asked much more often than it allows, the
// pace must rise again when the limit is lifted, and a service that refuses everything must be called about once a
// second.
func TestLimitChanges(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{2, 10, 20, 100} {
		synctest.Test(t, func(t *testing.T) {
			service := &limited{burst: 1, status: http.StatusTooManyRequests}
			client := process(t, service)
			time.AfterFunc(5*time.Second, func() { service.change(perSecond) })
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			tenWorkers(ctx, client, math.MaxInt64)
			if used := float64(service.accepted) / perSecond / 115; used < 0.75 || service.refused > 200 {
				t.Errorf("imposed, %v a second: %.0f %% used, %d refused", perSecond, 100*used, service.refused)
			}
			service.change(0)
			if failed, took := tenWorkers(t.Context(), client, 2700); failed > 0 || took > 32*time.Second {
				t.Errorf("lifted, after %v a second: 2,700 calls took %s; %d failed", perSecond, took, failed)
			}
			service.change(1e-9)
			if _, took := tenWorkers(t.Context(), client, 100); float64(service.refused) > 1.1*took.Seconds()+20 {
				t.Errorf("all refused: %d calls in %s", service.refused, took)
			}
		})
	}
}

// TestSomeAreAlwaysRefused: calls that are refused for a reason other than their pace must not slow down the others.
func TestSomeAreAlwaysRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := process(t, &limited{status: http.StatusServiceUnavailable, noDeletions: true})
		client.pace.ceiling = 30 // so that the calls go on after the first deletions have given up
		for range 5 {
			go func() {
				for range 3 {
					if _, err := remove.make(t.Context(), client); err == nil {
						t.Error("the deletion succeeded")
					}
				}
			}()
		}
		if failed, took := tenWorkers(t.Context(), client, 3000); failed > 0 || took > 5*time.Minute {
			t.Errorf("3,000 calls took %s; %d failed", took, failed)
		}
	})
}

// TestSharedLimit: processes that share a limit must end up with fair shares, whichever started first.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	const late, long = 20 * time.Second, 10 * time.Minute
	for _, limit := range []struct {
		perSecond, burst, used, refused, least float64
	}{
		{perSecond: 5, burst: 3, used: 0.75, refused: 0.2, least: 0.5},
		{perSecond: 20, burst: 3, used: 0.75, refused: 0.2, least: 0.5},
		{perSecond: 100, burst: 3, used: 0.75, refused: 0.2, least: 0.4},
		// If no burst is allowed, calls of several processes collide by chance, and most of the limit stays unused.
		{perSecond: 5, burst: 1, used: 0.3, refused: 0.4, least: 1. / 3},
		{perSecond: 20, burst: 1, used: 0.15, refused: 0.25, least: 1. / 3},
	} {
		for _, processes := range []int{2, 4} {
			name := fmt.Sprintf("%d processes, %v a second, %v at once", processes, limit.perSecond, limit.burst)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service := &limited{perSecond: limit.perSecond, burst: limit.burst, status: http.StatusTooManyRequests}
					ctx, stop := context.WithTimeout(t.Context(), long)
					defer stop()
					var runs sync.WaitGroup
					clients, before := make([]*Client, processes), make([]int, processes)
					for i := range clients {
						clients[i] = process(t, service)
						runs.Go(func() { tenWorkers(ctx, clients[i], math.MaxInt64) })
						time.Sleep(late)
					}
					for i, client := range clients { // All have started.
						before[i] = client.Succeeded("")
					}
					runs.Wait()
					calls := float64(service.accepted + service.refused)
					used, refused := float64(service.accepted)/(limit.perSecond*long.Seconds()), float64(service.refused)/calls
					if used < limit.used || refused > limit.refused {
						t.Errorf("%.0f %% of the limit used, %.0f %% refused", 100*used, 100*refused)
					}
					all, least := 0, math.MaxInt
					for i, client := range clients {
						done := client.Succeeded("") - before[i]
						all, least = all+done, min(least, done)
					}
					if part := float64(least*processes) / float64(all); part < limit.least {
						t.Errorf("a process got %.2f of a fair share", part)
					}
				})
			})
		}
	}
}

// TestRateLimitEndsCalls: a rate limit must not end a call while others get through, but must end it some time after
// the last one did. Without retries, it must do so at once.
func TestRateLimitEndsCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, retries int
		kind            Kind
		long            time.Duration // what it takes to end the first call after one that got through
		requests, last  int           // of all calls, and of the last one
	}{
		{http.StatusTooManyRequests, 2, Throttled, 2 * time.Minute, 15, 3},
		{http.StatusServiceUnavailable, 2, UnknownOutcome, 2 * time.Minute, 15, 3},
		{http.StatusTooManyRequests, 0, Throttled, 0, 3, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			service := inTurn(ok(successJSON), page(test.status))
			client := service.client(t, retries(test.retries), waits(time.Second, 30*time.Second))
			if _, err := get.make(t.Context(), client); err != nil {
				t.Error(err)
			}
			start := time.Now()
			_, err := get.make(t.Context(), client)
			first := time.Since(start)
			_, again := get.make(t.Context(), client)
			second := time.Since(start) - first
			if first < test.long || first > test.long+time.Minute || second > 10*time.Second || err == nil {
				t.Errorf("%+v: calls ended after %s and %s, the first with %v", test, first, second, err)
			}
			service.want(t, test.requests)
			if got := wantKind(t, again, test.kind).Attempts; got != test.last {
				t.Errorf("%+v: the last call had %d attempts", test, got)
			}
		})
	}
}
