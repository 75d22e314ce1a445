package usergroup

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The cells of fault_*_cells_test.go are this file's input: every operation, the calls that it
// makes where the state knows the token and no environment is demanded, every fault. A
// cell is one line. Each runs on a fresh and on a kept-alive connection, and unless it names one reading, on a service
// that tells what is stored and on one that echoes.
//
//	fault      which fault, by the names below
//	struck     once: the first call of the scenario's method; always: each call of that method; broken: each call
//	calls      what the service was asked for in the order of arrival, and what each call did there
//	left       what there is of the group afterwards, by the names of harness_test.go
//	outcome    the title of the error, of the warning, or success
//	says       words of the detail that make the difference
//	reading    the only reading that the cell is about; empty for both
type cell struct {
	fault   string
	struck  string
	calls   string
	left    string
	outcome string
	says    string
	reading string
}

const (
	cutBefore  = "cut before the work"
	cutAfter   = "cut after the work"
	error500   = "500 after the work"
	error503   = "503"
	throttled  = "429 with Retry-After"
	htmlPage   = "HTML with 200"
	success0   = "success 0"
	half       = "half a document"
	cutInside  = "unexpected EOF"
	noToken    = "no token in the answer"
	redirect   = "307"
	slowAnswer = "too slow, work done on arrival"
	slowWork   = "too slow, work done after the caller has given up"
)

const (
	once   = "once"
	always = "always"
	broken = "broken"
)

const (
	stored = "stored"
	echo   = "echo"
)

// A slow fault has no number of its own: slowWork is done by a hook, which holds the call back until the operation is
// over, and slowAnswer waits until the caller hangs up.
var faults = map[string]emulator.Fault{
	cutBefore:  {Kind: emulator.CutBefore},
	cutAfter:   {Kind: emulator.CutAfterWork},
	error500:   {Kind: emulator.Error500AfterWork},
	error503:   {Kind: emulator.Unavailable503},
	throttled:  {Kind: emulator.TooMany429, RetryAfter: "1"},
	htmlPage:   {Kind: emulator.HTML200},
	success0:   {Kind: emulator.Refuse},
	half:       {Kind: emulator.HalfDocument},
	cutInside:  {Kind: emulator.CutInDocument},
	noToken:    {Kind: emulator.NoToken},
	redirect:   {Kind: emulator.Redirect307},
	slowAnswer: {Kind: emulator.Delay, Delay: time.Minute},
	slowWork:   {},
}

// timeouts are the request timeouts for a cell, which is tried anew with the next one only if its fault is slow: a healthy
// call has to be faster than its timeout, and on a busy machine that is not certain. What is wrong stays wrong.
func timeouts(c cell) []time.Duration {
	if c.fault == slowAnswer || c.fault == slowWork {
		return []time.Duration{250 * time.Millisecond, time.Second, 4 * time.Second}
	}
	return []time.Duration{20 * time.Second}
}

// scenario is an operation whose call of one method is struck.
type scenario struct {
	name string
	// method is the call that once and always strike.
	method string
	// seeded: the group exists beforehand.
	seeded bool
	// struck are the ways in which the scenario is struck, each by every fault.
	struck []string
	// rotates: a rotation is what was asked for.
	rotates bool
	// changes: changing an existing group is what was asked for.
	changes bool
	// mayHideToken: nobody needs the token from it.
	mayHideToken bool
	// deletes: deleting the existing group is what was asked for.
	deletes bool
	run     operation
	cells   []cell
}

// absentKnown is what a state has of a group that somebody has deleted since.
func absentKnown() Known {
	team := int64(77)
	return Known{ID: id, Name: "Former Acme", TeamID: &team, Token: api.NewSecret("ugt_of_a_group_that_is_gone")}
}

