package testengine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

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
	where := filepath.ToSlash(dir)
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    %q = %q\n    %q = %q\n  }\n}\n",
		"registry.terraform.io/dashembed/embed", where, "registry.opentofu.org/dashembed/embed", where)
	configuration = filepath.Join(dir, "cli.tfrc")
	return configuration, os.WriteFile(configuration, []byte(text), 0o600)
}

// Environment is that of this process for an engine with the CLI configuration. It leaves out whatever would make the engine
// or the provider another one on some machine.
func Environment(configuration string) []string {
	kept := []string{"TF_CLI_CONFIG_FILE=" + configuration, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1"}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		if !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "EMBED_") && !strings.HasSuffix(name, "_PROXY") {
			kept = append(kept, setting)
		}
	}
	return kept
}
