package provider

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/testengine"
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

// newWorkbench starts an emulator. A test calls it, or builtProvider, before t.Parallel.
func newWorkbench(t *testing.T, options emulator.Options) *workbench {
	t.Helper()
	configuration := builtProvider(t)
	service, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	w := &workbench{t: t, service: service, dir: t.TempDir(), tokens: map[string]bool{}}
	w.env = append(testengine.Environment(configuration),
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
	configuration, err = testengine.BuildProvider(ctx, dir)
	return dir, configuration, err
}

// engineProgram is what terraform-plugin-testing would take as well.
func engineProgram(t *testing.T) string {
	t.Helper()
	engine, err := testengine.AtHand()
	if err != nil {
		t.Fatal(err)
	}
	return engine.Path
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
	return w.execute(engineProgram(w.t), append([]string{args[0], "-no-color"}, args[1:]...)...)
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

// fails is run for what has to fail, and to say so in these words.
func (w *workbench) fails(words string, args ...string) {
	w.t.Helper()
	code, out := w.run(args...)
	if said := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(out)), " "); code != 1 || !strings.Contains(said, words) {
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

// filesWithTokens returns which of the files in the workbench hold a token, plan files unpacked.
func (w *workbench) filesWithTokens() (found []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text))); err == nil {
			for _, member := range archive.File {
				reader, err := member.Open()
				if err != nil {
					return err
				}
				unpacked, err := io.ReadAll(reader)
				if err != nil {
					return err
				}
				text = append(text, unpacked...)
			}
		}
		if len(w.tokensIn(text)) > 0 {
			found = append(found, entry.Name())
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

const (
	examplesDir     = "../../examples"
	customersModule = examplesDir + "/modules/customers"
)

// The module's own tests, as its users run them.
func TestAccModuleCustomersTests(t *testing.T) {
	testengine.Needs(t, testengine.Mocks)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	w.copy(customersModule)
	out := w.must("test")
	if !strings.Contains(out, "Success!") || !strings.Contains(out, "mocked.tftest.hcl") || !strings.Contains(out, "service.tftest.hcl") {
		t.Errorf("not every test was run:\n%s", out)
	}
	if w.service.Creations("module-test-a") != 1 || w.service.Rotations("module-test-b") != 2 {
		t.Errorf("the service should have seen one creation and two rotations: %v", w.service.Calls())
	}
	if left := w.service.Groups(); len(left) > 0 {
		t.Errorf("the tests have left %v", left)
	}
}

// The mocked tests need neither a service nor a key.
func TestAccModuleCustomersMockedTests(t *testing.T) {
	testengine.Needs(t, testengine.Mocks)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	w.copy(customersModule)
	w.env = append(w.env, "EMBED_BASE_URL=", "EMBED_API_KEY=")
	w.must("test", "-filter=tests/mocked.tftest.hcl")
	if calls := w.service.Calls(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// A message of the module names who is wrong, and never shows properties.
func TestAccModuleCustomersMessages(t *testing.T) {
	testengine.Needs(t, testengine.OptionalMembers)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	w.copy(customersModule)
	for name, test := range map[string]struct{ customers, words string }{
		"id":         {`{ " acme" = { name = "Acme" }, fine = { name = "Fine" } }`, `Wrong are: [" acme"].`},
		"name":       {`{ acme = { name = "" }, fine = { name = "Fine" } }`, `Without one are: acme.`},
		"no name":    {`{ acme = {} }`, `attribute "name" is required`},
		"properties": {`{ acme = { name = "Acme", properties = "{personal: 1" }, fine = { name = "Fine" } }`, `They are not for: acme.`},
		"mapping":    {`{ acme = { name = "Acme", mapping = { a = null } } }`, `Null is in the mapping of: acme.`},
	} {
		w.write("terraform.tfvars", "customers = "+test.customers+"\n")
		code, out := w.run("plan")
		if said := strings.Join(strings.Fields(strings.ReplaceAll(out, "│", " ")), " "); code != 1 || !strings.Contains(said, test.words) {
			t.Errorf("%s: the plan ended with %d and should have failed with %q:\n%s", name, code, test.words, out)
		}
	}
	if calls := w.service.Calls(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}
