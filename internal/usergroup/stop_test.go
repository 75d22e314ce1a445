package usergroup_test

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// What may happen after a run was stopped, with the default settings, whatever the operation and the outage.
const (
	// mostTimeToStop is for the attempt under way, and for one more that looks up its outcome or cleans up after it.
	mostTimeToStop = 2*requestTimeout + time.Second
	// mostCallsOfOneToStop is for one operation: the rest of the check of the service, and the removal of an empty group.
	mostCallsOfOneToStop = 10
	// mostCallsToStop is for a run: the removal of an empty group by each worker.
	mostCallsToStop = 4*workers + callsOfCheck
)

// TestStoppedRunsEnd: a run that is stopped in an outage must end soon, and may only finish what is under way. It must
// name each group that it leaves behind. At the end, the test prints the most that any operation took, by outage.
func TestStoppedRunsEnd(t *testing.T) {
	collectLess(t)
	var mu sync.Mutex
	most := map[int]map[string]stopped{1: {}, fewGroups: {}}
	t.Run("all", func(t *testing.T) {
		for _, run := range stoppedRuns() {
			run.check(t, func(r *ranRun) {
				after := r.afterStop()
				calls := mostCallsToStop
				if r.groups == 1 {
					calls = mostCallsOfOneToStop
				}
				if after.calls > calls || after.took > mostTimeToStop {
					r.breaks("%s, want at most %d calls and %s", after, calls, mostTimeToStop)
				}
				r.checkNamed()
				mu.Lock()
				defer mu.Unlock()
				one := most[r.groups]
				one[r.fault.failure.name] = one[r.fault.failure.name].or(after)
			})
		}
	})
	for _, failure := range failures {
		if !failure.twin {
			t.Logf("| %s | one operation: %s | ten at a time: %s |",
				failure.name, most[1][failure.name], most[fewGroups][failure.name])
		}
	}
}

// stoppedRuns returns runs of one operation and of many, which are stopped at different moments of an outage.
func stoppedRuns() (runs []run) {
	for _, operation := range runOperations {
		for _, environment := range []string{"", "Customer"} {
			for _, failure := range failures {
				if failure.twin {
					continue
				}
				for _, method := range append([]string{""}, operation.methods...) {
					for groups, afters := range map[int][]int{1: {0, 2}, fewGroups: {0, 37}} {
						for _, after := range afters {
							for _, stopAfter := range []time.Duration{10 * time.Millisecond, 7 * time.Second} {
								runs = append(runs, run{
									runOperation: operation, fault: fault{failure: failure, method: method, after: after},
									environment: environment, groups: groups, maxRetries: maxRetries, stopAfter: stopAfter,
								})
							}
						}
					}
				}
			}
		}
	}
	return runs
}

// stopped is what a run did after it was stopped.
type stopped struct {
	calls int
	took  time.Duration
}

func (s stopped) String() string {
	return fmt.Sprintf("%d calls, %s", s.calls, s.took.Round(time.Second))
}

// or returns the larger values.
func (s stopped) or(other stopped) stopped {
	return stopped{max(s.calls, other.calls), max(s.took, other.took)}
}

func (r *ranRun) afterStop() (after stopped) {
	for _, at := range r.times {
		if at.After(r.begun.Add(r.stopAfter)) {
			after.calls++
		}
	}
	after.took = max(0, r.took-r.stopAfter)
	return after
}
