package usergroup_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
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
	do   func(*outage, *http.Request) (*http.Response, error)
}

// A service that fails at once is retried for as long as the waits between five attempts take. One that asks for
// fewer calls is retried for two minutes.
const (
	ofRetries = 10 * time.Second
	ofPace    = time.Minute
)

var failures = []failure{
	{name: "silent", hangs: true, endured: time.Minute, do: (*outage).silent},
	{name: "silent after the work", hangs: true, works: true, endured: time.Minute, do: (*outage).worksSilently},
	{name: "cut after the work", works: true, endured: ofRetries, do: (*outage).worksAndCuts},
	{name: "connection refused", endured: ofRetries, do: (*outage).refusesConnection},
	{name: "500", endured: ofRetries, do: status(http.StatusInternalServerError, "")},
	{name: "502", twin: true, endured: ofRetries, do: status(http.StatusBadGateway, "")},
	{name: "503", endured: ofPace, do: status(http.StatusServiceUnavailable, "")},
	{name: "503, Retry-After", twin: true, endured: ofPace, do: status(http.StatusServiceUnavailable, "20")},
	{name: "429", endured: ofPace, do: status(http.StatusTooManyRequests, "")},
	{name: "429, Retry-After", twin: true, endured: ofPace, do: status(http.StatusTooManyRequests, "20")},
	{name: "a login page", twin: true, endured: ofRetries, do: (*outage).showsLoginPage},
	{name: "401", refusesKey: true, do: status(http.StatusUnauthorized, "")},
	{name: "403", refuses: true, do: status(http.StatusForbidden, "")},
}

func (*outage) silent(r *http.Request) (*http.Response, error) {
	connected(r)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func (o *outage) worksSilently(r *http.Request) (*http.Response, error) {
	o.answer(r)
	return o.silent(r)
}

func (o *outage) worksAndCuts(r *http.Request) (*http.Response, error) {
	o.answer(r)
	return reply{lost: true}.response()
}

func (*outage) refusesConnection(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

func (*outage) showsLoginPage(*http.Request) (*http.Response, error) {
	return reply{status: http.StatusOK, body: []byte("<html>Please sign in.</html>")}.response()
}

// status returns what responds with the status, as the service itself does.
func status(status int, retryAfter string) func(*outage, *http.Request) (*http.Response, error) {
	return func(_ *outage, r *http.Request) (*http.Response, error) {
		connected(r)
		time.Sleep(latency)
		response, err := refused(status)(nil, nil).response()
		if retryAfter != "" {
			response.Header.Set("Retry-After", retryAfter)
		}
		return response, err
	}
}

// connected tells the client that the request was sent. Otherwise, it would conclude that nothing was.
func connected(r *http.Request) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
}

// fault is a mishap that lasts. It strikes every attempt that it selects.
type fault struct {
	failure

	// method and group select attempts. Empty selects all.
	method, group string
	// after is how many attempts precede it.
	after int
	// lasts is how long the fault lasts from the first attempt that it strikes on. Zero means for good.
	lasts time.Duration
	// alternates means that it strikes only every second attempt of the same request, beginning with the first.
	alternates bool
}

func (f fault) name() string {
	name := f.failure.name
	if f.method != "" {
		name += " to " + f.method
	}
	if f.group != "" {
		name += " about " + f.group
	}
	if f.after > 0 {
		name += " later"
	}
	if f.lasts > 0 {
		name += " for " + f.lasts.String()
	}
	if f.alternates {
		name += " every second time"
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
		fault{failure: failure, alternates: true}, fault{failure: failure, group: "group-030"},
		fault{failure: failure, after: 37, lasts: 90 * time.Second})
	if endures := operation.endures(failure); endures > 0 {
		faults = append(faults, fault{failure: failure, after: 37, lasts: endures})
	}
	for _, method := range operation.methods {
		faults = append(faults, fault{failure: failure.to(method), method: method, after: 37})
	}
	if environment == "" || !operation.checks {
		for _, method := range operation.methods {
			faults = append(faults, fault{failure: failure.to(method), method: method})
		}
		return faults
	}
	for _, method := range []string{"GET", "PUT", "POST", "DELETE"} { // The check comes first.
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
func (f fault) passes() bool { return f.refuses || f.alternates || f.group != "" || f.lasts > 0 }

// latency is how long the service takes to respond.
const latency = 50 * time.Millisecond

// outage is the service behind a network with a lasting fault.
type outage struct {
	*emulator.Emulator
	lasting fault

	mu       sync.Mutex
	attempts int
	times    []time.Time
	sent     map[string]int // how often each request was sent
	struck   time.Time      // when the fault struck first
}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call.
func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	kept, body := received(r)
	if o.strikes(r.Method, body) {
		return o.lasting.do(o, kept)
	}
	return o.answer(kept).response()
}

// strikes counts the attempt and reports whether the fault strikes it.
func (o *outage) strikes(method string, body []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts++
	o.times = append(o.times, time.Now())
	if o.lasting.do == nil || o.attempts <= o.lasting.after || o.lasting.method != "" && o.lasting.method != method {
		return false
	}
	if !o.about(body, o.lasting.group) {
		return false
	}
	request := method + string(body)
	if o.sent[request]++; o.lasting.alternates && o.sent[request]%2 == 0 {
		return false
	}
	if o.struck.IsZero() {
		o.struck = time.Now()
	}
	return o.lasting.lasts == 0 || time.Since(o.struck) < o.lasting.lasts
}

// about reports whether a request is about the group. A rotation contains only its token.
func (o *outage) about(body []byte, id string) bool {
	group, there := o.Group(id)
	return id == "" || bytes.Contains(body, []byte(`"`+id+`"`)) ||
		there && bytes.Contains(body, []byte(`"`+group.Token+`"`))
}

// answer lets the service carry out the request.
func (o *outage) answer(r *http.Request) reply {
	connected(r)
	recorder := httptest.NewRecorder()
	o.ServeHTTP(recorder, r)
	return reply{status: recorder.Code, body: recorder.Body.Bytes()}
}

// received returns a request as the service receives it, and its body.
func received(r *http.Request) (*http.Request, []byte) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	kept := r.WithContext(r.Context())
	kept.Body = io.NopCloser(bytes.NewReader(body))
	return kept, body
}

// isLookup reports whether a call was a lookup. Only creations contain a mapping, as wanted returns them.
func isLookup(call emulator.Call) bool {
	return call.Method == http.MethodGet && !bytes.Contains(call.Body, []byte(`"mapping"`))
}

// isOfCheck reports whether a group is one that the check of the service has created.
func isOfCheck(id string) bool { return strings.HasPrefix(id, checkPrefix) }

// collectLess makes the garbage collector run only when it must. It would take a third of the time of a search.
func collectLess(t *testing.T) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(512<<20)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}
