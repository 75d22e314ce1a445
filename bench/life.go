package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	engines "github.com/dashembed/terraform-provider-embed/internal/engine"
)

// operation is a step in the life cycle of a configuration.
type operation struct {
	name    string
	command []string
	// calls is the expected number of calls of this provider for each group, by method. All calls with the same method
	// come from one process.
	calls map[string]int
}

var operations = []operation{
	{"apply", []string{"apply", "-auto-approve"}, map[string]int{"GET": 1}},
	{"plan", []string{"plan", "-detailed-exitcode"}, map[string]int{"GET": 1}},
	{"rotate", []string{"apply", "-auto-approve", "-var", "quarter=2"}, map[string]int{"GET": 1, "POST": 1}},
	{"destroy", []string{"destroy", "-auto-approve", "-var", "quarter=2"}, map[string]int{"GET": 1, "DELETE": 1}},
}

// life contains the sample of each operation, by its name.
type life map[string]sample

// sample is the measurement of one operation. Times are in seconds, and peak is in MiB. calls and connections are
// those that the service counted.
type sample struct {
	wall, engineCPU, providerCPU, peak float64
	calls                              map[string]int
	connections                        int
}

// bench says what to measure.
type bench struct {
	engine         engines.Engine
	groups, rounds int
	// latency is the time that the service takes for each call.
	latency time.Duration
}

// measure runs the life cycle with each of the providers, which are paths of programs, once in each round. Each round
// begins with a different one, so that a machine that is slow for a while affects all of them.
func (b bench) measure(ctx context.Context, providers ...string) ([][]life, error) {
	all := make([][]life, len(providers))
	for round := range b.rounds {
		for turn := range providers {
			i := (turn + round) % len(providers)
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, b.rounds, filepath.Base(providers[i]))
			one, err := b.live(ctx, providers[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", providers[i], err)
			}
			all[i] = append(all[i], one)
		}
	}
	return all, nil
}

// live runs all operations with a provider, in a new directory and against a new service.
func (b bench) live(ctx context.Context, provider string) (life, error) {
	place, err := b.begin(ctx, provider)
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
	bench
	service     *emulator.Emulator
	state       *httptest.Server
	dir         string
	environment []string
}

func (b bench) begin(ctx context.Context, provider string) (_ *workplace, err error) {
	place := &workplace{bench: b, state: httptest.NewServer(stateInMemory())}
	defer func() {
		if err != nil {
			place.end()
		}
	}()
	if place.service, err = emulator.Start(emulator.Options{Latency: b.latency}); err != nil {
		return nil, err
	}
	if place.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return nil, err
	}
	if err = b.prepare(place.dir); err != nil {
		return nil, err
	}
	// Settings of the user would change the results.
	place.environment = append(engines.Environment(os.DevNull), "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG=",
		"TMPDIR="+place.dir, providerVariable+"="+provider,
		"EMBED_BASE_URL="+place.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	_, err = place.run(ctx, "init", "-plugin-dir="+place.dir, "-backend-config=address="+place.state.URL)
	return place, err
}

func (w *workplace) end() {
	w.state.Close()
	if w.service != nil {
		w.service.Close()
	}
	_ = os.RemoveAll(w.dir)
}

//go:embed main.tf
var configuration []byte

// prepare writes the configuration and the customers to the directory, and installs this program in place of the
// provider; see usage.go.
func (b bench) prepare(dir string) error {
	customers := map[string]int{}
	for i := range b.groups {
		customers[fmt.Sprintf("customer-%05d", i)] = i
	}
	variables, err := json.Marshal(map[string]any{"customers": customers})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	_, mirrored := engines.Mirror(dir, "0.1.0", b.engine.Platform, self)
	return errors.Join(err, mirrored,
		os.WriteFile(filepath.Join(dir, "main.tf"), configuration, 0o600),
		os.WriteFile(filepath.Join(dir, "customers.auto.tfvars.json"), variables, 0o600))
}
