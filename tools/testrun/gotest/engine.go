// Package gotest runs `go test`, the acceptance tests on a given engine included, and tells what a person wants to know of it.
package gotest

import (
	"context"
	"os"
	"path/filepath"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// Engine is the Terraform or OpenTofu that acceptance tests run on.
type Engine struct {
	engine.Engine
	settings []string
}

// kept are the settings that may come from outside: those that the tests themselves read, those that change what is told and
// never what is tested, and what go needs to get a module.
var kept = []string{
	"EMBED_LONG_TESTS", "EMBED_STORM_SEED", "EMBED_TEST_SEED", "EMBED_RELEASE_DIST",
	"TF_LOG", "TF_ACC_LOG",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}

func environment() []string { return engine.Unbent(os.Environ(), kept...) }

// FindEngine asks the program, a path or a name on PATH, what it is, and prepares the settings with which
// terraform-plugin-testing uses it. The CLI configuration it writes into dir knows no source of providers: the one under test
// is injected, and nothing else may be fetched. The tests' temporary files are in dir too, so that whoever removes it leaves
// nothing of tests that were interrupted; its path must be short, since providers have their sockets there.
func FindEngine(program, dir string) (Engine, error) {
	providers, configuration := filepath.Join(dir, "no-providers"), filepath.Join(dir, "cli.tfrc")
	if err := os.Mkdir(providers, 0o700); err != nil {
		return Engine{}, err
	}
	if err := os.WriteFile(configuration, engine.FromMirror(providers), 0o600); err != nil {
		return Engine{}, err
	}
	settings := []string{"TF_CLI_CONFIG_FILE=" + configuration, "CHECKPOINT_DISABLE=1"}
	found, err := engine.Find(context.Background(), program, append(environment(), settings...))
	if err != nil {
		return Engine{}, err
	}
	settings = append(settings, "TF_ACC=1", "TF_ACC_TERRAFORM_PATH="+found.Path, "TF_ACC_TEMP_DIR="+dir, "TMPDIR="+dir)
	if found.Name == engine.OpenTofu {
		settings = append(settings,
			"TF_ACC_PROVIDER_HOST="+engine.OpenTofuRegistry, "TF_ACC_PROVIDER_NAMESPACE="+engine.Namespace)
	}
	return Engine{found, settings}, nil
}
