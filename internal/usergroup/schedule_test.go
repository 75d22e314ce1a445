package usergroup_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// queued is a call that a run is about to send.
type queued struct {
	run      *oneRun
	ended    bool          // the run has ended, and this is no call
	let      chan struct{} // closed to let the call through
	request  *http.Request
	since    time.Time
	checking bool // it is a call of the check of the service
	asleep   bool // it must not be let through yet
	delayed  bool // it takes longer than no time
	late     bool // it takes longer than slowest
}

// run lets the calls through, one at a time, until all runs have ended.
func (w *together) run(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), givenUp)
	defer cancel()
	for _, run := range w.runs {
		go func() {
			run.operate(ctx)
			w.arrivals <- &queued{run: run, ended: true}
		}()
	}
	for {
		ready, waiting := w.ready()
		if len(ready) == 0 && !waiting {
			return
		}
		if at := slices.IndexFunc(ready, func(call *queued) bool { return call.checking }); at >= 0 {
			// The calls of a check are about a group of its own, so only the time that they take matters.
			if run := ready[at].run; !run.checked {
				run.checked, run.slowCheck = true, w.choices.choose(2) == 1
			}
			ready[at].letThrough()
			continue
		}
		options := slices.DeleteFunc(slices.Clone(ready), func(call *queued) bool { return call.asleep })
		count, limit := len(options), w.limit(ready)
		if waiting && limit > 0 {
			count++ // Time passes.
		}
		chosen := 0
		switch {
		case count == 0 || w.over:
			w.pruned, w.over = w.pruned || !w.over, true
			cancel()
			options = ready
		case count > 1:
			chosen = w.choices.choose(count)
		}
		if chosen < len(options) {
			w.setAsleep(options[chosen], options[:chosen], ready)
			options[chosen].letThrough()
		} else {
			w.pass(ready, limit)
		}
	}
}

// ready returns the calls that runs are about to send, and whether another run waits for time to pass.
func (w *together) ready() (ready []*queued, waiting bool) {
	synctest.Wait()
	for range w.runs {
		select {
		case call := <-w.arrivals:
			call.run.next = call
		default:
		}
	}
	for _, run := range w.runs {
		switch call := run.next; {
		case call == nil, !call.ended && call.request.Context().Err() != nil:
			waiting = true
		case !call.ended:
			ready = append(ready, call)
		}
	}
	return ready, waiting
}

func (q *queued) letThrough() {
	q.run.next = nil
	close(q.let)
}

// limit returns how much time may pass before a call is let through, if the other run waits.
func (w *together) limit(ready []*queued) time.Duration {
	if len(ready) == 0 {
		return givenUp
	}
	call := ready[0]
	age := time.Since(call.since)
	switch {
	case age < slowest && (call.delayed || w.slow < mostSlow):
		return slowest - age
	case age < slowest || !call.late && w.befell == w.mishaps():
		return 0
	case call.request.Method == http.MethodDelete:
		return latestDeletion - age
	default:
		return latest - age
	}
}

// setAsleep precedes letting a call through. A call that an earlier order has let through here sleeps if the two
// commute: right after this one, it would only lead to the same again.
func (w *together) setAsleep(call *queued, earlier, ready []*queued) {
	_, exists := w.Group(id)
	for _, other := range ready {
		commutes := exists && other.request.Method == http.MethodGet && call.request.Method == http.MethodGet
		other.asleep = commutes && (other.asleep || slices.Contains(earlier, other))
	}
}

// pass lets time pass until a run has a call to send or has ended, but not longer than limit.
func (w *together) pass(ready []*queued, limit time.Duration) {
	begun, timer := time.Now(), time.NewTimer(limit)
	defer timer.Stop()
	for _, call := range ready {
		call.asleep = false
		switch age := begun.Sub(call.since); {
		case age < slowest && !call.delayed:
			call.delayed = true
			w.slow++
		case age >= slowest && !call.late:
			call.late = true
			w.befell++
		}
	}
	select {
	case call := <-w.arrivals:
		call.run.next = call
	case <-timer.C:
		w.over = limit == givenUp
	}
	w.tell("(%s later)", time.Since(begun))
}

// mishaps returns how many mishaps the order can have.
func (w *together) mishaps() int {
	if len(w.runs) == 1 || w.environment != "" {
		return 0
	}
	return *pairMishaps
}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call as soon as it is let through.
func (r *oneRun) RoundTrip(request *http.Request) (*http.Response, error) {
	connected(request)
	kept, body := received(request)
	checking := isOfCheck(body)
	if checking && r.slowCheck {
		time.Sleep(slowest)
	}
	call := &queued{run: r, let: make(chan struct{}), request: request, since: time.Now(), checking: checking}
	r.arrivals <- call
	select {
	case <-call.let:
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
	mishap := 0
	if r.befell < r.mishaps() && !checking && r.operation != "backend" {
		mishap = r.choices.choose(3)
	}
	switch {
	case r.over:
		return nil, errors.New("the order was given up")
	case mishap == 0:
		return r.send(kept).response()
	case mishap == 1:
		r.tell("%s: %s is lost before the work", r.name, request.Method)
	default:
		r.send(kept)
		r.tell("%s: the response is lost", r.name)
	}
	r.befell++
	return reply{lost: true}.response()
}

// send lets the service carry out the request, and records the call.
func (r *oneRun) send(request *http.Request) reply {
	response, call := serve(r.Emulator, request)
	r.tell("%s: %s", r.name, call)
	r.calls = append(r.calls, call)
	return response
}
