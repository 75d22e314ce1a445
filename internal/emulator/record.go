package emulator

import (
	"net/http"
	"slices"
	"time"
)

// Call is one request that reached the service, with what came of it. It is
// recorded when the work is done, before the caller is told.
type Call struct {
	// Method and Path as they were asked for, the path still escaped.
	Method, Path string
	// ID is the user_group_id of the body or, without one, the id of the group that
	// current_token is or once was the token of. Empty when neither is known.
	ID string
	// Environment is the tag that the API key opens, empty for a wrong key.
	Environment string
	// Body is the raw request body, up to one byte more than the service accepts.
	Body []byte
	// Header is the request's header, the API key included.
	Header http.Header
	// TeamID is the group that was created, updated, rotated or deleted.
	TeamID int64
	// Status is the status that was answered, 0 when the connection was cut without one.
	Status int
	// Created, Updated, Rotated and Deleted say what the call did, answered or not.
	Created, Updated, Rotated, Deleted bool
	// Refused is the message of the service's refusal, empty when it did not refuse
	// or when a fault kept it from looking.
	Refused string
	// Fault names the kind of the fault that struck, empty for none.
	Fault string
	// At is when the call arrived.
	At time.Time
	// Connection is the remote address, the same for calls on one connection.
	Connection string
}

func (c *Call) note(done effect, group *Group) {
	if group != nil {
		c.TeamID = group.TeamID
	}
	c.Created = done == created
	c.Updated = done == updated
	c.Rotated = done == rotated
	c.Deleted = done == deleted
}

// Calls returns the calls in the order in which the service worked on them.
func (e *Emulator) Calls() []Call {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.calls)
}

// Count is the number of calls with the method, refused and failed ones included.
func (e *Emulator) Count(method string) int {
	return e.count(func(c Call) bool { return c.Method == method })
}

// Creations is how often calls have created the group, in any environment.
func (e *Emulator) Creations(id string) int {
	return e.count(func(c Call) bool { return c.ID == id && c.Created })
}

// Updates is how often calls have updated the group, in any environment.
func (e *Emulator) Updates(id string) int {
	return e.count(func(c Call) bool { return c.ID == id && c.Updated })
}

// Rotations is how often calls have rotated the group's token, in any
// environment. RotateBehind is not a call.
func (e *Emulator) Rotations(id string) int {
	return e.count(func(c Call) bool { return c.ID == id && c.Rotated })
}

// Deletions is how often calls have deleted the group, in any environment.
func (e *Emulator) Deletions(id string) int {
	return e.count(func(c Call) bool { return c.ID == id && c.Deleted })
}

// Connections is how many connections have been opened.
func (e *Emulator) Connections() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.connections
}

// ResetCounts forgets calls, counts and connections. Groups and faults stay.
func (e *Emulator) ResetCounts() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls, e.connections = nil, 0
}

func (e *Emulator) count(matches func(Call) bool) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := 0
	for _, call := range e.calls {
		if matches(call) {
			n++
		}
	}
	return n
}
