package usergroup_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestTwoRunsAtOnce walks every order in which the calls of two runs on one ID can reach the service. At the end of
// each, it compares what the runs report with what the service has: promises 1 to 4 hold, and nothing is lost silently.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	var count atomic.Int64
	all := pairs()
	t.Run("pair", func(t *testing.T) {
		for i, p := range all {
			if *replayed == "" && !isSampled(p.String(), i) {
				continue
			}
			search(t, &count, p.String(), func(t *testing.T, c *choices) *record { return p.play(t, c).record })
		}
	})
	t.Logf("%d pairs, %d orders", len(all), count.Load())
}

// pair is the start of two runs.
type pair struct {
	operations                   [2]string
	begins, variant, environment string
}

func (p pair) String() string {
	parts := []string{strings.Join(p.operations[:], " + "), p.begins, p.variant, p.environment}
	return strings.TrimSuffix(strings.Join(parts, "/"), "/")
}

func pairs() (all []pair) {
	names := slices.Sorted(maps.Keys(operations))
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(twoInOne, name) })
	for i, first := range names {
		for _, second := range names[i:] {
			both := [2]string{first, second}
			for _, begins := range []string{"absent", "exists"} {
				for _, variant := range []string{"stored", "echo", "reused numbers"} {
					all = append(all, pair{both, begins, variant, ""})
				}
				if *pairFaults == 0 {
					all = append(all, pair{both, begins, "defaults", ""}, pair{both, begins, "stored", "Customer"})
				}
			}
		}
	}
	return all
}

// slowest is how long a call that waits for its turn can take, while the other run waits for time to pass. That happens
// once in an order.
const slowest = time.Second

// together is two runs on one service.
type together struct {
	pair
	*ledger

	choices  *choices
	runs     []*run
	arrivals chan *turn // each call that a run is about to send, and an empty turn from each run that has ended
	late     func()     // the service does it after the next call
	slow     bool       // a call has taken long
}

// run is one of the runs.
type run struct {
	*together
	actor *actor
	next  *turn // its call that waits for its turn, or nil
	ended bool
}

// turn is a call that a run is about to send.
type turn struct {
	run       *run
	let       chan struct{} // closed to let the call through
	since     time.Time
	preflight bool
}

// play plays and checks one order.
func (p pair) play(t *testing.T, c *choices) *together {
	w := &together{pair: p, choices: c, arrivals: make(chan *turn)}
	r := &record{scene: p.String(), operations: p.operations[:], begins: p.begins, variant: p.variant}
	w.ledger = newLedger(r, variants[p.variant].Options, nil)
	group := w.Seed(emulator.Group{ID: id, Name: oldName})
	w.made(group, before)
	if p.begins == "absent" {
		w.Remove(id)
	}
	for i, name := range p.operations {
		o := operations[name]
		w.runs = append(w.runs, &run{together: w, actor: &actor{
			operation: o, name: maker(rune('A' + i)), prior: o.priorOf(group),
		}})
	}
	w.operate(t)
	w.check()
	return w
}

// operate lets the calls through, one at a time, until both runs have ended.
func (w *together) operate(t *testing.T) {
	for _, r := range w.runs {
		service := newService(r, retries(2), usergroup.Settings{Environment: w.environment})
		go func() {
			r.actor.operate(t.Context(), w.ledger, service)
			w.arrivals <- &turn{run: r}
		}()
	}
	for {
		ready, waiting := w.ready()
		switch {
		case len(ready) == 0 && !waiting:
			w.finish()
			return
		case len(ready) == 0:
			w.receive(<-w.arrivals)
			continue
		}
		chosen, count := 0, len(ready)
		if at := slices.IndexFunc(ready, func(c *turn) bool { return c.preflight }); at >= 0 {
			chosen = at // It is about a group of its own.
		} else {
			if waiting && !w.slow {
				count++
			}
			if count > 1 {
				chosen = w.choices.choose(count)
			}
		}
		if chosen == len(ready) {
			w.pass(ready[0])
			continue
		}
		ready[chosen].run.next = nil
		close(ready[chosen].let)
	}
}

