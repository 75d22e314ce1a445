// Package script runs test scripts with a real engine, the real provider, and an emulator of the service, which
// the scripts control. Scripts are written for testscript, and have the commands below in addition.
package script

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Runner runs scripts.
type Runner struct {
	Context       context.Context // interrupts all engines when it is canceled
	Engine        engine.Engine
	Configuration string   // the path of the CLI configuration for engines
	Environment   []string // variables in addition to those that setup defines for every script
}

// commands maps the usage of each command that testscript itself does not have to its implementation.
var commands = map[string]func(f *fixture, neg bool, args []string){
	"[!] terraform ARGUMENT... [&]": (*fixture).terraform,
	"retry ARGUMENT...":             (*fixture).retry,
	"await":                         (*fixture).await,
	"signal INT|TERM":               (*fixture).signal,
	"dies PIPE|HUP|TERMINAL":        (*fixture).dies,
	"[!] agrees [but] [ID]...":      (*fixture).agrees,
	"[!] secrets":                   (*fixture).secrets,

	"behind create|delete|rotate ID [NAME]": (*fixture).behind,
	"[!] group ID":                          (*fixture).group,
	"fault METHOD KIND [OPTION]...":         (*fixture).fault,
	"storm":                                 (*fixture).storm,
	"repair":                                (*fixture).repair,
	"calls [ID] CALLS":                      (*fixture).calls,
	"asked CALL NUMBER":                     (*fixture).asked,
	"until CALL NUMBER":                     (*fixture).until,
}

// Params returns the parameters for testscript, except which scripts to run.
func (r *Runner) Params() testscript.Params {
	params := testscript.Params{Setup: r.setup, Cmds: map[string]func(*testscript.TestScript, bool, []string){}}
	for usage, do := range commands {
		words := strings.Fields(strings.TrimPrefix(usage, "[!] "))
		params.Cmds[words[0]] = func(ts *testscript.TestScript, neg bool, args []string) {
			if neg && !strings.HasPrefix(usage, "[!]") || len(args) < len(words)-1-strings.Count(usage, " [") {
				ts.Fatalf("usage: %s", usage)
			}
			f, is := ts.Value(fixtureKey{}).(*fixture)
			if !is {
				ts.Fatalf("the script was not set up")
			}
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
	t             testscript.T
	root          string
	settings      []string // names of the script's variables that engines inherit
	printed, said string   // the output of all engines that have ended, and of the last one
	background    *running // the engine in the background, if any
	service       *emulator.Emulator
	checked       int // the number of calls up to the last check of calls
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
		"TF_CLI_ARGS=-no-color", "TF_LOG=", "TF_LOG_CORE=", "TF_LOG_PROVIDER=TRACE",
		"TF_LOG_PATH="+filepath.Join(f.root, "log.txt"),
		"EMBED_BASE_URL="+f.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey,
		"EMBED_RETRY_WAIT_MAX=100ms",
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
	if leak := f.leak(); leak != nil {
		f.t.Fatal(leak)
	}
	if races, _ := filepath.Glob(filepath.Join(f.root, "race.*")); races != nil {
		text, _ := os.ReadFile(races[0])
		f.t.Fatal("a data race in the provider:\n" + string(text))
	}
}
