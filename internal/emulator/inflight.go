package emulator

import "sync"

// inFlight counts the calls being handled. A WaitGroup forbids an Add from zero
// during a Wait, and calls arrive whenever they like.
type inFlight struct {
	mu      sync.Mutex
	calls   int
	drained chan struct{}
}

func (f *inFlight) enter() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == 0 {
		f.drained = make(chan struct{})
	}
	f.calls++
}

func (f *inFlight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls--
	if f.calls == 0 {
		close(f.drained)
	}
}

// idle is closed once there has been a moment without any call.
func (f *inFlight) idle() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == 0 {
		none := make(chan struct{})
		close(none)
		return none
	}
	return f.drained
}
