package emulator

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Call is one request that reached the service, with what came of it. It is recorded when the work is done, before the
// caller is told.
type Call struct {
	// Method and Path as they were asked for, the path still escaped.
	Method, Path string
	// ID is the user_group_id of the body or, without one, the id of the group that current_token is or once was the token
	// of. Empty when neither is known.
	ID string
	// Environment is the tag that the API key opens, empty for a wrong key.
	Environment string
	// Body is the raw request body, up to one byte more than the service accepts.
	Body []byte
	// Header is the request's header, the API key included.
	Header http.Header
	// TeamID is the group that was created, updated, rotated or deleted.
	TeamID int64
	// Status is the status that was answered, 0 when the connection was cut instead.
	Status int
	// Created, Updated, Rotated and Deleted say what the call did, answered or not.
	Created, Updated, Rotated, Deleted bool
	// Refused is the message by which the service refused the call, empty when it did not, or when a fault kept it from
	// looking.
	Refused string
	// Fault is the kind of the fault that struck, empty for none.
	Fault string
	// At is when the call arrived.
	At time.Time
	// Connection is the remote address, the same for calls on one connection.
	Connection string
}

// String is the call in a line that holds neither keys nor tokens nor bodies, and that nothing in the call can forge.
func (c Call) String() string {
	line := fmt.Sprintf("%s %.120q %d", c.Method, c.ID, c.Status)
	switch {
	case c.Created:
		line += " created"
	case c.Updated:
		line += " updated"
	case c.Rotated:
		line += " rotated"
	case c.Deleted:
		line += " deleted"
	case c.Refused != "":
		line += fmt.Sprintf(" refused %.120q", c.Refused)
	}
	if c.Fault != "" {
		line += " " + c.Fault
	}
	return line
}

func (c *Call) refuse(status int, message string) reply {
	c.Refused = message
	return failure(status, message)
}

// Calls are the calls in the order in which the service worked on them.
func (e *Emulator) Calls() []Call {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls)
}

// Count is the number of calls with the method, refused and failed ones included.
func (e *Emulator) Count(method string) int {
	return e.countCalls(func(c Call) bool { return c.Method == method })
}

// Creations is how often calls have created the group, in any environment.
func (e *Emulator) Creations(id string) int {
	return e.countCalls(func(c Call) bool { return c.ID == id && c.Created })
}

// Updates is how often calls have updated the group, in any environment.
func (e *Emulator) Updates(id string) int {
	return e.countCalls(func(c Call) bool { return c.ID == id && c.Updated })
}

// Rotations is how often calls have rotated the group's token, in any environment. RotateBehind is not a call.
func (e *Emulator) Rotations(id string) int {
	return e.countCalls(func(c Call) bool { return c.ID == id && c.Rotated })
}

// Deletions is how often calls have deleted the group, in any environment.
func (e *Emulator) Deletions(id string) int {
	return e.countCalls(func(c Call) bool { return c.ID == id && c.Deleted })
}

func (e *Emulator) countCalls(counts func(Call) bool) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, call := range e.calls {
		if counts(call) {
			n++
		}
	}
	return n
}

// Connections is how many connections have been opened.
func (e *Emulator) Connections() int { return int(e.connections.Load()) }

// ResetCounts forgets calls and connections. Groups and faults stay.
func (e *Emulator) ResetCounts() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = nil
	e.connections.Store(0)
}
