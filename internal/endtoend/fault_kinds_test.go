package endtoend

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const (
	get    = http.MethodGet
	put    = http.MethodPut
	post   = http.MethodPost
	remove = http.MethodDelete
)

// patience is the request_timeout of the tests with faults, and tooLate is beyond it.
const (
	patience = 4 * time.Second
	tooLate  = patience + time.Second/2
)

// class is what kinds of faults have in common for a caller that cannot see into the service.
type class int

const (
	// undone: no usable answer, and nothing was done.
	undone class = iota
	// unheard: no usable answer, and yet it was done.
	unheard
	// tokenless: it was done, and the answer lacks the token.
	tokenless
	// throttled, refused and redirected: nothing was done, and the answer says so.
	throttled
	refused
	redirected
)

// faultKind is one way in which a call goes wrong.
type faultKind struct {
	name  string
	class class
	fault emulator.Fault
}

func faultKinds() []faultKind {
	return []faultKind{
		{"cut-before", undone, emulator.Fault{Kind: emulator.CutBefore}},
		{"503", undone, emulator.Fault{Kind: emulator.Unavailable503}},
		{"html-200", undone, emulator.Fault{Kind: emulator.HTML200}},
		{"cut-after", unheard, emulator.Fault{Kind: emulator.CutAfterWork}},
		{"cut-within", unheard, emulator.Fault{Kind: emulator.CutInDocument}},
		{"500-after", unheard, emulator.Fault{Kind: emulator.Error500AfterWork}},
		{"half", unheard, emulator.Fault{Kind: emulator.HalfDocument}},
		{"slow", unheard, emulator.Fault{Kind: emulator.Delay, Delay: tooLate}},
		{"no-token", tokenless, emulator.Fault{Kind: emulator.NoToken}},
		{"429", throttled, emulator.Fault{Kind: emulator.TooMany429, RetryAfter: "1"}},
		{"success-0", refused, emulator.Fault{Kind: emulator.Answer, Body: `{"success":0,"message":"not today"}`}},
		{"307", redirected, emulator.Fault{Kind: emulator.Redirect307}},
	}
}

// span is how long the service is out of order.
type span string

const (
	// once: the next call of the same method is struck.
	once span = "once"
	// broken: every call of that method is struck, until it is repaired.
	broken span = "broken"
	// down: every call of every method is.
	down span = "down"
)

func strike(service *emulator.Emulator, kind faultKind, method, id string, how span) {
	fault := kind.fault
	fault.Method, fault.ID = method, id
	switch how {
	case once:
		fault.Nth = 1
	case down:
		fault.Method = ""
	}
	service.Fail(fault)
}

// quick has the provider try three times, soon after each other.
func quick(a *arguments) {
	a.RequestTimeout = patience.String()
	a.MaxRetries = 2
}

// callsOf tells the calls about one group, in their order, with a * where the service did work: GET>GET*.
func callsOf(service *emulator.Emulator, id string) string {
	var told []string
	for _, call := range service.Calls() {
		if call.ID != id {
			continue
		}
		text := call.Method
		if call.Created || call.Updated || call.Rotated || call.Deleted {
			text += "*"
		}
		told = append(told, text)
	}
	return strings.Join(told, ">")
}

// noneElsewhere: no redirect was followed.
func noneElsewhere(t *testing.T, service *emulator.Emulator) {
	t.Helper()
	for _, call := range service.Calls() {
		if call.Path != "/api/user" {
			t.Errorf("%s %s was called: a redirect was followed", call.Method, call.Path)
		}
	}
}
