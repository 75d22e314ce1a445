package usergroup

import "sync"

// underWay counts the operations that are under way, until the process is about to end.
type underWay struct {
	sync.WaitGroup

	mu     sync.Mutex
	closed bool
}

// Finish returns when all operations that are under way have ended, and have removed what their lookups have created.
// None begins any more. The process may end then. Each operation ends in the time that it may take anyway, and soon
// if its context has ended.
func (s *Service) Finish() {
	s.underWay.mu.Lock()
	s.underWay.closed = true
	s.underWay.mu.Unlock()
	s.underWay.Wait()
}

// begin counts an operation, until Done is called. It reports whether the operation may begin.
func (u *underWay) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.Add(1)
	return true
}
