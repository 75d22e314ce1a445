package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// remoteState is a state backend of the engine's kind http, in memory. Given a local file, engines write the whole state
// after every single object, which takes most of their time with 1,000 of them and hides what a provider costs.
type remoteState struct {
	server  *http.Server
	address string
	mu      sync.Mutex
	state   []byte
}

func startRemoteState(ctx context.Context) (*remoteState, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &remoteState{address: "http://" + listener.Addr().String()}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }()
	return s, nil
}

func (s *remoteState) close() { _ = s.server.Close() }

// backend is what the configuration says; nothing for a state in a local file.
func (s *remoteState) backend() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("backend \"http\" {\n    address = %q\n  }", s.address)
}

// ServeHTTP implements http.Handler.
func (s *remoteState) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodGet:
		if s.state == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(s.state)
	case http.MethodPost:
		state, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.state = state
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}
