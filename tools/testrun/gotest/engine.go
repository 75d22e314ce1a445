// Package gotest runs `go test`, the acceptance tests on a given engine included, and tells what a person wants to know of it.
package gotest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/testengine"
)

// Engine is the Terraform or OpenTofu that acceptance tests run on.
type Engine struct {
	testengine.Engine
	environment []string
}

// debugging are the settings of Terraform that may come from outside: they change what is told, never what is tested.
var debugging = []string{"TF_LOG", "TF_ACC_LOG", "TF_ACC_PERSIST_WORKING_DIR"}

// withoutEngineSettings leaves out what would bend a test on one machine only, a TF_CLI_ARGS or a TF_WORKSPACE.
func withoutEngineSettings(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(setting string) bool {
		return strings.HasPrefix(setting, "TF_") &&
			!slices.ContainsFunc(debugging, func(kept string) bool { return strings.HasPrefix(setting, kept) })
	})
}

// FindEngine asks the program, a path or a name on PATH, what it is, and prepares the environment in which
// terraform-plugin-testing uses it. The CLI configuration it writes into dir knows no source of providers: the one under test
// is injected, and nothing else may be fetched.
func FindEngine(program, dir string) (Engine, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return Engine{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return Engine{}, err
	}
	providers := filepath.Join(dir, "no-providers")
	if err := os.Mkdir(providers, 0o700); err != nil {
		return Engine{}, err
	}
	configuration := filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", filepath.ToSlash(providers))
	if err := os.WriteFile(configuration, []byte(text), 0o600); err != nil {
		return Engine{}, err
	}
	settings := []string{
		"TF_ACC=1",
		"TF_ACC_TERRAFORM_PATH=" + path,
		"TF_CLI_CONFIG_FILE=" + configuration,
		"CHECKPOINT_DISABLE=1",
	}

	engine, err := testengine.Ask(context.Background(), path, append(withoutEngineSettings(os.Environ()), settings...))
	if err != nil {
		return Engine{}, err
	}
	if engine.Name == "OpenTofu" {
		// OpenTofu looks providers up under its own registry's name.
		settings = append(settings,
			"TF_ACC_PROVIDER_HOST=registry.opentofu.org", "TF_ACC_PROVIDER_NAMESPACE=dashembed")
	}
	return Engine{engine, settings}, nil
}
