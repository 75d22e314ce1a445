package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// limited is a service that accepts so many calls per second and refuses the others. It stores no groups.
type limited struct {
	perSecond  float64 // 0 means no limit
	burst      float64 // how many calls it accepts at once after a pause
	status     int
	retryAfter string

	mu                sync.Mutex
	left              float64
	counted           time.Time
	accepted, refused int
}

// RoundTrip takes 20 ms.
func (l *limited) RoundTrip(*http.Request) (*http.Response, error) {
	time.Sleep(10 * time.Millisecond)
	takes := l.takes()
	time.Sleep(10 * time.Millisecond)
	if takes {
		return reply(http.StatusOK, successJSON), nil
	}
	refusal := reply(l.status, htmlPage)
	if l.retryAfter != "" {
		refusal.Header.Set("Retry-After", l.retryAfter)
	}
	return refusal, nil
}

func reply(status int, body string) *http.Response {
	response := responseTo(status, body)
	response.Body = io.NopCloser(strings.NewReader(body))
	return response
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

func (l *limited) refusedShare() float64 { return float64(l.refused) / float64(l.refused+l.accepted) }

// process returns the client of a run with the provider's defaults.
func process(t *testing.T, service http.RoundTripper) *Client {
	return newClient(t, "http://127.0.0.1", retries(4), func(c *Config) {
		c.Transport, c.RetryWaitMin, c.RetryWaitMax, c.Random = service, time.Second, 30*time.Second, rand.Float64
	})
}

// tenWorkers runs work in ten goroutines until it returns errNoWork, and returns how often it failed.
func tenWorkers(work func(worker int) error) int64 {
	var failed atomic.Int64
	var workers sync.WaitGroup
	for worker := range 10 {
		workers.Go(func() {
			for {
				switch err := work(worker); {
				case errors.Is(err, errNoWork):
					return
				case err != nil:
					failed.Add(1)
				}
			}
		})
	}
	workers.Wait()
	return failed.Load()
}

var errNoWork = errors.New("no work")

// calls returns work that makes n calls.
func calls(t *testing.T, client *Client, n int64) func(int) error {
	var begun atomic.Int64
	return func(int) error {
		i := begun.Add(1)
		if i > n {
			return errNoWork
		}
		_, err := fourCalls[i%2].make(t.Context(), client)
		return err
	}
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
								start := time.Now()
								failed := tenWorkers(calls(t, process(t, service), n))
								took, most := time.Since(start).Seconds(), 1.25*float64(n)/perSecond+8
								mostRefused := 0.15 * float64(service.accepted+service.refused)
								if n == 20 && (burst > 1 || perSecond == 2) {
									// Finding a limit that a burst hides takes some refusals, which are a large part of 20 calls.
									mostRefused += 5
								}
								if failed > 0 || took > most || float64(service.refused) > mostRefused {
									t.Errorf("%d calls: %d failed, %d refused, %.1f s (at most %.1f s)",
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
		service := each(then(func(net.Conn, received) bool {
			time.Sleep(20 * time.Millisecond)
			return true
		}, ok(successJSON)))
		start := time.Now()
		failed := tenWorkers(calls(t, service.client(t), 1035))
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
		took := time.Since(start)
		if diff := cmp.Diff(want, underWay); failed > 0 || diff != "" || took != 107*20*time.Millisecond {
			t.Errorf("%d failed; it took %s; under way: %s", failed, took, diff)
		}
	})
}

// TestLimitLifted: the pace must rise again when the service allows more.
func TestLimitLifted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &limited{perSecond: 10, burst: 1, status: http.StatusTooManyRequests}
		time.AfterFunc(30*time.Second, func() {
			service.mu.Lock()
			defer service.mu.Unlock()
			service.perSecond = 0
		})
		start := time.Now()
		failed := tenWorkers(calls(t, process(t, service), 3000))
		if took := time.Since(start); failed > 0 || took > time.Minute {
			t.Errorf("3,000 calls took %s; %d failed", took, failed)
		}
	})
}

// TestLimitImposed: a service that begins to refuse after a while must not be asked much more often than it allows.
func TestLimitImposed(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{2, 20, 100} {
		synctest.Test(t, func(t *testing.T) {
			service := &limited{burst: 1, status: http.StatusTooManyRequests}
			time.AfterFunc(5*time.Second, func() {
				service.mu.Lock()
				defer service.mu.Unlock()
				service.perSecond, service.left, service.accepted = perSecond, 0, 0
			})
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			client := process(t, service)
			tenWorkers(func(int) error {
				if _, err := get(ctx, client); ctx.Err() != nil {
					return errNoWork
				} else {
					return err
				}
			})
			if used := float64(service.accepted) / perSecond / 115; used < 0.75 || service.refused > 200 {
				t.Errorf("%v a second: %.0f %% used, %d refused", perSecond, 100*used, service.refused)
			}
		})
	}
}

