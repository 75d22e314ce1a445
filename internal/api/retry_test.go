package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

const maxRetries = 3

// TestRepetitions counts, for each call and each fault that lasts, the requests that the service gets.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	json := func(status int, body string) func(*rawServer) reaction {
		return func(*rawServer) reaction {
			return write(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body))
		}
	}
	tests := map[string]struct {
		react func(*rawServer) reaction
		kind  Kind
		// repeated: by the repeatable calls; always: by the rotation too.
		repeated, always bool
	}{
		"429":                      {json(429, `{}`), Throttled, true, true},
		"500":                      {json(500, `{"success":0}`), UnknownOutcome, true, false},
		"503":                      {json(503, ``), UnknownOutcome, true, false},
		"408":                      {json(408, ``), UnknownOutcome, true, false},
		"HTML 200":                 {json(200, htmlPage), UnknownOutcome, true, false},
		"half a document, whole":   {json(200, successJSON[:40]), UnknownOutcome, true, false},
		"half a body, then cut":    {func(*rawServer) reaction { return half("200 OK", successJSON) }, UnknownOutcome, true, false},
		"half a refusal, then cut": {func(*rawServer) reaction { return half("400 Bad Request", `{"message":"no, because"}`) }, UnknownOutcome, true, false},
		"cut before an answer":     {func(*rawServer) reaction { return cut }, UnknownOutcome, true, false},
		"no HTTP":                  {func(*rawServer) reaction { return write("220 smtp.example.com\r\n\r\n") }, UnknownOutcome, true, false},
		"protocol switched": {func(*rawServer) reaction {
			return write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		}, UnknownOutcome, true, false},
		"401":       {json(401, ``), Unauthorised, false, false},
		"403":       {json(403, ``), Unauthorised, false, false},
		"404":       {json(404, ``), Refused, false, false},
		"400":       {json(400, `{"success":1}`), Refused, false, false},
		"success 0": {json(200, `{"success":0}`), Refused, false, false},
		"307":       {json(307, ``), Redirected, false, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, call := range fourCalls {
				t.Run(call.name, func(t *testing.T) {
					t.Parallel()
					want := 1
					if test.repeated && call.repeatable || test.always {
						want += maxRetries
					}
					var server *rawServer
					ready := make(chan struct{})
					server = serveRaw(t, func(int64) reaction { <-ready; return test.react(server) })
					close(ready)
					_, err := call.make(t.Context(), newClient(t, server.url, retries(maxRetries)))
					failure := failureOf(t, err)
					wantKind(t, failure, test.kind)
					wantRequests(t, int(server.requests.Load()), want)
					if failure.Attempts != want || failure.Lost != (test.kind == UnknownOutcome) || failure.MayHaveHappened() != failure.Lost {
						t.Errorf("Attempts = %d, Lost = %v, MayHaveHappened = %v; want %d attempts", failure.Attempts, failure.Lost, failure.MayHaveHappened(), want)
					}
					if counted := strings.Contains(failure.Said(), fmt.Sprintf("after %d attempts", want)); counted != (want > 1) {
						t.Errorf("Said() = %q", failure.Said())
					}
				})
			}
		})
	}
}

// TestRecovery: the fault strikes once, and what was lost is told with the answer.
func TestRecovery(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault reaction
		lost  bool
	}{
		"429":   {write("HTTP/1.1 429 X\r\nContent-Length: 0\r\n\r\n"), false},
		"500":   {write("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n"), true},
		"cut":   {cut, true},
		"half":  {half("200 OK", successJSON), true},
		"HTML":  {answer200(htmlPage), true},
		"empty": {answer200(""), true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, call := range fourCalls {
				t.Run(call.name, func(t *testing.T) {
					t.Parallel()
					server := serveRaw(t, func(n int64) reaction {
						if n == 1 {
							return test.fault
						}
						return answer200(successJSON)
					})
					answer, err := call.make(t.Context(), newClient(t, server.url, retries(maxRetries)))
					if test.lost && !call.repeatable {
						failure := failureOf(t, err)
						if !failure.Lost || failure.Attempts != 1 {
							t.Errorf("Lost = %v, Attempts = %d", failure.Lost, failure.Attempts)
						}
						wantRequests(t, int(server.requests.Load()), 1)
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					wantRequests(t, int(server.requests.Load()), 2)
					if call.method != http.MethodDelete && answer.Lost != test.lost {
						t.Errorf("Lost = %v, want %v", answer.Lost, test.lost)
					}
				})
			}
		})
	}
}

