package endtoend

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccScripts runs each script of testdata.
func TestAccScripts(t *testing.T) {
	params := prepared(t, "40").Params()
	params.Dir = "testdata"
	testscript.Run(t, params)
}

// TestLongScripts runs those that take a number of groups, with hundreds.
func TestLongScripts(t *testing.T) {
	if os.Getenv("EMBED_LONG_TESTS") == "" {
		t.Skip("it takes minutes, so it needs EMBED_LONG_TESTS=1")
	}
	params := prepared(t, "300").Params()
	params.Files = []string{"testdata/storm.txtar", "testdata/interrupted_anywhere.txtar"}
	testscript.Run(t, params)
}

// prepared builds the provider, with the race detector where the test has it. An interrupt of the test interrupts
// engines.
func prepared(t *testing.T, groups string) *Runner {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it runs an engine, so it needs TF_ACC=1")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	found, err := engine.AtHand()
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"-ldflags", "-X main.version=1.2.3"}
	race := debug.BuildSetting{Key: "-race", Value: "true"}
	if built, _ := debug.ReadBuildInfo(); slices.Contains(built.Settings, race) {
		flags = append(flags, "-race")
	}
	dir := t.TempDir()
	configuration, err := engine.BuildProvider(ctx, dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{
		Context: ctx, Engine: found, Configuration: configuration,
		Provider: filepath.Join(dir, "terraform-provider-embed"), Environment: []string{"GROUPS=" + groups, "SOME=13"},
	}
}
