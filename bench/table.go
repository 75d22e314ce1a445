package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// writeCells prints one line for each cell: medians, and in brackets the smallest and the largest of the rounds; of the
// provider's memory the largest alone.
func writeCells(to io.Writer, cells []*cell) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "groups\tlatency\toperation\tcontender\twall s\tengine CPU s\tprovider CPU s\tpeak MiB\tcalls\tconnections")
	for _, c := range sortedCells(cells) {
		calls, connections := "–", "–"
		if last := c.Samples[len(c.Samples)-1]; len(last.Calls) > 0 {
			calls, connections = plainCounts(last.Calls), plainCounts(last.Connections)
		}
		memory := "–"
		if s := summarise(c.values(peak)); s.Max > 0 {
			memory = fmt.Sprintf("%.1f", s.Max/(1<<20))
		}
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.N, latencyText(c.Latency), c.Operation, c.Contender,
			summarise(c.values(wall)).spread(), summarise(c.values(engineCPU)).spread(), summarise(c.values(providerCPU)).spread(),
			memory, calls, connections)
	}
	return table.Flush()
}

func writeTargets(to io.Writer, results []targetResult) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "target\tlimit\tmeasured\t")
	for _, one := range results {
		verdict := "met"
		if !one.Met {
			verdict = "MISSED"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.What, one.Limit, one.Value, verdict)
	}
	return table.Flush()
}
