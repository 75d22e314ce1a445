// Command bench measures what the provider costs beside its floors: the engine alone, the protocol alone, the wire alone.
// See README.md. It is run from this folder, by make bench.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// modes by name. Each prints its tables and writes them to the directory.
var modes = map[string]func(context.Context, *bench, string) error{
	"cells":  runCells,
	"cold":   runCold,
	"growth": runGrowth,
	"sets":   runSets,
	"shards": runShards,
	"move":   runMove,
	"state":  runState,
}

func run(ctx context.Context) (err error) {
	enginePath := flag.String("engine", "terraform", "terraform or tofu, a path or a name on PATH")
	mode := flag.String("mode", "cells", "what to measure: cells, cold, growth, sets, shards, move or state")
	sizes := flag.String("n", "", "numbers of groups, with commas between; only cells and growth take more than one")
	latencies := flag.String("latency", "0,20ms", "latencies of the service, with commas between, for cells; shards takes the longest")
	rounds := flag.Int("rounds", 3, "how often cells measures")
	out := flag.String("out", filepath.Join("..", "bin", "bench"), "directory for what is written; results holds what is published")
	localState := flag.Bool("local-state", false, "keep the state in a local file rather than in a remote backend or, for shards, a database")
	provider := flag.String("provider", "", "path of another build of the provider, measured as ours")
	var also []string
	flag.Func("also", "name=path of another build of the provider, measured beside; may be repeated", func(value string) error {
		also = append(also, value)
		return nil
	})
	flag.Parse()
	start, known := modes[*mode]
	if !known || flag.NArg() > 0 {
		return errors.New("no such mode; -help tells them")
	}
	if *rounds < 1 {
		return fmt.Errorf("-rounds %d: not a number above zero", *rounds)
	}
	b := &bench{rounds: *rounds, localState: *localState, started: time.Now()}
	if b.sizes, err = parseSizes(*sizes); err != nil {
		return err
	}
	if b.latencies, err = parseLatencies(*latencies); err != nil {
		return err
	}
	if b.engine, err = newEngine(ctx, *enginePath); err != nil {
		return err
	}
	if b.scratch, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.scratch)) }()
	b.say("%s; building", b.engine.version)
	if b.built, err = buildPrograms(ctx, b.scratch); err != nil {
		return err
	}
	if *provider != "" {
		b.built.provider = *provider
	}
	if b.all, err = contenders(b.built, also); err != nil {
		return err
	}
	return start(ctx, b, *out)
}

func parseSizes(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var sizes []int
	for part := range strings.SplitSeq(text, ",") {
		size, err := strconv.Atoi(part)
		if err != nil || size < 1 {
			return nil, fmt.Errorf("-n %s: not numbers above zero", text)
		}
		sizes = append(sizes, size)
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}

// parseLatencies returns milliseconds, the longest last.
func parseLatencies(text string) ([]int, error) {
	var latencies []int
	for part := range strings.SplitSeq(text, ",") {
		latency, err := time.ParseDuration(part)
		if err != nil || latency < 0 || latency%time.Millisecond != 0 {
			return nil, fmt.Errorf("-latency %s: not whole milliseconds such as 20ms", text)
		}
		latencies = append(latencies, int(latency.Milliseconds()))
	}
	slices.Sort(latencies)
	return slices.Compact(latencies), nil
}

// sizesOr are those of the command line, or the mode's own.
func (b *bench) sizesOr(own ...int) []int {
	if b.sizes != nil {
		return b.sizes
	}
	return own
}

func runCold(ctx context.Context, b *bench, out string) error {
	cold, err := b.measureColdStart(ctx, 100)
	if err != nil {
		return err
	}
	return writeReport(out, "cold", cold, func(to *strings.Builder) error {
		_, err := fmt.Fprintf(to, "cold start, ms: embed %s, empty %s, ratio %.2f\n", cold.Ours.spread(), cold.Empty.spread(), cold.Ratio)
		return err
	})
}

func runCells(ctx context.Context, b *bench, out string) error {
	b.sizes = b.sizesOr(100, 500, 1000)
	cold, err := b.measureColdStart(ctx, 40)
	if err != nil {
		return err
	}
	cells, err := b.measureCells(ctx)
	if err != nil {
		return err
	}
	result := b.newReport(cells)
	result.Cold = &cold
	// The targets speak of the largest size and the longest latency.
	n, latency := b.sizes[len(b.sizes)-1], b.latencies[len(b.latencies)-1]
	all := indexOf(cells)
	result.Targets = judge(all, n, latency, b.engine.parallelism, &cold)
	err = writeReport(out, "bench", result, func(to *strings.Builder) error {
		_, _ = fmt.Fprintf(to, "%s, %s, %d CPUs, %d interleaved rounds: median (smallest–largest)\n\n", result.Engine, result.Go, result.CPUs, result.Rounds)
		if err := writeCells(to, cells); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(to, "\ncold start to first answer, ms: embed %s, empty %s\n\nat %d groups and %s:\n", cold.Ours.spread(), cold.Empty.spread(), n, latencyText(latency))
		return writeTargets(to, result.Targets)
	})
	if err != nil {
		return err
	}
	return drawChart(out, all, n, latency)
}
