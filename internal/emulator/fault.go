package emulator

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// FaultKind is a way in which a call fails. The contract does not say what failures look like, so a caller has to
// cope with all of them.
type FaultKind string

const (
	CutBefore         FaultKind = "cut-before"           // cuts the connection without doing the work
	CutAfterWork      FaultKind = "cut-after-work"       // does the work, and cuts the connection without a response
	CutInDocument     FaultKind = "cut-in-document"      // does the work, and cuts the connection in the document
	HalfDocument      FaultKind = "half-document"        // does the work; Content-Length fits half the document
	NoToken           FaultKind = "no-token"             // does the work; the response has no token
	Delay             FaultKind = "delay"                // does the work at once; the response comes late
	Error500AfterWork FaultKind = "error-500-after-work" // does the work, and responds with 500
	Unavailable503    FaultKind = "unavailable-503"      // responds with 503 without doing the work
	TooMany429        FaultKind = "too-many-429"         // responds with 429 without doing the work
	Refuse            FaultKind = "refuse"               // refuses the call as Options.Refusals says
	HTML200           FaultKind = "html-200"             // responds with 200 and a page, as a captive portal does
	Redirect307       FaultKind = "redirect-307"         // redirects to another path of this service
	Answer            FaultKind = "answer"               // sends the response of the Fault without doing the work
)

// Fault specifies which calls fail and how. Faults strike only calls to the service's path that the rate limit
// admits, including those with a wrong API key.
type Fault struct {
	// Method and ID select calls by Call.Method and Call.ID. Empty matches all.
	Method, ID string
	// Nth selects one of the matching calls from now on. 1 is the next one. 0 selects all of them until ClearFaults. If
	// two faults are due, the one that was added first strikes, and the other one waits for the next matching call.
	Nth    int
	Kind   FaultKind
	Delay  time.Duration // of Delay
	Status int           // of Answer, as Body and Header; 0 means 200
	Body   string
	Header http.Header

	matched int
	struck  bool
}

// Fail adds a fault. Any number of faults can be waiting.
func (e *Emulator) Fail(fault Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fault.Kind = cmp.Or(fault.Kind, "none")
	e.faults = append(e.faults, fault)
}

// FaultsWaiting returns how many faults have not struck yet. A test whose fault never strikes does not test it.
func (e *Emulator) FaultsWaiting() (waiting int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, fault := range e.faults {
		if !fault.struck {
			waiting++
		}
	}
	return waiting
}

// ClearFaults removes all faults.
func (e *Emulator) ClearFaults() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = nil
}

// strike returns the fault that strikes the call, or the zero Fault if there is none.
func (e *Emulator) strike(call Call) (strikes Fault) {
	struck := -1
	for i := range e.faults {
		fault := &e.faults[i]
		if fault.Method != "" && fault.Method != call.Method || fault.ID != "" && fault.ID != call.ID {
			continue
		}
		if fault.matched++; fault.matched >= fault.Nth && struck < 0 {
			fault.struck, struck, strikes = true, i, *fault
		}
	}
	if strikes.Nth > 0 {
		e.faults = slices.Delete(e.faults, struck, struck+1)
	}
	return strikes
}

// carryOut returns the reply to a call that the fault strikes, and does the work only if the fault lets it. The zero
// Fault changes nothing.
func (e *Emulator) carryOut(fault Fault, in *inbound) reply {
	switch fault.Kind {
	case "", Delay:
		return e.work(in)
	case NoToken:
		return e.work(in, "token")
	case CutBefore:
		return reply{}
	case CutAfterWork:
		e.work(in)
		return reply{}
	case Error500AfterWork:
		e.work(in)
		return failure(http.StatusInternalServerError, "something went wrong")
	case Unavailable503:
		return failure(http.StatusServiceUnavailable, "the service is not available at the moment")
	case TooMany429:
		return failure(http.StatusTooManyRequests, "too many calls")
	case Refuse:
		return e.service.refuse(&in.call, refusal{http.StatusBadRequest, "", "the service refuses this call"})
	case HalfDocument, CutInDocument:
		out := e.work(in)
		half := len(out.body) / 2
		if fault.Kind == CutInDocument {
			out.missing = len(out.body) - half
		}
		out.body = out.body[:half]
		return out
	case HTML200:
		return page(http.StatusOK, "Sign in", "Please sign in.")
	case Redirect307:
		out := failure(http.StatusTemporaryRedirect, "the service is at another path")
		out.header.Set("Location", e.url+"/elsewhere")
		return out
	case Answer:
		return reply{status: cmp.Or(fault.Status, http.StatusOK), header: fault.Header, body: []byte(fault.Body)}
	default:
		return failure(http.StatusNotImplemented, "the test asked for a fault of an unknown kind")
	}
}
