package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// runProfile writes what the provider spends its time and memory on: text for people into profiles/, and default.pgo for
// the compiler beside main.go.
func runProfile(ctx context.Context, b *bench, _ string) error {
	n := b.sizesOr(1000)[0]
	latency := time.Duration(b.latencies[len(b.latencies)-1]) * time.Millisecond
	profiled := contender{name: "profiled", binary: b.built.profiled, calls: true, template: b.all[0].template}
	var merged []string
	for round := range b.rounds {
		b.say("round %d of %d: %d groups", round+1, b.rounds, n)
		if err := b.profiledLife(ctx, profiled, n, latency); err != nil {
			return err
		}
	}
	for _, operation := range operations {
		if err := joinMemory(filepath.Join(b.scratch, "profiles", operation), operation); err != nil {
			return err
		}
		for kind, unit := range map[string]string{"cpu": "cpu", "heap": "alloc_space"} {
			files, err := filepath.Glob(filepath.Join(b.scratch, "profiles", operation, kind+".*.pprof"))
			if err != nil {
				return err
			}
			if kind == "cpu" {
				merged = append(merged, files...)
			}
			if err := summariseProfile(ctx, filepath.Join("profiles", kind+"-"+operation+".txt"), unit, files); err != nil {
				return err
			}
		}
	}
	proto, err := pprofTool(ctx, append([]string{"-symbolize=none", "-proto", "-output", filepath.Join(b.scratch, "merged")}, merged...)...)
	if err != nil {
		return fmt.Errorf("merging: %w\n%s", err, proto)
	}
	content, err := os.ReadFile(filepath.Join(b.scratch, "merged"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join("..", "default.pgo"), content, 0o600)
}

// profiledLife leaves the profiles of each operation in a directory of its own.
func (b *bench) profiledLife(ctx context.Context, profiled contender, n int, latency time.Duration) error {
	service, err := startService(latency, 0)
	if err != nil {
		return err
	}
	defer service.Close()
	r, err := b.newRoom(profiled)
	if err != nil {
		return err
	}
	if err := r.write(profiled.template, settings{BaseURL: service.URL(), APIKey: emulator.DefaultKey}, customers(n)); err != nil {
		return err
	}
	for _, operation := range append([]string{"init"}, operations...) {
		dir := filepath.Join(b.scratch, "profiles", operation)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		r.env = append(r.env, "BENCH_PROFILES="+dir)
		arguments := operationArguments[operation]
		if operation == "init" {
			arguments = []string{"init"}
		}
		if _, err := r.run(ctx, arguments...); err != nil {
			return err
		}
	}
	return nil
}

// summariseProfile leaves out what differs from one machine and day to the next.
func summariseProfile(ctx context.Context, into, unit string, files []string) error {
	var text strings.Builder
	for _, order := range []string{"-flat", "-cum"} {
		said, err := pprofTool(ctx, append([]string{"-top", order, "-nodecount=45", "-sample_index=" + unit}, files...)...)
		if err != nil {
			return fmt.Errorf("pprof: %w\n%s", err, said)
		}
		lines := strings.Split(string(said), "\n")
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "File:") || strings.HasPrefix(line, "Build ID:") || strings.HasPrefix(line, "Time:")
		})
		_, _ = fmt.Fprintf(&text, "sorted by %s\n%s\n", strings.TrimPrefix(order, "-"), strings.Join(lines, "\n"))
	}
	return os.WriteFile(into, []byte(text.String()), 0o600)
}

func pprofTool(ctx context.Context, args ...string) ([]byte, error) {
	return exec.CommandContext(ctx, "go", append([]string{"tool", "pprof"}, args...)...).CombinedOutput() //nolint:gosec // our own arguments
}

// joinMemory puts what each process said of its memory into one file.
func joinMemory(dir, operation string) error {
	files, err := filepath.Glob(filepath.Join(dir, "memory.*.pprof"))
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, file := range files {
		said, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text.Write(said)
	}
	return os.WriteFile(filepath.Join("profiles", "memory-"+operation+".txt"), []byte(text.String()), 0o600)
}
