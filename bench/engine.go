package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	engines "github.com/dashembed/terraform-provider-embed/internal/engine"
)

// engine is the terraform or tofu that everything is measured with.
type engine struct {
	path string
	// version is what it calls itself, platform such as linux_amd64.
	version, platform string
	parallelism       int
}

func newEngine(ctx context.Context, program string) (engine, error) {
	found, err := engines.Find(ctx, program, cleanEnvironment())
	if err != nil {
		return engine{}, err
	}
	return engine{path: found.Path, version: found.String(), platform: found.Platform, parallelism: 10}, nil
}

// cleanEnvironment leaves out what would make the measurement another one on some machine.
func cleanEnvironment() []string {
	return slices.DeleteFunc(engines.Environment(os.DevNull), func(setting string) bool {
		return slices.ContainsFunc([]string{"BENCH_", "GOGC=", "GOMEMLIMIT=", "GOMAXPROCS=", "GODEBUG="}, func(prefix string) bool {
			return strings.HasPrefix(setting, prefix)
		})
	})
}

// sample is one measurement. Times are in seconds, sizes in bytes.
type sample struct {
	Wall        float64 `json:"wall_s"`
	EngineCPU   float64 `json:"engine_cpu_s"`
	ProviderCPU float64 `json:"provider_cpu_s"`
	// Peak is the largest resident set of any process of the provider.
	Peak   int64 `json:"provider_peak_bytes"`
	Starts int   `json:"provider_starts"`
	// Calls by method, as the service counted them.
	Calls map[string]int `json:"calls,omitempty"`
	// Connections by method: each wave of calls comes from one process of the provider.
	Connections map[string]int `json:"connections,omitempty"`
	Refused     int            `json:"throttled,omitempty"`
}

func (s sample) cpu() float64 { return s.EngineCPU + s.ProviderCPU }

// room is a directory in which the engine runs one configuration with one provider.
type room struct {
	engine engine
	dir    string
	// provider is the binary behind the wrapper, empty for none.
	provider string
	env      []string
}

// prepare has the engine take the wrapper for the provider of the given source, and nothing from any network.
func (r *room) prepare(wrapper, source string) error {
	mirror := filepath.Join(r.dir, "mirror")
	sockets := filepath.Join(r.dir, "s")
	for _, dir := range []string{mirror, sockets, r.configuration()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if source != "" {
		parts := strings.Split(source, "/")
		if len(parts) == 2 {
			parts = slices.Insert(parts, 0, engines.TerraformRegistry)
		}
		if len(parts) != 3 {
			return fmt.Errorf("%q is not the source of a provider", source)
		}
		for _, host := range []string{parts[0], engines.OpenTofuRegistry} {
			dir := filepath.Join(mirror, host, parts[1], parts[2], "0.1.0", r.engine.platform)
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
			into := filepath.Join(dir, "terraform-provider-"+parts[2]+"_v0.1.0")
			if err := os.Link(wrapper, into); err != nil && !errors.Is(err, os.ErrExist) {
				return err
			}
		}
	}
	settings := filepath.Join(r.dir, "cli.tfrc")
	r.env = append(cleanEnvironment(), "TF_CLI_CONFIG_FILE="+settings,
		"TMPDIR="+sockets, "BENCH_PROVIDER="+r.provider, "BENCH_USAGE="+r.usageFile())
	return os.WriteFile(settings, engines.FromMirror(mirror), 0o600)
}

func (r *room) configuration() string { return filepath.Join(r.dir, "c") }

func (r *room) usageFile() string { return filepath.Join(r.dir, "usage") }

// run runs a command of the engine and measures it. With -detailed-exitcode, a plan that is not empty is an error.
func (r *room) run(ctx context.Context, args ...string) (sample, error) {
	command := exec.CommandContext(ctx, r.engine.path, append(args, "-no-color")...) //nolint:gosec // the engine that was asked for
	command.Dir, command.Env = r.configuration(), r.env
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 15 * time.Second
	start := time.Now()
	err := command.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, ending(said.String()))
	}
	used, err := takeUsages(r.usageFile())
	if err != nil {
		return sample{}, err
	}
	// The engine waits for its providers, so what the system counts for it includes them and the wrappers.
	total := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	return sample{
		Wall: wall.Seconds(), EngineCPU: max(total-used.cpu-used.own, 0).Seconds(), ProviderCPU: used.cpu.Seconds(),
		Peak: used.peak, Starts: used.starts,
	}, nil
}

func ending(text string) string {
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) > 40 {
		return "…\n" + strings.Join(lines[len(lines)-40:], "\n")
	}
	return text
}
