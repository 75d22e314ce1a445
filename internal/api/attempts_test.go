package api

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

const (
	second = time.Second
	hour   = time.Hour
)

// TestRepetitions counts, for each call and each fault, the requests that the service receives if the fault lasts,
// and if it occurs once. An attempt that gets no complete response must end after the timeout.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	const none, update, repeatable, all = "", "PUT", "GET PUT DELETE", "GET PUT POST DELETE"
	json := func(status int, body string) reaction { return answer(status, "", body) }
	for name, test := range map[string]struct {
		fault    reaction
		kind     Kind
		repeated string // methods
	}{
		"429":                {json(429, `{}`), Throttled, all},
		"503":                {json(503, ``), UnknownOutcome, repeatable},
		"500":                {json(500, `{"success":0}`), UnknownOutcome, repeatable},
		"cut":                {cut, UnknownOutcome, repeatable},
		"cut in the header":  {then(write("HTTP/1.1 200 OK\r\nX: "), cut), UnknownOutcome, repeatable},
		"cut before success": {part(200, `{"user_group":1,`), UnknownOutcome, repeatable},
		"silence":            {hang, UnknownOutcome, repeatable},
		"silence in header":  {then(write("HTTP/1.1 200 OK\r\nX: "), hang), UnknownOutcome, repeatable},
		"silence in body": {
			then(write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), hang), UnknownOutcome, repeatable,
		},
		"no HTTP":          {write("220 smtp.example.com\r\n\r\n"), UnknownOutcome, repeatable},
		"another protocol": {write("HTTP/1.1 101 X\r\nConnection: Upgrade\r\n\r\n"), UnknownOutcome, repeatable},
		"half an answer":   {part(200, successJSON[:len(successJSON)/2]), Incomplete, update},
		"half a refusal":   {part(400, `{"message":"no`), Refused, none},
		"half a 403":       {part(403, htmlPage), Unauthorized, none},
		"407":              {json(407, ``), NotSent, none},
		"400":              {json(400, `{"success":1}`), Refused, none},
		"307":              {json(307, ``), Redirected, none},
		"from a cache":     {answer(200, "Age: 1\r\n", successJSON), Cached, none},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, call := range fourCalls {
					want := 1
					if strings.Contains(test.repeated, call.method) {
						want = 4
					}
					service := inTurn(test.fault)
					client := service.client(t, retries(3), waits(second, second))
					begun := time.Now()
					_, err := call.make(t.Context(), client)
					failure := wantKind(t, err, test.kind)
					service.want(t, want)
					counted := strings.Contains(failure.Said(), fmt.Sprintf("in the last of %d attempts, ", want))
					if failure.Attempts != want || counted != (want > 1) {
						t.Errorf("%s: %d attempts; %s", call.method, failure.Attempts, failure.Said())
					}
					took, timedOut := time.Since(begun), strings.HasSuffix(failure.Reason, "no complete response arrived within 20s")
					if silent := strings.HasPrefix(name, "silence"); timedOut != silent ||
						silent && took != time.Duration(21*want-1)*second {
						t.Errorf("%s: ended after %s: %s", call.method, took, failure.Reason)
					}
					mayHaveHappened := test.kind == UnknownOutcome || test.kind == Incomplete
					if failure.AfterLostAttempt != (mayHaveHappened && want > 1) || failure.MayHaveHappened() != mayHaveHappened {
						t.Errorf("%s: AfterLostAttempt = %v, MayHaveHappened = %v",
							call.method, failure.AfterLostAttempt, failure.MayHaveHappened())
					}
					// Any response shows that the call was let through, unless it refuses the pace.
					passed := failure.Status != 0 && failure.Status != 429 && failure.Status != 503
					if got := !client.pace.letThrough().IsZero(); got != passed {
						t.Errorf("%s: let through: %t", call.method, got)
					}
					if want == 1 {
						continue
					}
					service = inTurn(test.fault, ok(successJSON))
					begun = time.Now()
					answer, err := call.make(t.Context(), service.client(t, retries(3)))
					service.want(t, 2)
					if err != nil || call.method != http.MethodDelete &&
						(answer.AfterLostAttempt != mayHaveHappened || answer.Sent != begun) {
						t.Errorf("%s: AfterLostAttempt = %v, sent %s late, %v",
							call.method, answer.AfterLostAttempt, answer.Sent.Sub(begun), err)
					}
				}
			})
		})
	}
}

