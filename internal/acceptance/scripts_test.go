package acceptance

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/acceptance/script"
)

// TestAccScripts runs the scripts. Like a release, the provider is built without the race detector.
func TestAccScripts(t *testing.T) {
	t.Parallel()
	runScripts(t, prepared(t, "30"), "secrets", "storm", "interrupted_anywhere", "engine_dies")
}

// TestLongScripts runs the scripts that use $GROUPS with hundreds of groups. The provider is built with the race
// detector if the test is.
func TestLongScripts(t *testing.T) {
	t.Parallel()
	if os.Getenv("EMBED_TEST_LONG") == "" {
		t.Skip("it takes minutes, so it needs EMBED_TEST_LONG=1")
	}
	var flags []string
	race := debug.BuildSetting{Key: "-race", Value: "true"}
	if built, _ := debug.ReadBuildInfo(); slices.Contains(built.Settings, race) {
		flags = append(flags, "-race")
	}
	runScripts(t, prepared(t, "300", flags...), "storm", "interrupted_anywhere")
}

func runScripts(t *testing.T, runner *script.Runner, names ...string) {
	t.Helper()
	params := runner.Params()
	for _, name := range names {
		params.Files = append(params.Files, filepath.Join("testdata", "scripts", name+".txtar"))
	}
	testscript.Run(t, params)
}

// prepared builds the provider and returns a Runner for it, or skips the test without TF_ACC. An interrupt of the
// test interrupts the Runner's engines.
func prepared(t *testing.T, groups string, flags ...string) *script.Runner {
	t.Helper()
	found := engine.ForTest(t)
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(stop)
	configuration, err := engine.BuildProvider(ctx, t.TempDir(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	return &script.Runner{
		Context: ctx, Engine: found, Configuration: configuration, Environment: []string{"GROUPS=" + groups, "SOME=13"},
	}
}
