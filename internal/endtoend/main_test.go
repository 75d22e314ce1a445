package endtoend

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

const (
	acceptanceVariable = "TF_ACC"
	longVariable       = "EMBED_LONG_TESTS"
	seedVariable       = "EMBED_STORM_SEED"
)

// tools are what the tests run: built or found once per test run.
type tools struct {
	engine string
	// configuration has the engine use the provider that was built.
	configuration string
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
		endOnSignal(dir)
		err = shared.prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "endtoend:", err)
		return 1
	}
	return m.Run()
}

func (k *tools) prepare(dir string) error {
	found, err := engine.AtHand()
	if err != nil {
		return err
	}
	k.engine = found.Path
	var flags []string
	if raceDetected {
		flags = append(flags, "-race")
	}
	k.configuration, err = engine.BuildProvider(context.Background(), dir, flags...)
	return err
}

func (k *tools) environment() []string { return engine.Environment(k.configuration) }

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
