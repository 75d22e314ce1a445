package endtoend

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// soon is within how long a run that was stopped ends, on a machine however busy, and far below the waits of 100 seconds
// that TestAccInterruptWait sets.
const soon = 45 * time.Second

func TestAccInterrupt(t *testing.T) {
	acceptance(t)
	interrupted(t, 40)
}

func TestLongInterrupt(t *testing.T) {
	long(t)
	interrupted(t, 200)
}

// stop sends what Ctrl-C sends, to all whom a terminal sends it, and waits for the end: Terraform 1.0 takes it only so.
func (r *running) stop(within time.Duration) outcome {
	r.w.t.Helper()
	asked := time.Now()
	if err := interrupt(r.command); err != nil {
		r.w.t.Fatal(err)
	}
	done := r.wait()
	if took := time.Since(asked); took > within {
		r.w.t.Errorf("%s took %s to stop, and should within %s", r.args, took, within)
	}
	if done.code != 1 {
		r.w.t.Errorf("%s was stopped and ended with %d", r.args, done.code)
	}
	return done
}

// interrupted stops a creation, an update with a rotation, and a destruction, each when a third of its groups is done.
func interrupted(t *testing.T, n int) {
	t.Helper()
	needsSignals(t)
	service := startService(t, emulator.Options{Latency: 150 * time.Millisecond})
	w := newWorkspace(t, service, nil)
	wanted := manyGroups(n)
	w.wants(wanted)

	creation := w.start("apply", "-auto-approve", "-parallelism=4")
	eventually(t, "a third is created", func() bool { return len(service.Groups()) >= n/3 })
	creation.stop(soon)
	if got := len(w.agrees()); got < n/3 || got >= n {
		t.Errorf("%d of %d groups were created: not in the middle", got, n)
	}
	w.apply("-parallelism=20").succeeded(t)
	w.agrees()

	wanted = wanted.changed(func(id string, one *group) { one.Name, one.Issue = "New "+id, "2" })
	w.wants(wanted)
	service.ResetCounts()
	rotation := w.start("apply", "-auto-approve", "-parallelism=4")
	eventually(t, "a third is rotated", func() bool { return service.Count(post) >= n/3 })
	rotation.stop(soon)
	if got := service.Count(post); got >= n {
		t.Errorf("%d of %d groups were rotated: not in the middle", got, n)
	}
	w.agrees()
	w.apply("-parallelism=20").succeeded(t)
	w.agrees()
	for id := range wanted {
		if got := service.Rotations(id); got != 1 {
			t.Errorf("%s: %d rotations", id, got)
		}
		if got := service.Creations(id); got > 0 {
			t.Errorf("%s: %d creations after the first phase", id, got)
		}
	}

	destruction := w.start("destroy", "-auto-approve", "-parallelism=4")
	eventually(t, "a third is destroyed", func() bool { return len(service.Groups()) <= n-n/3 })
	destruction.stop(soon)
	if got := len(w.agrees()); got == 0 || got > n-n/3 {
		t.Errorf("%d of %d groups are left: not in the middle", got, n)
	}
	w.run("destroy", "-auto-approve", "-parallelism=20").succeeded(t)
	if left := w.agrees(); len(left) > 0 {
		t.Errorf("%d groups are left", len(left))
	}
}

// TestAccInterruptWait: what waits to try again, or behind the gate that a 429 has closed, ends at once.
func TestAccInterruptWait(t *testing.T) {
	acceptance(t)
	needsSignals(t)
	for name, fault := range map[string]emulator.Fault{
		"503":                 {Kind: emulator.Unavailable503},
		"503 with a long ask": {Kind: emulator.Unavailable503, RetryAfter: "100"},
		"429":                 {Kind: emulator.TooMany429, RetryAfter: "100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n = 20
			service := startService(t, emulator.Options{Latency: 50 * time.Millisecond})
			w := newWorkspace(t, service, func(a *arguments) { a.RetryWaitMin, a.RetryWaitMax = "100s", "200s" })
			wanted := manyGroups(n)
			w.wants(wanted)
			var outage sync.Once
			service.BeforeCall(func(emulator.Call) {
				if len(service.Groups()) >= n/4 {
					outage.Do(func() { service.Fail(fault) })
				}
			})
			const workers = 5
			run := w.start("apply", "-auto-approve", fmt.Sprint("-parallelism=", workers))
			struck := func() (times int) {
				for _, call := range service.Calls() {
					if call.Fault != "" {
						times++
					}
				}
				return times
			}
			if fault.Kind == emulator.TooMany429 {
				eventually(t, "a call is struck", func() bool { return struck() > 0 })
				// All workers get to where they wait: the gate has no more of their calls come.
				time.Sleep(time.Second)
			} else {
				eventually(t, "every worker's call is struck", func() bool { return struck() >= workers })
			}
			before := len(service.Calls())
			stopped := run.stop(soon)
			if more := len(service.Calls()) - before; more > 0 {
				t.Errorf("%d calls were made after the run was stopped", more)
			}
			for id := range wanted {
				for _, said := range stopped.about("error", id) {
					if said.Detail == "" {
						t.Errorf("%s: an error without a word on it", id)
					}
				}
			}
			if got := len(w.agrees()); got == 0 || got == n {
				t.Errorf("%d of %d groups were created: not in the middle", got, n)
			}
			service.BeforeCall(nil)
			service.ClearFaults()
			w.apply().succeeded(t)
			if got := len(w.agrees()); got != n {
				t.Errorf("%d of %d groups", got, n)
			}
		})
	}
}
