package usergroup_test

import (
	"flag"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

var (
	pairMishaps = flag.Int("pair-mishaps", 0, "how many attempts of two runs can be lost; make test has one")
	replayPair  = flag.String("pair", "", "the one order to play, as TestTwoRunsAtOnce prints it")
)

const (
	// slowest is how long a call can take without a mishap.
	slowest = time.Second
	// latest is how long a call that is late takes at most, which is a mishap. latestDeletion is the same for a deletion:
	// one that takes longer than the provider allows for can hit a group that somebody has taken meanwhile.
	latest         = usergroup.LongestPlaceholder - time.Second
	latestDeletion = usergroup.LongestPlaceholder - usergroup.Lease - time.Second
	// mostSlow is how many calls of an order can take longer than no time, without those of a check.
	mostSlow = 1
	// liveName differs from the ID, which a lookup may have to send as a name.
	liveName = "Acme Ltd."
)

// pair is the start of two runs on one ID: their operations, the group before them, and the reading of the service.
type pair struct {
	operations  [2]string
	before      string
	reading     string
	environment string
}

func (p pair) String() string {
	name := p.operations[0] + " + " + p.operations[1] + "/" + p.before + "/" + p.reading
	if p.environment != "" {
		name += "/" + p.environment
	}
	return name
}

// pairOperations are what a run can do. The backend is the product's own, which gets or creates a group at sign-up.
var pairOperations = []string{
	"import", "refresh", "create", "adopt", "update", "rotate", "update and rotate", "delete", "backend",
}

func pairs() (all []pair) {
	for i, first := range pairOperations {
		for _, second := range pairOperations[i:] {
			operations := [2]string{first, second}
			for _, before := range []string{"absent", "exists", "nameless"} {
				all = append(all, pair{operations, before, "stored", ""})
			}
			for _, before := range []string{"absent", "exists"} { // In an echo, no group shows a name.
				all = append(all, pair{operations, before, "echo", ""}, pair{operations, before, "stored", "Customer"})
			}
		}
	}
	return all
}

// TestTwoRunsAtOnce walks every order in which the calls of two runs can reach the service. At the end of each, it
// compares what the runs report with what the service has.
func TestTwoRunsAtOnce(t *testing.T) {
	all := pairs()
	if name, path, given := strings.Cut(*replayPair, "|"); given {
		p := all[slices.IndexFunc(all, func(p pair) bool { return p.String() == name })]
		synctest.Test(t, func(t *testing.T) {
			replay(t, path, func(c *choices) *record { return &p.play(t, c, p.alone(t)).record })
		})
		return
	}
	collectLess(t)
	var played atomic.Int64
	excused := make([]atomic.Int64, len(exceptions))
	t.Run("pairs", func(t *testing.T) {
		for _, p := range all {
			t.Run(p.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					alone, pruned := p.alone(t), 0
					count := search(t, "pair", p.String(), math.MaxInt, func(c *choices) *record {
						order := p.play(t, c, alone)
						if order.pruned {
							pruned++
						}
						for _, at := range order.excused {
							excused[at].Add(1)
						}
						return &order.record
					})
					t.Logf("%d orders", count-pruned)
					played.Add(1)
				})
			})
		}
	})
	for i, exception := range exceptions {
		t.Logf("%d orders are excused: %s", excused[i].Load(), exception.reason)
		if int(played.Load()) == len(all) && excused[i].Load() == 0 && (*pairMishaps > 0 || !exception.mishap) {
			t.Errorf("nothing needs the exception any more: %+v", exception)
		}
	}
}

// together is two runs on one service, and what the checks of one order have found.
type together struct {
	pair
	record
	*emulator.Emulator
	choices *choices
	runs    []*oneRun
	// arrivals gets each call that a run is about to send, and a last entry from each run that has ended.
	arrivals chan *queued
	over     bool  // no call reaches the service any more
	pruned   bool  // the order only repeats another one
	slow     int   // how many calls took longer than no time
	befell   int   // mishaps
	excused  []int // the exceptions that the order needs
}

// oneRun is one of the runs: one operation of one process.
type oneRun struct {
	*together
	name      string
	operation string
	known     usergroup.Known
	next      *queued // the last of its calls to arrive, unless that was let through
	checked   bool    // the check of the service has begun
	slowCheck bool    // its calls take long
	calls     []emulator.Call
	err       error
	warnings  []*usergroup.Problem
	// has is the group in the state after a success, or nil.
	has *api.UserGroup
}

// start returns the runs before their first call.
func (p pair) start(t *testing.T, c *choices, operations ...string) *together {
	t.Helper()
	e := emulator.New(readings[p.reading].Options)
	w := &together{pair: p, Emulator: e, choices: c, arrivals: make(chan *queued)}
	group := emulator.Group{ID: id, Name: liveName}
	if befores[p.before].empty {
		group.Name = ""
	}
	group = e.Seed(group)
	if befores[p.before].absent {
		e.Remove(id)
	}
	for i, operation := range operations {
		w.runs = append(w.runs, &oneRun{
			together: w, name: string(rune('A' + i)), operation: operation, known: knownOf(group),
		})
	}
	return w
}

// alone returns the errors of the operations if there is no other run.
func (p pair) alone(t *testing.T) (errs [2]error) {
	t.Helper()
	for i, operation := range p.operations {
		w := p.start(t, &choices{}, operation)
		w.run(t)
		errs[i] = w.runs[0].err
	}
	return errs
}

// play plays and checks one order.
func (p pair) play(t *testing.T, c *choices, alone [2]error) *together {
	w := p.start(t, c, p.operations[:]...)
	if w.run(t); !w.pruned {
		w.check(alone)
	}
	return w
}
