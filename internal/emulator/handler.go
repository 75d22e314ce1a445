package emulator

import (
	"context"
	"net/http"
	"time"
)

// ServeHTTP answers one call, without a network where a test wants none.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.inFlight.enter()
	defer e.inFlight.leave()

	in := receive(r)
	call, authorized := e.recognise(in, r.RemoteAddr)
	e.runHook(call)

	decided := e.admit(in, call)
	if decided.fault.Kind == DelayBefore && !e.sleep(context.Background(), decided.fault.Delay) {
		return
	}
	out := e.perform(&call, in, authorized, decided)
	if decided.fault.Kind == Delay {
		e.sleep(r.Context(), decided.fault.Delay)
	}
	e.sleep(r.Context(), e.options.Latency-time.Since(call.At))
	e.log(call)
	out.send(w)
}

// recognise fills in what is known about a call on arrival.
func (e *Emulator) recognise(in inbound, connection string) (call Call, authorized bool) {
	call = Call{
		Method:     in.method,
		Path:       in.path,
		Body:       in.body,
		Header:     in.header,
		At:         time.Now(),
		Connection: connection,
	}
	call.Environment, authorized = in.environment(e.options.Environments)
	id, token := peekIdentifiers(in.body)
	if id == "" && token != "" && authorized {
		e.mu.Lock()
		id = e.service.issued[tokenKey{call.Environment, token}]
		e.mu.Unlock()
	}
	call.ID = id
	return call, authorized
}

// verdict is what is to become of a call: turned away at the door, struck by a
// fault, or worked on.
type verdict struct {
	turnedAway *answer
	struck     bool
	fault      Fault
}

func (e *Emulator) admit(in inbound, call Call) verdict {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.rate.admits(time.Now()) {
		refusal := refuseByStatus(http.StatusTooManyRequests, "more calls a second than the service takes")
		refusal.header = http.Header{"Retry-After": {"1"}}
		return verdict{turnedAway: &refusal}
	}
	if in.path != servicePath {
		refusal := refuseByStatus(http.StatusNotFound, "there is nothing at this path; the service is at "+servicePath)
		return verdict{turnedAway: &refusal}
	}
	fault, struck := e.faults.strike(call.Method, call.ID)
	return verdict{struck: struck, fault: fault}
}

// perform does the work and records it in one go, so that the record has the
// order of the work and is complete before the caller knows.
func (e *Emulator) perform(call *Call, in inbound, authorized bool, decided verdict) reply {
	e.mu.Lock()
	defer e.mu.Unlock()
	var worked answer
	switch {
	case decided.turnedAway != nil:
		worked = *decided.turnedAway
	case decided.fault.Kind == Refuse:
		worked = e.service.refuse(http.StatusBadRequest, "the service does not want to")
	case !decided.struck || decided.fault.doesWork():
		worked = e.work(in, call.Environment, authorized)
	}
	var out reply
	if decided.struck {
		out = e.spoil(decided.fault, worked)
		call.Fault = decided.fault.Kind.String()
	} else {
		out = newReply(worked)
	}
	call.note(worked.effect, worked.about)
	call.Refused = worked.refused
	call.Status = out.status
	if !e.options.ForgetCalls {
		e.calls = append(e.calls, *call)
	}
	return out
}

func (e *Emulator) work(in inbound, environment string, authorized bool) answer {
	if refusal, refused := in.refusal(authorized); refused {
		return refusal
	}
	return e.service.answer(in.method, environment, in.body)
}

// sleep says whether it slept to the end: it wakes when the service is closed or
// when the context ends.
func (e *Emulator) sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-e.closing:
	}
	return false
}
