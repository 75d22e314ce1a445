// Package engine runs Terraform and OpenTofu. It determines the version, provides an environment that is the same on
// every machine, and configures how providers are installed. For tests, it finds the program to use and knows which
// features its version has. Nothing in a release imports it.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Names of the engines, as they print them.
const (
	Terraform = "Terraform"
	OpenTofu  = "OpenTofu"
)

// Engine is a Terraform or OpenTofu program.
type Engine struct {
	Name     string // the constant Terraform or OpenTofu
	Version  string // without the v
	Platform string // the operating system and the architecture, for example linux_amd64
	Path     string // absolute
}

// String returns the name and the version as the engine prints them, for example Terraform v1.14.0.
func (e Engine) String() string { return e.Name + " v" + e.Version }

// registries are the host names that engines prepend to the addresses of providers.
var registries = map[string]string{Terraform: "registry.terraform.io", OpenTofu: "registry.opentofu.org"}

// Registry returns the host name of the engine's own registry.
func (e Engine) Registry() string { return registries[e.Name] }

// Find identifies a program, given as a path or as a name on PATH, by the output of its version command.
func Find(ctx context.Context, program string) (Engine, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return Engine{}, err
	}
	ask := exec.CommandContext(ctx, path, "version")
	ask.Env = Environment(os.DevNull)
	answer, err := ask.Output()
	if err != nil {
		return Engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	return Parse(path, string(answer))
}

// AtHand returns the engine that terraform-plugin-testing uses: the program in TF_ACC_TERRAFORM_PATH or, by default,
// terraform on PATH.
var AtHand = sync.OnceValues(func() (Engine, error) {
	return Find(context.Background(), cmp.Or(os.Getenv("TF_ACC_TERRAFORM_PATH"), "terraform"))
})

// Parse returns the engine that has answered the version command so. The JSON output does not show which one it is,
// because the key is "terraform_version" for both.
func Parse(path, answer string) (Engine, error) {
	e := Engine{Path: path}
	if _, err := fmt.Sscanf(answer, "%s v%s\non %s\n", &e.Name, &e.Version, &e.Platform); err != nil ||
		e.Name != Terraform && e.Name != OpenTofu {
		return Engine{}, fmt.Errorf("%s version: neither Terraform nor OpenTofu says %q", path, answer)
	}
	return e, nil
}
