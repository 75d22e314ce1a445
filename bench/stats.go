package main

import (
	"fmt"
	"math"
	"slices"
)

// summary is what several rounds of one measurement say.
type summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// summarise has the median of an even number of values lie between the middle two. No values are NaN throughout.
func summarise(values []float64) summary {
	if len(values) == 0 {
		return summary{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	median := sorted[middle]
	if len(sorted)%2 == 0 {
		median = (sorted[middle-1] + sorted[middle]) / 2
	}
	return summary{median, sorted[0], sorted[len(sorted)-1]}
}

// spread is the median with the extremes around it.
func (s summary) spread() string {
	switch {
	case math.IsNaN(s.Median):
		return "–"
	case s.Min == s.Max:
		return fmt.Sprintf("%.2f", s.Median)
	default:
		return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Min, s.Max)
	}
}

// ratios divides round by round: what made a round slow made all of it slow, and drops out.
func ratios(above, below []float64) []float64 {
	var all []float64
	for i := range min(len(above), len(below)) {
		if below[i] > 0 {
			all = append(all, above[i]/below[i])
		}
	}
	return all
}
