package usergroup_test

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

var (
	faultsFlag = flag.Int("faults", 1, "how many faults a history of TestHistories has; make test-search: two")
	pairFaults = flag.Int("pair-faults", 0, "how many faults an order of TestTwoRunsAtOnce has; make test-search: one")
	sample     = flag.Int("sample", 8, "a search takes one of so many faults and pairs of runs; make test: one, so all")
	replayed   = flag.String("replay", "", "the one path to play, as a search prints it")
)

// sceneFound is set when a search has the scene of -replay.
var sceneFound atomic.Bool

// TestMain fails a run whose -replay names a scene of no search. The garbage collector runs only when it must, because
// it would take a third of the time of a search.
func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(128 << 20)
	code := m.Run()
	set := func(name string) string { return flag.Lookup(name).Value.String() }
	isComplete := *sample == 1 && *replayed == "" && set("test.run") == "" && set("test.skip") == ""
	for _, e := range notHandled {
		for i, row := range e.rows {
			takesPairFault := row.runs == 2 && (row.faults != nil || row.method != "")
			isTried := !takesPairFault || *pairFaults > 0
			if isComplete && isTried && row.needed.Load() == 0 {
				fmt.Fprintf(os.Stderr, "nothing needs row %d of the exception any more: %s\n", i, e.line)
				code = 1
			}
		}
	}
	if *replayed != "" && !sceneFound.Load() {
		fmt.Fprintln(os.Stderr, "no search that was run has the scene of -replay")
		code = 1
	}
	os.Exit(code)
}

// isSampled reports whether a search takes the nth fault or pair. Each scene begins somewhere else.
func isSampled(scene string, n int) bool { return (len(scene)+n)%*sample == 0 }

// choices is one path through everything that can happen. At each point it has the index of one of the options, and
// index 0 means that all goes well. After the end of the path, all goes well.
type choices struct{ path, sizes []int }

// choose returns the index of one of the options.
func (c *choices) choose(options int) int {
	at := len(c.sizes)
	if at == len(c.path) {
		c.path = append(c.path, 0)
	}
	c.sizes = append(c.sizes, options)
	return c.path[at]
}

// next moves to the next path, depth first, and reports whether there is one.
func (c *choices) next() bool {
	for i := len(c.sizes) - 1; i >= 0; i-- {
		if c.path[i]+1 < c.sizes[i] {
			c.path = append(c.path[:i:i], c.path[i]+1)
			c.sizes = nil
			return true
		}
	}
	return false
}

func (c *choices) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.path), " ", "."), "[]")
}

// record is what happened on a path, and which rules that breaks.
type record struct {
	scene           string
	operations      []string // of one run, or of two
	begins, variant string
	events          []func() string // their texts are built only when they are printed
	broken          []string
	faults          []befallen
}

// befallen is a fault that has befallen a call with the method.
type befallen struct{ name, method string }

func (f befallen) String() string { return f.name + " of " + f.method }

func (r *record) tell(format string, args ...any) {
	r.events = append(r.events, func() string { return fmt.Sprintf(format, args...) })
}

// breaks records that the path breaks a rule, unless that is not handled.
func (r *record) breaks(rule, format string, args ...any) {
	for _, e := range notHandled {
		for _, row := range e.rows {
			if row.excuses(r, rule) {
				row.needed.Add(1)
				return
			}
		}
	}
	r.broken = append(r.broken, rule+": "+fmt.Sprintf(format, args...))
}

func (r *record) String() string {
	lines := []string{}
	for _, event := range r.events {
		lines = append(lines, event())
	}
	return "  " + strings.Join(append(lines, r.broken...), "\n  ")
}

// search plays every path through a scene in a bubble, where time is virtual. It reports those that break a rule, the
// first ones with the flag that replays them.
func search(t *testing.T, count *atomic.Int64, scene string, play func(*testing.T, *choices) *record) {
	t.Helper()
	path, isReplayed := strings.CutPrefix(*replayed, scene+"|")
	if *replayed != "" && !isReplayed {
		return
	}
	t.Run(scene, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			if isReplayed {
				sceneFound.Store(true)
				played := play(t, parsePath(t, path))
				if t.Log("\n" + played.String()); len(played.broken) > 0 {
					t.Fail()
				}
			}
			failed := 0
			for c, more := (&choices{}), true; more && !isReplayed; more = c.next() {
				count.Add(1)
				if played := play(t, c); len(played.broken) > 0 {
					if failed++; failed <= 200 {
						t.Errorf("-sample %d -faults %d -pair-faults %d -replay '%s|%s'\n%s",
							*sample, *faultsFlag, *pairFaults, scene, c, played)
					}
				}
			}
			if failed > 200 {
				t.Errorf("%d paths break a rule", failed)
			}
		})
	})
}

func parsePath(t *testing.T, text string) *choices {
	t.Helper()
	c := &choices{}
	for choice := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(choice)
		if err != nil && text != "" {
			t.Fatalf("the path %q is not numbers separated by dots", text)
		}
		c.path = append(c.path, n)
	}
	return c
}
