// Package emulator implements the dashboard service in memory. Tests, the demo and the benchmark run the provider
// against it.
//
// It is written from the service's contract only and shares no code with the provider, so that the two cannot share a
// misunderstanding. Where the contract is silent, [Options] selects among the readings that matter to a caller. Where
// a real service may be lenient, this one is strict: it refuses a field that is null, has the wrong type or does not
// belong to the operation, and names the field.
//
// [Fault] makes calls fail on demand, [Emulator.Calls] returns the calls that reached the service, and [Environment]
// reads and changes groups behind the caller's back.
package emulator

import (
	"context"
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

// Emulator is a running service. Its methods are safe for concurrent use and, except for WaitIdle, may be called by a
// BeforeCall hook. It embeds the [Environment] of DefaultKey.
type Emulator struct {
	*Environment

	options     Options
	path        string
	url         string
	server      http.Server
	hook        atomic.Pointer[func(Call)]
	connections atomic.Int64

	mu       sync.Mutex
	service  *service
	nextDue  time.Time // when the next call would arrive if calls came exactly at the rate limit
	faults   []Fault
	calls    []*Call
	inFlight int
	idle     sync.Cond
}

// Start starts a service on a free port of 127.0.0.1.
func Start(options Options) (*Emulator, error) { return StartOn("127.0.0.1:0", options) }

// StartOn starts a service on addr. It returns an error if addr is not a loopback address, because the default API
// key is public.
func StartOn(addr string, options Options) (*Emulator, error) {
	e := New(options)
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err == nil && !resolved.IP.IsLoopback() {
		err = errors.New(addr + " is not a loopback address; use one, such as 127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	listener, err := net.ListenTCP("tcp", resolved)
	if err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	e.url = "http://" + listener.Addr().String()
	e.server.Handler, e.server.ReadHeaderTimeout = e, 30*time.Second
	e.server.ErrorLog = log.New(io.Discard, "", 0)
	e.server.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			e.connections.Add(1)
		}
	}
	go func() { _ = e.server.Serve(listener) }()
	return e, nil
}

// New returns a service that does not listen on the network. Its ServeHTTP method handles calls. New starts no
// goroutine, and in a synctest bubble the service uses the bubble's clock.
func New(options Options) *Emulator {
	options = options.complete()
	e := &Emulator{
		options: options, path: servicePath, service: newService(options),
	}
	if options.SlashRedirect != 0 {
		e.path += "/"
	}
	e.idle.L = &e.mu
	e.Environment = e.In(options.defaultTag())
	return e
}

// URL returns the base address of the service, without a path. It is empty if the service does not listen.
func (e *Emulator) URL() string { return e.url }

// Close cuts every connection and stops the service.
func (e *Emulator) Close() { _ = e.server.Close() }

// WaitIdle returns once no call is in progress and all work is done, including that of calls that their callers have
// given up. Lookups may still lag. A BeforeCall hook must not call it, because it would wait for its own call.
func (e *Emulator) WaitIdle() {
	for wait := e.rests(); wait > 0; wait = e.rests() {
		sleep(context.Background(), wait)
	}
}

// rests waits until no call is in progress, and returns how long the work takes that is left.
func (e *Emulator) rests() time.Duration {
	defer e.lock()()
	for e.inFlight > 0 {
		e.idle.Wait()
	}
	return e.service.rests(time.Now())
}

// lock locks the service after it has done what is due by now. It returns the function that unlocks it.
func (e *Emulator) lock() (unlock func()) {
	e.mu.Lock()
	e.service.settle(time.Now())
	return e.mu.Unlock
}

func (e *Emulator) count(calls int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.inFlight += calls; e.inFlight == 0 {
		e.idle.Broadcast()
	}
}

// BeforeCall sets a function that runs before each call is performed and before the fault that strikes it is chosen.
// It can change something exactly between two calls. The Call has the fields that are known on arrival. The hook may
// use the emulator, and runs concurrently for concurrent calls. A nil hook removes the current one.
func (e *Emulator) BeforeCall(hook func(Call)) { e.hook.Store(&hook) }