// TestLostThenRefused: the refusal is the last word, but the first attempt may have done the work.
func TestLostThenRefused(t *testing.T) {
	t.Parallel()
	for _, status := range []int{404, 401, 429} {
		server := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				reply(w, 500, contentJSON, "{}")
				return
			}
			reply(w, status, contentJSON, "{}")
		})
		failure := failureOf(t, newClient(t, server.URL, retries(1)).Delete(t.Context(), DeleteRequest{UserGroupID: "acme"}))
		if !failure.Lost || !failure.MayHaveHappened() || failure.Status != status || failure.Attempts != 2 {
			t.Errorf("status %d: %#v", status, failure)
		}
	}
}

// TestCreatedIsKept: that an attempt said it made the group outlives that attempt, whatever comes later.
func TestCreatedIsKept(t *testing.T) {
	t.Parallel()
	const noToken = `{"success":1,"new_user_group":true,"user_group":{"team_id":1}}`
	for name, test := range map[string]struct {
		then   string
		failed bool
	}{
		"then it exists":  {successJSON, false},
		"then it refuses": {`{"success":0}`, true},
		"then as before":  {noToken, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serveRaw(t, func(n int64) reaction {
				if n == 1 {
					return answer200(noToken)
				}
				return answer200(test.then)
			})
			answer, err := newClient(t, server.url, retries(1)).GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
			if test.failed {
				if failure := failureOf(t, err); !failure.Created || !failure.Lost {
					t.Errorf("Created = %v, Lost = %v", failure.Created, failure.Lost)
				}
			} else if err != nil || !answer.Created || !answer.Lost {
				t.Errorf("answer %+v, error %v", answer, err)
			}
			wantRequests(t, int(server.requests.Load()), 2)
		})
	}
}

// TestExistedIsNotLost: an answer that cannot be used but says that the group was there before leaves nothing open.
func TestExistedIsNotLost(t *testing.T) {
	t.Parallel()
	const noToken = `{"success":1,"new_user_group":false,"user_group":{"team_id":1}}`
	for name, test := range map[string]struct {
		first, then string
		lost        bool
	}{
		"then in full":       {noToken, successJSON, false},
		"then as before":     {noToken, noToken, false},
		"after a lost one":   {`half of `, noToken, true},
		"before a lost one":  {noToken, `half of `, true},
		"then no group told": {`{"success":1}`, successJSON, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serveRaw(t, func(n int64) reaction {
				if n == 1 {
					return answer200(test.first)
				}
				return answer200(test.then)
			})
			answer, err := newClient(t, server.url, retries(1)).GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
			lost := answer.Lost
			if err != nil {
				lost = failureOf(t, err).MayHaveHappened()
			}
			if lost != test.lost {
				t.Errorf("lost = %v, error %v", lost, err)
			}
			wantRequests(t, int(server.requests.Load()), 2)
		})
	}
}

// TestNothingListens: a failed dial is always safe to repeat.
func TestNothingListens(t *testing.T) {
	t.Parallel()
	address := "http://" + deafAddress(t)
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			_, err := call.make(t.Context(), newClient(t, address, retries(maxRetries)))
			failure := failureOf(t, err)
			wantKind(t, failure, NotSent)
			if failure.Lost || failure.MayHaveHappened() || failure.Attempts != maxRetries+1 || failure.Status != 0 {
				t.Errorf("%#v", failure)
			}
			if failure.Reason != "no connection to the service could be made: connection refused" {
				t.Errorf("Reason = %q", failure.Reason)
			}
		})
	}
}

// TestKeptAliveConnectionDies: Go's transport would replay a GET of its own accord when a connection that has served
// before dies; here that would be a second creation that nobody knows of.
func TestKeptAliveConnectionDies(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			dying := func(n int64) reaction {
				if n == 2 {
					return cut
				}
				return answer200(successJSON)
			}
			server := serveRaw(t, dying)
			client := newClient(t, server.url)
			if _, err := call.make(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			_, err := call.make(t.Context(), client)
			failure := failureOf(t, err)
			wantKind(t, failure, UnknownOutcome)
			wantRequests(t, int(server.requests.Load()), 2)
			if got := server.connections.Load(); got != 1 {
				t.Fatalf("%d connections: the second call did not go out on a kept-alive one, so nothing was tested", got)
			}
			if !failure.Lost {
				t.Error("the loss is not told")
			}
			if !call.repeatable {
				return
			}

			server = serveRaw(t, dying)
			client = newClient(t, server.url, retries(1))
			if _, err := call.make(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			answer, err := call.make(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			wantRequests(t, int(server.requests.Load()), 3)
			if call.method != http.MethodDelete && !answer.Lost {
				t.Error("the repeated call's answer does not tell of the loss")
			}
		})
	}
}

