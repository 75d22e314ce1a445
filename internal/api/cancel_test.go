package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"
)

const hour = time.Hour

// outcome is what a call in another goroutine ended with.
type outcome struct {
	answer Answer
	err    error
}

func start(call func() (Answer, error)) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		answer, err := call()
		done <- outcome{answer, err}
	}()
	return done
}

func await(t testing.TB, what string, done <-chan outcome) outcome {
	t.Helper()
	select {
	case o := <-done:
		return o
	case <-time.After(longEnough):
		t.Fatalf("%s did not end", what)
		return outcome{}
	}
}

// TestStoppedBeforeTheStart: nothing is sent.
func TestStoppedBeforeTheStart(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(http.StatusOK, contentJSON, successJSON))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := call.make(ctx, newClient(t, server.URL, retries(maxRetries)))
			failure := failureOf(t, err)
			wantKind(t, failure, NotSent)
			if failure.Attempts != 0 || failure.Lost || !errors.Is(failure, context.Canceled) {
				t.Errorf("%#v", failure)
			}
			wantRequests(t, server.count(), 0)
		})
	}
}

// TestStoppedWhileWaiting: the wait between attempts ends at once, with the last failure and no further request.
func TestStoppedWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		kind   Kind
	}{"throttled": {429, Throttled}, "unknown outcome": {500, UnknownOutcome}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answered := make(chan struct{})
			server := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, test.status, contentJSON, `{"message":"the last word"}`)
				close(answered)
			})
			client := newClient(t, server.URL, retries(maxRetries), func(c *Config) { c.RetryWaitMin, c.RetryWaitMax = hour, hour })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := start(func() (Answer, error) { return client.GetOrCreate(ctx, GroupRequest{UserGroupID: "acme"}) })
			within(t, "the first attempt", answered)
			time.Sleep(100 * time.Millisecond) // The wait has begun, most likely; if not, the test proves less.
			cancel()
			failure := failureOf(t, await(t, "the call", done).err)
			wantKind(t, failure, test.kind)
			if failure.Message != "the last word" || failure.Attempts != 1 || failure.Status != test.status {
				t.Errorf("not the last failure: %#v", failure)
			}
			wantRequests(t, server.count(), 1)
		})
	}
}

// TestStoppedAtTheGate: a repetition that waits at the gate, which another call's 429 has closed for longer, ends at
// once too, and still with the last failure.
func TestStoppedAtTheGate(t *testing.T) {
	t.Parallel()
	for name, mark := range map[string]func(context.Context) context.Context{
		"a call": func(ctx context.Context) context.Context { return ctx },
		// Only the first attempt of a clean-up is owed.
		"a clean-up": Finish,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var client *Client
			ready := make(chan struct{})
			server := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				<-ready
				client.gate.closeFor(hour)
				reply(w, 500, contentJSON, `{"message":"the last word"}`)
			})
			client = newClient(t, server.URL, retries(maxRetries))
			close(ready)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := start(func() (Answer, error) { return client.GetOrCreate(mark(ctx), GroupRequest{UserGroupID: "acme"}) })
			waitFor(t, "the first attempt", func() bool { return server.count() == 1 })
			time.Sleep(100 * time.Millisecond)
			cancel()
			failure := failureOf(t, await(t, "the call", done).err)
			if failure.Message != "the last word" || failure.Kind != UnknownOutcome || !failure.Lost || failure.Attempts != 1 {
				t.Errorf("not the last failure: %#v", failure)
			}
			wantRequests(t, server.count(), 1)
		})
	}
}

// TestStoppedInFlight: the call that is under way finishes, because what the service did must be known.
func TestStoppedInFlight(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			arrived, stopped := make(chan struct{}), make(chan struct{})
			server := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				close(arrived)
				select {
				case <-stopped:
				case <-r.Context().Done():
					return
				}
				// Whoever gives the connection up when the run is stopped does so well within this time.
				select {
				case <-r.Context().Done():
					t.Error("the connection was cut when the run was stopped")
				case <-time.After(200 * time.Millisecond):
				}
				reply(w, http.StatusOK, contentJSON, createdJSON)
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			client := newClient(t, server.URL, retries(maxRetries))
			done := start(func() (Answer, error) { return call.make(ctx, client) })
			within(t, "the way to the service", arrived)
			cancel()
			close(stopped)
			o := await(t, "the call", done)
			if o.err != nil {
				t.Fatal(o.err)
			}
			if call.method != http.MethodDelete && o.answer.UserGroup.Token.Reveal() != plantedNewToken {
				t.Errorf("the answer got lost: %+v", o.answer)
			}
			wantRequests(t, server.count(), 1)
		})
	}
}

