package api

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Kind is what a failed call means for the requested work. After all kinds but the first two, nothing was done. The
// service documents no error codes (interface section 7), so kinds follow from the status, `success` and the sender of
// the response, never from the text of the service's message.
type Kind int

const (
	// UnknownOutcome: the request was sent and no usable response arrived, so the work may have been done. GET may create
	// a group, so a response to it is not usable without new_user_group.
	UnknownOutcome Kind = iota
	Incomplete          // the service reports success, but its response lacks something; what it has is returned
	Refused             // the service, or something in front of it, refused the call
	Unauthorized        // status 401 or 403
	Throttled           // status 429
	Cached              // a cache responded in place of the service
	Redirected          // the response was a redirect, which is never followed
	NotSent             // no connection was made, TLS or a proxy stopped the request, or the run was stopped first
)

// Error is the error of every call of this package. It is about the last attempt of the call.
type Error struct {
	Kind     Kind
	Method   string   // the HTTP method
	Status   int      // the HTTP status, or 0 if there was no response
	Message  string   // what the sender of the response says, masked, on one line and truncated
	Reason   string   // what was wrong, in this package's own words
	Obstacle Obstacle // what the attempt met, or NoObstacle if the Kind says enough
	Attempts int      // how many there were
	// AfterLostAttempt reports that an earlier attempt of this call may have done the work, whatever the Kind.
	AfterLostAttempt bool
	RetryAfter       time.Duration // the wait that the service asked for, or 0

	cause       error
	fromService bool // see FromService
	permanent   bool // retrying a NotSent call is pointless
}

// Error returns one line, for logs. Diagnostics use the fields.
func (e *Error) Error() string { return e.Method + " " + path + ": " + e.Said() }

// Unwrap returns the underlying error, or nil.
func (e *Error) Unwrap() error { return e.cause }

// MayHaveHappened reports whether the work was done, or may have been, despite the error. It is false for nil.
func (e *Error) MayHaveHappened() bool {
	return e != nil && (e.AfterLostAttempt || e.Kind == UnknownOutcome || e.Kind == Incomplete)
}

// FromService reports whether the response looks like one of the service: its body is JSON, or plain text, in which
// some frameworks refuse a call. What is in front of a service mostly responds in HTML, or without a body.
func (e *Error) FromService() bool { return e.fromService }

// Decided reports whether the service itself decided on the call: it refused the call, or did the work and sent an
// incomplete response.
func (e *Error) Decided() bool {
	refused := e.Kind == Refused || e.Kind == Unauthorized
	return e.Kind == Incomplete || refused && e.FromService() && e.Obstacle != WrongAddress
}

// Temporary reports whether the failure may be gone when the same call is made again.
func (e *Error) Temporary() bool {
	return e.Kind == UnknownOutcome || e.Kind == Throttled || e.Kind == NotSent && !e.permanent
}

// RateLimited reports whether the status (429 or 503) says that the service, or something in front of it, could not
// take so many calls.
func (e *Error) RateLimited() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// Said returns a clause about the response, without a period, for use in a message.
func (e *Error) Said() string {
	said := e.Reason
	if e.Status != 0 {
		said = "the response has status " + statusText(e.Status)
		if e.fromService {
			said = "the service responded with status " + statusText(e.Status)
		}
		if e.Message != "" {
			said += fmt.Sprintf(" and the message %q", e.Message)
		}
		if e.Reason != "" {
			said += "; " + e.Reason
		}
	}
	if e.Attempts > 1 {
		return fmt.Sprintf("in the last of %d attempts, %s", e.Attempts, said)
	}
	return said
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return fmt.Sprintf("%d (%s)", status, text)
	}
	return strconv.Itoa(status)
}
