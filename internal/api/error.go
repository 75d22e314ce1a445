package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is the error of every call of this package. Unless a field says otherwise, it is about the last attempt.
type Error struct {
	Kind     Kind
	Done     Done   // whether the work was done, by this attempt or an earlier one
	Method   string // the HTTP method
	Status   int    // the HTTP status, or 0 if there was no response
	Message  string // what the sender of the response says, masked, on one line and truncated
	Reason   string // what was wrong, in this package's own words
	Attempts int    // how many there were
	// FromService reports that the response looks like one of the service: its body is JSON, or plain text, in which some
	// frameworks refuse a call. What is in front of a service mostly responds in HTML, or without a body.
	FromService bool
	WasStopped  bool          // the run had been stopped by the time that the call failed
	RetryAfter  time.Duration // the wait that the service asked for, or 0

	saysNo bool   // the service itself says that it has not carried out the call
	advice string // what to do, or empty if the Kind says enough
	cause  error
}

// Error returns one line, for logs. Diagnostics use the fields.
func (e *Error) Error() string { return e.Method + " " + path + ": " + e.Said() }

// Unwrap returns the underlying error, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Passes reports whether the same call may succeed later.
func (e *Error) Passes() bool { return kinds[e.Kind].passes }

// MayBeToken reports whether a token that is no longer current may be the reason for the failure. The contract does not
// specify the status of such a refusal.
func (e *Error) MayBeToken() bool { return kinds[e.Kind].mayBeToken || e.saysNo && e.Kind == Broken }

// Limits reports whether a rate limit of the service, or of something in front of it, was the reason for the failure.
func (e *Error) Limits() bool { return kinds[e.Kind].limits }

// Decided reports whether the service itself decided on the call: it refused the call, or did the work and sent an
// incomplete response.
func (e *Error) Decided() bool { return kinds[e.Kind].decides && e.FromService }

// gotThrough reports whether a call has succeeded, or the service itself has decided on it.
func gotThrough(failure *Error) bool { return failure == nil || failure.Decided() }

// Said returns a clause about the response, without a period, for use in a message.
func (e *Error) Said() string {
	said := e.Reason
	if e.Status != 0 {
		said = e.saidWithStatus()
	}
	if e.Attempts > 1 {
		return fmt.Sprintf("in the last of %d %s requests, %s", e.Attempts, e.Method, said)
	}
	return said
}

func (e *Error) saidWithStatus() string {
	said := "the response has status " + statusText(e.Status)
	if e.FromService {
		said = "the service responded with status " + statusText(e.Status)
	}
	if e.Message != "" {
		said += fmt.Sprintf(" and the message %q", e.Message)
	}
	if e.Reason != "" {
		said += "; " + e.Reason
	}
	return said
}

func statusText(status int) string {
	return strings.TrimSuffix(fmt.Sprintf("%d (%s)", status, http.StatusText(status)), " ()") // Some have no text.
}
