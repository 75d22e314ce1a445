package endtoend

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// arrivals are the times at which calls reached the service, in order.
func arrivals(service *emulator.Emulator) []time.Time {
	var times []time.Time
	for _, call := range service.Calls() {
		times = append(times, call.At)
	}
	slices.SortFunc(times, time.Time.Compare)
	return times
}

// TestAccThrottleGate: one 429 holds all workers back, for as long as it asks for or as the provider may wait.
func TestAccThrottleGate(t *testing.T) {
	acceptance(t)
	for name, test := range map[string]struct {
		retryAfter, waitMax string
		wait                time.Duration
		warns               bool
	}{
		"as asked": {"3", "10s", 3 * time.Second, false},
		"capped":   {"86400", "3s", 3 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 40
			service := startService(t, emulator.Options{Latency: 20 * time.Millisecond})
			w := newWorkspace(t, service, func(a *arguments) { a.RetryWaitMax = test.waitMax })
			w.wants(manyGroups(n))
			service.Fail(emulator.Fault{Nth: n / 2, Kind: emulator.TooMany429, RetryAfter: test.retryAfter})
			run := w.apply("-parallelism=10").succeeded(t)

			var struck time.Time
			for _, call := range service.Calls() {
				if call.Fault != "" {
					struck = call.At
				}
			}
			// Some calls are on their way when the 429 arrives.
			const onTheirWay, early = time.Second, 50 * time.Millisecond
			late := 0
			for _, at := range arrivals(service) {
				after := at.Sub(struck)
				if after > onTheirWay && after < test.wait-early {
					t.Errorf("a call arrived %s after the 429, which asked to wait for %s", after, test.wait)
				}
				if after >= test.wait-early {
					late++
				}
			}
			if late < n/4 || len(service.Calls()) != n+1 {
				t.Errorf("%d of %d calls waited for as long as the 429 asked", late, len(service.Calls()))
			}
			if warned := strings.Contains(run.log, "asked for a longer wait"); warned != test.warns {
				t.Errorf("the log tells of a wait that was cut short: %t, want %t", warned, test.warns)
			}
			w.agrees()
		})
	}
}

// TestAccThrottleRate: requests_per_second is for all workers together.
func TestAccThrottleRate(t *testing.T) {
	acceptance(t)
	const n, perSecond = 40, 10
	service := startService(t, emulator.Options{})
	w := newWorkspace(t, service, func(a *arguments) { a.RequestsPerSecond = perSecond })
	w.wants(manyGroups(n))
	w.apply("-parallelism=10").succeeded(t)
	times := arrivals(service)
	if len(times) != n {
		t.Fatalf("%d calls, want %d", len(times), n)
	}
	// On a busy machine calls arrive in bunches, and the first one may be late.
	const even, slack = time.Second / perSecond, time.Second
	if took := times[n-1].Sub(times[0]); took < (n-1)*even-slack {
		t.Errorf("%d calls took %s, and should be %s apart", n, took, even)
	}
	for i, at := range times {
		inOneSecond := 0
		for _, other := range times[i:] {
			if other.Sub(at) < time.Second {
				inOneSecond++
			}
		}
		if inOneSecond >= 2*perSecond {
			t.Errorf("%d calls in the second from call %d on", inOneSecond, i)
			break
		}
	}
	w.agrees()
}
