// Package engine runs Terraform and OpenTofu. It determines the version, provides an environment that is the same on
// every machine, and configures how providers are installed. For tests, it finds the program to use and knows which
// features its version has. Nothing in a release imports it.
package engine

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Names of the engines, as they print them.
const (
	Terraform = "Terraform"
	OpenTofu  = "OpenTofu"
)

// Engine is a Terraform or OpenTofu program.
type Engine struct {
	// Name is the constant Terraform or OpenTofu. Version is the version number without the v.
	Name, Version string
	// Platform is the operating system and the architecture, for example linux_amd64.
	Platform string
	// Path is the absolute path of the program.
	Path string
}

// String returns the name and the version as the engine prints them, for example Terraform v1.14.0.
func (e Engine) String() string { return e.Name + " v" + e.Version }

// Find identifies a program, given as a path or as a name on PATH, by the output of its version command.
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

// read parses the plain output of the version command. The JSON output does not show which engine it is, since the
// key is "terraform_version" for both.
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