// ready returns the calls that wait for their turn, and whether a run waits for time to pass.
func (w *together) ready() (ready []*turn, waiting bool) {
	synctest.Wait()
	for range w.runs {
		select {
		case arrived := <-w.arrivals:
			w.receive(arrived)
		default:
		}
	}
	for _, r := range w.runs {
		switch {
		case r.next != nil:
			ready = append(ready, r.next)
		case !r.ended:
			waiting = true
		}
	}
	return ready, waiting
}

func (w *together) receive(arrived *turn) {
	if arrived.run.ended = arrived.let == nil; !arrived.run.ended {
		arrived.run.next = arrived
	}
}

// pass lets time pass until the other run has a call to send or has ended, or the waiting call takes too long.
func (w *together) pass(waiting *turn) {
	timer := time.NewTimer(slowest)
	defer timer.Stop()
	w.slow = true
	select {
	case arrived := <-w.arrivals:
		w.receive(arrived)
	case <-timer.C:
	}
	w.tell("(the call of %s takes long)", waiting.run.actor.name)
}

// pairFaultNames are the names of the faults that can befall a call. The first one is none.
var pairFaultNames = []string{"none", "lost before the work", "lost after the work", "late"}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call as soon as it is let through.
func (r *run) RoundTrip(request *http.Request) (*http.Response, error) {
	kept, body := received(request)
	call := &turn{run: r, let: make(chan struct{}), since: time.Now(), preflight: isOfPreflight(body)}
	r.arrivals <- call
	<-call.let
	fault := 0
	if len(r.faults) < *pairFaults && !call.preflight {
		fault = r.choices.choose(len(pairFaultNames))
	}
	work, answer := func() reply {
		r.ledger.actor = r.actor
		return serve(r, kept)
	}, lost
	if fault > 0 {
		r.faults = append(r.faults, befallen{pairFaultNames[fault], request.Method})
		r.tell("%s: (%s)", r.actor.name, r.faults[len(r.faults)-1])
	}
	switch fault {
	case 0:
		answer = work()
	case 2:
		work()
	}
	r.finish()
	if fault == 3 {
		r.late = func() { work() }
	}
	return answer.response()
}

// finish does what is late.
func (w *together) finish() {
	if w.late != nil {
		w.late()
	}
	w.late = nil
}

// check compares what the runs report with what the service has.
func (w *together) check() {
	a, b := w.runs[0].actor, w.runs[1].actor
	w.checkKept(a, b)
	w.checkKept(b, a)
	if len(w.faults) == 0 {
		w.checkTruth(a)
		w.checkTruth(b)
		w.checkLeft(slices.Concat(a.problems, b.problems))
	}
}

// checkKept checks that what is in the state of a run after a success exists. The other run may only do what it was
// told to do to the group that was there at the start.
func (w *together) checkKept(a, other *actor) {
	if a.err != nil || a.result.Group == nil {
		return
	}
	group, there := w.Group(id)
	token := a.result.Group.Token.Reveal()
	owner := w.tokens[token]
	switch {
	case owner == lookup && !has(a.problems, usergroup.MayBePlaceholder):
		w.breaks(ruleEmpty, "%s takes a placeholder for a group", a.name)
	case a.creates && !a.writes && owner != a.name && !a.mayClaim():
		w.breaks(ruleAdopted, "the creation of %s has taken over a group of %q", a.name, owner)
	case other.deletes && owner == before, has(a.problems, usergroup.MayBePlaceholder):
	case !there:
		w.breaks(ruleLost, "%s has the group in its state, but it is gone", a.name)
	case (a.creates || !a.writes) && token != group.Token && other.rotated == 0:
		w.breaks(ruleLost, "%s has another token in its state", a.name)
	}
}
