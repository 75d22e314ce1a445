package api

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
)

// TestRetryAfter measures the time between a refusal and the retry.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for header, want := range map[string]time.Duration{
			"1": second, "30": 30 * second, "a date": 20 * second,
			"31": 30 * second, // A longer wait than retry_wait_max is reduced to it, with a warning.
			"0":  2 * second,  // This asks for no wait.
		} {
			for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
				begun := time.Now()
				asked := strings.Replace(header, "a date", begun.Add(want).UTC().Format(http.TimeFormat), 1)
				service := inTurn(answer(status, "Retry-After: "+asked+"\r\n", "{}"), ok(successJSON))
				var log bytes.Buffer
				client := service.client(t, retries(1), waits(2*second, 30*second))
				if _, err := get.make(tflogtest.RootLogger(t.Context(), &log), client); err != nil {
					t.Fatal(err)
				}
				service.want(t, 2)
				// A date has no fractions of a second, and the pace adds a wait.
				waited := time.Since(begun)
				if waited > want+second || waited <= want-second || header != "a date" && waited < want {
					t.Errorf("%q: waited %s, want %s", header, waited, want)
				}
				if warned := strings.Contains(log.String(), `"@level":"warn"`); warned != (want == 30*second && header != "30") {
					t.Errorf("%q: warned: %v", header, warned)
				}
			}
		}
	})
}

// TestUnreachable: what gets through after an operation has begun to fail must show that the service is reachable. If
// the operation has several retries, what gets through before the first of them was under way.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	const other = "token-of-another-operation"
	service := inTurn(func(conn net.Conn, request received) bool {
		if strings.Contains(request.body, other) {
			return ok(successJSON)(conn, request)
		}
		return page(http.StatusInternalServerError)(conn, request)
	})
	for _, test := range []struct {
		retries  int
		attempts string // f fails, and o is another operation's call, which gets through
		want     bool
	}{
		{2, "", false},
		{2, "o", false},
		{2, "f", true},
		{2, "of", true},
		{2, "fo", false},
		{1, "fof", false},
		{2, "fof", true},
		{2, "fofo", false},
		{2, "fofof", false},
	} {
		client := service.client(t, retries(test.retries))
		operation := client.Begin(t.Context())
		for _, attempt := range test.attempts { // A rotation is never retried.
			if attempt == 'f' {
				_, _ = post.make(operation, client)
			} else {
				_, _ = rotating(TokenRequest{CurrentToken: NewSecret(other)}).make(t.Context(), client)
			}
		}
		for _, method := range []string{"", http.MethodPost} {
			if got := client.Unreachable(operation, method); got != test.want {
				t.Errorf("%d retries, %q: unreachable for %q: %t", test.retries, test.attempts, method, got)
			}
		}
	}
}

// TestRefusedCallWaits: a call that a rate limit has refused must wait for its turn as soon as others get through,
// however long the queue is.
func TestRefusedCallWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := inTurn(page(http.StatusTooManyRequests), ok(successJSON))
		const gap = shortestTurn - 2*second
		client := service.client(t, retries(1), waits(second, second), func(c *Config) {
			c.RequestsPerSecond = 1 / gap.Seconds()
		})
		var other sync.WaitGroup
		time.AfterFunc(second/2, func() { other.Go(func() { _, _ = get.make(t.Context(), client) }) })
		start := time.Now()
		if _, err := get.make(t.Context(), client); err != nil || time.Since(start) < 2*gap {
			t.Errorf("the call ended after %s, with %v", time.Since(start), err)
		}
		other.Wait()
	})
}

// TestWait: waits must double up to the maximum without overflowing, and be reduced at random by up to a half.
func TestWait(t *testing.T) {
	t.Parallel()
	wait := func(n int, shortest, longest time.Duration, chance float64) time.Duration {
		random := func() float64 { return chance }
		return (&Client{config: Config{RetryWaitMin: shortest, RetryWaitMax: longest, Random: random}}).wait(n, nil)
	}
	for n, want := range []time.Duration{2 * second, 4 * second, 8 * second, 16 * second, 30 * second, 30 * second} {
		for _, chance := range []float64{0, 0.5, 0.999} {
			want := want - time.Duration(chance*float64(want/2))
			if got := wait(n, 2*second, 30*second, chance); got != want {
				t.Errorf("wait(%d) with chance %v = %s, want %s", n, chance, got, want)
			}
		}
	}
	for _, n := range []int{5, 30, 31, 62, 63, 64, 5000} {
		for _, shortest := range []time.Duration{1, 30 * second, hour} {
			if got := wait(n, shortest, hour, 0); got <= 0 || got > hour || n > 61 && got != hour {
				t.Errorf("wait(%d) from %s = %s", n, shortest, got)
			}
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for want, headers := range map[time.Duration][]string{
		0: {
			"", "0", "-1", "+5", "1.5", "1e3", "0x10", "soon", "5 seconds", "1,2", "Sun, 01 Mar 2026 12:00:00 GMT",
			"Sun, 01 Mar 2026 11:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "2026-03-01T12:00:30Z",
		},
		second:        {"1", "Sun Mar  1 12:00:01 2026"},
		30 * second:   {"030", "Sun, 01 Mar 2026 12:00:30 GMT", " Sun, 01 Mar 2026 12:00:30 GMT "},
		60 * second:   {" 60 ", "Sunday, 01-Mar-26 12:01:00 GMT"},
		maxRetryAfter: {"31536000", "31536001", "9223372037", "18446744073709551616", "Fri, 31 Dec 9999 23:59:59 GMT"},
	} {
		for _, header := range headers {
			if got := parseRetryAfter(header, now); got != want {
				t.Errorf("parseRetryAfter(%.40q) = %s, want %s", header, got, want)
			}
		}
	}
}
