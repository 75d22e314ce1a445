package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// operations in the order in which one life of a configuration goes through them.
var operations = []string{"apply", "plan", "rotate", "destroy"}

var operationArguments = map[string][]string{
	"apply":   {"apply", "-auto-approve"},
	"plan":    {"plan", "-detailed-exitcode"},
	"rotate":  {"apply", "-auto-approve", "-var", "quarter=2"},
	"destroy": {"destroy", "-auto-approve", "-var", "quarter=2"},
}

// cell is one contender at one size and latency, doing one operation, in all rounds.
type cell struct {
	Contender string `json:"contender"`
	N         int    `json:"n"`
	// Latency is that of the service, in milliseconds, and -1 where nothing is called.
	Latency   int      `json:"latency_ms"`
	Operation string   `json:"operation"`
	Samples   []sample `json:"samples"`
}

// noLatency marks cells without calls: they are measured once a round, whatever the latency.
const noLatency = -1

type cellKey struct {
	contender string
	n         int
	latency   int
	operation string
}

// bench holds what all modes share.
type bench struct {
	engine  engine
	built   programs
	all     []contender
	scratch string
	rounds  int
	sizes   []int
	// latencies in milliseconds.
	latencies []int
	// localState keeps the state in a file.
	localState bool
	runs       int
	started    time.Time
}

// measureCells goes through all cells round by round, so that a noisy minute harms every contender a little and none a
// lot, and starts each round with another contender.
func (b *bench) measureCells(ctx context.Context) ([]*cell, error) {
	var ordered []*cell
	cells := map[cellKey]*cell{}
	add := func(key cellKey, one sample) {
		if cells[key] == nil {
			cells[key] = &cell{Contender: key.contender, N: key.n, Latency: key.latency, Operation: key.operation}
			ordered = append(ordered, cells[key])
		}
		cells[key].Samples = append(cells[key].Samples, one)
	}
	type life struct {
		name    string
		latency int
		run     func(n, latency int) (map[string]sample, error)
	}
	var lives []life
	for _, c := range b.all {
		run := func(n, latency int) (map[string]sample, error) { return b.life(ctx, c, n, latency) }
		if !c.calls {
			lives = append(lives, life{c.name, noLatency, run})
			continue
		}
		for _, latency := range b.latencies {
			lives = append(lives, life{c.name, latency, run})
		}
	}
	for _, latency := range b.latencies {
		lives = append(lives, life{nameWire, latency, func(n, latency int) (map[string]sample, error) { return b.wireLife(ctx, n, latency) }})
	}
	for round := range b.rounds {
		for _, n := range b.sizes {
			for i := range lives {
				one := lives[(i+round)%len(lives)]
				b.say("round %d of %d: %s, %d groups, latency %s", round+1, b.rounds, one.name, n, latencyText(one.latency))
				samples, err := one.run(n, one.latency)
				if err != nil {
					return nil, fmt.Errorf("%s, %d groups: %w", one.name, n, err)
				}
				for _, operation := range operations {
					add(cellKey{one.name, n, one.latency, operation}, samples[operation])
				}
			}
		}
	}
	return ordered, nil
}

func latencyText(milliseconds int) string {
	if milliseconds == noLatency {
		return "–"
	}
	return strconv.Itoa(milliseconds) + " ms"
}

func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%4.0f s  %s\n", time.Since(b.started).Seconds(), fmt.Sprintf(format, args...))
}

// newRoom is a fresh directory in scratch, which is removed in the end; who makes many removes them before.
func (b *bench) newRoom(c contender) (*room, error) {
	b.runs++
	r := &room{engine: b.engine, dir: filepath.Join(b.scratch, strconv.Itoa(b.runs)), provider: c.binary}
	err := r.prepare(b.built.wrap, c.source())
	return r, err
}

// life takes one configuration from its first apply to its end.
func (b *bench) life(ctx context.Context, c contender, n, latency int) (map[string]sample, error) {
	service, err := startService(time.Duration(max(latency, 0))*time.Millisecond, 0)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	r, err := b.newRoom(c)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(r.dir) }()
	var remote *remoteState
	if !b.localState {
		if remote, err = startRemoteState(ctx); err != nil {
			return nil, err
		}
		defer remote.close()
	}
	with := settings{BaseURL: service.URL(), APIKey: emulator.DefaultKey, Backend: remote.backend(), Set: c.set}
	if err := r.write(c.template, with, customers(n)); err != nil {
		return nil, err
	}
	if _, err := r.run(ctx, "init"); err != nil {
		return nil, err
	}
	samples := map[string]sample{}
	for _, operation := range operations {
		one, err := r.run(ctx, operationArguments[operation]...)
		if err != nil {
			return nil, err
		}
		takeCounts(service, &one)
		samples[operation] = one
	}
	return samples, nil
}

// wireLife makes the same calls without an engine.
func (b *bench) wireLife(ctx context.Context, n, latency int) (map[string]sample, error) {
	service, err := startService(time.Duration(latency)*time.Millisecond, 0)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	samples := map[string]sample{}
	for _, operation := range operations {
		command := exec.CommandContext(ctx, b.built.wire, "-url", service.URL(), "-key", emulator.DefaultKey, //nolint:gosec // built by us
			"-n", strconv.Itoa(n), "-workers", strconv.Itoa(b.engine.parallelism), "-operation", operation)
		start := time.Now()
		if said, err := command.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", operation, err, said)
		}
		one := sample{Wall: time.Since(start).Seconds(), ProviderCPU: (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds(), Starts: 1}
		takeCounts(service, &one)
		samples[operation] = one
	}
	return samples, nil
}
