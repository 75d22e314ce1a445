package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestRepetitions counts, for each call and each fault, the requests that the service receives if the fault lasts, and
// if it occurs once. An attempt that gets no response must end after the timeout.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	const never, repeatable, all = "", "GET PUT DELETE", "GET PUT POST DELETE"
	for name, test := range map[string]struct {
		fault    reaction
		kind     Kind
		repeated string // methods
	}{
		"unsent": {unsent, NotSent, all}, "429": {reply(429, `{}`), Throttled, all},
		"403 for now": {reply(403, `{}`, "Retry-After", "1"), Throttled, all},
		"409":         {reply(409, `{}`), Busy, http.MethodDelete},
		"408":         {reply(408, ``), Late, repeatable}, "500": {reply(500, `{}`), Broken, repeatable},
		"502": {reply(502, ``), Late, repeatable}, "504": {reply(504, ``), Late, repeatable},
		"503": {reply(503, ``), Unavailable, repeatable}, "HTML": {ok(htmlPage), Broken, repeatable},
		"cut": {cut, Cut, repeatable}, "silence": {hang, Late, repeatable},
		"400": {reply(400, `{}`), Refused, never}, "success 0": {ok(`{"success":0}`), Refused, never},
		"407": {reply(407, ``), Blocked, never}, "403": {reply(403, ``), Unauthorized, never},
		"303": {reply(303, ``), Redirected, never}, "cached": {reply(200, successJSON, "Age", "1"), Cached, never},
		"no group": {ok(`{"success":1,"new_user_group":true}`), Incomplete, never},
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, call := range fourCalls {
				service, begun, want, waits := inTurn(test.fault), time.Now(), 1, time.Duration(0)
				if strings.Contains(test.repeated, call.method) {
					want, waits = 4, 1*second+2*second+4*second
				}
				if name == "silence" {
					waits += time.Duration(want) * 20 * second
				}
				_, failure, kind := call.make(newClient(service))
				means := test.kind
				if name == "no group" && call.method == http.MethodPut {
					means = Unconfirmed
				}
				if name == "409" && call.method != http.MethodDelete {
					means = Refused // It is a decision, such as one about a name that is taken.
				}
				if kind == success && name == "no group" && call.method == http.MethodDelete {
					continue
				}
				done := kinds[kind].done
				if call.method == http.MethodGet {
					done = kinds[kind].doneByGet
				}
				if call.method == http.MethodGet && name == "no group" {
					done = Yes // The response says that the group is new.
				}
				counted := strings.Contains(failure.Error(), fmt.Sprintf("in the last of %d %s requests, ", want, call.method))
				failIf(t, kind != means || len(service.seen) != want || failure.Attempts != want ||
					failure.Method != call.method || counted != (want > 1) || failure.Done != done,
					"%s %s: %d requests, want %d; %#v", call.method, name, len(service.seen), want, failure)
				timedOut := strings.HasSuffix(failure.Reason, "no complete response arrived within 20s")
				if took := time.Since(begun); took != waits && !failure.Limits() || timedOut != (name == "silence") {
					t.Errorf("%s %s: ended after %s, want %s: %v", call.method, name, took, waits, failure)
				}
				if want == 1 {
					continue
				}
				answer, failure, _ := call.make(newClient(inTurn(test.fault, ok(successJSON))))
				failIf(t, failure != nil || call.method != http.MethodDelete && answer.Earlier != done,
					"%s %s: Earlier = %v, %v", call.method, name, answer.Earlier, failure)
				// Even a refusal does not tell what the lost attempt did.
				_, failure, kind = call.make(newClient(inTurn(test.fault, reply(400, "{}"))))
				failIf(t, kind != Refused || failure.Done != done,
					"%s: a refusal after a lost attempt: %#v", call.method, failure)
			}
		})
	}
}

