package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// programs are the binaries that are measured, and those that help to.
type programs struct{ provider, floor, empty, wire, wrap string }

// buildPrograms builds the provider the way a release does, and everything else likewise.
func buildPrograms(ctx context.Context, into string) (programs, error) {
	var failures []error
	build := func(dir, what string) string {
		name := filepath.Base(what)
		if what == "." {
			name = "provider"
		}
		path := filepath.Join(into, name)
		command := exec.CommandContext(ctx, "go", "build", "-C", dir, "-trimpath", "-ldflags", "-s -w -X main.version=0.1.0", "-o", path, what) //nolint:gosec // our own packages
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		if said, err := command.CombinedOutput(); err != nil {
			failures = append(failures, fmt.Errorf("building %s: %w\n%s", name, err, said))
		}
		return path
	}
	built := programs{
		provider: build("..", "."),
		floor:    build(".", "./floor"), empty: build(".", "./empty"), wire: build(".", "./wire"), wrap: build(".", "./wrap"),
	}
	return built, errors.Join(failures...)
}
