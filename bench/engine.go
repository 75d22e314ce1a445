package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	engines "github.com/dashembed/terraform-provider-embed/internal/engine"
)

// run runs a command of the engine and measures it. With -detailed-exitcode, a plan that contains changes is an error.
// A sample with an error lacks what the provider used.
func (w *workplace) run(ctx context.Context, args ...string) (sample, error) {
	w.service.ResetCounts()
	usages := filepath.Join(w.dir, usages)
	if err := errors.Join(os.RemoveAll(usages), os.Mkdir(usages, 0o700)); err != nil {
		return sample{}, err
	}
	command := w.engine.Command(ctx, w.dir, w.environment, append(args, "-no-color")...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	start := time.Now()
	err := command.Run()
	one := sample{wall: time.Since(start).Seconds(), calls: map[string]int{}, connections: w.service.Connections()}
	for _, call := range w.service.Calls() {
		one.calls[call.Method]++
	}
	if err != nil {
		_, _ = engines.ExitCode(command, err) // kills the processes that are left
		return one, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	providerCPU, peak, err := readUsages(usages)
	// The engine waits for its providers, so its CPU time includes theirs.
	total := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	one.engineCPU, one.providerCPU = (total - providerCPU).Seconds(), providerCPU.Seconds()
	one.peak = float64(peak) / (1 << 20)
	return one, err
}

// stateInMemory serves Terraform's http backend. With a local file, Terraform would write the whole state after each
// object. For 1,000 objects, that takes most of the time and hides the cost of a provider.
func stateInMemory() http.Handler {
	var mu sync.Mutex
	var state []byte
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.Method == http.MethodPost:
			state, _ = io.ReadAll(r.Body) // if it is truncated, the next command fails
		case state == nil:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write(state)
		}
	})
}
