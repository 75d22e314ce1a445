package script

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Stage prints what a script shows. It is the testscript.T of the script, in place of a testing.T.
type Stage struct {
	Out    io.Writer
	Steps  int // how many have begun
	proofs []string
	log    string
	failed bool
}

// ErrFailed is the error of Perform if a step fails.
var ErrFailed = errors.New("this step does not show what it claims")

// Perform runs the script in the file in the directory, in a copy of the configuration in the folder. Temporary files
// of this process go to the directory from then on.
func (s *Stage) Perform(file, folder, dir string, runner *Runner) error {
	// Temporary files of engines and providers go with dir.
	if err := os.Setenv("TMPDIR", dir); err != nil {
		return err
	}
	params := runner.Params()
	params.Files, params.WorkdirRoot = []string{file}, dir
	prepare := params.Setup
	params.Setup = func(env *testscript.Env) error {
		failed := prepare(env)
		for _, name := range []string{"main.tf", "variables.tf", "outputs.tf", "customers.yaml"} {
			text, err := os.ReadFile(filepath.Join(folder, name))
			failed = errors.Join(failed, err, os.WriteFile(filepath.Join(env.WorkDir, name), text, 0o600))
		}
		return failed
	}
	for name, do := range params.Cmds {
		params.Cmds[name] = s.shown(name, do)
	}
	params.Cmds["step"], params.Cmds["edit"], params.Cmds["says"], params.Cmds["excerpt"] = s.step, edit, s.says, s.excerpt
	testscript.RunT(s, params)
	s.prove()
	switch {
	case !s.failed:
		return nil
	case runner.Context.Err() == nil:
		s.print("\n%s", s.log)
	}
	return ErrFailed
}

// print prints a line. It ignores errors, because SIGPIPE ends the demo if the reader of its output is gone.
func (s *Stage) print(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format+"\n", args...) }

// shown returns a command that also records what calls and agrees have proved if they succeed.
func (s *Stage) shown(
	name string, do func(*testscript.TestScript, bool, []string),
) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		do(ts, neg, args)
		switch name {
		case "calls":
			s.holds("the service got " + args[len(args)-1])
		case "agrees":
			s.holds("state and service agree")
		}
	}
}

func (s *Stage) holds(proof string) { s.proofs = append(s.proofs, proof) }

// prove prints what the current step has proved.
func (s *Stage) prove() {
	if len(s.proofs) > 0 {
		s.print("    ✓ %s", strings.Join(s.proofs, "; "))
	}
	s.proofs = nil
}

// step prints what the previous step has proved, and the title of the next one.
func (s *Stage) step(_ *testscript.TestScript, _ bool, args []string) {
	s.prove()
	s.Steps++
	s.print("%2d. %s", s.Steps, strings.Join(args, " "))
}

// says fails the script unless the previous command has printed the text, perhaps on several lines. It has no negation.
func (s *Stage) says(ts *testscript.TestScript, neg bool, args []string) {
	said := strings.Join(strings.Fields(ts.ReadFile("stdout")+ts.ReadFile("stderr")), " ")
	if neg || !strings.Contains(said, args[0]) {
		ts.Fatalf("the output does not say %s", args[0])
	}
	s.holds("“" + args[0] + "”")
}

// edit replaces a text that must occur exactly once in the file. In both texts, \n stands for a line break.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	text, lines := ts.ReadFile(args[0]), strings.NewReplacer(`\n`, "\n")
	before, after := lines.Replace(args[1]), lines.Replace(args[2])
	if n := strings.Count(text, before); n != 1 {
		ts.Fatalf("%s contains %q %d times, not once", args[0], before, n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, before, after, 1)), 0o600))
}

// excerpt prints a part of the plan that the previous command has printed: the resource whose address contains the
// text.
func (s *Stage) excerpt(ts *testscript.TestScript, _ bool, args []string) {
	resource := regexp.MustCompile(`(?m)^  # \S*` + regexp.QuoteMeta(args[0]) + `(.|\n)*?^    }$`)
	found := resource.FindString(ts.ReadFile("stdout"))
	if found == "" {
		ts.Fatalf("the plan contains no resource %s", args[0])
	}
	s.print("  %s", strings.ReplaceAll(found, "\n", "\n  "))
}

// The methods below implement testscript.T.

// Run runs a script, until it ends or calls FailNow.
func (s *Stage) Run(_ string, run func(testscript.T)) {
	defer func() {
		if ended := recover(); ended != nil && ended != any(ErrFailed) {
			panic(ended)
		}
	}()
	run(s)
}

// Fatal prints a message and calls FailNow.
func (s *Stage) Fatal(args ...any) {
	s.print("%s", fmt.Sprintln(args...))
	s.FailNow()
}

// FailNow records that the script failed, and ends it.
func (s *Stage) FailNow() { s.failed = true; panic(ErrFailed) }

// Log keeps the log of the script, which testscript passes when the script ends.
func (s *Stage) Log(args ...any) { s.log = fmt.Sprint(args...) }

func (s *Stage) Skip(args ...any) { s.Fatal(args...) } // The demo must not skip anything.
func (s *Stage) Parallel()        {}                   // There is only one script.
func (s *Stage) Verbose() bool    { return false }     // The log omits the details of steps that succeeded.
