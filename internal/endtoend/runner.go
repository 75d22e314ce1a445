// Package endtoend runs test scripts with a real engine, the real provider, and an emulator of the service, which
// the scripts control. CONTRIBUTING.md describes how to write a script.
package endtoend

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// Runner runs scripts.
type Runner struct {
	// Context interrupts all engines when it is canceled.
	Context context.Context
	Engine  engine.Engine
	// Provider is the path of the provider's program. Configuration is the path of the CLI configuration for engines.
	Provider, Configuration string
	// Environment contains variables in addition to those that setup defines for every script.
	Environment []string
}

// commands maps the usage of each command that testscript itself does not have to its implementation.
var commands = map[string]func(f *fixture, neg bool, args []string){
	"[!] terraform ARGUMENT... [&]": (*fixture).terraform,
	"retry ARGUMENT...":             (*fixture).retry,
	"await":                         (*fixture).await,
	"signal INT|TERM":               (*fixture).signal,
	"mirror":                        (*fixture).mirror,
	"[!] agrees [but] [ID]...":      (*fixture).agrees,
	"[!] secrets absent":            (*fixture).secrets,

	"behind ACTION ID [NAME]":       (*fixture).behind,
	"[!] group ID":                  (*fixture).group,
	"fault METHOD KIND [OPTION]...": (*fixture).fault,
	"storm":                         (*fixture).storm,
	"repair":                        (*fixture).repair,
	"calls [ID] CALLS":              (*fixture).calls,
	"asked CALL NUMBER":             (*fixture).asked,
	"until CALL NUMBER":             (*fixture).until,
}

// Params returns the parameters for testscript, except which scripts to run.
func (r *Runner) Params() testscript.Params {
	params := testscript.Params{
		Setup: r.setup, RequireUniqueNames: true, Cmds: map[string]func(*testscript.TestScript, bool, []string){},
	}
	for usage, do := range commands {
		words := strings.Fields(strings.TrimPrefix(usage, "[!] "))
		least := len(words) - 1 - strings.Count(usage, " [")
		params.Cmds[words[0]] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg && !strings.HasPrefix(usage, "[!]") || len(args) < least ||
				len(args) >= len(words) && !strings.Contains(usage, "...") {
				ts.Fatalf("usage: %s", usage)
			}
			f := ts.Value(fixtureKey{}).(*fixture)
			f.TestScript = ts
			do(f, neg, args)
		}
	}
	return params
}

// fixture is the directory in which a script runs, with the script's service and engines.
type fixture struct {
	*Runner
	*testscript.TestScript
	t    testscript.T
	root string
	// settings are the names of the script's variables that engines inherit.
	settings []string
	// printed is the output of all engines that have ended, and said is the output of the last one.
	printed, said string
	// background is the engine in the background, if any.
	background *running

	service *emulator.Emulator
	// checked is the number of calls up to the last check of calls.
	checked int
}

type fixtureKey struct{}

func (r *Runner) setup(env *testscript.Env) error {
	service, err := emulator.Start(emulator.Options{})
	if err != nil {
		return err
	}
	f := &fixture{Runner: r, t: env.T(), root: env.WorkDir, service: service}
	env.Values[fixtureKey{}] = f
	env.Vars = append(append(append(env.Vars, engine.Environment(r.Configuration)...),
		"TMPDIR="+os.TempDir(), // the path of the provider's socket must be short
		"TF_CLI_ARGS=-no-color", "TF_CLI_ARGS_providers_lock=", "TF_LOG=", "TF_LOG_CORE=", "TF_LOG_PROVIDER=TRACE",
		"TF_LOG_PATH="+filepath.Join(f.root, "log.txt"),
		"EMBED_BASE_URL="+f.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey,
		"EMBED_MAX_RETRIES=4", "EMBED_REQUEST_TIMEOUT=30s", "EMBED_REQUESTS_PER_SECOND=",
		"EMBED_RETRY_WAIT_MIN=10ms", "EMBED_RETRY_WAIT_MAX=100ms",
		"GORACE=halt_on_error=1 log_path="+filepath.Join(f.root, "race"),
	), r.Environment...)
	for _, setting := range env.Vars {
		name, _, _ := strings.Cut(setting, "=")
		f.settings = append(f.settings, name)
	}
	env.Defer(f.finish)
	return nil
}

// finish ends an engine that is still running. It fails the script if a fault has not struck, a secret has
// leaked, or the provider has a data race.
func (f *fixture) finish() {
	defer f.service.Close()
	if left := f.background; left != nil {
		_ = engine.Interrupt(left.Cmd)
		_, _ = engine.ExitCode(left.Cmd, <-left.ended)
	}
	if waiting := f.service.FaultsWaiting(); waiting > 0 {
		f.t.Fatal(waiting, "faults have not struck")
	}
	switch leak, err := f.leak(); {
	case err != nil:
		f.t.Fatal(err)
	case leak != "":
		f.t.Fatal(leak)
	}
	races, _ := filepath.Glob(filepath.Join(f.root, "race.*"))
	for _, race := range races {
		text, _ := os.ReadFile(race)
		f.t.Fatal("a data race in the provider:\n" + string(text))
	}
}
