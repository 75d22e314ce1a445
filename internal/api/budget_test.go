package api

import (
	"bytes"
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
		var reactions []reaction
		for _, attempt := range test.attempts {
			if attempt == 'o' {
				reactions = append(reactions, ok(successJSON))
			} else {
				reactions = append(reactions, page(http.StatusInternalServerError))
			}
		}
		client := inTurn(reactions...).client(t, retries(test.retries))
		operation := client.Begin(t.Context())
		for _, attempt := range test.attempts {
			ctx := operation
			if attempt == 'o' {
				ctx = t.Context()
			}
			_, _ = post.make(ctx, client) // It is never retried.
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
	client := func(shortest, longest time.Duration, chance float64) *Client {
		random := func() float64 { return chance }
		return &Client{config: Config{RetryWaitMin: shortest, RetryWaitMax: longest, Random: random}}
	}
	for n, want := range []time.Duration{2 * second, 4 * second, 8 * second, 16 * second, 30 * second, 30 * second} {
		for _, chance := range []float64{0, 0.5, 0.999} {
			want := want - time.Duration(chance*float64(want/2))
			if got := client(2*second, 30*second, chance).wait(n, nil); got != want {
				t.Errorf("wait(%d) with chance %v = %s, want %s", n, chance, got, want)
			}
		}
	}
	for _, n := range []int{5, 30, 31, 62, 63, 64, 5000} {
		for _, shortest := range []time.Duration{1, 30 * second, hour} {
			if got := client(shortest, hour, 0).wait(n, nil); got <= 0 || got > hour || n > 61 && got != hour {
				t.Errorf("wait(%d) from %s = %s", n, shortest, got)
			}
		}
	}
	for asked, want := range map[time.Duration]time.Duration{1: 1, 5 * second: 5 * second, hour: 30 * second} {
		if got := client(2*second, 30*second, 0.999).wait(0, &Error{RetryAfter: asked}); got != want {
			t.Errorf("RetryAfter %s: wait = %s, want %s", asked, got, want)
		}
	}
	differ := newClient(t, "https://service.example.com", func(c *Config) { c.RetryWaitMin, c.RetryWaitMax = hour, hour })
	if a, b := differ.wait(0, nil), differ.wait(0, nil); a == b || a < hour/2 || a > hour {
		t.Errorf("two random waits: %s, %s", a, b)
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for want, headers := range map[time.Duration][]string{
		0: {
			"", " ", "0", "-1", "+5", "1.5", "1e3", "0x10", "soon", "5 seconds", "1,2", "Sun, 01 Mar 2026 12:00:00 GMT",
			"Sun, 01 Mar 2026 11:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Sun, 32 Mar 2026 12:00:30 GMT",
			"2026-03-01T12:00:30Z",
		},
		second:      {"1", "Sun Mar  1 12:00:01 2026"},
		30 * second: {"030", "Sun, 01 Mar 2026 12:00:30 GMT", " Sun, 01 Mar 2026 12:00:30 GMT "},
		60 * second: {" 60 ", "Sunday, 01-Mar-26 12:01:00 GMT"},
		maxRetryAfter: {
			"31536000", "31536001", "9223372036854775807", "9223372037", "18446744073709551615", "18446744073709551616",
			strings.Repeat("9", 500), "Fri, 31 Dec 9999 23:59:59 GMT",
		},
	} {
		for _, header := range headers {
			if got := parseRetryAfter(header, now); got != want {
				t.Errorf("parseRetryAfter(%.40q) = %s, want %s", header, got, want)
			}
		}
	}
}
