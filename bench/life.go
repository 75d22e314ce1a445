package main

import (
	"context"
	"embed"
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

// contender is one way to have N user groups: a file of configurations, and the path of a provider, empty for none.
type contender struct{ name, configuration, provider string }

// Where the two that are compared stand in every list of contenders.
const (
	ours = iota
	bare
)

// operation is a part of the life of a configuration.
type operation struct {
	name    string
	command []string
	// calls of this provider for each group, by method. All of one method come from one process.
	calls map[string]int
}

var operations = []operation{
	{"apply", []string{"apply", "-auto-approve"}, map[string]int{"GET": 1}},
	{"plan", []string{"plan", "-detailed-exitcode"}, map[string]int{"GET": 1}},
	{"rotate", []string{"apply", "-auto-approve", "-var", "quarter=2"}, map[string]int{"GET": 1, "POST": 1}},
	{"destroy", []string{"destroy", "-auto-approve", "-var", "quarter=2"}, map[string]int{"GET": 1, "DELETE": 1}},
}

// life has a sample of each operation.
type life map[string]sample

// sample is what one operation took: times in seconds, the peak in MiB, and what the service saw of it.
type sample struct {
	wall, engineCPU, providerCPU, peak float64
	calls                              map[string]int
	connections                        int
}

// bench is what is to be measured.
type bench struct {
	engine         engines.Engine
	contenders     []contender
	groups, rounds int
	// latency of the service.
	latency time.Duration
	// limit is how many calls a second the service takes, evenly spaced; 0 is no limit.
	limit int
}

// measure has every contender live once in each round. Each round begins with another one, so that what slows the
// machine down for a while slows all of them.
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

// live takes a configuration from its first apply to its end, in a new directory and against a new service.
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
	r, err := newRoom(b.engine, dir, c.provider, "EMBED_BASE_URL="+service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	if err := errors.Join(err, c.write(dir, b.groups)); err != nil {
		return nil, err
	}
	if _, err := r.run(ctx, "init", "-plugin-dir="+dir, "-backend-config=address="+state.URL); err != nil {
		return nil, err
	}
	one := life{}
	for _, o := range operations {
		service.ResetCounts()
		s, err := r.run(ctx, o.command...)
		if err != nil {
			return nil, err
		}
		s.calls, s.connections = map[string]int{}, service.Connections()
		for _, call := range service.Calls() {
			s.calls[call.Method]++
		}
		one[o.name] = s
	}
	return one, nil
}

//go:embed configurations
var configurations embed.FS

// write puts the configuration into the directory, and N customers for it.
func (c contender) write(dir string, n int) error {
	customers := map[string]any{}
	for i := range n {
		id := fmt.Sprintf("customer-%05d", i)
		customers[id] = map[string]any{
			"name": "Customer " + id, "source": "source-" + id, "tier": "gold", "seats": i, "region": "eu",
		}
	}
	variables, err := json.Marshal(map[string]any{"customers": customers})
	if err != nil {
		return err
	}
	configuration, err := configurations.ReadFile("configurations/" + c.configuration)
	return errors.Join(err,
		os.WriteFile(filepath.Join(dir, "main.tf"), configuration, 0o600),
		os.WriteFile(filepath.Join(dir, "customers.auto.tfvars.json"), variables, 0o600))
}
