package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// result is what the rounds of an operation come to. Times are medians. Peaks and connections are the largest of any
// round.
type result struct {
	operation                     operation
	wall, engineCPU, cpu, bareCPU float64
	// ratio is the CPU time of this provider over that of the bare one.
	ratio          summary
	peak, barePeak float64
	// calls is the number of calls for each group by method. If rounds differ, it lists all numbers.
	calls       string
	connections int
}

func results(ours, bare []life, groups int) (all []result) {
	for _, o := range operations {
		var walls, engineCPUs, cpus, bareCPUs, ratios []float64
		var calls []string
		one := result{operation: o}
		for i := range ours {
			our, its := ours[i][o.name], bare[i][o.name]
			walls, engineCPUs = append(walls, our.wall), append(engineCPUs, our.engineCPU)
			cpus, bareCPUs = append(cpus, our.providerCPU), append(bareCPUs, its.providerCPU)
			// Each round has its own ratio, so that a machine that is slow for a whole round has no effect.
			ratios, calls = append(ratios, our.providerCPU/its.providerCPU), append(calls, perGroup(our.calls, groups))
			one.peak, one.barePeak = max(one.peak, our.peak), max(one.barePeak, its.peak)
			one.connections = max(one.connections, our.connections)
		}
		one.wall, one.engineCPU = summarize(walls).median, summarize(engineCPUs).median
		one.cpu, one.bareCPU = summarize(cpus).median, summarize(bareCPUs).median
		one.ratio, one.calls = summarize(ratios), strings.Join(slices.Compact(calls), " or ")
		all = append(all, one)
	}
	return all
}

// table returns the results as the table of README.md.
func table(all []result) string {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 1, ' ', tabwriter.Debug)
	fmt.Fprintln(columns, "|\t Elapsed (s)\t CPU: engine (s)\t provider (s)\t bare provider (s)\t ratio\t"+
		" Peak (MiB)\t bare provider (MiB)\t Calls for each group\t Connections\t")
	fmt.Fprintln(columns, "|"+strings.Repeat("---\t", 10))
	for _, r := range all {
		fmt.Fprintf(columns, "| %s\t %.1f\t %.1f\t %.1f\t %.1f\t %s\t %.0f\t %.0f\t %s\t %d\t\n", r.operation.name,
			r.wall, r.engineCPU, r.cpu, r.bareCPU, r.ratio, r.peak, r.barePeak, r.calls, r.connections)
	}
	_ = columns.Flush() // writes to memory, which cannot fail
	return text.String()
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

// summary is the median and the extremes of a value over one or more rounds.
type summary struct{ median, least, most float64 }

// summarize returns the summary of one or more values. The median of an even number of values is the mean of the
// middle two.
func summarize(values []float64) summary {
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	return summary{(sorted[last/2] + sorted[(last+1)/2]) / 2, sorted[0], sorted[last]}
}

func (s summary) String() string { return fmt.Sprintf("%.2f (%.2f–%.2f)", s.median, s.least, s.most) }
