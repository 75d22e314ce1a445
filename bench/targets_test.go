package main

import (
	"strings"
	"testing"
)

func lifeOf(contender string, latency int, cpu, wall float64, counts map[string]map[string]int) []*cell {
	var cells []*cell
	for _, operation := range operations {
		one := sample{Wall: wall, EngineCPU: cpu, Peak: 30 << 20, Calls: map[string]int{}, Connections: map[string]int{}}
		for method, count := range counts[operation] {
			one.Calls[method], one.Connections[method] = count*100, 10
		}
		cells = append(cells, &cell{Contender: contender, N: 100, Latency: latency, Operation: operation, Samples: []sample{one}})
	}
	return cells
}

func missed(results []targetResult) string {
	var all []string
	for _, one := range results {
		if !one.Met {
			all = append(all, one.What)
		}
	}
	return strings.Join(all, "; ")
}

func TestJudge(t *testing.T) {
	t.Parallel()
	floor := append(lifeOf(nameFloor, noLatency, 1, 1, nil), lifeOf(nameWire, 20, 0, 1, nil)...)
	good := append(lifeOf(nameOurs, 20, 1.05, 2.1, expectedCalls), floor...)
	if said := missed(judge(indexOf(good), 100, 20, 10, &coldStart{Ratio: 1.2})); said != "" {
		t.Error("missed:", said)
	}
	bad := append(lifeOf(nameOurs, 20, 1.2, 2.3, expectedCalls), floor...)
	bad[0].Samples[0].Calls["GET"]++
	bad[1].Samples[0].Connections["GET"] = 11
	bad[2].Samples[0].Peak = 50 << 20
	results := judge(indexOf(bad), 100, 20, 10, &coldStart{Ratio: 1.4})
	met := 0
	for _, one := range results {
		if one.Met {
			met++
		}
	}
	if len(results)-met != 10 {
		t.Errorf("%d of %d met; missed: %s", met, len(results), missed(results))
	}
	// What was not measured is not met.
	for _, one := range judge(index{}, 100, 20, 10, nil) {
		if one.Met {
			t.Errorf("met without a measurement: %+v", one)
		}
	}
}

func TestCallsOfTheFirstWrongRound(t *testing.T) {
	t.Parallel()
	c := &cell{}
	for _, gets := range []int{100, 300, 1250} {
		c.Samples = append(c.Samples, sample{Calls: map[string]int{"GET": gets}})
	}
	if calls, _, met := callsAndConnections(c, 100, map[string]int{"GET": 1}); calls != "3 GET" || met {
		t.Errorf("%q, met: %t", calls, met)
	}
}
