package usergroup_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// failure is a way in which every attempt can fail while a fault lasts.
type failure struct {
	name string
	// endured is how long such a fault can last, at most, without failing an operation. Zero means that not even a
	// moment is promised.
	endured time.Duration
	// hangs means that an attempt takes until its time limit.
	hangs bool
	// works means that the service carries out the attempt.
	works bool
	// refuses means that each response is definite: the service works, and refuses this call. It says nothing about
	// the next one, so the run need not end.
	refuses bool
	// refusesKey means that the response is about the API key, and so about all groups, whichever call gets it.
	refusesKey bool
	// twin means that the operations cannot distinguish this failure from another one.
	twin bool
	// unsent means that no connection can be made.
	unsent bool
	reply  reply
}

// A service that fails at once is retried for as long as the waits between five attempts take. One that asks for
// fewer calls is retried for two minutes.
const (
	ofRetries = 10 * time.Second
	ofPace    = time.Minute
)

var failures = []failure{
	{name: "silent", hangs: true, endured: time.Minute},
	{name: "silent after the work", hangs: true, works: true, endured: time.Minute},
	{name: "cut after the work", works: true, endured: ofRetries, reply: lost},
	{name: "connection refused", unsent: true, endured: ofRetries},
	{name: "500", endured: ofRetries, reply: refusal(500, "")},
	{name: "502", twin: true, endured: ofRetries, reply: refusal(502, "")},
	{name: "503", endured: ofPace, reply: refusal(503, "")},
	{name: "503, Retry-After", twin: true, endured: ofPace, reply: refusal(503, "20")},
	{name: "429", endured: ofPace, reply: refusal(429, "")},
	{name: "429, Retry-After", twin: true, endured: ofPace, reply: refusal(429, "20")},
	{name: "a login page", twin: true, endured: ofRetries, reply: page(200)},
	{name: "401", refusesKey: true, reply: refusal(401, "")},
	{name: "403", refuses: true, reply: refusal(403, "")},
}

// fault is a mishap that lasts. It strikes every attempt that it selects.
type fault struct {
	failure

	// method and groups select attempts. Empty selects all.
	method string
	groups []string
	// after is how many attempts precede it.
	after int
	// lasts is how long the fault lasts from the first attempt that it strikes on. Zero means for good.
	lasts time.Duration
	// alternates means that it strikes only every second attempt of the same request, beginning with the first.
	alternates bool
}

func (f fault) name() string {
	name := f.failure.name
	for _, part := range []struct {
		is   bool
		text string
	}{
		{f.method != "", " to " + f.method},
		{f.groups != nil, " about " + strings.Join(f.groups, ", ")},
		{f.after > 0, " later"},
		{f.lasts > 0, " for " + f.lasts.String()},
		{f.alternates, " every second time"},
	} {
		if part.is {
			name += part.text
		}
	}
	return name
}

// faultsOf returns the faults with one failure that differ for an operation.
func faultsOf(operation runOperation, environment string, failure failure) []fault {
	faults := []fault{{failure: failure}, {failure: failure, after: 37}}
	if failure.twin {
		return faults
	}
	faults = append(faults,
		fault{failure: failure, alternates: true}, fault{failure: failure, groups: []string{"group-030"}},
		fault{failure: failure, after: 37, lasts: 90 * time.Second})
	if endures := operation.endures(failure); endures > 0 {
		faults = append(faults, fault{failure: failure, after: 37, lasts: endures})
	}
	for _, method := range operation.methods {
		faults = append(faults, fault{failure: failure.to(method), method: method, after: 37})
	}
	first := operation.methods
	if environment != "" && operation.checks { // The check comes first.
		first = []string{"GET", "PUT", "POST", "DELETE"}
	}
	for _, method := range first {
		faults = append(faults, fault{failure: failure.to(method), method: method})
	}
	return faults
}

// to returns the failure of calls with one method. Those that carry a token do not tell a key that is refused from a
// token that is.
func (f failure) to(method string) failure {
	if method == http.MethodPost || method == http.MethodDelete {
		f.refuses, f.refusesKey = f.refuses || f.refusesKey, false
	}
	return f
}

// passes reports whether attempts get through, now or later, so that a run may need many.
func (f fault) passes() bool { return f.refuses || f.alternates || f.groups != nil || f.lasts > 0 }

// latency is how long the service takes to respond.
const latency = 50 * time.Millisecond

// outage is the service behind a network with a lasting fault.
type outage struct {
	*emulator.Emulator
	lasting fault

	mu       sync.Mutex
	attempts []time.Time
	sent     map[string]int // how often each request was sent
	struck   time.Time      // when the fault struck first
}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call.
func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	kept, body := received(r)
	strikes, failure := o.strikes(r.Method, body), o.lasting.failure
	if strikes && failure.unsent {
		return lost.response()
	}
	connected(r)
	if !strikes {
		response, _ := serve(o.Emulator, kept)
		return response.response()
	}
	if failure.works {
		serve(o.Emulator, kept)
	}
	if failure.hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	time.Sleep(latency)
	return failure.reply.response()
}

// strikes counts the attempt and reports whether the fault strikes it.
func (o *outage) strikes(method string, body []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts = append(o.attempts, time.Now())
	fault := o.lasting
	about := func(id string) bool { return o.about(body, id) }
	switch {
	case fault.failure.name == "", len(o.attempts) <= fault.after, fault.method != "" && fault.method != method,
		fault.groups != nil && !slices.ContainsFunc(fault.groups, about):
		return false
	}
	request := method + string(body)
	if o.sent[request]++; fault.alternates && o.sent[request]%2 == 0 {
		return false
	}
	if o.struck.IsZero() {
		o.struck = time.Now()
	}
	return fault.lasts == 0 || time.Since(o.struck) < fault.lasts
}

// about reports whether a request is about the group. A rotation contains only its token.
func (o *outage) about(body []byte, id string) bool {
	group, there := o.Group(id)
	return bytes.Contains(body, []byte(`"`+id+`"`)) ||
		there && bytes.Contains(body, []byte(`"`+group.Token+`"`))
}
