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

// room is a directory in which an engine runs. The engine starts this program instead of a provider; see usage.go.
type room struct {
	engine      engines.Engine
	dir         string
	environment []string
}

// newRoom returns a room whose environment contains no settings of the user, because these would change the results.
func newRoom(engine engines.Engine, dir, provider string, settings ...string) (room, error) {
	environment := append(engines.Environment(os.DevNull), "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG=",
		"TMPDIR="+dir, providerVariable+"="+provider)
	self, err := os.Executable()
	return room{engine, dir, append(environment, settings...)},
		errors.Join(err, engines.Mirror(dir, "0.1.0", engine.Platform, self))
}

// run runs a command of the engine and measures it. With -detailed-exitcode, a plan that contains changes is an
// error.
func (r room) run(ctx context.Context, args ...string) (sample, error) {
	usages := filepath.Join(r.dir, usages)
	if err := errors.Join(os.RemoveAll(usages), os.Mkdir(usages, 0o700)); err != nil {
		return sample{}, err
	}
	command := r.engine.Command(ctx, r.dir, r.environment, append(args, "-no-color")...)
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
