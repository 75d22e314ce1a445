package api

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestOne429HoldsBackEverybody: a call that was never throttled itself waits as well.
func TestOne429HoldsBackEverybody(t *testing.T) {
	t.Parallel()
	server := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			w.Header().Set("Retry-After", "1")
			reply(w, http.StatusTooManyRequests, contentJSON, "{}")
			return
		}
		reply(w, http.StatusOK, contentJSON, successJSON)
	})
	client := newClient(t, server.URL, retries(1), func(c *Config) { c.RetryWaitMax = longEnough })
	call := func() (Answer, error) { return client.GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"}) }
	running := []<-chan outcome{start(call)}
	// The service has answered 429 before the others even begin.
	waitFor(t, "the 429 to arrive", func() bool {
		client.gate.mu.Lock()
		defer client.gate.mu.Unlock()
		return !client.gate.opensAt.IsZero()
	})
	for range 4 {
		running = append(running, start(call))
	}
	for _, done := range running {
		if err := await(t, "a call", done).err; err != nil {
			t.Error(err)
		}
	}
	seen := server.seen()
	wantRequests(t, len(seen), 6)
	for i, request := range seen[1:] {
		if waited := request.at.Sub(seen[0].at); waited < time.Second {
			t.Errorf("request %d came %s after the 429, want at least 1s", i+2, waited)
		}
	}
}

// TestGateClosesWhileQueued: a call that has passed the gate, and queues for the rate limit when the gate closes, is held
// back too: with ten workers and a limit, nearly all of them are there.
func TestGateClosesWhileQueued(t *testing.T) {
	t.Parallel()
	server := serve(t, always(http.StatusOK, contentJSON, successJSON))
	client := newClient(t, server.URL, func(c *Config) { c.RequestsPerSecond = 1 })
	client.limiter.Allow() // So the call has to queue for about a second.
	done := start(func() (Answer, error) { return client.GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"}) })
	waitFor(t, "the call to queue", func() bool { return client.limiter.Tokens() < 0 })
	closed := time.Now()
	client.gate.closeFor(3 * time.Second / 2)
	if err := await(t, "the call", done).err; err != nil {
		t.Fatal(err)
	}
	if waited := server.seen()[0].at.Sub(closed); waited < 3*time.Second/2 {
		t.Errorf("the call went through the closed gate after %s", waited)
	}
}

// TestGateNeverOpensEarlier: a shorter wait does not undo a longer one.
func TestGateNeverOpensEarlier(t *testing.T) {
	t.Parallel()
	var g gate
	g.closeFor(hour)
	g.closeFor(time.Millisecond)
	if left := time.Until(g.opensAt); left < hour/2 {
		t.Errorf("the gate opens in %s", left)
	}
}

// TestRateLimit: it holds for all goroutines together, and spaces the calls.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	server := serve(t, always(http.StatusOK, contentJSON, successJSON))
	client := newClient(t, server.URL, func(c *Config) { c.RequestsPerSecond = 10 })
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 2 {
				if _, err := client.GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	seen := server.seen()
	wantRequests(t, len(seen), 8)
	// Seven gaps of 100 ms; how late the first one arrives at a busy machine may shorten them.
	if took := seen[7].at.Sub(seen[0].at); took < 500*time.Millisecond {
		t.Errorf("8 calls at 10 a second came within %s", took)
	}
}

// TestRateLimitCountsRepetitions: also what is repeated is a request.
func TestRateLimitCountsRepetitions(t *testing.T) {
	t.Parallel()
	server := serve(t, always(500, contentJSON, ""))
	client := newClient(t, server.URL, retries(3), func(c *Config) { c.RequestsPerSecond = 5 })
	_, err := client.GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
	wantKind(t, failureOf(t, err), UnknownOutcome)
	seen := server.seen()
	wantRequests(t, len(seen), 4)
	if took := seen[3].at.Sub(seen[0].at); took < 400*time.Millisecond {
		t.Errorf("4 requests at 5 a second came within %s", took)
	}
}

// TestConnectionsAreReused: ten workers need ten connections, however many calls they make. On a busy machine a few more
// are begun, while a connection that comes free at that moment serves instead.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const workers, calls = 10, 20
	var rounds [calls]sync.WaitGroup
	for i := range rounds {
		rounds[i].Add(workers)
	}
	server := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
		// The workers' calls of one round are under way at the same time, so that each has a connection of its own.
		round := &rounds[(n-1)/workers]
		round.Done()
		round.Wait()
		switch n % 4 {
		case 0: // An answer of unknown length must leave the connection usable too, and so must a refusal.
			w.(http.Flusher).Flush()
			reply(w, http.StatusOK, contentJSON, successJSON)
		case 1:
			reply(w, http.StatusBadRequest, contentJSON, `{"success":0}`)
		default:
			reply(w, http.StatusOK, contentJSON, successJSON)
		}
	})
	client := newClient(t, server.URL)
	for range calls {
		var running sync.WaitGroup
		for i := range workers {
			running.Go(func() {
				if _, err := fourCalls[i%4].make(t.Context(), client); err != nil && !IsKind(err, Refused) {
					t.Error(err)
				}
			})
		}
		running.Wait()
	}
	wantRequests(t, server.count(), workers*calls)
	if got := server.connections.Load(); got > 2*workers {
		t.Errorf("%d connections for %d workers with %d calls each", got, workers, calls)
	}
}
