package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// summary is the median and the extremes of a value over one or more rounds.
type summary struct{ Median, Min, Max float64 }

// summarize returns the summary of one or more values. The median of an even number of values is the mean of the
// middle two.
func summarize(values []float64) summary {
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	return summary{(sorted[last/2] + sorted[(last+1)/2]) / 2, sorted[0], sorted[last]}
}

// String returns the median and, if they differ, the extremes.
func (s summary) String() string {
	if s.Min == s.Max {
		return fmt.Sprintf("%.2f", s.Median)
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max)
}

// MarshalJSON encodes only the median, rounded to three decimal places.
func (s summary) MarshalJSON() ([]byte, error) { return json.Marshal(math.Round(1000*s.Median) / 1000) }
