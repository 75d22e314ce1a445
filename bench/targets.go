package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What is promised of this provider. The calls of each operation are with the operations, in life.go.
const (
	// cpuLimit is the share of the bare framework provider's CPU that it may use, in every operation.
	cpuLimit = 0.90
	// It may use this much memory, in MiB: what any process of it needs, and little for each group.
	memoryLimit, memoryPerGroup = 40.0, 4.0 / 1024
	// connectionLimit is for each of its processes. An engine has ten calls in flight; Go's transport opens one more for a
	// call that finds none free, though one may be free before it is open, and for one that was idle too long.
	connectionLimit = 20
	// leastJudged is the number of groups below which CPU and memory tell how a process starts, and little else.
	leastJudged = 100
)

// target is a promise, and what became of it.
type target struct{ what, limit, measured, verdict string }

const missed = "MISSED"

func newTarget(what, limit, measured string, judged, within bool) target {
	verdict := missed
	switch {
	case !judged:
		verdict = "not judged, too few groups"
	case within:
		verdict = "met"
	}
	return target{what, limit, measured, verdict}
}

// judge holds the rounds of this provider against those of the bare one and against what is promised.
func judge(ours, bare []life, n int) (all []target) {
	enough := n >= leastJudged
	peak := 0.0
	for _, o := range operations {
		var shares []float64
		var calls []string
		connections, most := 0, connectionLimit*len(o.calls)
		for i := range ours {
			one := ours[i][o.name]
			// Round by round: what made a round slow made all of it slow, and drops out.
			shares = append(shares, one.providerCPU/bare[i][o.name].providerCPU)
			calls = append(calls, perGroup(one.calls, n))
			connections, peak = max(connections, one.connections), max(peak, one.peak)
		}
		share, want, got := summarize(shares), perGroup(o.calls, 1), strings.Join(slices.Compact(calls), " or ")
		limit := fmt.Sprintf("≤ %.2f", cpuLimit)
		few, opened := fmt.Sprintf("≤ %d", most), strconv.Itoa(connections)
		all = append(all,
			newTarget(o.name+": CPU over the bare provider's", limit, share.String(), enough, share.Median <= cpuLimit),
			newTarget(o.name+": calls for each group", want, got, true, got == want),
			newTarget(o.name+": connections", few, opened, true, connections <= most))
	}
	limit := memoryLimit + memoryPerGroup*float64(n)
	most, used := fmt.Sprintf("≤ %.1f MiB", limit), fmt.Sprintf("%.1f MiB", peak)
	return append(all, newTarget("peak memory", most, used, enough, peak <= limit))
}

// perGroup tells calls by method.
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

// failure names the targets that were missed.
func failure(all []target) error {
	var failures []error
	for _, one := range all {
		if one.verdict == missed {
			failures = append(failures, fmt.Errorf("target missed: %s: %s, measured %s", one.what, one.limit, one.measured))
		}
	}
	return errors.Join(failures...)
}
