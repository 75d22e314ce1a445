package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// targetResult is a promise and what was measured of it.
type targetResult struct {
	What string `json:"what"`
	// Limit and Value are as printed.
	Limit string `json:"limit"`
	Value string `json:"value"`
	Met   bool   `json:"met"`
}

// index finds cells.
type index map[cellKey]*cell

func indexOf(cells []*cell) index {
	all := index{}
	for _, c := range cells {
		all[cellKey{c.Contender, c.N, c.Latency, c.Operation}] = c
	}
	return all
}

func (c *cell) values(of func(sample) float64) []float64 {
	if c == nil {
		return nil
	}
	values := make([]float64, 0, len(c.Samples))
	for _, one := range c.Samples {
		values = append(values, of(one))
	}
	return values
}

func wall(s sample) float64        { return s.Wall }
func peak(s sample) float64        { return float64(s.Peak) }
func providerCPU(s sample) float64 { return s.ProviderCPU }
func engineCPU(s sample) float64   { return s.EngineCPU }

// expectedCalls of each operation, per group.
var expectedCalls = map[string]map[string]int{
	"apply":   {"GET": 1},
	"plan":    {"GET": 1},
	"rotate":  {"GET": 1, "POST": 1},
	"destroy": {"GET": 1, "DELETE": 1},
}

const (
	cpuLimit  = 1.10
	wallLimit = 1.10
	coldLimit = 1.30
)

// judge holds the cells of one size and latency, and the cold start, against what was promised. Ratios are medians of
// the ratios of each round.
func judge(all index, n, latency, parallelism int, cold *coldStart) []targetResult {
	var results []targetResult
	ours := func(operation string) *cell { return all[cellKey{nameOurs, n, latency, operation}] }
	floor := func(operation string) *cell { return all[cellKey{nameFloor, n, noLatency, operation}] }
	ratio := func(what string, limit float64, above, below []float64) {
		value := summarise(ratios(above, below))
		results = append(results, targetResult{what, fmt.Sprintf("≤ %.2f", limit), value.spread(), value.Median <= limit})
	}
	for _, operation := range []string{"apply", "plan", "destroy"} {
		ratio("CPU of "+operation+" over the floor's (engine and provider)", cpuLimit, ours(operation).values(sample.cpu), floor(operation).values(sample.cpu))
	}
	for _, operation := range []string{"apply", "plan", "destroy"} {
		both := floor(operation).values(wall)
		for i, wire := range all[cellKey{nameWire, n, latency, operation}].values(wall) {
			if i < len(both) {
				both[i] += wire
			}
		}
		ratio("Wall of "+operation+" over the floor's and the wire's", wallLimit, ours(operation).values(wall), both)
	}
	largest := 0.0
	for _, operation := range operations {
		calls, connections, met := callsAndConnections(ours(operation), n, expectedCalls[operation])
		results = append(results, targetResult{"Calls per group, " + operation, plainCounts(expectedCalls[operation]), calls, met})
		results = append(results, targetResult{"Connections of a process, " + operation, fmt.Sprintf("≤ %d", parallelism), fmt.Sprint(connections), connections <= parallelism})
		for _, value := range ours(operation).values(peak) {
			largest = max(largest, value)
		}
	}
	limit := 40 + 4*float64(n)/1024
	results = append(results, targetResult{"Peak memory of the provider", fmt.Sprintf("≤ %.1f MiB", limit), fmt.Sprintf("%.1f MiB", largest/(1<<20)), largest > 0 && largest/(1<<20) <= limit})
	if cold != nil {
		results = append(results, targetResult{"Cold start to first answer over an empty provider's", fmt.Sprintf("≤ %.2f", coldLimit), fmt.Sprintf("%.2f", cold.Ratio), cold.Ratio <= coldLimit})
	}
	return results
}

// callsAndConnections are those of the worst round.
func callsAndConnections(c *cell, n int, expected map[string]int) (calls string, connections int, met bool) {
	if c == nil {
		return "–", math.MaxInt, false
	}
	met = true
	for _, one := range c.Samples {
		per := map[string]float64{}
		right := len(one.Calls) == len(expected)
		for method, count := range one.Calls {
			per[method] = float64(count) / float64(n)
			right = right && count == expected[method]*n
		}
		if calls == "" || met && !right {
			calls = plainCounts(per)
		}
		met = met && right
		for _, count := range one.Connections {
			connections = max(connections, count)
		}
	}
	return calls, connections, met
}

func plainCounts[V int | float64](counts map[string]V) string {
	var parts []string
	for _, method := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%v %s", counts[method], method))
	}
	return strings.Join(parts, ", ")
}
