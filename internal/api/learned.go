package api

import (
	"sync"
	"time"
)

// learned is what the calls of a client have shown of the service.
type learned struct {
	mu     sync.Mutex
	last   time.Time       // when the service last decided on a call
	worked map[string]bool // the HTTP methods with which a call has succeeded
	marks  bool            // a response has said that its group is new
	// confirms means that a response has said that its deletion succeeded.
	confirms bool
}

// record records the outcome of an attempt. A nil failure is a success.
func (l *learned) record(method string, answer Answer, failure *Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks = l.marks || answer.IsNew()
	if !gotThrough(failure) {
		return
	}
	l.last = time.Now()
	if failure == nil || failure.Kind == Incomplete {
		l.worked[method] = true
	}
}

// confirm records that a response has said that its deletion succeeded.
func (l *learned) confirm() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.confirms = true
}

// isConfirming reports whether the service says that a deletion has succeeded.
func (l *learned) isConfirming() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.confirms
}

// lastThrough returns when the service itself last decided on a call, or the zero time if it never has.
func (c *Client) lastThrough() time.Time {
	c.learned.mu.Lock()
	defer c.learned.mu.Unlock()
	return c.learned.last
}

// hasWorked reports whether a call has succeeded.
func (c *Client) hasWorked() bool {
	c.learned.mu.Lock()
	defer c.learned.mu.Unlock()
	return len(c.learned.worked) > 0
}

// hasWorkedWith reports whether a call with the HTTP method has succeeded.
func (c *Client) hasWorkedWith(method string) bool {
	c.learned.mu.Lock()
	defer c.learned.mu.Unlock()
	return c.learned.worked[method]
}

// MarksNew reports whether a response has said that its group is new. Then one that says nothing is about a group that
// existed: some services leave out what is false.
func (c *Client) MarksNew() bool {
	c.learned.mu.Lock()
	defer c.learned.mu.Unlock()
	return c.learned.marks
}
