package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Kind says what a failed call means for the work that was asked for. The service documents no error codes (interface
// section 7), so the kinds follow from the status class and from `success`, never from the service's prose.
type Kind int

const (
	// UnknownOutcome: the request went out and no usable answer came back, so the work may or may not have been done. The
	// work of GET is to create, so an answer without new_user_group is none.
	UnknownOutcome Kind = iota
	// Incomplete: the service reports that the work was done, and something that the call cannot do without is
	// missing from its answer or cannot be read. What could be read comes with the error.
	Incomplete
	// Refused: the service answered and said no; nothing was done.
	Refused
	// Unauthorized: status 401 or 403; nothing was done.
	Unauthorized
	// Throttled: status 429; nothing was done.
	Throttled
	// Cached: a cache answered in the place of the service; nothing was done.
	Cached
	// Redirected: the service pointed elsewhere, which is never followed; nothing was done.
	Redirected
	// NotSent: the request did not get as far as the service (no connection, kept back by TLS or a proxy, or the run
	// was stopped first); nothing was done.
	NotSent
)

// Error is what every call of this package fails with.
type Error struct {
	// Kind is the meaning of the last attempt.
	Kind Kind
	// Method is the HTTP method of the call.
	Method string
	// Status is the HTTP status of the last answer; 0 when there was none.
	Status int
	// FromService says that the answer was a JSON object, as the service's are; anything else has most likely been
	// sent by something in between.
	FromService bool
	// Message is what the service said, masked, on one line and cut short; empty when it said nothing readable.
	Message string
	// Reason says in this package's words what was wrong with the last exchange.
	Reason string
	// Hint says what to check or change, in full sentences; empty where the kind says it all. For an UnknownOutcome
	// it comes before what the work itself calls for.
	Hint string
	// Attempts counts the requests made for this call.
	Attempts int
	// Lost says that an earlier attempt of this call had an unknown outcome: whatever Kind is, the work may have been
	// done.
	Lost bool
	// RetryAfter is the wait that the service asked for; 0 when it asked for none.
	RetryAfter time.Duration

	cause error
	// sender says how an answer looks that is not the service's, and whose it is.
	sender string
	// permanent: of a NotSent, that trying again is of no use.
	permanent bool
}

// Error implements error in one line, for logs; diagnostics use the fields.
func (e *Error) Error() string { return e.Method + " /api/user: " + e.Said() }

// Unwrap returns the underlying error, if any.
func (e *Error) Unwrap() error { return e.cause }

// MayHaveHappened reports whether the work asked for was done, or may have been, in spite of the error.
func (e *Error) MayHaveHappened() bool {
	return e.Lost || e.Kind == UnknownOutcome || e.Kind == Incomplete
}

// PaceRefused reports whether the service, or something before it, could not take so many calls.
func (e *Error) PaceRefused() bool {
	return e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable
}

// Said is a sentence without a full stop about what came back and from whom, to be built into a message.
func (e *Error) Said() string {
	var said strings.Builder
	switch {
	case e.Status != 0 && e.FromService:
		said.WriteString("the service answered with status " + statusText(e.Status))
	case e.Status != 0:
		said.WriteString("status " + statusText(e.Status) + " came back" + e.sender)
	}
	if e.Message != "" {
		fmt.Fprintf(&said, " and the message %q", e.Message)
	}
	if e.Reason != "" {
		if said.Len() > 0 {
			said.WriteString("; ")
		}
		said.WriteString(e.Reason)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&said, ", after %d attempts", e.Attempts)
	}
	return said.String()
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
