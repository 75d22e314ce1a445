package emulator

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	headerTimeout = 30 * time.Second
	closeGrace    = 2 * time.Second
)

// Emulator is a running service. Its methods may be called from anywhere at any
// time, also from within a BeforeCall hook. It is the Environment of DefaultKey.
type Emulator struct {
	*Environment

	options  Options
	url      string
	server   *http.Server
	served   chan struct{}
	closing  chan struct{}
	close    sync.Once
	inFlight inFlight

	logging sync.Mutex

	mu          sync.Mutex
	service     *service
	rate        *rateLimit
	faults      faultBook
	hook        func(Call)
	calls       []Call
	connections int
}

// Start runs a service on a free port of 127.0.0.1.
func Start(options Options) (*Emulator, error) {
	return StartOn("127.0.0.1:0", options)
}

// StartOn runs a service on the address, which has to be a loopback one: the
// service's only key is public.
func StartOn(addr string, options Options) (*Emulator, error) {
	e, err := New(options)
	if err != nil {
		return nil, err
	}
	listener, err := listenOnLoopback(addr)
	if err != nil {
		return nil, err
	}
	e.url = "http://" + listener.Addr().String()
	e.served = make(chan struct{})
	e.server = &http.Server{
		Handler:           e,
		ReadHeaderTimeout: headerTimeout,
		ConnState:         e.countConnection,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() {
		defer close(e.served)
		_ = e.server.Serve(listener)
	}()
	return e, nil
}

// New returns a service that is not on the network: ServeHTTP answers its calls.
func New(options Options) (*Emulator, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	e := &Emulator{
		options: options,
		closing: make(chan struct{}),
		service: newService(options),
		rate:    newRateLimit(options.RateLimit),
	}
	e.Environment = e.In(options.defaultEnvironment())
	return e, nil
}

// URL is the base address of the service, without a path.
func (e *Emulator) URL() string { return e.url }

// WaitIdle returns when no call is being worked on or answered any more, also
// none that its caller has given up. A hook that waited so would wait for itself.
func (e *Emulator) WaitIdle() { <-e.inFlight.idle() }

// Close cuts every connection and ends the service. A call that a Delay or the
// Latency holds back ends at once; one that DelayBefore holds back does nothing.
func (e *Emulator) Close() {
	e.close.Do(func() {
		// The connections go first, or a call that wakes up would still be answered.
		_ = e.server.Close()
		close(e.closing)
		<-e.served
	})
	select {
	case <-e.inFlight.idle():
	case <-time.After(closeGrace):
	}
}

// BeforeCall has the hook run before each call is worked on, and before it is
// decided which fault strikes it: to change something exactly between two calls.
// The call carries what is known on arrival. The hook may use the emulator, and
// runs for several calls at once when they arrive at once. nil ends it.
func (e *Emulator) BeforeCall(hook func(Call)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hook = hook
}

func (e *Emulator) runHook(call Call) {
	e.mu.Lock()
	hook := e.hook
	e.mu.Unlock()
	if hook != nil {
		hook(call)
	}
}

func (e *Emulator) countConnection(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.connections++
	}
}

func listenOnLoopback(addr string) (*net.TCPListener, error) {
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
	return listener, nil
}
