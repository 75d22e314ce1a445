// Package testengine is for tests that run an engine: which one is at hand, what it is too old for, and the provider for it.
// Only tests, and the tools that run them, import it.
package testengine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// AtHand is the engine that terraform-plugin-testing takes.
var AtHand = sync.OnceValues(func() (engine.Engine, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	found, err := engine.Find(context.Background(), path, engine.Environment(os.DevNull))
	if err != nil {
		return found, fmt.Errorf("no engine; set TF_ACC_TERRAFORM_PATH: %w", err)
	}
	return found, nil
})

// BuildProvider builds the provider into the directory, with further flags of go build, and writes beside it the CLI
// configuration that has an engine use it.
func BuildProvider(ctx context.Context, dir string, flags ...string) (configuration string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	args := append([]string{"build", "-o", filepath.Join(dir, "terraform-provider-embed")}, flags...)
	build := exec.CommandContext(ctx, "go", append(args, "github.com/dashembed/terraform-provider-embed")...)
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the provider: %w\n%s", err, said)
	}
	configuration = filepath.Join(dir, "cli.tfrc")
	return configuration, os.WriteFile(configuration, engine.FromBuild(dir), 0o600)
}

// Script is a program that says of itself what the engine says (its Path does not count), and otherwise runs the commands of
// the shell. No parallel test may use it: a file just written cannot be executed while another goroutine is forking.
func Script(t *testing.T, like engine.Engine, commands string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "engine")
	text := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = version ]; then echo '%s'; echo on linux_amd64; exit; fi\n%s\n", like, commands)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	return path
}
