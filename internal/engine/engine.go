// Package engine runs Terraform and OpenTofu: it finds out their version, and sets up an environment that is the same
// on every machine and the installation of providers. For tests, it finds the program to use, and knows which features
// its version has. Nothing in a release imports it.
package engine

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// What engines call themselves.
const (
	Terraform = "Terraform"
	OpenTofu  = "OpenTofu"
)

// Engine is a Terraform or an OpenTofu.
type Engine struct {
	// Name is Terraform or OpenTofu, Version its number as it says itself, without the v.
	Name, Version string
	// Platform is such as linux_amd64.
	Platform string
	// Path is the program.
	Path string
}

// String is what the engine calls itself.
func (e Engine) String() string { return e.Name + " v" + e.Version }

// Find asks the program, a path or a name on PATH, what it is. The Path of the answer is absolute.
func Find(ctx context.Context, program string, environment []string) (Engine, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return Engine{}, err
	}
	ask := exec.CommandContext(ctx, path, "version")
	ask.Env = environment
	answer, err := ask.Output()
	if err != nil {
		return Engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	return read(path, string(answer))
}

// read reads the plain answer, since the one in JSON calls every version "terraform_version".
func read(path, answer string) (Engine, error) {
	said, rest, _ := strings.Cut(answer, "\n")
	platform, _, _ := strings.Cut(rest, "\n")
	name, version, hasVersion := strings.Cut(strings.TrimSpace(said), " v")
	platform, hasPlatform := strings.CutPrefix(strings.TrimSpace(platform), "on ")
	if !hasVersion || !hasPlatform || name != Terraform && name != OpenTofu {
		return Engine{}, fmt.Errorf("%s version: neither Terraform nor OpenTofu says %q", path, answer)
	}
	return Engine{Name: name, Version: version, Platform: platform, Path: path}, nil
}
