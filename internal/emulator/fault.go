package emulator

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// FaultKind is a way in which a call goes wrong. What a failure looks like the contract leaves open, so a caller has to
// live with all of them.
type FaultKind string

const (
	// CutAfterWork does the work and cuts the connection without an answer.
	CutAfterWork FaultKind = "cut-after-work"
	// CutBefore cuts the connection and does nothing.
	CutBefore FaultKind = "cut-before"
	// Error500AfterWork does the work and answers 500.
	Error500AfterWork FaultKind = "error-500-after-work"
	// Unavailable503 answers 503 and does nothing.
	Unavailable503 FaultKind = "unavailable-503"
	// TooMany429 answers 429 and does nothing.
	TooMany429 FaultKind = "too-many-429"
	// HTML200 answers an HTML page with status 200, as a captive portal does, and does nothing.
	HTML200 FaultKind = "html-200"
	// Refuse refuses in the service's own style and does nothing.
	Refuse FaultKind = "refuse"
	// HalfDocument does the work and answers the first half of the document with a Content-Length to match, so that only
	// parsing it fails.
	HalfDocument FaultKind = "half-document"
	// CutInDocument does the work, announces the whole document and cuts the connection after half of it.
	CutInDocument FaultKind = "cut-in-document"
	// NoToken does the work and leaves the token out of the answer.
	NoToken FaultKind = "no-token"
	// Redirect307 points to another path of this service and does nothing. A caller that follows shows up in Calls, with
	// that path.
	Redirect307 FaultKind = "redirect-307"
	// Delay does the work and answers late.
	Delay FaultKind = "delay"
	// DelayBefore does the work late, whether or not the caller still waits for it.
	DelayBefore FaultKind = "delay-before"
	// AnswerTwice does the work and sends the answer a second time on the same connection, where nobody has asked for it.
	AnswerTwice FaultKind = "answer-twice"
	// Answer answers what the Fault says and does nothing.
	Answer FaultKind = "answer"
)

// String is the name under which the fault is recorded.
func (k FaultKind) String() string { return string(k) }

// Fault says which call goes wrong and how. Faults strike calls to the service's path only, but those with a wrong key
// as well.
type Fault struct {
	// Method and ID choose the calls, empty being any. ID is what Call.ID says.
	Method, ID string
	// Nth is which of the matching calls from now on is struck, 1 being the next. 0 strikes each of them until
	// ClearFaults. Where two faults are due, the one that was asked for first strikes and the other waits for the next
	// match; a fault with an Nth goes before one without.
	Nth int
	// Kind is what happens.
	Kind FaultKind
	// RetryAfter is the header of an Unavailable503 or a TooMany429, empty for none.
	RetryAfter string
	// Delay is how late a Delay or a DelayBefore is.
	Delay time.Duration
	// Status (0 being 200), Body and Header are what an Answer answers.
	Status int
	Body   string
	Header http.Header

	matched int
}

// Fail has the fault strike from now on. Any number can be waiting.
func (e *Emulator) Fail(fault Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fault.Kind = cmp.Or(fault.Kind, "none")
	e.faults = append(e.faults, fault)
}

// FaultsWaiting is how many faults with an Nth have not struck yet: a test whose fault never struck has not tested it.
func (e *Emulator) FaultsWaiting() (waiting int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, fault := range e.faults {
		if fault.Nth > 0 {
			waiting++
		}
	}
	return waiting
}

// ClearFaults ends every fault.
func (e *Emulator) ClearFaults() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = nil
}

// strike is the fault that hits the call, the zero Fault for none.
func (e *Emulator) strike(call Call) Fault {
	struck := -1
	for i := range e.faults {
		fault := &e.faults[i]
		if fault.Method != "" && fault.Method != call.Method || fault.ID != "" && fault.ID != call.ID {
			continue
		}
		fault.matched++
		if fault.matched >= fault.Nth && (struck < 0 || fault.Nth > 0 && e.faults[struck].Nth == 0) {
			struck = i
		}
	}
	if struck < 0 {
		return Fault{}
	}
	fault := e.faults[struck]
	if fault.Nth > 0 {
		e.faults = slices.Delete(e.faults, struck, struck+1)
	}
	return fault
}

// spoil is the reply to a call that the fault strikes. The service works only where the fault lets it.
func (e *Emulator) spoil(fault Fault, in *inbound) reply {
	switch fault.Kind {
	case "", Delay, DelayBefore:
		return e.work(in)
	case CutBefore:
		return reply{}
	case CutAfterWork:
		e.work(in)
		return reply{}
	case Error500AfterWork:
		e.work(in)
		return failure(http.StatusInternalServerError, "something went wrong")
	case Unavailable503:
		out := failure(http.StatusServiceUnavailable, "the service is not available at the moment")
		return later(out, fault.RetryAfter)
	case TooMany429:
		return later(failure(http.StatusTooManyRequests, "too many calls"), fault.RetryAfter)
	case Refuse:
		return e.service.refuse(&in.call, http.StatusBadRequest, "the service does not want to")
	case HalfDocument:
		out := e.work(in)
		out.body = out.body[:len(out.body)/2]
		return out
	case CutInDocument:
		out := e.work(in)
		out.missing = len(out.body) - len(out.body)/2
		out.body = out.body[:len(out.body)/2]
		return out
	case NoToken:
		return e.work(in, "token")
	case AnswerTwice:
		out := e.work(in)
		out.twice = true
		return out
	case HTML200:
		return reply{
			status: http.StatusOK,
			header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
			body:   []byte("<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n"),
		}
	case Redirect307:
		out := failure(http.StatusTemporaryRedirect, "it is elsewhere")
		out.header = http.Header{"Location": {e.url + "/elsewhere"}}
		return out
	case Answer:
		return reply{status: cmp.Or(fault.Status, http.StatusOK), header: fault.Header, body: []byte(fault.Body)}
	default:
		return failure(http.StatusNotImplemented, "the test asked for a fault of an unknown kind")
	}
}

// later is the reply with a Retry-After, if there is one.
func later(out reply, retryAfter string) reply {
	if retryAfter != "" {
		out.header = http.Header{"Retry-After": {retryAfter}}
	}
	return out
}