// TestAllRefused: a service that refuses everything must be called about once a second.
func TestAllRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &limited{perSecond: 200, burst: 1, status: http.StatusServiceUnavailable}
		client := process(t, service)
		tenWorkers(calls(t, client, 1000))
		service.perSecond, service.refused = 1e-9, 0
		start := time.Now()
		tenWorkers(calls(t, client, 100))
		if took := time.Since(start).Seconds(); float64(service.refused) > 1.1*took+20 {
			t.Errorf("%d calls in %.0f s", service.refused, took)
		}
	})
}

// TestSharedLimit: processes that share a limit must end up with fair shares, whichever started first.
func TestSharedLimit(t *testing.T) {
	t.Parallel()
	const late, long = 20 * time.Second, 5 * time.Minute
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
					start := time.Now()
					done := make([]atomic.Int64, processes) // after all have started
					var all sync.WaitGroup
					for i := range processes {
						client := process(t, service)
						all.Go(func() {
							time.Sleep(time.Duration(i) * late)
							tenWorkers(func(int) error {
								if _, err := get(ctx, client); err == nil && time.Since(start) > time.Duration(processes)*late {
									done[i].Add(1)
								}
								if ctx.Err() != nil {
									return errNoWork
								}
								return nil
							})
						})
					}
					all.Wait()
					used := float64(service.accepted) / (limit.perSecond * long.Seconds())
					if share := service.refusedShare(); used < limit.used || share > limit.refused {
						t.Errorf("%.0f %% of the limit used, %.0f %% refused", 100*used, 100*share)
					}
					accepted := int64(0)
					for i := range done {
						accepted += done[i].Load()
					}
					for i := range done {
						if part := float64(done[i].Load()*int64(processes)) / float64(accepted); part < limit.least {
							t.Errorf("process %d got %.2f of a fair share", i, part)
						}
					}
				})
			})
		}
	}
}

// TestLetThrough: any response shows that a call was let through, unless it refuses the pace. A missing response
// does not show it.
func TestLetThrough(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		react reaction
		want  bool
	}{
		"a success":   {ok(successJSON), true},
		"a refusal":   {page(http.StatusBadRequest), true},
		"an error":    {page(http.StatusInternalServerError), true},
		"too many":    {page(http.StatusTooManyRequests), false},
		"unavailable": {page(http.StatusServiceUnavailable), false},
		"no answer":   {cut, false},
	} {
		client := each(test.react).client(t, retries(0))
		_, _ = get(t.Context(), client)
		if got := !client.pace.letThrough().IsZero(); got != test.want {
			t.Errorf("%s: let through: %t", what, got)
		}
	}
}

// TestRateLimitEndsCalls: a rate limit must not end a call while others get through, but must end it some time
// after the last one did.
func TestRateLimitEndsCalls(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			service := inTurn(ok(successJSON), page(status))
			client := service.client(t, retries(2), waits(time.Second, 30*time.Second))
			const long = 2 * time.Minute
			var err error
			for _, most := range []time.Duration{0, long + time.Minute, 10 * time.Second} {
				start := time.Now()
				_, err = get(t.Context(), client)
				if took := time.Since(start); took > most || (err == nil) != (most == 0) || most > long && took < long {
					t.Errorf("status %d: ended after %s, with %v", status, took, err)
				}
			}
			if n, last := len(service.seen()), failureOf(t, err).Attempts; n != 15 || last != 3 {
				t.Errorf("status %d: %d requests, %d of them for the last call, which has two retries", status, n, last)
			}
		})
	}
}

// TestSomeAreAlwaysRefused: calls that are refused for a reason other than their pace must not slow down the others.
func TestSomeAreAlwaysRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := roundTripper(func(request *http.Request) *http.Response {
			time.Sleep(20 * time.Millisecond)
			if request.Method == http.MethodDelete {
				return reply(http.StatusServiceUnavailable, htmlPage)
			}
			return reply(http.StatusOK, successJSON)
		})
		client := process(t, service)
		work := calls(t, client, 3000)
		start := time.Now()
		failed := tenWorkers(func(worker int) error {
			if worker > 4 {
				return work(worker)
			}
			for range 3 {
				if err := client.Delete(t.Context(), TokenRequest{UserGroupID: "acme"}); err == nil {
					t.Error("the deletion succeeded")
				}
			}
			return errNoWork
		})
		if took := time.Since(start); failed > 0 || took > 5*time.Minute {
			t.Errorf("3,000 calls took %s; %d failed", took, failed)
		}
	})
}

type roundTripper func(*http.Request) *http.Response

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	return r(request), nil
}
