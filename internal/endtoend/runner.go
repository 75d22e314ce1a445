// Package endtoend runs test scripts with a real engine, the real provider, and an emulator of the service, which
// the scripts control. CONTRIBUTING.md describes how to write a script.
package endtoend

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

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
	// Watch, if not nil, receives the output of engines while they run.
	Watch io.Writer
}

// commands maps the usage of each command that testscript itself does not have to its implementation.
var commands = map[string]func(f *folder, neg bool, args []string){
	"[!] terraform ARGUMENT... [&]": (*folder).terraform,
	"weather ARGUMENT...":           (*folder).weather,
	"await":                         (*folder).await,
	"signal INT|TERM|KILL":          (*folder).signal,
	"mirror":                        (*folder).mirror,
	"[!] agrees [but] [ID]...":      (*folder).agrees,
	"[!] secrets absent":            (*folder).secrets,

	"behind ACTION ID [NAME]":       (*folder).behind,
	"[!] group ID [NAME]":           (*folder).group,
	"fault METHOD KIND [OPTION]...": (*folder).fault,
	"storm":                         (*folder).storm,
	"repair":                        (*folder).repair,
	"calls [ID] CALLS":              (*folder).calls,
	"asked CALL NUMBER [ID]":        (*folder).asked,
	"hold METHOD":                   (*folder).hold,
	"until held|CALL [NUMBER]":      (*folder).until,
	"release":                       (*folder).release,
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
			f := ts.Value(folderKey{}).(*folder)
			f.TestScript = ts
			do(f, neg, args)
		}
	}
	return params
}

// folder is the directory in which a script runs, with the script's service and engines.
type folder struct {
	*Runner
	*testscript.TestScript
	t    testscript.T
	root string
	// settings are the names of the script's variables that engines inherit.
	settings []string
	// printed is the output of all engines that have ended, and said is the output of the last one.
	printed, said string
	// running are the engines in the background.
	running []*running

	service *emulator.Emulator
	// untold contains those of the first taken calls that take has not returned yet.
	untold []emulator.Call
	taken  int

	mu    sync.Mutex
	holds map[string]bool
	held  []chan struct{}
	news  chan struct{}
}

type folderKey struct{}

func (r *Runner) setup(env *testscript.Env) error {
	f := &folder{Runner: r, t: env.T(), root: env.WorkDir, holds: map[string]bool{}, news: make(chan struct{}, 1)}
	if err := f.serve(); err != nil {
		return err
	}
	env.Values[folderKey{}] = f
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

// finish ends the engines that are still running. It fails the script if a fault has not struck, a secret has
// leaked, or the provider has a data race.
func (f *folder) finish() {
	f.release(false, nil)
	defer f.service.Close()
	for _, left := range f.running {
		_ = engine.Interrupt(left.Cmd)
		_, _ = engine.ExitCode(left.Cmd, <-left.ended)
	}
	if waiting := f.service.FaultsWaiting(); waiting > 0 {
		f.t.Fatal(waiting, "faults have not struck")
	}
	switch told, err := f.tells(); {
	case err != nil:
		f.t.Fatal(err)
	case told != "":
		f.t.Fatal(told)
	}
	races, _ := filepath.Glob(filepath.Join(f.root, "race.*"))
	for _, race := range races {
		text, _ := os.ReadFile(race)
		f.t.Fatal("a data race in the provider:\n" + string(text))
	}
}