func scenarios() []scenario {
	return []scenario{
		{name: "create", method: "GET", struck: []string{once, broken}, run: runCreate, cells: createCells},
		{name: "create what exists", method: "GET", seeded: true, struck: []string{once, broken}, run: runCreate, cells: createExistingCells},
		{name: "adopt, lookup", method: "GET", seeded: true, changes: true, struck: []string{once, broken}, run: runAdopt, cells: adoptLookupCells},
		{name: "adopt, update", method: "PUT", seeded: true, changes: true, struck: []string{once, always}, run: runAdopt, cells: adoptUpdateCells},
		{name: "find what the state knows", method: "GET", seeded: true, struck: []string{once, broken}, run: runFind, cells: findKnownCells},
		{name: "find by id alone", method: "GET", seeded: true, struck: []string{once, broken}, run: byIDAlone(runFind), cells: findByIDCells},
		{name: "find what is gone, lookup", method: "GET", struck: []string{once, broken}, run: runFind, cells: findAbsentCells},
		{name: "find what is gone, removal of the shell", method: "DELETE", struck: []string{once, always}, run: runFind, cells: removeShellCells},
		{name: "update", method: "PUT", seeded: true, changes: true, mayHideToken: true, struck: []string{once, broken}, run: runUpdate, cells: updateCells},
		{name: "rotate", method: "POST", seeded: true, rotates: true, struck: []string{once, always, broken}, run: runRotate, cells: rotateCells},
		{name: "delete", method: "DELETE", seeded: true, deletes: true, struck: []string{once, always, broken}, run: runDelete, cells: deleteCells},
	}
}

func TestEveryFaultAtEveryCall(t *testing.T) {
	t.Parallel()
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			checkComplete(t, sc)
			for _, c := range sc.cells {
				for _, reading := range []string{stored, echo} {
					if c.reading != "" && c.reading != reading {
						continue
					}
					for _, kept := range []bool{false, true} {
						connection := map[bool]string{false: "fresh", true: "kept"}[kept]
						t.Run(fmt.Sprintf("%s/%s/%s/%s", c.fault, c.struck, reading, connection), func(t *testing.T) {
							t.Parallel()
							tryAnew(t, timeouts(c), func(t testing.TB, timeout time.Duration) {
								t.Helper()
								for tries := 1; !runCell(t, sc, c, reading, kept, timeout); tries++ {
									if tries == 5 {
										t.Fatal("the call never came on the connection that the cell is about")
									}
								}
							})
						})
					}
				}
			}
		})
	}
}

// checkComplete sees to it that no cell is missing and none is there twice.
func checkComplete(t *testing.T, sc scenario) {
	t.Helper()
	for fault := range faults {
		for _, struck := range sc.struck {
			for _, reading := range []string{stored, echo} {
				n := 0
				for _, c := range sc.cells {
					if c.fault == fault && c.struck == struck && (c.reading == "" || c.reading == reading) {
						n++
					}
				}
				if n != 1 {
					t.Errorf("%d cells for %q, %s, %s", n, fault, struck, reading)
				}
			}
		}
	}
}

// warmUpID is a group that is asked for beforehand, to have a connection that is kept alive.
const warmUpID = "warm-up"

// runCell reports whether the struck call came on the kind of connection that the cell is about: on a busy machine Go's
// transport does not always keep one. All else is checked either way.
func runCell(t testing.TB, sc scenario, c cell, reading string, kept bool, timeout time.Duration) (asMeant bool) {
	t.Helper()
	options := emulator.Options{}
	if reading == echo {
		options.Answers = emulator.AnswersEcho
	}
	if c.fault == success0 {
		options.Refusals = emulator.RefusalsSuccessZero
	}
	e, s := newService(t, setup{emulator: options, client: func(config *api.Config) {
		config.RequestTimeout = timeout
		if !kept {
			config.Headers = map[string]api.Secret{"Connection": api.NewSecret("close")}
		}
	}})
	var seed emulator.Group
	known := absentKnown()
	if sc.seeded {
		seed = seedGroup(e)
		known = knownOf(seed)
	}
	warmUp := knownOf(e.Seed(emulator.Group{ID: warmUpID}))
	if _, err := s.Find(t.Context(), warmUp); err != nil {
		t.Fatal(err)
	}

	release := strike(t, e, sc, c)
	result, err := sc.run(t.Context(), s, known)
	release()
	// On a busy machine a call can reach the service after its caller has given it up and has gone on.
	for deadline := time.Now().Add(5 * time.Second); len(e.Calls()) <= strings.Count(c.calls, ">")+1 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	e.WaitIdle()

	if waiting := e.FaultsWaiting(); waiting > 0 {
		t.Errorf("%d faults have not struck", waiting)
	}
	wantTrace(t, e, c.calls)
	wantLeft(t, e, seed, c.left)
	wantOutcome(t, result, err, c.outcome, c.says)
	checkInvariants(t, e, sc, seed, result, err)
	return firstCallReused(t, e, sc.method) == kept
}

