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

// run runs a command of the engine in the directory and measures it. With -detailed-exitcode, a plan that contains
// changes is an error.
func (b bench) run(ctx context.Context, dir string, environment []string, args ...string) (sample, error) {
	usages := filepath.Join(dir, usages)
	if err := errors.Join(os.RemoveAll(usages), os.Mkdir(usages, 0o700)); err != nil {
		return sample{}, err
	}
	command := b.engine.Command(ctx, dir, environment, append(args, "-no-color")...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	start := time.Now()
	if err := command.Run(); err != nil {
		_, _ = engines.ExitCode(command, err) // kills the processes that are left
		return sample{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	wall := time.Since(start)
	providerCPU, peak, err := readUsages(usages)
	// The engine waits for its providers, so its CPU time includes theirs.
	total := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return sample{
		wall: wall.Seconds(), engineCPU: (total - providerCPU).Seconds(), providerCPU: providerCPU.Seconds(),
		peak: float64(peak) / (1 << 20),
	}, err
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
