package endtoend

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	acceptanceVariable = "TF_ACC"
	longVariable       = "EMBED_LONG_TESTS"
	engineVariable     = "TF_ACC_TERRAFORM_PATH"
	seedVariable       = "EMBED_STORM_SEED"
)

// tools are what the tests run: built or found once per test run.
type tools struct {
	engine string
	// dir holds the provider's binary and the CLI configuration that has the engine use it.
	dir string
	// isTofu, major and minor tell what the engine can do.
	isTofu       bool
	major, minor int
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
	wanted := os.Getenv(engineVariable)
	if wanted == "" {
		wanted = "terraform"
	}
	path, err := exec.LookPath(wanted)
	if err != nil {
		return fmt.Errorf("no engine; set %s: %w", engineVariable, err)
	}
	if k.engine, err = filepath.Abs(path); err != nil {
		return err
	}
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
	if err := os.WriteFile(k.cliConfiguration(), []byte(text+"  }\n}\n"), 0o600); err != nil {
		return err
	}
	return k.askVersion(ctx)
}

func (k *tools) cliConfiguration() string { return filepath.Join(k.dir, "cli.tfrc") }

func (k *tools) askVersion(ctx context.Context) error {
	command := exec.CommandContext(ctx, k.engine, "version")
	command.Dir, command.Env = k.dir, k.environment()
	text, err := command.Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", k.engine, err)
	}
	command = exec.CommandContext(ctx, k.engine, "version", "-json")
	command.Dir, command.Env = k.dir, k.environment()
	answer, err := command.Output()
	if err != nil {
		return fmt.Errorf("%s version -json: %w", k.engine, err)
	}
	var said struct {
		Version string `json:"terraform_version"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return err
	}
	parts := strings.Split(said.Version, ".")
	if len(parts) < 2 {
		return fmt.Errorf("%s has the version %q", k.engine, said.Version)
	}
	k.isTofu = strings.HasPrefix(string(text), "OpenTofu")
	k.major, err = strconv.Atoi(parts[0])
	if err == nil {
		k.minor, err = strconv.Atoi(parts[1])
	}
	return err
}

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

// needs skips a test on an engine that is too old for what it shows.
func needs(t *testing.T, minor int, what string) {
	t.Helper()
	if shared.major == 1 && shared.minor < minor {
		t.Skipf("this engine has no %s, which came with 1.%d", what, minor)
	}
}
