package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind is what a failed call means for the requested work. The service documents no error codes (interface section
// 7), so kinds follow from the status, `success` and the sender of the response, never from the text of the
// service's message.
type Kind int

const (
	// UnknownOutcome means that the request was sent and no usable response arrived, so the work may have been done.
	// GET may create a group, so a response to it is not usable without new_user_group.
	UnknownOutcome Kind = iota
	// Incomplete means that the service reports success, but something that the call needs is missing from its response
	// or unreadable. What could be read is returned with the error.
	Incomplete
	// Refused means that the service, or something in front of it, refused the call. Nothing was done.
	Refused
	// Unauthorized means status 401 or 403. Nothing was done.
	Unauthorized
	// Throttled means status 429. Nothing was done.
	Throttled
	// Cached means that a cache responded in place of the service. Nothing was done.
	Cached
	// Redirected means that the response was a redirect, which is never followed. Nothing was done.
	Redirected
	// NotSent means that the request did not reach the service: there was no connection, TLS or a proxy stopped it, or
	// the run was stopped first. Nothing was done.
	NotSent
)

// Error is the error of every call of this package.
type Error struct {
	// Kind is the kind of the last attempt's failure.
	Kind Kind
	// Method is the HTTP method of the call.
	Method string
	// Status is the HTTP status of the last response, or 0 if there was none.
	Status int
	// Message is what the sender of the response says, masked, on one line and truncated. It is empty if the response has
	// no readable message.
	Message string
	// Reason is this package's own description of what was wrong with the last attempt.
	Reason string
	// Obstacle is what the last attempt met, or NoObstacle if the Kind says enough.
	Obstacle Obstacle
	// Attempts counts the attempts of this call.
	Attempts int
	// AfterLostAttempt reports that an earlier attempt of this call may have done the work, whatever the Kind.
	AfterLostAttempt bool
	// RetryAfter is the wait that the service asked for, or 0 if it asked for none.
	RetryAfter time.Duration

	cause error
	// json and plainText describe the body of the response.
	json, plainText bool
	// permanent means that retrying a NotSent call is pointless.
	permanent bool
}

// Error returns one line, for logs. Diagnostics use the fields.
func (e *Error) Error() string { return e.Method + " " + path + ": " + e.Said() }

// Unwrap returns the underlying error, or nil.
func (e *Error) Unwrap() error { return e.cause }

// MayHaveHappened reports whether the work was done, or may have been, despite the error. It is false for nil.
func (e *Error) MayHaveHappened() bool {
	return e != nil && (e.AfterLostAttempt || e.Kind == UnknownOutcome || e.Kind == Incomplete)
}

// FromService reports whether the response looks like one of the service: its body is JSON, or plain text, in which some
// frameworks refuse a call. What is in front of a service mostly responds in HTML, or without a body.
func (e *Error) FromService() bool { return e.json || e.plainText }

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
	var parts []string
	switch {
	case e.Status != 0 && e.json:
		parts = append(parts, "the service responded with status "+statusText(e.Status))
	case e.Status != 0:
		parts = append(parts, "status "+statusText(e.Status)+" came back")
	}
	if e.Message != "" {
		parts[0] += fmt.Sprintf(" and the message %q", e.Message)
	}
	if e.Reason != "" {
		parts = append(parts, e.Reason)
	}
	said := strings.Join(parts, "; ")
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

// IsKind reports whether err is an *Error of the given kind.
func IsKind(err error, kind Kind) bool {
	var apiErr *Error
	return errors.As(err, &apiErr) && apiErr.Kind == kind
}
