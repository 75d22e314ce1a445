package emulator

import (
	"net/http"
	"slices"
	"time"
)

// FaultKind is a way in which a call goes wrong. What a failure looks like is a
// gap of the contract, so a caller has to live with all of them.
type FaultKind int

const (
	// CutAfterWork does the work and cuts the connection without an answer.
	CutAfterWork FaultKind = iota + 1
	// CutBefore cuts the connection and does nothing.
	CutBefore
	// Error500AfterWork does the work and answers 500.
	Error500AfterWork
	// Unavailable503 answers 503 and does nothing.
	Unavailable503
	// TooMany429 answers 429 and does nothing.
	TooMany429
	// HTML200 answers an HTML page with status 200, as a captive portal does, and
	// does nothing.
	HTML200
	// Refuse refuses in the service's own style and does nothing.
	Refuse
	// HalfDocument does the work and answers the first half of the document with a
	// Content-Length to match, so that only parsing it fails.
	HalfDocument
	// CutInDocument does the work, declares the whole document and cuts the
	// connection after half of it.
	CutInDocument
	// NoToken does the work and leaves the token out of the answer.
	NoToken
	// Redirect307 points to another path of this service and does nothing. A caller
	// that follows shows up in Calls, with that path.
	Redirect307
	// Delay does the work and answers late.
	Delay
	// DelayBefore does the work late, whether or not the caller still waits for it.
	DelayBefore
	// AnswerTwice does the work and sends the answer a second time on the same
	// connection, where nobody has asked for it.
	AnswerTwice
	// Answer answers what the Fault says and does nothing.
	Answer
)

var faultNames = map[FaultKind]string{
	CutAfterWork:      "cut-after-work",
	CutBefore:         "cut-before",
	Error500AfterWork: "error-500-after-work",
	Unavailable503:    "unavailable-503",
	TooMany429:        "too-many-429",
	HTML200:           "html-200",
	Refuse:            "refuse",
	HalfDocument:      "half-document",
	CutInDocument:     "cut-in-document",
	NoToken:           "no-token",
	Redirect307:       "redirect-307",
	Delay:             "delay",
	DelayBefore:       "delay-before",
	AnswerTwice:       "answer-twice",
	Answer:            "answer",
}

// String is the name under which the fault is recorded and logged.
func (k FaultKind) String() string {
	if name, ok := faultNames[k]; ok {
		return name
	}
	return "unknown-fault"
}

// Fault says which call goes wrong and how. Faults strike calls to the service's
// path only, but those with a wrong key as well.
type Fault struct {
	// Method and ID choose the calls, empty being any. ID is what Call.ID says.
	Method, ID string
	// Nth is which of the matching calls from now on is struck, 1 being the next.
	// 0 strikes each of them until ClearFaults. Where two faults are due, the one
	// that was asked for first strikes and the other waits for the next match; a
	// fault with an Nth goes before one without.
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
}

func (f Fault) doesWork() bool {
	switch f.Kind {
	case CutAfterWork, Error500AfterWork, HalfDocument, CutInDocument, NoToken, Delay, DelayBefore, AnswerTwice:
		return true
	default:
		return false
	}
}

// Fail has the fault strike from now on. Any number can be waiting.
func (e *Emulator) Fail(fault Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fault.Header = fault.Header.Clone()
	e.faults.pending = append(e.faults.pending, &pendingFault{Fault: fault})
}

// FaultsWaiting is how many faults with an Nth have not struck yet: a test whose
// fault never struck has not tested it.
func (e *Emulator) FaultsWaiting() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	waiting := 0
	for _, fault := range e.faults.pending {
		if fault.Nth > 0 {
			waiting++
		}
	}
	return waiting
}

// ClearFaults ends every fault, the random ones included.
func (e *Emulator) ClearFaults() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.faults = faultBook{}
}

type pendingFault struct {
	Fault
	matched int
}

func (p *pendingFault) matches(method, id string) bool {
	return (p.Method == "" || p.Method == method) && (p.ID == "" || p.ID == id)
}

type faultBook struct {
	pending []*pendingFault
	random  *randomFaults
}

// strike is the fault that hits this call, the zero Fault for none.
func (b *faultBook) strike(method, id string) (Fault, bool) {
	due, lasting := -1, -1
	for i, fault := range b.pending {
		if !fault.matches(method, id) {
			continue
		}
		fault.matched++
		switch {
		case fault.Nth == 0 && lasting < 0:
			lasting = i
		case fault.Nth > 0 && fault.matched >= fault.Nth && due < 0:
			due = i
		}
	}
	if due >= 0 {
		struck := b.pending[due].Fault
		b.pending = slices.Delete(b.pending, due, due+1)
		return struck, true
	}
	if lasting >= 0 {
		return b.pending[lasting].Fault, true
	}
	if b.random != nil {
		return b.random.draw(method, id)
	}
	return Fault{}, false
}
