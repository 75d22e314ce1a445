package acceptance

import (
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/acceptance/script"
)

// TestAccScripts runs the scripts. Like a release, the provider is built without the race detector.
func TestAccScripts(t *testing.T) {
	runScripts(t, prepared(t, "30"), "secrets", "storm", "interrupted_anywhere")
}

// TestLongScripts runs the scripts that use $GROUPS with hundreds of groups. The provider is built with the race
// detector if the test is.
func TestLongScripts(t *testing.T) {
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

var archive = regexp.MustCompile(`terraform-provider-embed_(.+)_([a-z0-9]+_[a-z0-9]+)\.zip$`)

// TestAccRelease runs a script with the archives of a release. tools/release/check makes them.
func TestAccRelease(t *testing.T) {
	dist := os.Getenv("EMBED_TEST_RELEASE")
	if dist == "" {
		t.Skip("it needs a directory with the archives of a release, EMBED_TEST_RELEASE")
	}
	found := engine.ForTest(t)
	archives, _ := filepath.Glob(filepath.Join(dist, "*.zip"))
	version, platforms := "", ""
	for _, path := range archives {
		parts := archive.FindStringSubmatch(path)
		version, platforms = parts[1], platforms+" -platform="+parts[2]
	}
	mirror := t.TempDir()
	configuration, err := engine.Mirror(mirror, version, found.Platform, archives...)
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(".terraform/providers", found.Registry(), engine.Source, version, found.Platform)
	runScripts(t, &script.Runner{Context: t.Context(), Engine: found, Configuration: configuration, Environment: []string{
		"MIRROR=" + mirror, "VERSION=" + version, "PLATFORMS=" + strconv.Itoa(len(archives)),
		"TF_CLI_ARGS_providers_lock=" + platforms,
		"INSTALLED=" + filepath.Join(installed, "terraform-provider-embed_v"+version),
	}}, "release")
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