// TestStoppedInFlightIsBounded: in a stopped run the call in flight has its own time limit, and is not repeated.
func TestStoppedInFlightIsBounded(t *testing.T) {
	t.Parallel()
	tryAnew(t, func(timeout time.Duration) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		server := serve(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		client := newClient(t, server.URL, retries(maxRetries), func(c *Config) { c.RequestTimeout = timeout })
		failure := failureOf(t, await(t, "the call", start(func() (Answer, error) {
			return client.GetOrCreate(ctx, GroupRequest{UserGroupID: "acme"})
		})).err)
		if requests := server.count(); failure.Kind != UnknownOutcome || requests != 1 || failure.Reason != "no complete answer came within "+timeout.String() {
			return fmt.Errorf("%d requests, kind %d after %d attempts: %w", requests, failure.Kind, failure.Attempts, failure)
		}
		return nil
	})
}

// TestFinish: a clean-up makes exactly one attempt in a run that has been stopped.
func TestFinish(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"success": 200, "throttled": 429, "unknown outcome": 500} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(status, contentJSON, `{"success":1}`))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := newClient(t, server.URL, retries(maxRetries)).Delete(Finish(ctx), DeleteRequest{UserGroupID: "acme"})
			if (err == nil) != (status == 200) {
				t.Errorf("got error %v", err)
			}
			wantRequests(t, server.count(), 1)
		})
	}
	t.Run("a run that goes on", func(t *testing.T) {
		t.Parallel()
		server := serve(t, always(500, contentJSON, ``))
		err := newClient(t, server.URL, retries(maxRetries)).Delete(Finish(t.Context()), DeleteRequest{UserGroupID: "acme"})
		wantKind(t, failureOf(t, err), UnknownOutcome)
		wantRequests(t, server.count(), maxRetries+1)
	})
}

// TestFinishStoppedWhileWaiting: the run is stopped while the clean-up waits for its turn; it is made then, at once.
func TestFinishStoppedWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(*Client){
		"at the gate":        func(c *Client) { c.gate.closeFor(hour) },
		"for the rate limit": func(c *Client) { c.limiter.Allow() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(http.StatusOK, contentJSON, `{"success":1}`))
			client := newClient(t, server.URL, func(c *Config) { c.RequestsPerSecond = 1.0 / 3600 })
			hold(client)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := start(func() (Answer, error) {
				return Answer{}, client.Delete(Finish(ctx), DeleteRequest{UserGroupID: "acme"})
			})
			time.Sleep(100 * time.Millisecond)
			wantRequests(t, server.count(), 0)
			cancel()
			if err := await(t, "the clean-up", done).err; err != nil {
				t.Error(err)
			}
			wantRequests(t, server.count(), 1)
		})
	}
}

// TestWaitBeforeRepeat waits as the calls themselves do, and ends with the run.
func TestWaitBeforeRepeat(t *testing.T) {
	t.Parallel()
	client := newClient(t, "https://service.example.com", retries(4), func(c *Config) {
		c.RetryWaitMin, c.RetryWaitMax = 10*time.Millisecond, 50*time.Millisecond
	})
	if client.Repeats() != 4 {
		t.Errorf("Repeats() = %d, want 4", client.Repeats())
	}
	for n, want := range map[int]int64{0: 10, 1: 20, 2: 40, 3: 50, 4: 50, 62: 50, 63: 50, 64: 50, 5000: 50} {
		if got := client.wait(n, nil).Milliseconds(); got != want {
			t.Errorf("wait(%d) = %dms, want %dms", n, got, want)
		}
	}
	for asked, want := range map[time.Duration]int64{0: 10, 1: 0, 30 * time.Millisecond: 30, hour: 50, maxRetryAfter: 50} {
		if got := client.wait(0, &Error{RetryAfter: asked}).Milliseconds(); got != want {
			t.Errorf("RetryAfter %s: wait = %dms, want %dms", asked, got, want)
		}
	}
	begun := time.Now()
	if err := client.WaitBeforeRepeat(t.Context(), 1, nil); err != nil || time.Since(begun) < 20*time.Millisecond {
		t.Errorf("ended after %s with %v", time.Since(begun), err)
	}
	patient := newClient(t, "https://service.example.com", func(c *Config) { c.RetryWaitMin, c.RetryWaitMax = hour, hour })
	ctx, cancel := context.WithCancel(t.Context())
	done := start(func() (Answer, error) { return Answer{}, patient.WaitBeforeRepeat(ctx, 0, nil) })
	cancel()
	if err := await(t, "the wait", done).err; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