// strike makes the fault strike from now on. The returned function lets the held back calls go on, one after the other.
func strike(t testing.TB, e *emulator.Emulator, sc scenario, c cell) (release func()) {
	t.Helper()
	fault := faults[c.fault]
	if c.struck != broken {
		fault.Method = sc.method
	}
	if c.struck == once {
		fault.Nth = 1
	}
	if c.fault != slowWork {
		e.Fail(fault)
		return func() {}
	}
	return holdBack(t, e, func(call emulator.Call, earlier int) bool {
		return (fault.Method == "" || call.Method == fault.Method) && (fault.Nth == 0 || earlier == 0)
	})
}

// holdBack keeps calls from being worked on until release is called: longer than their caller waits. which is told how
// many have been held back already.
func holdBack(t testing.TB, e *emulator.Emulator, which func(call emulator.Call, earlier int) bool) (release func()) {
	t.Helper()
	var mu sync.Mutex
	var held []chan struct{}
	released := false
	e.BeforeCall(func(call emulator.Call) {
		mu.Lock()
		if released || !which(call, len(held)) {
			mu.Unlock()
			return
		}
		gate := make(chan struct{})
		held = append(held, gate)
		mu.Unlock()
		<-gate
	})
	var doneOnce sync.Once
	release = func() {
		doneOnce.Do(func() {
			e.BeforeCall(nil)
			mu.Lock()
			defer mu.Unlock()
			released = true
			for _, gate := range held {
				worked := len(e.Calls())
				close(gate)
				for deadline := time.Now().Add(10 * time.Second); len(e.Calls()) == worked && time.Now().Before(deadline); {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	t.Cleanup(release)
	return release
}

// firstCallReused reports whether the first call of the method came on a connection that was used before.
func firstCallReused(t testing.TB, e *emulator.Emulator, method string) bool {
	t.Helper()
	seen := map[string]bool{}
	calls := e.Calls()
	slices.SortStableFunc(calls, func(a, b emulator.Call) int { return a.At.Compare(b.At) })
	for _, call := range calls {
		if call.ID != warmUpID && call.Method == method {
			return seen[call.Connection]
		}
		seen[call.Connection] = true
	}
	t.Fatalf("no %s was made", method)
	return false
}

// checkInvariants holds for every cell, whatever it says.
func checkInvariants(t testing.TB, e *emulator.Emulator, sc scenario, seed emulator.Group, result Result, err error) {
	t.Helper()
	group, exists := e.Group(id)
	switch rotations := e.Rotations(id); {
	case rotations > 1:
		t.Errorf("the token was rotated %d times", rotations)
	case rotations > 0 && !sc.rotates:
		t.Error("the token was rotated")
	case sc.rotates && err == nil && rotations != 1:
		t.Errorf("success after %d rotations", rotations)
	}
	if sc.seeded && !sc.changes && e.Updates(id) > 0 {
		t.Error("the group was updated")
	}
	if sc.seeded && !sc.deletes && (!exists || group.TeamID != seed.TeamID) {
		t.Error("the group that was there is gone")
	}
	if exists && err != nil && group.TeamID != seed.TeamID {
		// The error has to name what is left, and how to get rid of it or how to come by it.
		text := err.Error()
		if !strings.Contains(text, removalCommand(id)) && !strings.Contains(text, "the next run says that user group") {
			t.Errorf("a group is left behind and the error does not say so: %s", text)
		}
	}
	for _, other := range e.Groups() {
		if other.ID != id && other.ID != warmUpID {
			t.Errorf("another group has been made: %q", other.ID)
		}
	}
	if err == nil && !sc.deletes {
		if told := result.Group; sc.mayHideToken && told != nil && told.Token.IsZero() {
			told.Token = api.NewSecret(group.Token)
		}
		wantGroup(t, e, result.Group)
	}
	for _, call := range e.Calls() {
		if call.Path != "/api/user" {
			t.Errorf("a redirect was followed to %s", call.Path)
		}
		if got := call.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s with Content-Type %q", call.Method, got)
		}
		if call.Method == http.MethodDelete && strings.Contains(string(call.Body), "null") {
			t.Errorf("a null was sent: %s", call.Body)
		}
	}
}
