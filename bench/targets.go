package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// operation is a step in the life cycle of a configuration.
type operation struct {
	name    string
	command []string
	calls   map[string]int // calls of this provider for each group, by method
	cpu     float64        // the most CPU time, as a share of what the bare framework provider uses
}

var operations = []operation{
	{"apply", []string{"apply", "-auto-approve"}, map[string]int{"GET": 1}, 0.95},
	{"plan", []string{"plan", "-detailed-exitcode"}, map[string]int{"GET": 1}, 0.95},
	{"rotate", []string{"apply", "-auto-approve", "-var", "quarter=2"}, map[string]int{"GET": 1, "POST": 1}, 1.05},
	{"destroy", []string{"destroy", "-auto-approve", "-var", "quarter=2"}, map[string]int{"GET": 1, "DELETE": 1}, 1.05},
}

// changes returns the number of calls for each group that change it. Each has a connection of its own, on which nothing
// else can be answered.
func (o operation) changes() int { return o.calls[http.MethodPost] + o.calls[http.MethodDelete] }

const (
	// peakLimit is the most memory, in MiB.
	peakLimit = 80.0
	// lookupConnections is the most connections for all lookups. An engine has ten calls in flight. Go's transport opens
	// a connection whenever a call finds none free, even if another one becomes free first.
	lookupConnections = 20
	// leastJudged is the number of groups below which the start of a process dominates CPU time, so that it is not judged.
	leastJudged = 100
)

// outageLimits are the most that a run costs in an outage, no matter how many groups there are.
var outageLimits = outage{calls: 70, took: 4 * time.Minute, empty: 30, explained: 1}

// judge returns an error that names the targets that were missed, or nil if there are none.
func judge(all []result, groups int) error {
	var missed []error
	for _, r := range all {
		check := func(met bool, what string, limit, measured any) {
			if !met {
				missed = append(missed,
					fmt.Errorf("target missed: %s: %s: %v, measured %v", r.operation.name, what, limit, measured))
			}
		}
		check(groups < leastJudged || r.ratio.median <= r.operation.cpu,
			"most CPU time, divided by that of the bare provider", r.operation.cpu, r.ratio)
		check(r.peak.most <= peakLimit, "most memory, in MiB", peakLimit, r.peak.most)
		wanted := perGroup(r.operation.calls, 1)
		check(r.calls == wanted, "calls for each group", wanted, r.calls)
		check(r.connections.least >= 1 && r.connections.most <= lookupConnections,
			"connections beyond one for each change", fmt.Sprintf("1 to %d", lookupConnections), r.connections)
	}
	return errors.Join(missed...)
}
