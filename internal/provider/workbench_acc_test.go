package provider

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
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

// A workbench is a directory in which a real engine works as a user has it work: on files, with the provider as a program of
// its own that takes its settings from the environment.
type workbench struct {
	t       *testing.T
	service *emulator.Emulator
	dir     string
	env     []string
	mu      sync.Mutex
	// tokens is every token that a group had when a call came.
	tokens map[string]bool
}

const examplesDir = "../../examples"

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

// newWorkbench starts an emulator. A test calls it, or builtProvider, before t.Parallel.
func newWorkbench(t *testing.T, options emulator.Options) *workbench {
	t.Helper()
	configuration := builtProvider(t)
	service := startService(t, options)
	w := &workbench{t: t, service: service, dir: t.TempDir(), tokens: map[string]bool{}}
	w.env = append(engine.Environment(configuration),
		"EMBED_BASE_URL="+service.URL(), "EMBED_API_KEY="+emulator.DefaultKey, "EMBED_RETRY_WAIT_MIN=10ms",
	)
	service.BeforeCall(func(emulator.Call) { w.noteTokens() })
	return w
}

func (w *workbench) noteTokens() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, tag := range []string{"Customer", "Testing"} {
		for _, group := range w.service.In(tag).Groups() {
			w.tokens[group.Token] = true
		}
	}
}

// builds is the provider's program, for the time that any test uses it.
var builds struct {
	sync.Mutex
	users              int
	dir, configuration string
	err                error
}

// builtProvider returns a CLI configuration that has the engine use the program. The first caller builds it, and the last one
// to end removes it: call it before t.Parallel.
func builtProvider(t *testing.T) (configuration string) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it runs an engine, so it needs TF_ACC=1")
	}
	builds.Lock()
	defer builds.Unlock()
	if builds.users == 0 {
		builds.dir, builds.configuration, builds.err = build(t.Context())
	}
	builds.users++
	t.Cleanup(func() {
		builds.Lock()
		defer builds.Unlock()
		if builds.users--; builds.users == 0 {
			_ = os.RemoveAll(builds.dir)
		}
	})
	if builds.err != nil {
		t.Fatal(builds.err)
	}
	return builds.configuration
}

func build(ctx context.Context) (dir, configuration string, err error) {
	if dir, err = os.MkdirTemp("", "embed-acceptance-"); err != nil {
		return "", "", err
	}
	configuration, err = engine.BuildProvider(ctx, dir)
	return dir, configuration, err
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

// copy puts files, or what directories hold, into the workbench.
func (w *workbench) copy(sources ...string) {
	w.t.Helper()
	for _, source := range sources {
		err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(source, path)
			if name == "." {
				name = filepath.Base(path)
			}
			to := filepath.Join(w.dir, name)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path == source:
				return nil
			case entry.IsDir():
				return os.MkdirAll(to, 0o700)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(to, text, 0o600)
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *workbench) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
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
		args = append([]string{args[0], "-no-color"}, args[1:]...)
	}
	return w.execute(engineProgram(w.t), args...)
}

func (w *workbench) execute(program string, args ...string) (int, string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir, command.Env = w.dir, w.env
	command.WaitDelay = 20 * time.Second
	out, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s: %v\n%s", args, err, out)
	}
	for _, token := range w.tokensIn(out) {
		w.t.Errorf("%s printed the token %s:\n%s", args, token, out)
	}
	return command.ProcessState.ExitCode(), string(out)
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

// says is must for what has to say these words.
func (w *workbench) says(words string, args ...string) {
	w.t.Helper()
	if out := w.must(args...); !strings.Contains(oneLine(out), words) {
		w.t.Errorf("%s does not say %q:\n%s", args, words, out)
	}
}

var decoration = regexp.MustCompile(`[\s╷│╵]+`)

// oneLine undoes how engines break lines.
func oneLine(text string) string { return decoration.ReplaceAllString(text, " ") }

// fails is run for what has to fail, and to say so in these words.
func (w *workbench) fails(words string, args ...string) {
	w.t.Helper()
	code, out := w.run(args...)
	if code != 1 || !strings.Contains(oneLine(out), words) {
		w.t.Fatalf("%s ended with %d and should have failed with %q:\n%s", args, code, words, out)
	}
}

// has demands that the service has these groups and no others.
func (w *workbench) has(want ...string) {
	w.t.Helper()
	var got []string
	for _, group := range w.service.Groups() {
		got = append(got, group.ID)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("the service has the groups %q, want %q", got, want)
	}
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

// apply plans into a file and applies that.
func (w *workbench) apply(planArgs ...string) {
	w.t.Helper()
	w.must(append([]string{"plan", "-out=planned"}, planArgs...)...)
	w.must("apply", "planned")
}

// plansNothing is the proof that an apply has reached what the configuration says.
func (w *workbench) plansNothing(planArgs ...string) {
	w.t.Helper()
	if code, out := w.run(append([]string{"plan", "-detailed-exitcode"}, planArgs...)...); code != 0 {
		w.t.Fatalf("the plan after the apply ended with %d and should be empty:\n%s", code, out)
	}
}

// tokensIn returns the tokens that are in a text.
func (w *workbench) tokensIn(text []byte) (found []string) {
	w.noteTokens()
	w.mu.Lock()
	defer w.mu.Unlock()
	for token := range w.tokens {
		if bytes.Contains(text, []byte(token)) {
			found = append(found, token)
		}
	}
	return found
}

// filesWithTokens returns which of the files in the workbench hold a token.
func (w *workbench) filesWithTokens() (found []string) {
	w.t.Helper()
	files, err := unpacked(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	for name, content := range files {
		if len(w.tokensIn(content)) > 0 {
			found = append(found, name)
		}
	}
	return found
}

func (w *workbench) holdsNoToken() {
	w.t.Helper()
	if files := w.filesWithTokens(); len(files) > 0 {
		w.t.Errorf("there is a token in %v", files)
	}
}

func (w *workbench) rotated(id string, times int) {
	w.t.Helper()
	if got := w.service.Rotations(id); got != times {
		w.t.Errorf("%q was rotated %d times, and should be %d times", id, got, times)
	}
}

// unpacked is what all files under a directory hold, by their paths. With a plan file comes what is packed in it.
func unpacked(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	return files, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			// What a plan file holds must not stay unseen; planned is that of a workbench, tfplan that of terraform-plugin-testing.
			if name := entry.Name(); name == "planned" || name == "tfplan" {
				return fmt.Errorf("%s: %w", path, err)
			}
			files[path] = content
			return nil
		}
		for _, member := range archive.File {
			reader, err := member.Open()
			if err != nil {
				return err
			}
			text, err := io.ReadAll(reader)
			if err != nil {
				return err
			}
			content = append(content, text...)
		}
		files[path] = content
		return nil
	})
}
