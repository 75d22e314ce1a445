package emulator

import (
	"fmt"
	"net/http"
	"time"
)

// Call is a request that reached the service, with its outcome. It is recorded when it arrives. Its outcome is recorded
// when the work is done, before the response is sent.
type Call struct {
	Method string
	Path   string // still escaped
	// ID is the user_group_id of the body. Without one, it is the ID of the group that has or had current_token as its
	// token. It is empty if neither is known.
	ID          string
	Environment string      // the tag of the environment that the API key opens; empty for a wrong key
	Body        []byte      // as received
	Header      http.Header // including the API key
	TeamID      int64       // that of the group that was created, updated, rotated or deleted
	Status      int         // that of the response, or 0 if the connection was cut instead
	// Created, Updated, Rotated and Deleted report what the call did, even if a fault falsified the response.
	Created, Updated, Rotated, Deleted bool
	// Refused is the message with which the service refused the call. It is empty if the service accepted the call, or
	// if a fault kept the service from checking it.
	Refused string
	Fault   string    // the kind of the fault that struck, if any
	At      time.Time // when the call arrived
}

// Did returns created, updated, rotated or deleted if the call did that, and otherwise nothing.
func (c Call) Did() string {
	switch {
	case c.Created:
		return "created"
	case c.Updated:
		return "updated"
	case c.Rotated:
		return "rotated"
	case c.Deleted:
		return "deleted"
	}
	return ""
}

// String returns the call as one line without keys, tokens or bodies. IDs and messages are quoted, so that a request
// cannot forge a line.
func (c Call) String() string {
	line := fmt.Sprintf("%s %.120q %d", c.Method, c.ID, c.Status)
	if did := c.Did(); did != "" {
		line += " " + did
	} else if c.Refused != "" {
		line += fmt.Sprintf(" refused %.120q", c.Refused)
	}
	if c.Fault != "" {
		line += " " + c.Fault
	}
	return line
}

// Calls returns the recorded calls in the order in which the service began to perform them.
func (e *Emulator) Calls() []Call {
	defer e.lock()()
	calls := make([]Call, len(e.calls))
	for i, call := range e.calls {
		calls[i] = *call
	}
	return calls
}

// Count returns how many recorded calls had a method, such as PUT, or did something in the words of Call.Did, such as
// updated. With an ID, it counts only those about that group, in any environment.
func (e *Emulator) Count(what, id string) (n int) {
	for _, call := range e.Calls() {
		is := call.Method == what || call.Did() == what
		if is && (id == "" || call.ID == id) {
			n++
		}
	}
	return n
}

// Connections returns how many connections have been opened since the start or the last ResetCounts.
func (e *Emulator) Connections() int { return int(e.connections.Load()) }

// ResetCounts forgets calls and connections. It keeps groups and faults.
func (e *Emulator) ResetCounts() {
	defer e.lock()()
	e.calls = nil
	e.connections.Store(0)
}
