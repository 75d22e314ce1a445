package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	engines "github.com/dashembed/terraform-provider-embed/internal/engine"
)

// contender is one way to manage N user groups. Its configuration is a file in configurations, and its provider is
// the path of a program, or empty if it needs none.
type contender struct{ name, configuration, provider string }

// The indexes of this provider and of the bare provider in every list of contenders.
const (
	ours = iota
	bare
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
// those that the service counted, and refused is the number of calls that it refused for their pace.
type sample struct {
	wall, engineCPU, providerCPU, peak float64
	calls                              map[string]int
	refused, connections               int
}

// bench says what to measure.
type bench struct {
	engine         engines.Engine
	contenders     []contender
	groups, rounds int
	// latency is the time that the service takes for each call.
	latency time.Duration
	// limit is how many calls per second the service accepts, evenly spaced. 0 means no limit.
	limit int
}

// measure runs the life cycle of every contender once in each round. Each round begins with a different contender,
// so that a machine that is slow for a while affects all of them.
func (b bench) measure(ctx context.Context) ([][]life, error) {
	all := make([][]life, len(b.contenders))
	for round := range b.rounds {
		for turn := range b.contenders {
			i := (turn + round) % len(b.contenders)
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, b.rounds, b.contenders[i].name)
			one, err := b.live(ctx, b.contenders[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.contenders[i].name, err)
			}
			all[i] = append(all[i], one)
		}
	}
	return all, nil
}

// live runs all operations of a contender, in a new directory and against a new service.
func (b bench) live(ctx context.Context, c contender) (life, error) {
	service, err := emulator.Start(emulator.Options{
		Latency: b.latency, RateLimit: b.limit, RateBurst: 1, RateSilent: true,
	})
	if err != nil {
		return nil, err
	}
	defer service.Close()
	state := httptest.NewServer(stateInMemory())
	defer state.Close()
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := b.prepare(dir, c); err != nil {
		return nil, err
	}
	// Settings of the user would change the results.
	environment := append(engines.Environment(os.DevNull), "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG=",
		"TMPDIR="+dir, providerVariable+"="+c.provider,
		"EMBED_BASE_URL="+service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	_, err = b.run(ctx, dir, environment, "init", "-plugin-dir="+dir, "-backend-config=address="+state.URL)
	if err != nil {
		return nil, err
	}
	one := life{}
	for _, o := range operations {
		service.ResetCounts()
		s, err := b.run(ctx, dir, environment, o.command...)
		if err != nil {
			return nil, err
		}
		s.calls, s.connections = map[string]int{}, service.Connections()
		for _, call := range service.Calls() {
			s.calls[call.Method]++
			if call.Status == http.StatusTooManyRequests {
				s.refused++
			}
		}
		one[o.name] = s
	}
	return one, nil
}

//go:embed configurations
var configurations embed.FS

// prepare writes the configuration of the contender and its customers to the directory, and installs this program in
// place of the provider; see usage.go.
func (b bench) prepare(dir string, c contender) error {
	customers := map[string]int{}
	for i := range b.groups {
		customers[fmt.Sprintf("customer-%05d", i)] = i
	}
	variables, err := json.Marshal(map[string]any{"customers": customers})
	if err != nil {
		return err
	}
	configuration, err := configurations.ReadFile("configurations/" + c.configuration)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	return errors.Join(err,
		os.WriteFile(filepath.Join(dir, "main.tf"), configuration, 0o600),
		os.WriteFile(filepath.Join(dir, "customers.auto.tfvars.json"), variables, 0o600),
		engines.Mirror(dir, "0.1.0", b.engine.Platform, self))
}
