package main

import (
	"fmt"
	"slices"
)

// summary is what the rounds, at least one, say of a value.
type summary struct{ Median, Min, Max float64 }

// summarize has the median of an even number of values lie between the middle two.
func summarize(values []float64) summary {
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	return summary{(sorted[last/2] + sorted[(last+1)/2]) / 2, sorted[0], sorted[last]}
}

// String is the median, with the extremes where they differ.
func (s summary) String() string {
	if s.Min == s.Max {
		return fmt.Sprintf("%.2f", s.Median)
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max)
}
