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

func verdictOf(judged, within bool) string {
	switch {
	case !judged:
		return notJudged
	case within:
		return met
	default:
		return missed
	}
}

// judge holds the rounds of this provider against those of the bare one and against what is promised.
func judge(ours, bare []life, n int) []target {
	var all []target
	add := func(what, limit, measured string, judged, within bool) {
		all = append(all, target{what, limit, measured, verdictOf(judged, within)})
	}
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
		add(o.name+": CPU over the bare provider's", limit, share.String(), enough, share.Median <= cpuLimit)
		add(o.name+": calls for each group", want, got, true, got == want)
		add(o.name+": connections", fmt.Sprintf("≤ %d", most), strconv.Itoa(connections), true, connections <= most)
	}
	limit := memoryLimit + memoryPerGroup*float64(n)
	add("peak memory", fmt.Sprintf("≤ %.1f MiB", limit), fmt.Sprintf("%.1f MiB", peak), enough, peak <= limit)
	return all
}

// judgeLimited holds the rounds of this provider against what is promised of one with a service that refuses what comes
// too fast.
func judgeLimited(ours []life, n, perSecond int) (all []target) {
	for _, o := range operations {
		calls := 0
		for _, one := range o.calls {
			calls += one * n
		}
		// Each process has to find the limit, and all calls of one method come from one process.
		longest := 1.25*float64(calls)/float64(perSecond) + 8*float64(len(o.calls)) + 2
		wall, refused := 0.0, 0.0
		for _, one := range ours {
			s := one[o.name]
			wall, refused = max(wall, s.wall), max(refused, float64(s.refused)/float64(calls+s.refused))
		}
		add := func(what, limit, measured string, judged, within bool) {
			all = append(all, target{what, limit, measured, verdictOf(judged, within)})
		}
		add(o.name+": seconds", fmt.Sprintf("≤ %.0f", longest), fmt.Sprintf("%.1f", wall), true, wall <= longest)
		// To find the limit takes some refusals, which are many beside few calls.
		share := fmt.Sprintf("%.1f %%", 100*refused)
		add(o.name+": calls refused", "≤ 15 %", share, n >= leastJudged, refused <= 0.15)
	}
	return all
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
		if one.Verdict == missed {
			err := fmt.Errorf("target missed: %s: %s, measured %s", one.What, one.Limit, one.Measured)
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}
