package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The targets for this provider, except the calls of each operation, which are in life.go.
const (
	// cpuLimit is the maximum CPU time in every operation, as a share of what the bare framework provider uses.
	cpuLimit = 0.90
	// memoryLimit plus memoryPerGroup for each group is the maximum peak memory, in MiB.
	memoryLimit, memoryPerGroup = 40.0, 4.0 / 1024
	// connectionLimit applies to each process that makes calls. An engine has ten calls in flight. Go's transport opens
	// a connection whenever a call finds none free, even if another one becomes free first, and replaces connections
	// that were idle for too long.
	connectionLimit = 20
	// leastJudged is the number of groups below which the start of a process dominates CPU time and memory.
	leastJudged = 100
)

// target is a limit and whether the provider met it.
type target struct {
	What     string `json:"what"`
	Limit    string `json:"limit"`
	Measured string `json:"measured"`
	Verdict  string `json:"verdict"`
}

const (
	met       = "met"
	missed    = "MISSED"
	notJudged = "not judged, too few groups"
)

func newTarget(what, limit, measured string, judged, within bool) target {
	verdict := missed
	switch {
	case !judged:
		verdict = notJudged
	case within:
		verdict = met
	}
	return target{what, limit, measured, verdict}
}

// judge compares the rounds of this provider with those of the bare one and with the targets.
func judge(ours, bare []life, n int) (all []target) {
	enough := n >= leastJudged
	peak := 0.0
	for _, o := range operations {
		var shares []float64
		var calls []string
		connections, most := 0, connectionLimit*len(o.calls)
		for i := range ours {
			one := ours[i][o.name]
			// Each round has its own ratio, so that a machine that is slow for a whole round has no effect.
			shares = append(shares, one.providerCPU/bare[i][o.name].providerCPU)
			calls = append(calls, perGroup(one.calls, n))
			connections, peak = max(connections, one.connections), max(peak, one.peak)
		}
		share, want, got := summarize(shares), perGroup(o.calls, 1), strings.Join(slices.Compact(calls), " or ")
		limit := fmt.Sprintf("≤ %.2f", cpuLimit)
		all = append(all,
			newTarget(o.name+": CPU over the bare provider's", limit, share.String(), enough, share.Median <= cpuLimit),
			newTarget(o.name+": calls for each group", want, got, true, got == want),
			newTarget(o.name+": connections", fmt.Sprintf("≤ %d", most), strconv.Itoa(connections), true, connections <= most))
	}
	limit := memoryLimit + memoryPerGroup*float64(n)
	return append(all,
		newTarget("peak memory", fmt.Sprintf("≤ %.1f MiB", limit), fmt.Sprintf("%.1f MiB", peak), enough, peak <= limit))
}

// judgeLimited compares the rounds of this provider with the targets for a service that limits the rate of calls.
func judgeLimited(ours []life, n, perSecond int) (all []target) {
	for _, o := range operations {
		calls := 0
		for _, each := range o.calls {
			calls += each * n
		}
		// Each process has to find the limit for itself, and there is one process for each method.
		longest := 1.25*float64(calls)/float64(perSecond) + 8*float64(len(o.calls)) + 2
		wall, refused := 0.0, 0.0
		for _, round := range ours {
			one := round[o.name]
			wall, refused = max(wall, one.wall), max(refused, float64(one.refused)/float64(calls+one.refused))
		}
		// Finding the limit takes some refusals, which are a large share if there are few calls.
		share := fmt.Sprintf("%.1f %%", 100*refused)
		all = append(all,
			newTarget(o.name+": seconds", fmt.Sprintf("≤ %.0f", longest), fmt.Sprintf("%.1f", wall), true, wall <= longest),
			newTarget(o.name+": calls refused", "≤ 15 %", share, n >= leastJudged, refused <= 0.15))
	}
	return all
}

// perGroup returns the calls for each group by method, for example "1 GET, 1 POST", or "none".
func perGroup(calls map[string]int, groups int) string {
	if len(calls) == 0 {
		return "none"
	}
	var parts []string
	for _, method := range slices.Sorted(maps.Keys(calls)) {
		parts = append(parts, fmt.Sprintf("%g %s", float64(calls[method])/float64(groups), method))
	}
	return strings.Join(parts, ", ")
}

// failure returns an error that names the missed targets, or nil if there are none.
func failure(all []target) error {
	var failures []error
	for _, one := range all {
		if one.Verdict == missed {
			err := fmt.Errorf("target missed: %s: %s, measured %s", one.What, one.Limit, one.Measured)
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
