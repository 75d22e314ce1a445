package acceptance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// workbench is a directory in which tests run a real engine as users do: on files, with the provider as a separate
// program that reads its settings from the environment.
type workbench struct {
	t       *testing.T
	engine  engine.Engine
	service *emulator.Emulator
	dir     string
	env     []string
}

// requiredProviders begins the configurations that do not come from examples.
const requiredProviders = `terraform {
  required_providers {
    embed = { source = "dashembed/embed" }
  }
}
`

func group(name string, lines ...string) string {
	return "resource \"embed_user_group\" \"" + name + "\" {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

// buildDir is the directory of the provider's program. It is empty until a test needs the program. TestMain removes
// the directory.
var buildDir string

// build builds the provider once, and returns the path of a CLI configuration that makes engines use it. It also makes
// a mirror of the provider, and a directory with the engine as terraform and as tofu.
var build = sync.OnceValues(func() (configuration string, err error) {
	if buildDir, err = os.MkdirTemp("", "embed-acceptance-"); err != nil {
		return "", err
	}
	found, err := engine.AtHand()
	if err == nil {
		configuration, err = engine.BuildProvider(context.Background(), buildDir)
	}
	programs := filepath.Join(buildDir, "bin")
	_, mirrored := engine.Mirror(buildDir, "0.1.0", found.Platform, filepath.Join(buildDir, "terraform-provider-embed"))
	return configuration, errors.Join(err, mirrored, os.Mkdir(programs, 0o700),
		os.Symlink(found.Path, filepath.Join(programs, "terraform")),
		os.Symlink(found.Path, filepath.Join(programs, "tofu")),
	)
})

func newWorkbench(t *testing.T, options emulator.Options) *workbench {
	t.Helper()
	found := engine.ForTest(t)
	configuration, err := build()
	if err != nil {
		t.Fatal(err)
	}
	w := &workbench{t: t, engine: found, service: protocoltest.StartService(t, options), dir: t.TempDir()}
	w.env = append(engine.Environment(configuration),
		"PATH="+filepath.Join(buildDir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"EMBED_BASE_URL="+w.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	return w
}

// workbenchWith returns a workbench. It skips the test if the engine lacks a feature.
func workbenchWith(t *testing.T, options emulator.Options, needs ...engine.Feature) *workbench {
	t.Helper()
	for _, feature := range needs {
		engine.Needs(t, feature)
	}
	return newWorkbench(t, options)
}

// copy copies a file, or the contents of a directory, into the workbench.
func (w *workbench) copy(source string) {
	w.t.Helper()
	if err := os.CopyFS(w.dir, os.DirFS(source)); err != nil { // a file
		w.write(filepath.Base(source), readPage(w.t, source))
	}
}

func (w *workbench) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workbench) read(name string) string {
	w.t.Helper()
	return readPage(w.t, filepath.Join(w.dir, name))
}

// configure writes a configuration with the given blocks to main.tf, replacing the previous one.
func (w *workbench) configure(blocks ...string) {
	w.t.Helper()
	w.write("main.tf", requiredProviders+strings.Join(blocks, ""))
}

// applied applies a configuration and resets the counts of calls, so that only later runs are counted.
func (w *workbench) applied(blocks ...string) {
	w.t.Helper()
	w.configure(blocks...)
	w.must("apply", "-auto-approve")
	w.service.ResetCounts()
}

// replace replaces all occurrences of a text in a file. There must be at least one.
func (w *workbench) replace(name, from, to string) {
	w.t.Helper()
	text := w.read(name)
	if !strings.Contains(text, from) {
		w.t.Fatalf("%s has no %q", name, from)
	}
	w.write(name, strings.ReplaceAll(text, from, to))
}

// ages dates the token of a group in the state, as if Terraform had rotated it so many days and a minute ago.
func (w *workbench) ages(id string, days int) {
	w.t.Helper()
	state := w.read("terraform.tfstate")
	was := regexp.MustCompile(`"token_rotated_at": [^\n]+(,\s+"user_group_id": "` + id + `")`)
	if len(was.FindAllString(state, -1)) != 1 {
		w.t.Fatalf("the state does not have the group %s once", id)
	}
	at := time.Now().UTC().AddDate(0, 0, -days).Add(-time.Minute).Format(time.RFC3339)
	w.write("terraform.tfstate", was.ReplaceAllString(state, `"token_rotated_at": "`+at+`"$1`))
}

// run runs the engine and returns its exit code and its output, which must not contain a token.
func (w *workbench) run(args ...string) (int, string) {
	w.t.Helper()
	if args[0] != "state" {
		args = slices.Insert(args, 1, "-no-color")
	}
	return w.execute(w.engine.Path, args...)
}

// tokenPattern matches the emulator's tokens.
var tokenPattern = regexp.MustCompile(`ugt_[A-Z2-7]{26}`)

func (w *workbench) execute(program string, args ...string) (int, string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	command := engine.Engine{Path: program}.Command(ctx, w.dir, w.env, args...)
	out, err := command.CombinedOutput()
	code, err := engine.ExitCode(command, err)
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", args, err, out)
	}
	if tokenPattern.Match(out) {
		w.t.Errorf("%s printed a token:\n%s", args, out)
	}
	return code, string(out)
}

// must runs the engine, which has to succeed, and returns its output.
func (w *workbench) must(args ...string) string {
	w.t.Helper()
	code, out := w.run(args...)
	if code != 0 {
		w.t.Fatalf("%s exited with %d:\n%s", args, code, out)
	}
	return out
}

var decoration = regexp.MustCompile(`[\s╷│╵]+`)

// oneLine removes the line breaks and frames that engines add to messages.
func oneLine(text string) string { return decoration.ReplaceAllString(text, " ") }

// says runs the engine, which has to succeed and print the words.
func (w *workbench) says(words string, args ...string) {
	w.t.Helper()
	if out := w.must(args...); !strings.Contains(oneLine(out), words) {
		w.t.Errorf("%s did not print %q:\n%s", args, words, out)
	}
}

// fails runs the engine, which has to exit with 1 and print the words, and returns its output.
func (w *workbench) fails(words string, args ...string) string {
	w.t.Helper()
	code, out := w.run(args...)
	if code != 1 || !strings.Contains(oneLine(out), words) {
		w.t.Fatalf("%s exited with %d, want 1 and the message %q:\n%s", args, code, words, out)
	}
	return out
}

func (w *workbench) apply(planArgs ...string) {
	w.t.Helper()
	w.must(append([]string{"plan", "-out=planned"}, planArgs...)...)
	w.must("apply", "planned")
}

// plansNothing checks that a plan shows no changes.
func (w *workbench) plansNothing(planArgs ...string) {
	w.t.Helper()
	w.must(append([]string{"plan", "-detailed-exitcode"}, planArgs...)...)
}

// has checks that the service has exactly these groups, sorted by ID.
func (w *workbench) has(want ...string) {
	w.t.Helper()
	protocoltest.WantGroups(w.t, w.service, want)
}

// onlyLooked checks that no call created, updated, rotated or deleted a group, apart from the check of the service.
func (w *workbench) onlyLooked() {
	w.t.Helper()
	for _, call := range w.service.Calls() {
		if call.Did() != "" && !protocoltest.IsPreflight(call) {
			w.t.Errorf("%s %s was more than a lookup", call.Method, call.ID)
		}
	}
}

func (w *workbench) madeNoCall() {
	w.t.Helper()
	if calls := w.service.Calls(); len(calls) > 0 {
		w.t.Errorf("want no calls, got %v", calls)
	}
}

func (w *workbench) rotated(id string, times int) {
	w.t.Helper()
	if got := w.service.Count("rotated", id); got != times {
		w.t.Errorf("%q was rotated %d times, want %d", id, got, times)
	}
}

// filesWith returns the files in the workbench that contain a match. It unpacks plan files.
func (w *workbench) filesWith(matches *regexp.Regexp) (found []string) {
	w.t.Helper()
	err := engine.Files(w.dir, func(path string, text []byte, _ bool) {
		if matches.Match(text) {
			found = append(found, path)
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func (w *workbench) wantNoFileWith(secret *regexp.Regexp) {
	w.t.Helper()
	if found := w.filesWith(secret); len(found) > 0 {
		w.t.Errorf("these files contain a secret: %q", found)
	}
}

// decodes checks that the engine can decode the text as YAML.
func (w *workbench) decodes(text string) {
	w.t.Helper()
	w.write("page.yaml", text)
	w.write("main.tf", "output \"page\" {\n  value = yamldecode(file(\"page.yaml\"))\n}\n")
	w.must("apply", "-auto-approve")
}

// asJSON returns a text in YAML as JSON.
func (w *workbench) asJSON(text string) string {
	w.t.Helper()
	w.decodes(text)
	return w.must("output", "-json", "page")
}
