package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	engines "github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// bench says what to measure.
type bench struct {
	engine                  engines.Engine
	groups, missing, rounds int
	latency                 time.Duration // the time that the service takes for each call
}

// life contains the sample of each operation, by its name.
type life map[string]sample

// sample is the measurement of one operation. Times are in seconds, and peak is in MiB. calls and connections are
// those that the service counted.
type sample struct {
	wall, cpu, peak float64
	calls           map[string]int
	connections     int
}

// measure runs the life cycle with this provider and the bare one, once in each round. Each round begins with the other
// one, so that a machine that is slow for a while affects both.
func (b bench) measure(ctx context.Context, providers ...string) ([]result, error) {
	lives := make([][]life, len(providers))
	for round := range b.rounds {
		for turn := range providers {
			i := (turn + round) % len(providers)
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, b.rounds, filepath.Base(providers[i]))
			one, err := b.live(ctx, providers[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", providers[i], err)
			}
			lives[i] = append(lives[i], one)
		}
	}
	return results(lives[0], lives[1], b.groups), nil
}

// live runs all operations with a provider, in a new directory and against a new service.
func (b bench) live(ctx context.Context, provider string) (life, error) {
	place, err := b.begin(ctx, provider, b.groups)
	if err != nil {
		return nil, err
	}
	defer place.end()
	one := life{}
	for _, o := range operations {
		if one[o.name], err = place.run(ctx, o.command...); err != nil {
			return nil, err
		}
	}
	return one, nil
}

// workplace is a directory with an initialized configuration, and the services that it uses.
type workplace struct {
	engine      engines.Engine
	service     *emulator.Emulator
	state       *httptest.Server
	dir         string
	environment []string
}

//go:embed main.tf
var configuration []byte

// begin prepares a workplace, and installs this program in place of the provider; see usage.go.
func (b bench) begin(ctx context.Context, provider string, groups int) (*workplace, error) {
	customers := map[string]int{}
	for i := range groups {
		customers[fmt.Sprintf("customer-%05d", i)] = i
	}
	variables, _ := json.Marshal(map[string]any{"customers": customers}) // cannot fail with these types
	service, noService := emulator.Start(emulator.Options{Latency: b.latency})
	dir, noDir := os.MkdirTemp("", "bench")
	self, noSelf := os.Executable()
	if err := errors.Join(noService, noDir, noSelf); err != nil {
		return nil, err
	}
	w := &workplace{engine: b.engine, service: service, state: httptest.NewServer(stateInMemory()), dir: dir}
	// Settings of the user would change the results.
	w.environment = append(engines.Environment(os.DevNull), "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG=",
		"TMPDIR="+dir, providerVariable+"="+provider, "EMBED_BASE_URL="+service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	_, err := engines.Mirror(dir, "0.1.0", b.engine.Platform, self)
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "main.tf"), configuration, 0o600),
		os.WriteFile(filepath.Join(dir, "customers.auto.tfvars.json"), variables, 0o600))
	if err == nil {
		_, err = w.run(ctx, "init", "-plugin-dir="+dir, "-backend-config=address="+w.state.URL)
	}
	if err != nil {
		w.end()
	}
	return w, err
}

func (w *workplace) end() {
	w.state.Close()
	w.service.Close()
	_ = os.RemoveAll(w.dir)
}

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
	one.cpu, one.peak, err = readUsages(usages)
	return one, err
}

// stateInMemory serves Terraform's http backend. With a local file, Terraform would spend most of the time on writing
// the whole state after each object.
func stateInMemory() http.Handler {
	var state atomic.Pointer[[]byte]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			text, _ := io.ReadAll(r.Body) // if it is truncated, the next command fails
			state.Store(&text)
		} else if text := state.Load(); text != nil {
			_, _ = w.Write(*text)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
	})
}