// TestKeptAliveConnectionDies: Go's transport would replay a GET if a reused connection dies. Here, this would be a
// second creation that goes unnoticed.
func TestKeptAliveConnectionDies(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls[:3] { // all but the deletion
		service := inTurn(ok(successJSON), cut, ok(successJSON))
		client := newClient(t, "http://"+service.listen(t, nil))
		if _, err := call.make(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		_, err := call.make(t.Context(), client)
		_ = wantKind(t, err, UnknownOutcome)
		service.want(t, 2)
		if service.connections != 1 {
			t.Fatalf("%d connections: the second call did not reuse the first one", service.connections)
		}
	}
}

// late delays the response, like a slow service.
func late(net.Conn, received) bool {
	time.Sleep(10 * second) // in virtual time
	return true
}

// TestStopped: once the run is stopped, no attempt may begin, except the first one of a call that cleans up. A
// request under way must be finished.
func TestStopped(t *testing.T) {
	t.Parallel()
	last := func(status int) reaction { return answer(status, "", `{"message":"the last word"}`) }
	closed := func(c *Client) { c.pace.refused(turn{}, hour) }
	queued := func(c *Client) { c.pace.take(false) }
	paced := func(c *Client) { c.config.RetryWaitMax = time.Millisecond }
	const begun = `{"success":1,"message":"the last word","user_group":{"team_id":1001,`
	const success, runGoesOn = Kind(-1), 9 * hour
	for name, test := range map[string]struct {
		reaction reaction
		after    time.Duration // until the run is stopped
		hold     func(*Client)
		finish   bool
		requests int
		kind     Kind
		ended    time.Duration
	}{
		"before the start":             {ok(createdJSON), 0, nil, false, 0, NotSent, 0},
		"in flight":                    {then(late, ok(createdJSON)), second, nil, false, 1, success, 10 * second},
		"in flight, and no answer":     {hang, second, nil, false, 1, UnknownOutcome, 20 * second},
		"waiting after 429":            {last(429), second, nil, false, 1, Throttled, second},
		"paced after half an answer":   {part(200, begun), second, paced, false, 1, Incomplete, second},
		"not at all":                   {last(429), runGoesOn, nil, false, 4, Throttled, 3 * hour},
		"closed":                       {ok(createdJSON), second, closed, false, 0, NotSent, second},
		"for the rate limit":           {ok(createdJSON), second, queued, false, 0, NotSent, second},
		"clean-up, before the start":   {ok(createdJSON), 0, nil, true, 1, success, 0},
		"clean-up, refused":            {last(429), 0, nil, true, 1, Throttled, 0},
		"clean-up, not at all":         {last(429), runGoesOn, nil, true, 4, Throttled, 3 * hour},
		"clean-up, closed":             {ok(createdJSON), second, closed, true, 1, success, 0},
		"clean-up, for the rate limit": {ok(createdJSON), second, queued, true, 1, success, second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				for _, call := range fourCalls {
					if test.kind == Incomplete && call.method != http.MethodPut {
						continue // Only an update is retried, and so waits.
					}
					service := inTurn(test.reaction)
					client := service.client(t, retries(3), waits(hour, hour), func(c *Config) {
						if test.hold != nil {
							c.RequestsPerSecond = 1.0 / 3600
						}
					})
					if test.hold != nil {
						test.hold(client)
					}
					ctx, stop := context.WithCancel(t.Context())
					if time.AfterFunc(test.after, stop); test.after == 0 {
						stop()
					}
					if test.finish {
						ctx = CleanUp(ctx, time.Time{})
					}
					start := time.Now()
					answer, err := call.make(ctx, client)
					if took := time.Since(start); took != test.ended {
						t.Errorf("%s: ended after %s, want %s", call.method, took, test.ended)
					}
					service.want(t, test.requests)
					if test.kind == success {
						if err != nil || call.method != http.MethodDelete && answer.UserGroup.Token.Reveal() != plantedNewToken {
							t.Errorf("%s: %+v, %v", call.method, answer, err)
						}
						continue
					}
					failure := wantKind(t, err, test.kind)
					if failure.Attempts != test.requests || failure.Status != 0 && failure.Message != "the last word" ||
						test.requests == 0 && !errors.Is(failure, context.Canceled) ||
						test.kind == Incomplete && answer.UserGroup.TeamID == nil {
						t.Errorf("%s: %#v", call.method, failure)
					}
				}
			})
		})
	}
}

