package usergroup_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
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
	if *replayPair != "" {
		replayOrder(t, *replayPair)
		return
	}
	collectLess(t)
	var played, orders, broken, kinds atomic.Int64
	excused := make([]atomic.Int64, len(exceptions))
	t.Run("pairs", func(t *testing.T) {
		for _, p := range pairs() {
			t.Run(p.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					alone := p.alone(t)
					seen, count := map[string]int{}, 0
					for c := (choices{budget: math.MaxInt}); ; {
						order := p.play(t, &c, alone)
						if !order.pruned {
							count++
						}
						for _, at := range order.excused {
							excused[at].Add(1)
						}
						for rule, broke := range order.broken {
							if seen[rule]++; seen[rule] == 1 {
								t.Errorf("-pair '%s|%s'\n  %s\n  %s: %s", p, &c, order.story(), rule, broke)
							}
						}
						if len(order.broken) > 0 {
							broken.Add(1)
						}
						if !c.next() {
							break
						}
					}
					played.Add(1)
					orders.Add(int64(count))
					kinds.Add(int64(len(seen)))
					t.Logf("%d orders", count)
					for rule, count := range seen {
						t.Errorf("%s: %d orders", rule, count)
					}
				})
			})
		}
	})
	for i := range excused {
		t.Logf("%d orders are excused: %s", excused[i].Load(), exceptions[i].reason)
		if int(played.Load()) == len(pairs()) && excused[i].Load() == 0 && (*pairMishaps > 0 || !exceptions[i].mishap) {
			t.Errorf("nothing needs the exception any more: %+v", exceptions[i])
		}
	}
	t.Logf("%d orders, %d of them break a rule, in %d ways", orders.Load(), broken.Load(), kinds.Load())
}

// replayOrder plays one order, such as "import + create/absent/stored|0.1.1".
func replayOrder(t *testing.T, order string) {
	name, path, _ := strings.Cut(order, "|")
	all := pairs()
	at := slices.IndexFunc(all, func(p pair) bool { return p.String() == name })
	if at < 0 {
		t.Fatalf("there is no pair %q", name)
	}
	c := choices{budget: math.MaxInt}
	c.parse(t, path)
	synctest.Test(t, func(t *testing.T) {
		played := all[at].play(t, &c, all[at].alone(t))
		t.Logf("%s", played.story())
		for rule, broken := range played.broken {
			t.Errorf("%s: %s", rule, broken)
		}
	})
}

// together is two runs on one service, and what the checks of one order have found.
type together struct {
	pair
	*emulator.Emulator
	choices *choices
	mu      sync.Mutex
	runs    []*oneRun
	arrived chan struct{} // a run has a call to send, or has ended
	over    bool          // no call reaches the service any more
	pruned  bool          // the order only repeats another one
	slow    int           // how many calls took longer than no time
	befell  int           // mishaps
	events  []string
	broken  map[string]string // by rule
	excused []int             // the exceptions that the order needs
}

// oneRun is one of the runs: one operation of one process.
type oneRun struct {
	*together
	name      string
	operation string
	known     usergroup.Known
	// next is the call that the run is about to send, or nil. It and ended are guarded by mu.
	next      *queued
	ended     bool
	checked   bool // the check of the service has begun
	slowCheck bool // its calls take long
	err       error
	warnings  []*usergroup.Problem
	// has is the group in the state after a success, or nil.
	has   *api.UserGroup
	calls []emulator.Call
}

func (w *together) tell(format string, args ...any) {
	w.events = append(w.events, fmt.Sprintf(format, args...))
}

func (w *together) story() string { return strings.Join(w.events, "\n  ") }

// start returns the runs before their first call.
func (p pair) start(t *testing.T, c *choices, operations ...string) *together {
	t.Helper()
	e := emulator.New(readings[p.reading].Options)
	w := &together{
		pair: p, Emulator: e, choices: c, arrived: make(chan struct{}, 1), broken: map[string]string{},
	}
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
