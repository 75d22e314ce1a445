package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	engines "github.com/dashembed/terraform-provider-embed/internal/engine"
)

// room is a directory in which an engine runs, with this program in the place of a provider; see usage.go.
type room struct {
	engine      engines.Engine
	dir         string
	environment []string
}

// furnish prepares an empty directory.
func (r *room) furnish(provider string) error {
	r.environment = append(engines.Environment(os.DevNull),
		// Nobody's settings, since they would make it another measurement.
		"GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG=",
		"TMPDIR="+r.dir, providerVariable+"="+provider, usageVariable+"="+r.usages())
	self, err := os.Executable()
	for _, registry := range engines.Registries() {
		place := filepath.Join(r.plugins(), registry, engines.Source, "0.1.0", r.engine.Platform)
		program := filepath.Join(place, "terraform-provider-embed_v0.1.0")
		err = errors.Join(err, os.MkdirAll(place, 0o700), os.Symlink(self, program))
	}
	return err
}

func (r *room) plugins() string { return filepath.Join(r.dir, "plugins") }
func (r *room) usages() string  { return filepath.Join(r.dir, "usages") }

// run runs a command of the engine and measures it. With -detailed-exitcode, a plan that is not empty is an error.
func (r *room) run(ctx context.Context, args ...string) (sample, error) {
	if err := errors.Join(os.RemoveAll(r.usages()), os.Mkdir(r.usages(), 0o700)); err != nil {
		return sample{}, err
	}
	args = append(args, "-no-color")
	command := exec.CommandContext(ctx, r.engine.Path, args...) //nolint:gosec // the engine that was asked for
	command.Dir, command.Env = r.dir, r.environment
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	// In a group of its own it gets an interrupt from us and not from the terminal too, and nothing need outlive it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 15 * time.Second
	start := time.Now()
	if err := command.Run(); err != nil {
		if command.Process != nil {
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		}
		return sample{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	wall := time.Since(start)
	providerCPU, peak, err := readUsages(r.usages())
	// An engine waits for its providers, so what the system counts for it includes them.
	total := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return sample{
		wall: wall.Seconds(), engineCPU: (total - providerCPU).Seconds(), providerCPU: providerCPU.Seconds(),
		peak: float64(peak) / (1 << 20),
	}, err
}

// stateInMemory serves a backend of the kind http. To a local file, Terraform writes the whole state after each object:
// with 1,000 of them that takes most of its time, and hides what a provider costs.
func stateInMemory() http.Handler {
	var mu sync.Mutex
	var state []byte
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.Method == http.MethodPost:
			state, _ = io.ReadAll(r.Body) // the next command refuses one that was cut short
		case state == nil:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write(state)
		}
	})
}