// TestSharedRetries: the calls of an operation must share their retries, and those of Once must have none.
func TestSharedRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := inTurn(cut, ok(successJSON), cut, cut, ok(successJSON), cut)
		client, begun := newClient(service), time.Now()
		operation := client.Begin(nil)
		for i, want := range []int{2, 5, 6, 7} { // requests, of which three are retries
			_, failure, _ := get.send(t.Context(), operation)
			same(t, fmt.Sprint("call ", i), []any{failure != nil, len(service.seen)}, []any{i > 1, want})
		}
		same(t, "all waits", time.Since(begun), 7*second)
		next := client.Begin(nil)
		same(t, "Retry", fmt.Sprint(operation.Retry(t.Context(), nil), next.Retry(t.Context(), nil)), "false true")
		_, without, _ := get.make(newClient(inTurn(cut), once))
		_, forbidden, _ := remove.send(t.Context(), newClient(inTurn(cut)).Begin(nil).Once())
		client = newClient(inTurn(ok(successJSON), reply(429, "")))
		_, _, _ = get.make(client)
		_, outside, _ := get.send(t.Context(), client.Begin(nil).Once())
		// A rate limit must not end a call while others get through, here once a minute, but must end it after two minutes.
		client = newClient(inTurn(func(request *http.Request) (*http.Response, error) {
			return reply(map[string]int{"PUT": 200, "GET": 429}[request.Method], successJSON)(request)
		}))
		for i := range 10 {
			time.AfterFunc(time.Duration(i)*60*second, func() { _, _, _ = put.make(client) })
		}
		begun = time.Now()
		_, _, _ = get.make(client)
		failIf(t, time.Since(begun) < 120*second || time.Since(begun) > 150*second, "it ended after %s", time.Since(begun))
		time.Sleep(hour)
		_, limited, _ := get.make(client)
		same(t, "attempts", []any{without.Attempts, forbidden.Attempts, outside.Attempts, limited.Attempts}, "[1 1 1 4]")
	})
}

// TestPatience: without patience, a call is made once, and waits for nothing. That is asked before each retry. Calls
// that clean up are always patient.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lasts    time.Duration // how long there is patience
		cleansUp bool
		attempts int
		took     time.Duration
	}{
		"never": {0, false, 1, 0}, "until the first retry": {second / 2, false, 1, second},
		"until the second one": {2 * second, false, 2, 3 * second}, "cleaning up": {0, true, 4, 7 * second},
	} {
		synctest.Test(t, func(t *testing.T) {
			service, begun := inTurn(cut), time.Now()
			calls := newClient(service).Begin(nil).While(func() bool { return time.Since(begun) < test.lasts })
			if test.cleansUp {
				calls = calls.CleaningUp()
			}
			_, failure, kind := get.send(t.Context(), calls)
			got := []any{kind, failure.Attempts, len(service.seen), time.Since(begun)}
			same(t, name, got, fmt.Sprint([]any{Cut, test.attempts, test.attempts, test.took}))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		client := newClient(inTurn(reply(429, "{}", "Retry-After", "30")))
		_, _, _ = get.send(t.Context(), client.Begin(nil).Once())
		begun := time.Now()
		_, _, kind := get.send(t.Context(), client.Begin(nil).While(func() bool { return false }))
		failIf(t, kind != Throttled || time.Since(begun) > second, "%s after %s", kind, time.Since(begun))
	})
}

// TestSleep: a run that was stopped must go on in no case, not even after a wait of no time.
func TestSleep(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for range 100 {
		failIf(t, Sleep(stopped, 0) == nil || Sleep(stopped, time.Hour) == nil || Sleep(t.Context(), 0) != nil,
			"a stopped run goes on, or another one does not")
	}
}

// TestWaits: waits must double up to the maximum, and be reduced at random by up to a half. What the service asks for,
// in either form of the header, takes their place, also up to the maximum.
func TestWaits(t *testing.T) {
	t.Parallel()
	for _, chance := range []float64{0, 0.5, 0.999} {
		client := newClient(nil, func(c *Config) { c.Random = func() float64 { return chance } })
		for n, want := range map[int]time.Duration{0: second, 1: 2 * second, 5: 30 * second, 99: 30 * second} {
			same(t, fmt.Sprintf("wait %d with chance %v", n, chance), client.wait(n, nil),
				want-time.Duration(chance*float64(want/2)))
		}
	}
	synctest.Test(t, func(t *testing.T) { // It is midnight.
		at := func(after time.Duration, layout string) string { return time.Now().UTC().Add(after).Format(layout) }
		for header, want := range map[string]time.Duration{
			"3": 3 * second, " 030 ": 30 * second, "31": 30 * second, "31536000": 30 * second, "0": second, "-5": second,
			"+5": second, "5.5": second, "soon": second, "5 seconds": second, at(-hour, http.TimeFormat): second,
			at(hour, http.TimeFormat): 30 * second, at(hour, time.RFC850): 30 * second, at(hour, time.ANSIC): 30 * second,
		} {
			begun := time.Now()
			_, _, kind := get.make(newClient(inTurn(reply(500, "{}", "Retry-After", header), ok(successJSON))))
			same(t, "with Retry-After "+header, fmt.Sprint(kind, time.Since(begun)), fmt.Sprint(success, want))
		}
		same(t, "a date", parseRetryAfter(at(20*second, http.TimeFormat)).Round(second), 20*second)
	})
}

