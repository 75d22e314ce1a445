package endtoend

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/testengine"
)

const (
	acceptanceVariable = "TF_ACC"
	longVariable       = "EMBED_LONG_TESTS"
	seedVariable       = "EMBED_STORM_SEED"
)

// tools are what the tests run: built or found once per test run.
type tools struct {
	engine string
	// dir holds the provider's binary and the CLI configuration that has the engine use it.
	dir string
}

var shared tools

func TestMain(m *testing.M) { os.Exit(prepareAndRun(m)) }

func prepareAndRun(m *testing.M) int {
	if os.Getenv(acceptanceVariable) == "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "embed-endtoend-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = shared.prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "endtoend:", err)
		return 1
	}
	return m.Run()
}

func (k *tools) prepare(dir string) error {
	k.dir = dir
	engine, err := testengine.AtHand()
	if err != nil {
		return err
	}
	k.engine = engine.Path
	args := []string{"build", "-o", filepath.Join(dir, "terraform-provider-embed")}
	if raceDetected {
		args = append(args, "-race")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", append(args, "../..")...)
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the provider: %w\n%s", err, said)
	}
	text := "provider_installation {\n  dev_overrides {\n"
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		text += fmt.Sprintf("    %q = %q\n", registry+"/dashembed/embed", filepath.ToSlash(dir))
	}
	return os.WriteFile(k.cliConfiguration(), []byte(text+"  }\n}\n"), 0o600)
}

func (k *tools) cliConfiguration() string { return filepath.Join(k.dir, "cli.tfrc") }

// environment leaves out whatever would make the engine or the provider another one on some machine.
func (k *tools) environment() []string {
	kept := []string{
		"TF_CLI_CONFIG_FILE=" + k.cliConfiguration(),
		"TF_IN_AUTOMATION=1",
		"TF_INPUT=0",
		"CHECKPOINT_DISABLE=1",
	}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		if !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "EMBED_") && !strings.HasSuffix(name, "_PROXY") {
			kept = append(kept, setting)
		}
	}
	return kept
}

// acceptance skips a test that needs an engine where none is to be run. All of them run side by side.
func acceptance(t *testing.T) {
	t.Helper()
	t.Parallel()
	if os.Getenv(acceptanceVariable) == "" {
		t.Skipf("it runs an engine, so it needs %s=1", acceptanceVariable)
	}
}

func long(t *testing.T) {
	t.Helper()
	acceptance(t)
	if os.Getenv(longVariable) == "" {
		t.Skipf("it takes minutes, so it needs %s=1", longVariable)
	}
}
