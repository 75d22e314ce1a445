package endtoend

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// configuration takes its groups from groups.json, and its provider arguments from provider.json.
const configuration = `terraform {
  required_providers {
    embed = { source = "dashembed/embed" }
  }
}

locals {
  arguments = jsondecode(file("${path.module}/provider.json"))
  groups    = jsondecode(file("${path.module}/groups.json"))
}

provider "embed" {
  base_url            = local.arguments.base_url
  request_timeout     = local.arguments.request_timeout
  max_retries         = local.arguments.max_retries
  retry_wait_min      = local.arguments.retry_wait_min
  retry_wait_max      = local.arguments.retry_wait_max
  requests_per_second = try(local.arguments.requests_per_second, null)
}

resource "embed_user_group" "group" {
  for_each = local.groups

  user_group_id             = each.key
  name                      = each.value.name
  mapping                   = try(each.value.mapping, null)
  properties                = try(jsonencode(each.value.properties), null)
  rotate_token_when_changed = try({ issue = each.value.issue }, null)
  adopt_existing            = try(each.value.adopt, null)
}
`

// arguments are those of the provider.
type arguments struct {
	BaseURL           string  `json:"base_url"`
	RequestTimeout    string  `json:"request_timeout"`
	MaxRetries        int     `json:"max_retries"`
	RetryWaitMin      string  `json:"retry_wait_min"`
	RetryWaitMax      string  `json:"retry_wait_max"`
	RequestsPerSecond float64 `json:"requests_per_second,omitempty"`
}

// group is what a configuration says of a group.
type group struct {
	Name       string            `json:"name"`
	Issue      string            `json:"issue,omitempty"`
	Adopt      bool              `json:"adopt,omitempty"`
	Mapping    map[string]string `json:"mapping,omitempty"`
	Properties map[string]any    `json:"properties,omitempty"`
}

// groups of a configuration by id.
type groups map[string]group

// changed is a copy in which edit has had a look at every group.
func (g groups) changed(edit func(id string, one *group)) groups {
	other := maps.Clone(g)
	for id, one := range other {
		edit(id, &one)
		other[id] = one
	}
	return other
}

// workspace is a directory with a configuration and a state.
type workspace struct {
	t       *testing.T
	service *emulator.Emulator
	dir     string
	// logging is what the engine's log variables are set to: the provider's log at TRACE, unless a test wants more.
	logging []string
	// prose has the engine speak to a person and not to a program.
	prose bool
	runs  int
}

// newWorkspace starts with no groups. The log is the provider's own, all of it.
func newWorkspace(t *testing.T, service *emulator.Emulator, edit func(*arguments)) *workspace {
	t.Helper()
	w := &workspace{t: t, service: service, dir: t.TempDir(), logging: []string{"TF_LOG_PROVIDER=TRACE"}}
	settings := arguments{
		BaseURL:        service.URL(),
		RequestTimeout: "30s",
		MaxRetries:     4,
		RetryWaitMin:   "10ms",
		RetryWaitMax:   "100ms",
	}
	if edit != nil {
		edit(&settings)
	}
	w.write("main.tf", []byte(configuration))
	w.writeJSON("provider.json", settings)
	w.wants(groups{})
	return w
}

func (w *workspace) wants(wanted groups) {
	w.t.Helper()
	w.writeJSON("groups.json", wanted)
}

func (w *workspace) writeJSON(name string, value any) {
	w.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(name, text)
}

func (w *workspace) write(name string, text []byte) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), text, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// outcome is what became of one command of the engine.
type outcome struct {
	args []string
	code int
	out  string
	// log is the text that the run added to the log, and problems what the engine said in a form to be read.
	log      string
	problems []problem
}

// problem is an error or a warning of the engine or the provider.
type problem struct {
	Severity string `json:"severity"`
	Summary  string `json:"summary"`
	Detail   string `json:"detail"`
	Address  string `json:"address"`
}

// running is a command under way.
type running struct {
	w       *workspace
	command *exec.Cmd
	ended   <-chan error
	out     bytes.Buffer
	log     string
	args    []string
	read    bool
}

// longestRun is beyond what any command takes, so that a hanging one fails its own test.
const longestRun = 4 * time.Minute

