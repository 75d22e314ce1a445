package main

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The targets for this provider, except the calls of each operation, which are in life.go.
const (
	// cpuLimit is the maximum CPU time in every operation, as a share of what the bare framework provider uses.
	cpuLimit = 1.10
	// memoryLimit plus memoryPerGroup for each group is the maximum peak memory, in MiB.
	memoryLimit, memoryPerGroup = 40.0, 4.0 / 1024
	// connectionLimit applies to each process that makes calls other than deletions, which have a connection each. An
	// engine has ten calls in flight. Go's transport opens a connection whenever a call finds none free, even if another
	// one becomes free first, and replaces connections that were idle for too long.
	connectionLimit = 20
	// leastJudged is the number of groups below which the start of a process dominates CPU time and memory, so that
	// these are not judged.
	leastJudged = 100
	// An outage ends a run after this, no matter how many groups there are, and one error explains it.
	outageCalls, outageTime, outageErrors = 250, 6 * time.Minute, 1
)

// judge returns an error that names the targets that were missed, or nil if there are none.
func judge(all []result, groups int) error {
	var missed []error
	check := func(met bool, r result, what, limit, measured string) {
		if !met {
			missed = append(missed, fmt.Errorf(
				"target missed: %s: %s: %s, measured %s", r.operation.name, what, limit, measured))
		}
	}
	cpu, memory := fmt.Sprintf("≤ %.2f", cpuLimit), memoryLimit+memoryPerGroup*float64(groups)
	for _, r := range all {
		few, calls := groups < leastJudged, perGroup(r.operation.calls, 1)
		connections := 0
		for method, calls := range r.operation.calls {
			if method == http.MethodDelete {
				connections += calls * groups
			} else {
				connections += connectionLimit
			}
		}
		check(few || r.ratio.median <= cpuLimit, r, "CPU time divided by that of the bare provider", cpu, r.ratio.String())
		check(few || r.peak <= memory, r, "peak memory", fmt.Sprintf("≤ %.1f MiB", memory), fmt.Sprintf("%.1f MiB", r.peak))
		check(r.calls == calls, r, "calls for each group", calls, r.calls)
		check(r.connections <= connections, r, "connections", fmt.Sprintf("≤ %d", connections), strconv.Itoa(r.connections))
	}
	return errors.Join(missed...)
}
