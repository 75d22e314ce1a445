// Package testengine knows the engines that tests run on: which one is at hand, and what it is too old for. Only tests, and
// the tools that run them, import it.
package testengine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Engine is a Terraform or an OpenTofu.
type Engine struct {
	// Name is Terraform or OpenTofu, Version its number as it says itself, without the v.
	Name, Version string
	// Path is the program.
	Path string
}

// String is what the engine calls itself.
func (e Engine) String() string { return e.Name + " v" + e.Version }

// Ask asks the program what it is, in the given environment. Its plain answer is read, since the one in JSON calls every
// version "terraform_version".
func Ask(ctx context.Context, path string, environment []string) (Engine, error) {
	ask := exec.CommandContext(ctx, path, "version")
	ask.Env = environment
	answer, err := ask.Output()
	if err != nil {
		return Engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	line, _, _ := strings.Cut(string(answer), "\n")
	name, version, found := strings.Cut(strings.TrimSpace(line), " v")
	if !found {
		return Engine{}, fmt.Errorf("%s version: neither Terraform nor OpenTofu says %q", path, line)
	}
	return Engine{Name: name, Version: version, Path: path}, nil
}

// AtHand is the engine that terraform-plugin-testing takes.
var AtHand = sync.OnceValues(func() (Engine, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	path, err := exec.LookPath(path)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return Engine{}, fmt.Errorf("no engine; set TF_ACC_TERRAFORM_PATH: %w", err)
	}
	return Ask(context.Background(), path, os.Environ())
})

// Older compares versions number by number. What follows a hyphen or a plus does not count, and what is missing is zero.
func Older(version, than string) bool {
	a, b := numbers(version), numbers(than)
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

func numbers(version string) (found [3]int) {
	if at := strings.IndexAny(version, "-+"); at >= 0 {
		version = version[:at]
	}
	for i, part := range strings.SplitN(version, ".", len(found)) {
		found[i], _ = strconv.Atoi(part)
	}
	return found
}
