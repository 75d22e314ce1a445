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
	Delay             FaultKind = "delay"                // does the work at once; the response comes after Fault.Delay
	Error500AfterWork FaultKind = "error-500-after-work" // does the work, and responds with 500
	Unavailable503    FaultKind = "unavailable-503"      // responds with 503 without doing the work
	TooMany429        FaultKind = "too-many-429"         // responds with 429 without doing the work
	Refuse            FaultKind = "refuse"               // refuses the call as Options.Refusals says
	HTML200           FaultKind = "html-200"             // responds with 200 and a page, as a captive portal does
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
	Status int           // of Refuse, where 0 means 400, and of Answer, where 0 means 200
	Body   string        // of Answer, as Header
	Header http.Header

	matched int
	struck  bool
}

// Fail adds a fault. Any number of faults can be waiting.
func (e *Emulator) Fail(fault Fault) {
	defer e.lock()()
	fault.Kind = cmp.Or(fault.Kind, "none")
	e.faults = append(e.faults, fault)
}

// FaultsWaiting returns how many faults have not struck yet. A test whose fault never strikes does not test it.
func (e *Emulator) FaultsWaiting() (waiting int) {
	defer e.lock()()
	for _, fault := range e.faults {
		if !fault.struck {
			waiting++
		}
	}
	return waiting
}

// ClearFaults removes all faults.
func (e *Emulator) ClearFaults() {
	defer e.lock()()
	e.faults = nil
}

// strike returns the fault that strikes the call, or the zero Fault if there is none.
func (e *Emulator) strike(call *Call) (strikes Fault) {
	struck := -1
	for i := range e.faults {
		fault := &e.faults[i]
		if !fault.selects(call) {
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

// selects reports whether the fault can strike a call.
func (f *Fault) selects(call *Call) bool {
	return slices.Contains([]string{"", call.Method}, f.Method) && slices.Contains([]string{"", call.ID}, f.ID)
}

// faultKind is what a kind of fault does to a call.
type faultKind struct {
	works bool     // The work is done.
	omit  []string // These fields are left out of user_group.
	late  bool     // The response is sent after Fault.Delay.
	// respond returns what is sent in place of the response to the work. It is nil if that is sent.
	respond func(e *Emulator, fault Fault, in *inbound, worked reply) reply
}

// fixed returns a function that responds to every call with the same reply.
func fixed(out reply) func(*Emulator, Fault, *inbound, reply) reply {
	return func(*Emulator, Fault, *inbound, reply) reply { return out }
}

var faultKinds = map[FaultKind]faultKind{
	"":            {works: true},
	NoToken:       {works: true, omit: []string{"token"}},
	Delay:         {works: true, late: true},
	CutBefore:     {respond: fixed(reply{})},
	CutAfterWork:  {works: true, respond: fixed(reply{})},
	HalfDocument:  {works: true, respond: (*Emulator).half},
	CutInDocument: {works: true, respond: (*Emulator).cutInHalf},
	Refuse:        {respond: (*Emulator).refuse},
	Answer:        {respond: (*Emulator).answer},
	HTML200:       {respond: fixed(page(http.StatusOK, "Sign in", "Please sign in."))},
	TooMany429:    {respond: fixed(failure(http.StatusTooManyRequests, "too many calls"))},
	Unavailable503: {
		respond: fixed(failure(http.StatusServiceUnavailable, "the service is not available at the moment")),
	},
	Error500AfterWork: {
		works:   true,
		respond: fixed(document(http.StatusInternalServerError, object{{"error", "something went wrong"}})),
	},
}

var unheardOf = faultKind{
	respond: fixed(failure(http.StatusNotImplemented, "the test asked for a fault of an unknown kind")),
}

func (e *Emulator) half(_ Fault, _ *inbound, worked reply) reply {
	worked.body = worked.body[:len(worked.body)/2]
	return worked
}

func (e *Emulator) cutInHalf(fault Fault, in *inbound, worked reply) reply {
	half := e.half(fault, in, worked)
	half.missing = len(worked.body) - len(half.body)
	return half
}

func (e *Emulator) refuse(fault Fault, in *inbound, _ reply) reply {
	status := cmp.Or(fault.Status, http.StatusBadRequest)
	return e.service.refuse(in.call, refusal{status: status, says: "the service refuses this call"})
}

func (e *Emulator) answer(fault Fault, _ *inbound, _ reply) reply {
	return reply{status: cmp.Or(fault.Status, http.StatusOK), header: fault.Header, body: []byte(fault.Body)}
}
