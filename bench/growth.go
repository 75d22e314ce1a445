package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// runGrowth measures what a group costs as their number grows: one round, without latency.
func runGrowth(ctx context.Context, b *bench, out string) error {
	b.sizes, b.latencies, b.rounds = b.sizesOr(100, 1000, 5000), []int{0}, 1
	cells, err := b.measureCells(ctx)
	if err != nil {
		return err
	}
	return writeReport(out, "growth", b.newReport(cells), func(to *strings.Builder) error {
		_, _ = fmt.Fprintf(to, "milliseconds of CPU for each group, and peak memory; %s\n\n", b.engine.version)
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(table, "operation\tcontender\tgroups\tengine ms\tprovider ms\tpeak MiB\twall s")
		for _, c := range growthOrder(cells) {
			one := c.Samples[0]
			_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%.2f\t%.2f\t%.1f\t%.1f\n", c.Operation, c.Contender, c.N,
				1000*one.EngineCPU/float64(c.N), 1000*one.ProviderCPU/float64(c.N), float64(one.Peak)/(1<<20), one.Wall)
		}
		return table.Flush()
	})
}

// growthOrder has the sizes of one contender's operation below one another.
func growthOrder(cells []*cell) []*cell {
	by := map[string][]*cell{}
	for _, c := range sortedCells(cells) {
		if c.Contender != nameWire {
			key := fmt.Sprintf("%d %s", slices.Index(operations, c.Operation), c.Contender)
			by[key] = append(by[key], c)
		}
	}
	var all []*cell
	for _, key := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[key]...)
	}
	return all
}

// runSets measures once what for_each over a set costs the engine beside a map with the same keys.
func runSets(ctx context.Context, b *bench, out string) error {
	n := b.sizesOr(1000)[0]
	var both []contender
	for _, overMap := range b.all {
		if overMap.name == nameEngine || overMap.name == nameOurs {
			overSet := overMap
			overSet.name, overSet.set = overMap.name+" over a set", true
			both = append(both, overMap, overSet)
		}
	}
	b.all = both
	b.sizes, b.latencies, b.rounds = []int{n}, []int{0}, 1
	cells, err := b.measureCells(ctx)
	if err != nil {
		return err
	}
	return writeReport(out, "sets", b.newReport(cells), func(to *strings.Builder) error {
		_, _ = fmt.Fprintf(to, "for_each over a map and over a set of the same keys; %s\n\n", b.engine.version)
		return writeCells(to, cells)
	})
}
