package api

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// limited is a service that accepts so many calls per second, some of them at once after a pause, and refuses the others.
// Each call takes 20 ms.
type limited struct {
	limit  *rate.Limiter
	refuse reaction
	calls  atomic.Int64
}

func (l *limited) RoundTrip(request *http.Request) (*http.Response, error) {
	time.Sleep(20 * time.Millisecond)
	l.calls.Add(1)
	if l.limit.Allow() {
		return ok(successJSON)(request)
	}
	return l.refuse(request)
}

// tenWorkers makes n calls in ten goroutines. It returns how many failed, and how many seconds all of them took.
func tenWorkers(client *Client, n int64) (failed int64, took float64) {
	var begun, failures atomic.Int64
	var workers sync.WaitGroup
	start := time.Now()
	for range 10 {
		workers.Go(func() {
			for i := begun.Add(1); i <= n; i = begun.Add(1) {
				if _, failure, _ := fourCalls[i%2].make(client); failure != nil {
					failures.Add(1)
				}
			}
		})
	}
	workers.Wait()
	return failures.Load(), time.Since(start).Seconds()
}

// TestUnknownLimit: whatever the limit and the form of a refusal, all calls must succeed, hardly later than the limit
// allows. The rate must rise when the limit is lifted, and fall with it.
func TestUnknownLimit(t *testing.T) {
	t.Parallel()
	for _, perSecond := range []float64{5, 20, 100} {
		for _, burst := range []int{1, int(perSecond)} {
			for slower, refuse := range map[float64]reaction{0: reply(503, ""), 20: reply(429, "", "Retry-After", "1")} {
				synctest.Test(t, func(t *testing.T) {
					service := &limited{limit: rate.NewLimiter(rate.Limit(perSecond), burst), refuse: refuse}
					client := newClient(service)
					want := func(limit rate.Limit, calls int64, most float64) {
						service.limit.SetLimit(limit)
						if failed, took := tenWorkers(client, calls); failed > 0 || took > most {
							t.Errorf("%v at once, %v a second, then %v: %d of %d failed in %.1f s, %d sent (at most %.1f s)",
								burst, perSecond, limit, failed, calls, took, service.calls.Load(), most)
						}
					}
					if want(rate.Limit(perSecond), 400, 1.2*400/perSecond+12+slower); service.calls.Load() > 470 {
						t.Errorf("%d of 400 calls were refused", service.calls.Load()-400)
					}
					if slower == 0 && burst == 1 {
						want(rate.Inf, 2000, 75)
						want(rate.Limit(perSecond), 100, 150/perSecond+20)
					}
				})
			}
		}
	}
}

// TestPace: nothing may hold back workers if there is no limit. The limit of the configuration must be kept exactly, and a
// refusal with Retry-After must hold back every call, but no other response may do so.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &limited{limit: rate.NewLimiter(rate.Inf, 1)}
		if _, took := tenWorkers(newClient(service), 1000); took != 2 {
			t.Errorf("without a limit: %.2f s", took)
		}
		if _, took := tenWorkers(newClient(service, func(c *Config) { c.RequestsPerSecond = 0.5 }), 11); took != 20.02 {
			t.Errorf("one call in two seconds: %.2f s", took)
		}
		for status, first := range map[int]time.Duration{
			400: second, 401: second, 404: second, 500: second, 429: 25 * second, 503: 25 * second,
		} {
			service := inTurn(reply(status, "{}", "Retry-After", "25"), ok(successJSON))
			tenWorkers(newClient(service, once, func(c *Config) { c.RequestsPerSecond = 1 }), 5)
			for i, least := range []time.Duration{first, second, second, second} {
				most := map[bool]time.Duration{true: least, false: least + second/2}[first == second]
				if apart := service.times[i+1].Sub(service.times[i]); apart < least || apart > most {
					t.Errorf("status %d: %s between requests %d and %d", status, apart, i, i+1)
				}
			}
		}
	})
}

// TestRateLimitEndsCalls: a rate limit must not end a call while others get through, but must end it some time after the
// last one did.
func TestRateLimitEndsCalls(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			client := newClient(inTurn(func(request *http.Request) (*http.Response, error) {
				if request.Method == http.MethodPut {
					return ok(successJSON)(request)
				}
				return reply(status, "")(request)
			}))
			for i, test := range []struct {
				others        int // calls that get through, one a minute
				least, most   time.Duration
				least0, most0 int // attempts
			}{{10, 120 * second, 150 * second, 50, 150}, {0, 7 * second, 12 * second, 4, 4}} {
				go func() {
					for range test.others {
						_, _, _ = put.make(client)
						time.Sleep(60 * second)
					}
				}()
				start := time.Now()
				_, failure, kind := get.make(client)
				if took := time.Since(start); kind != kindOf(status) || took < test.least || took > test.most ||
					failure.Attempts < test.least0 || failure.Attempts > test.most0 {
					t.Errorf("%d: ended after %s: %v", i, took, failure)
				}
				time.Sleep(hour)
			}
		})
	}
}
