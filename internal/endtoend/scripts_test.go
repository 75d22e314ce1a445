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

// TestAccScripts runs all scripts in testdata. Like a release, the provider is built without the race detector.
func TestAccScripts(t *testing.T) {
	params := prepared(t, "40").Params()
	params.Dir = "testdata"
	testscript.Run(t, params)
}

// TestLongScripts runs the scripts that use $GROUPS with hundreds of groups. The provider is built with the race
// detector if the test is.
func TestLongScripts(t *testing.T) {
	if os.Getenv("EMBED_LONG_TESTS") == "" {
		t.Skip("it takes minutes, so it needs EMBED_LONG_TESTS=1")
	}
	var flags []string
	race := debug.BuildSetting{Key: "-race", Value: "true"}
	if built, _ := debug.ReadBuildInfo(); slices.Contains(built.Settings, race) {
		flags = append(flags, "-race")
	}
	params := prepared(t, "300", flags...).Params()
	params.Files = []string{"testdata/storm.txtar", "testdata/interrupted_anywhere.txtar"}
	testscript.Run(t, params)
}

// prepared builds the provider and returns a Runner for it, or skips the test without TF_ACC. An interrupt of the
// test interrupts the Runner's engines.
func prepared(t *testing.T, groups string, flags ...string) *Runner {
	t.Helper()
	found := engine.ForTest(t)
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	dir := t.TempDir()
	configuration, err := engine.BuildProvider(ctx, dir, append(flags, "-ldflags", "-X main.version=1.2.3")...)
	if err != nil {
		t.Fatal(err)
	}
	return &Runner{
		Context: ctx, Engine: found, Configuration: configuration,
		Provider: filepath.Join(dir, "terraform-provider-embed"), Environment: []string{"GROUPS=" + groups, "SOME=13"},
	}
}
