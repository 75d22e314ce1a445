package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// result is what the rounds of an operation come to.
type result struct {
	operation       operation
	wall, cpu, peak summary
	ratio           summary // the CPU time of this provider over that of the bare one in the same round
	calls           string  // for each group by method. If rounds differ, it lists all numbers.
	connections     summary // those beyond one for each change
}

func results(ours, bare []life, groups int) (all []result) {
	for _, o := range operations {
		var walls, cpus, peaks, ratios, connections []float64
		var calls []string
		for i := range ours {
			our := ours[i][o.name]
			walls, cpus, peaks = append(walls, our.wall), append(cpus, our.cpu), append(peaks, our.peak)
			ratios = append(ratios, our.cpu/bare[i][o.name].cpu)
			calls = append(calls, perGroup(our.calls, groups))
			connections = append(connections, float64(our.connections-o.changes()*groups))
		}
		all = append(all, result{
			o, summarize(walls), summarize(cpus), summarize(peaks), summarize(ratios),
			strings.Join(slices.Compact(calls), " or "), summarize(connections),
		})
	}
	return all
}

// table returns the results as the table of README.md.
func table(all []result) string {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 1, ' ', tabwriter.Debug)
	fmt.Fprintln(columns, "|\t Elapsed (s)\t CPU (s)\t as a share of the bare provider\t Peak (MiB)\t"+
		" Calls for each group\t Connections beyond one for each change\t")
	fmt.Fprintln(columns, "|"+strings.Repeat("---\t", 7))
	for _, r := range all {
		fmt.Fprintf(columns, "| %s\t %.1f\t %.1f\t %s\t %.0f\t %s\t %.0f\t\n", r.operation.name,
			r.wall.median, r.cpu.median, r.ratio, r.peak.most, r.calls, r.connections.most)
	}
	_ = columns.Flush() // writes to memory, which cannot fail
	return text.String()
}

// perGroup returns the calls for each group by method, for example "1 GET, 1 POST".
func perGroup(calls map[string]int, groups int) string {
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
