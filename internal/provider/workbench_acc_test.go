package provider

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// A workbench is a directory in which a real engine works as a user has it work: on files, with the provider as a
// program of its own that takes its settings from the environment.
type workbench struct {
	t       *testing.T
	service *emulator.Emulator
	dir     string
	env     []string
}

// requiredProviders begins a configuration that no example brings.
const requiredProviders = `
terraform {
  required_providers {
    embed = {
      source = "dashembed/embed"
    }
  }
}
`

// group is a resource block.
func group(name string, lines ...string) string {
	return "resource \"embed_user_group\" \"" + name + "\" {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

// importBlock imports what the line names to the address of a resource.
func importBlock(name, line string) string {
	return "import {\n  to = embed_user_group." + name + "\n  " + line + "\n}\n"
}

// buildDir is where the provider's program is, once a test needs it; TestMain removes it.
var buildDir string

// build builds the program, and returns a CLI configuration that has the engine use it.
var build = sync.OnceValues(func() (configuration string, err error) {
	if buildDir, err = os.MkdirTemp("", "embed-acceptance-"); err != nil {
		return "", err
	}
	return engine.BuildProvider(context.Background(), buildDir)
})

func newWorkbench(t *testing.T, options emulator.Options) *workbench {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it runs an engine, so it needs TF_ACC=1")
	}
	configuration, err := build()
	if err != nil {
		t.Fatal(err)
	}
	w := &workbench{t: t, service: startService(t, options), dir: t.TempDir()}
	w.env = append(engine.Environment(configuration),
		"EMBED_BASE_URL="+w.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey, "EMBED_RETRY_WAIT_MIN=10ms")
	return w
}

// parallelWorkbench is a workbench for a test that runs beside others, on an engine that has these features.
func parallelWorkbench(t *testing.T, options emulator.Options, needs ...engine.Feature) *workbench {
	t.Helper()
	for _, feature := range needs {
		if feature != "" {
			engine.Needs(t, feature)
		}
	}
	t.Parallel()
	return newWorkbench(t, options)
}

// engineProgram is what terraform-plugin-testing would take as well.
func engineProgram(t *testing.T) string {
	t.Helper()
	found, err := engine.AtHand()
	if err != nil {
		t.Fatal(err)
	}
	return found.Path
}

// copy puts a file, or what a directory holds, into the workbench.
func (w *workbench) copy(source string) {
	w.t.Helper()
	info, err := os.Stat(source)
	switch {
	case err == nil && info.IsDir():
		err = os.CopyFS(w.dir, os.DirFS(source))
	case err == nil:
		var text []byte
		text, err = os.ReadFile(source)
		w.write(filepath.Base(source), string(text))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *workbench) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// configure writes a configuration of these blocks, in the place of the one before.
func (w *workbench) configure(blocks ...string) {
	w.t.Helper()
	w.write("main.tf", requiredProviders+strings.Join(blocks, ""))
}

// applied is a configuration that was applied in an earlier run, whose calls are not counted.
func (w *workbench) applied(blocks ...string) {
	w.t.Helper()
	w.configure(blocks...)
	w.must("apply", "-auto-approve")
	w.service.ResetCounts()
}

// replace edits a file as a person would.
func (w *workbench) replace(name, from, to string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(from)) {
		w.t.Fatalf("%s has no %q", name, from)
	}
	w.write(name, strings.ReplaceAll(string(text), from, to))
}

// run runs the engine and returns its exit code and what it printed, in which there is never a token.
func (w *workbench) run(args ...string) (int, string) {
	w.t.Helper()
	if args[0] != "state" {
		args = slices.Insert(args, 1, "-no-color")
	}
	return w.execute(engineProgram(w.t), args...)
}

// tokenPattern is what the emulator's tokens look like.
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

// must is run for what has to succeed.
func (w *workbench) must(args ...string) string {
	w.t.Helper()
	code, out := w.run(args...)
	if code != 0 {
		w.t.Fatalf("%s ended with %d:\n%s", args, code, out)
	}
	return out
}

var decoration = regexp.MustCompile(`[\s╷│╵]+`)

// oneLine undoes how engines break lines.
func oneLine(text string) string { return decoration.ReplaceAllString(text, " ") }

// says is must for what has to say these words.
func (w *workbench) says(words string, args ...string) {
	w.t.Helper()
	if out := w.must(args...); !strings.Contains(oneLine(out), words) {
		w.t.Errorf("%s does not say %q:\n%s", args, words, out)
	}
}

// fails is run for what has to fail, and to say so in these words.
func (w *workbench) fails(words string, args ...string) {
	w.t.Helper()
	code, out := w.run(args...)
	if code != 1 || !strings.Contains(oneLine(out), words) {
		w.t.Fatalf("%s ended with %d and should have failed with %q:\n%s", args, code, words, out)
	}
}

// apply plans into a file and applies that.
func (w *workbench) apply(planArgs ...string) {
	w.t.Helper()
	w.must(append([]string{"plan", "-out=planned"}, planArgs...)...)
	w.must("apply", "planned")
}

// plansNothing is the proof that an apply has reached what the configuration says.
func (w *workbench) plansNothing(planArgs ...string) {
	w.t.Helper()
	w.must(append([]string{"plan", "-detailed-exitcode"}, planArgs...)...)
}

// has demands that the service has these groups and no others.
func (w *workbench) has(want ...string) {
	w.t.Helper()
	wantGroups(w.t, w.service, want)
}

// onlyLooked demands that no group was created, changed, rotated or deleted.
func (w *workbench) onlyLooked() {
	w.t.Helper()
	for _, call := range w.service.Calls() {
		if call.Created || call.Updated || call.Rotated || call.Deleted {
			w.t.Errorf("%s %s did more than look", call.Method, call.ID)
		}
	}
}

func (w *workbench) madeNoCall() {
	w.t.Helper()
	if calls := w.service.Calls(); len(calls) > 0 {
		w.t.Errorf("the service was asked: %v", calls)
	}
}

func (w *workbench) rotated(id string, times int) {
	w.t.Helper()
	if got := w.service.Rotations(id); got != times {
		w.t.Errorf("%q was rotated %d times, and should be %d times", id, got, times)
	}
}

// filesWithTokens returns which of the files in the workbench hold a token, plan files with what is packed in them.
func (w *workbench) filesWithTokens() (found []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err == nil && entry.Name() == "planned" {
			content, err = unpacked(content)
		}
		if tokenPattern.Match(content) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func (w *workbench) wantNoTokens() {
	w.t.Helper()
	if found := w.filesWithTokens(); len(found) > 0 {
		w.t.Errorf("there is a token in %q", found)
	}
}

func unpacked(packed []byte) (content []byte, err error) {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	for _, member := range archive.File {
		reader, err := member.Open()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil, err
		}
		content = append(content, text...)
	}
	return content, nil
}
