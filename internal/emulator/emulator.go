// Package emulator is the dashboard service, in memory. Tests, the demo and the benchmark run the provider against it.
//
// It is written from the service's contract only and shares no code with the provider, so that the two cannot share a
// misunderstanding. Where the contract is silent, [Options] has the variants that make a difference to a caller. Where
// a real service may be lenient, this one is strict: it refuses a null, a field of the wrong type, and a field that the
// operation does not have, and names it. There is no variant in which an update clears the fields that it does not
// contain, because then nothing could be left unmanaged.
//
// [Fault] makes a call go wrong on demand, [Emulator.Calls] tells what reached the service, and [Environment] looks at
// and changes the groups behind the caller's back.
package emulator

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Emulator is a running service. Its methods may be called from anywhere at any time, also from within a BeforeCall
// hook. It is the [Environment] of DefaultKey.
type Emulator struct {
	*Environment

	options     Options
	url         string
	server      http.Server
	closing     chan struct{}
	wake        func()
	hook        atomic.Pointer[func(Call)]
	connections atomic.Int64

	mu       sync.Mutex
	service  *service
	rate     rateLimit
	faults   []Fault
	calls    []Call
	inFlight int
	idle     sync.Cond
}

// Start runs a service on a free port of 127.0.0.1.
func Start(options Options) (*Emulator, error) { return StartOn("127.0.0.1:0", options) }

// StartOn runs a service on the address, which has to be a loopback one: the service's only key is public.
func StartOn(addr string, options Options) (*Emulator, error) {
	e, err := New(options)
	if err != nil {
		return nil, err
	}
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	if !resolved.IP.IsLoopback() {
		return nil, errors.New("emulator: only a loopback address will do, such as 127.0.0.1:0, not " + addr)
	}
	listener, err := net.ListenTCP("tcp", resolved)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	e.url = "http://" + listener.Addr().String()
	e.server.Handler = e
	e.server.ReadHeaderTimeout = 30 * time.Second
	e.server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			e.connections.Add(1)
		}
	}
	e.server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = e.server.Serve(listener) }()
	return e, nil
}

// New returns a service that is not on the network: ServeHTTP answers its calls. It starts no goroutine, and in a
// synctest bubble its time is the bubble's.
func New(options Options) (*Emulator, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	closing := make(chan struct{})
	e := &Emulator{
		options: options,
		closing: closing,
		wake:    sync.OnceFunc(func() { close(closing) }),
		rate:    rateLimit{perSecond: options.RateLimit, burst: options.RateBurst},
		service: &service{
			options: options, nextTeamID: options.FirstTeamID,
			groups: map[scoped]Group{}, issued: map[scoped]string{}, past: map[scoped][]version{},
		},
	}
	e.idle.L = &e.mu
	e.Environment = e.In(options.defaultTag())
	return e, nil
}

// URL is the base address of the service, without a path.
func (e *Emulator) URL() string { return e.url }

// Close cuts every connection and ends the service. A call that is waiting ends at once; one that a DelayBefore holds
// back does nothing.
func (e *Emulator) Close() {
	// The connections go first, or a call that wakes up would still be answered.
	_ = e.server.Close()
	e.wake()
}

// WaitIdle returns when no call is being worked on or answered any more, also none that its caller has given up. A hook
// that waited so would wait for itself.
func (e *Emulator) WaitIdle() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.inFlight > 0 {
		e.idle.Wait()
	}
}

func (e *Emulator) count(calls int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.inFlight += calls; e.inFlight == 0 {
		e.idle.Broadcast()
	}
}

// BeforeCall has the hook run before each call is worked on, and before it is decided which fault strikes it: to change
// something exactly between two calls. The call carries what is known on arrival. The hook may use the emulator, and
// runs for several calls at once when they arrive at once. nil ends it.
func (e *Emulator) BeforeCall(hook func(Call)) { e.hook.Store(&hook) }
