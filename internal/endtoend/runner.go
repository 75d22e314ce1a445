// Package endtoend runs test scripts with a real engine and the real provider, against an emulator of the service that
// the scripts control. CONTRIBUTING.md describes how to write one.
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
	// Context interrupts every engine when it ends.
	Context context.Context
	Engine  engine.Engine
	// Provider is the provider's program, and Configuration the CLI configuration that has engines use it.
	Provider, Configuration string
	// Environment is what scripts have in it beside what every script has.
	Environment []string
	// Watch, where it is not nil, gets what the engine prints as it comes.
	Watch io.Writer
}

// commands are those that scripts have beside testscript's own, by how they are written.
var commands = map[string]func(f *folder, neg bool, args []string){
	"[!] terraform ARGUMENT... [&]": (*folder).terraform,
	"weather ARGUMENT...":           (*folder).weather,
	"await":                         (*folder).await,
	"signal INT|TERM|KILL":          (*folder).signal,
	"mirror":                        (*folder).mirror,
	"needs FEATURE...":              (*folder).needs,
	"[!] agrees [but] [ID]...":      (*folder).agrees,
	"[!] secrets absent":            (*folder).secrets,

	"behind ACTION ID|TABLE [NAME]": (*folder).behind,
	"[!] group ID [NAME]":           (*folder).group,
	"fault METHOD KIND [OPTION]...": (*folder).fault,
	"faults METHOD TABLE":           (*folder).faults,
	"struck TABLE":                  (*folder).struck,
	"storm":                         (*folder).storm,
	"repair":                        (*folder).repair,
	"calls [ID] CALLS":              (*folder).calls,
	"asked CALL NUMBER [ID]":        (*folder).asked,
	"hold METHOD":                   (*folder).hold,
	"until held|CALL [NUMBER]":      (*folder).until,
	"release":                       (*folder).release,
}

// Params returns the parameters for testscript.
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

// folder is where a script runs, with the script's service and what came of it so far.
type folder struct {
	*Runner
	*testscript.TestScript
	t    testscript.T
	root string
	// settings are the names of the variables that an engine gets from the script.
	settings []string
	// printed is all that engines have printed, and said what the last one has.
	printed, said string
	// running are the engines in the background.
	running []*running

	service *emulator.Emulator
	// untold are the calls that no `calls` has told yet, of the first taken calls.
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
		"TMPDIR="+os.TempDir(), // the path of a socket has to be short
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

// finish holds every script to what goes without saying.
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
	if told := f.tells(); told != "" {
		f.t.Fatal(told)
	}
	races, _ := filepath.Glob(filepath.Join(f.root, "race.*"))
	for _, race := range races {
		text, _ := os.ReadFile(race)
		f.t.Fatal("a data race in the provider:\n" + string(text))
	}
}