// start runs the engine beside the test. -no-color, and -json where a program listens, are added.
func (w *workspace) start(args ...string) *running {
	w.t.Helper()
	w.runs++
	r := &running{w: w, args: args, log: filepath.Join(w.dir, fmt.Sprintf("log-%d.txt", w.runs))}
	full := append([]string{args[0], "-no-color"}, args[1:]...)
	if r.read = !w.prose && args[0] != "show"; r.read {
		full = append([]string{args[0], "-no-color", "-json"}, args[1:]...)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), longestRun)
	w.t.Cleanup(cancel)
	r.command = exec.CommandContext(ctx, shared.engine, full...)
	ownGroup(r.command)
	r.command.Cancel = func() error { return interrupt(r.command) }
	r.command.WaitDelay = 20 * time.Second
	r.command.Dir = w.dir
	r.command.Env = append(shared.environment(),
		"EMBED_API_KEY="+emulator.DefaultKey, "GORACE=halt_on_error=1 log_path="+w.raceLog())
	if args[0] != "show" {
		r.command.Env = append(append(r.command.Env, w.logging...), "TF_LOG_PATH="+r.log)
	}
	r.command.Stdout, r.command.Stderr = &r.out, &r.out
	var err error
	if r.ended, err = startEngine(r.command); err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *workspace) raceLog() string { return filepath.Join(w.dir, "race") }

// wait returns what the command ended with. Whatever it was: it did not crash and told no secret.
func (r *running) wait() outcome {
	w := r.w
	w.t.Helper()
	err := <-r.ended
	if err != nil {
		endGroup(r.command)
	}
	done := outcome{args: r.args, out: r.out.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		done.code = exit.ExitCode()
	case err != nil:
		w.t.Fatalf("%s: %v\n%s", r.args, err, done.out)
	}
	if text, err := os.ReadFile(r.log); err == nil {
		done.log = string(text)
		_ = os.Remove(r.log)
	}
	if r.read {
		done.problems = readProblems(done.out)
	}
	w.didNotCrash(done)
	if r.args[0] != "show" || w.prose {
		w.toldNoSecret(done)
	}
	return done
}

func (w *workspace) run(args ...string) outcome {
	w.t.Helper()
	return w.start(args...).wait()
}

// apply is a whole apply, its own plan included.
func (w *workspace) apply(more ...string) outcome {
	w.t.Helper()
	return w.run(append([]string{"apply", "-auto-approve"}, more...)...)
}

func readProblems(out string) []problem {
	var all []problem
	for line := range strings.Lines(out) {
		var said struct {
			Type       string  `json:"type"`
			Diagnostic problem `json:"diagnostic"`
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.Type == "diagnostic" {
			all = append(all, said.Diagnostic)
		}
	}
	return all
}

// succeeded fails the test at once when the command did not end well.
func (o outcome) succeeded(t *testing.T) outcome {
	t.Helper()
	if o.code != 0 {
		t.Fatalf("%s ended with %d\n%s", o.args, o.code, o.errors())
	}
	return o
}

// failed is its counterpart, for a run that has to end with an ordinary error.
func (o outcome) failed(t *testing.T) outcome {
	t.Helper()
	if o.code != 1 {
		t.Fatalf("%s ended with %d, and should have failed\n%s", o.args, o.code, o.errors())
	}
	return o
}

// errors is the errors in one text, or everything when nothing was read.
func (o outcome) errors() string {
	var text strings.Builder
	for _, said := range o.problems {
		if said.Severity == "error" {
			fmt.Fprintf(&text, "%s: %s\n  %s\n", said.Address, said.Summary, said.Detail)
		}
	}
	if text.Len() == 0 {
		return o.out
	}
	return text.String()
}

// about returns the problems of a severity whose title names the group.
func (o outcome) about(severity, id string) []problem {
	var found []problem
	for _, said := range o.problems {
		if said.Severity == severity && strings.Contains(said.Summary, fmt.Sprintf("%q", id)) {
			found = append(found, said)
		}
	}
	return found
}

func (w *workspace) didNotCrash(done outcome) {
	w.t.Helper()
	for _, text := range []string{done.out, done.log} {
		for _, sign := range []string{"panic:", "Plugin did not respond", "crashed", "inconsistent result", "inconsistent final plan", "goroutine 1 ["} {
			if at := strings.Index(text, sign); at >= 0 {
				w.t.Errorf("%s: %q:\n%s", done.args, sign, text[max(0, at-500):min(len(text), at+2000)])
			}
		}
	}
	races, _ := filepath.Glob(w.raceLog() + ".*")
	for _, name := range races {
		text, _ := os.ReadFile(name)
		w.t.Errorf("%s: a data race in the provider:\n%s", done.args, text)
	}
}