// TestRequestTimeout: it bounds each attempt, whether nothing comes or only half.
func TestRequestTimeout(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]string{"silence": "", "half an answer": "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", "headers without end": "HTTP/1.1 200 OK\r\nX: ", "protocol switched": "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryAnew(t, func(timeout time.Duration) error {
				var server *rawServer
				ready := make(chan struct{})
				server = serveRaw(t, func(int64) reaction {
					<-ready
					return func(conn net.Conn) bool { write(begun)(conn); return server.hang(conn) }
				})
				close(ready)
				client := newClient(t, server.url, retries(1), func(c *Config) { c.RequestTimeout = timeout })
				failure := failureOf(t, await(t, "the call", start(func() (Answer, error) {
					return client.GetOrCreate(context.WithoutCancel(t.Context()), GroupRequest{UserGroupID: "acme"})
				})).err)
				reason := "no complete answer came within " + timeout.String()
				if name == "protocol switched" {
					reason = failure.Reason
				}
				if requests := server.requests.Load(); failure.Kind != UnknownOutcome || failure.Attempts != 2 || !failure.Lost || failure.Reason != reason || requests != 2 {
					return fmt.Errorf("%d requests, kind %d after %d attempts: %w", requests, failure.Kind, failure.Attempts, failure)
				}
				return nil
			})
		})
	}
}

// TestRetryAfterIsHonoured measures the time between the throttled request and its repetition.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	const second = time.Second
	tests := map[string]struct {
		header          func() string
		waitMax         time.Duration
		atLeast, atMost time.Duration
		warned          bool
	}{
		"seconds": {func() string { return "1" }, 10 * second, second, longEnough, false},
		// A date has no fractions of a second, so up to one of the three is lost.
		"date":                {func() string { return time.Now().Add(3 * second).UTC().Format(http.TimeFormat) }, 10 * second, 1900 * time.Millisecond, longEnough, false},
		"an hour":             {func() string { return "3600" }, second, second, longEnough, true},
		"a century":           {func() string { return "3153600000" }, second, second, longEnough, true},
		"beyond any integer":  {func() string { return strings.Repeat("9", 30) }, second, second, longEnough, true},
		"a date in the year":  {func() string { return "Fri, 31 Dec 9999 23:59:59 GMT" }, second, second, longEnough, true},
		"nothing":             {func() string { return "" }, longEnough, 0, second * 5, false},
		"nonsense":            {func() string { return "soon" }, longEnough, 0, second * 5, false},
		"a date in the past":  {func() string { return "Mon, 01 Jan 2001 00:00:00 GMT" }, longEnough, 0, second * 5, false},
		"a negative number":   {func() string { return "-100" }, longEnough, 0, second * 5, false},
		"zero":                {func() string { return "0" }, longEnough, 0, second * 5, false},
		"exactly the maximum": {func() string { return "1" }, second, second, longEnough, false},
	}
	for name, test := range tests {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(name+" "+strconv.Itoa(status), func(t *testing.T) {
				t.Parallel()
				server := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
					if n == 1 {
						if header := test.header(); header != "" {
							w.Header().Set("Retry-After", header)
						}
						reply(w, status, contentJSON, "{}")
						return
					}
					reply(w, http.StatusOK, contentJSON, successJSON)
				})
				var log syncBuffer
				client := newClient(t, server.URL, retries(1), func(c *Config) { c.RetryWaitMax = test.waitMax })
				if _, err := client.GetOrCreate(tflogtest.RootLogger(t.Context(), &log), GroupRequest{UserGroupID: "acme"}); err != nil {
					t.Fatal(err)
				}
				seen := server.seen()
				wantRequests(t, len(seen), 2)
				if waited := seen[1].at.Sub(seen[0].at); waited < test.atLeast || waited > test.atMost {
					t.Errorf("waited %s, want %s to %s", waited, test.atLeast, test.atMost)
				}
				if warned := strings.Contains(log.String(), `"@level":"warn"`); warned != test.warned {
					t.Errorf("warned: %v, want %v; log:\n%s", warned, test.warned, log.String())
				}
			})
		}
	}
}