// TestCleaningUpKeepsThePace: calls that clean up are made although the run is stopped, but no faster than others. What
// a rate limit refuses of them is sent again, if others get through.
func TestCleaningUpKeepsThePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := newClient(inTurn(ok(createdJSON)), func(c *Config) { c.RequestsPerSecond = 2 })
		ctx, stop := context.WithCancel(t.Context())
		stop()
		begun := time.Now()
		var all sync.WaitGroup
		for range 7 {
			all.Go(func() { _, _, _ = get.send(ctx, client.Begin(nil).CleaningUp()) })
		}
		all.Wait()
		same(t, "seven calls, two a second", time.Since(begun), 3*second)
		client = newClient(inTurn(ok(successJSON), reply(429, "{}"), reply(429, "{}"), ok(successJSON)))
		_, _, _ = get.make(client)
		_, _, kind := remove.send(ctx, client.Begin(nil).CleaningUp())
		same(t, "a deletion that a rate limit refuses", kind, success)
	})
}

// TestStopped: once the run is stopped, no attempt may begin, except the first one of a call that cleans up. A request
// under way must be finished.
func TestStopped(t *testing.T) {
	t.Parallel()
	refuse, soon := reply(429, `{"message":"the last word"}`, "Retry-After", "30"), time.Duration(0)
	late := func(request *http.Request) (*http.Response, error) {
		time.Sleep(10 * second)
		return ok(createdJSON)(request)
	}
	for name, test := range map[string]struct {
		reaction reaction
		after    time.Duration // until the run is stopped
		limited  int           // the number of calls before, with a limit of one call per hour, or 0 for no limit
		cleansUp bool
		requests int
		kind     Kind
		ended    time.Duration
	}{
		"before the start":             {late, soon, 0, false, 0, Stopped, 0},
		"in flight":                    {late, second, 0, false, 1, success, 10 * second},
		"in flight, and no answer":     {hang, second, 0, false, 1, Late, 20 * second},
		"waiting after 429":            {refuse, second, 0, false, 1, Throttled, second},
		"not at all":                   {refuse, 9 * hour, 0, false, 4, Throttled, 90 * second},
		"for the rate limit":           {late, 11 * second, 1, false, 1, Stopped, second},
		"clean-up, before the start":   {late, soon, 0, true, 1, success, 10 * second},
		"clean-up, refused":            {refuse, soon, 0, true, 1, Throttled, 0},
		"clean-up, lost":               {cut, soon, 0, true, 1, Cut, 0},
		"clean-up, for the rate limit": {late, 11 * second, 1, true, 2, success, 41 * second},
	} {
		synctest.Test(t, func(t *testing.T) {
			for _, call := range fourCalls {
				service := inTurn(test.reaction)
				client := newClient(service, func(c *Config) { c.RequestsPerSecond = float64(test.limited) / 3600 })
				ctx, stop := context.WithCancel(t.Context())
				if time.AfterFunc(test.after, stop); test.after == soon {
					stop()
				}
				for range test.limited {
					_, _, _ = get.make(client)
				}
				calls := client.Begin(nil)
				if test.cleansUp {
					calls = calls.CleaningUp()
				}
				start := time.Now()
				answer, failure, kind := call.send(ctx, calls)
				if took := time.Since(start); kind != test.kind || took != test.ended || len(service.seen) != test.requests {
					t.Errorf("%s, %s: kind %s after %s, %d requests", name, call.method, kind, took, len(service.seen))
				}
				failIf(t, kind == success && call.method != http.MethodDelete && answer.UserGroup.Token.IsZero() ||
					kind == Throttled && failure.Message != "the last word" ||
					kind == Stopped && (failure.Passes() || !errors.Is(failure, context.Canceled)),
					"%s, %s: %+v, %#v", name, call.method, answer, failure)
			}
		})
	}
}