// TestClosed: a refusal because of a rate limit with Retry-After must hold back every call, including those in the
// queue. No other response may do so: the calls of all workers keep exactly to the limit of the configuration.
func TestClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, status := range []int{400, 401, 404, 429, 500, 503} {
			service := inTurn(answer(status, "Retry-After: 60\r\n", "{}"), ok(successJSON))
			client := service.client(t, waits(hour, hour), func(c *Config) { c.RequestsPerSecond = 1 })
			var workers sync.WaitGroup
			for range 5 {
				workers.Go(func() { _, _ = get.make(t.Context(), client) })
			}
			workers.Wait()
			service.want(t, 5)
			seen := service.seen()
			first := seen[1].at.Sub(seen[0].at)
			if closed := first >= 60*second; closed != (status == 429 || status == 503) || first > 62*second {
				t.Errorf("status %d: the second request came after %s", status, first)
			}
			for i := range 3 {
				apart := seen[i+2].at.Sub(seen[i+1].at)
				if apart < second || apart > second && first < 60*second {
					t.Errorf("status %d: %s between requests", status, apart)
				}
			}
		}
		client := newClient(t, "http://127.0.0.1")
		client.pace.refused(turn{}, hour)
		client.pace.refused(turn{}, second)
		if left := time.Until(client.pace.opens); left != hour {
			t.Errorf("a shorter wait replaced a longer one: %s left", left)
		}
	})
}

// TestOwnConnections: a deletion must have a connection of its own, even if one is idle, and so must each call once a
// response was out of step.
func TestOwnConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := inTurn(ok(successJSON))
		client := service.client(t)
		for round, want := range []int{1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7} {
			if round == 8 {
				client.Distrust()
			}
			call := fourCalls[round%4]
			if _, err := call.make(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			closes := service.seen()[round].Close
			if service.connections != want || closes != (call.method == http.MethodDelete || round >= 8) {
				t.Errorf("%d. %s: %d connections, want %d; it closes its own: %t",
					round+1, call.method, service.connections, want, closes)
			}
		}
	})
}

// TestConnectionsAreReused: ten workers must need no more than ten connections for calls other than deletions, however
// many they make.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// A response of unknown length must leave the connection usable, too, and so must a refusal.
		chunked := write(fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
			len(successJSON), successJSON))
		three := []reaction{then(late, answer(400, "", `{"success":0}`)), then(late, ok(successJSON)), then(late, chunked)}
		service := inTurn(slices.Repeat(three, 67)...)
		client := service.client(t)
		all := int64(0)
		for range 20 { // All connections are idle between the rounds.
			failed, _ := tenWorkers(t.Context(), client, 10)
			all += failed
		}
		if all != 67 || service.connections != 10 {
			t.Errorf("%d calls of 200 failed, want one in three; %d connections for 10 workers", all, service.connections)
		}
		// Servers commonly close idle connections after 5 s, so the client must close them earlier.
		time.Sleep(5 * second)
		if _, err := get.make(t.Context(), client); err != nil || service.connections != 11 {
			t.Errorf("after 5 idle seconds: %v, %d connections", err, service.connections)
		}
	})
}
