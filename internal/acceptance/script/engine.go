package script

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
)

// running is a command of the engine that was started.
type running struct {
	*exec.Cmd
	fails    bool
	out, err bytes.Buffer
	unread   atomic.Bool // nobody reads the output any more
	ended    chan error
}

// Write records the output, as long as somebody reads it. After that, the engine's pipe is broken.
func (r *running) Write(text []byte) (int, error) {
	if r.unread.Load() {
		return 0, io.ErrClosedPipe
	}
	return r.out.Write(text)
}

// terraform runs Terraform or OpenTofu, in the background if the last argument is "&".
func (f *fixture) terraform(neg bool, args []string) {
	if last := len(args) - 1; args[last] == "&" {
		f.background = f.start(neg, args[:last])
		return
	}
	f.end(f.start(neg, args))
}

func (f *fixture) start(fails bool, args []string) *running {
	var environment []string
	for _, name := range f.settings {
		environment = append(environment, name+"="+f.Getenv(name))
	}
	// All commands are faster, and it is far below the wait of an hour that a script asks for.
	ctx, cancel := context.WithTimeout(f.Context, 5*time.Minute)
	command := f.Engine.Command(ctx, f.MkAbs("."), environment, args...)
	r := &running{Cmd: command, fails: fails, ended: make(chan error, 1)}
	r.Stdout, r.Stderr = r, &r.err
	f.Check(r.Start())
	go func() {
		defer cancel()
		r.ended <- r.Wait()
	}()
	return r
}

// await waits for the engine in the background. Afterwards, stdout and stderr contain its output.
func (f *fixture) await(bool, []string) {
	r := f.background
	f.background = nil
	f.end(r)
}

func (f *fixture) end(r *running) {
	if code := f.ended(r); (code != 0) != r.fails {
		f.Fatalf("%s ended with exit code %d", strings.Join(r.Args, " "), code)
	}
}

func (f *fixture) ended(r *running) int {
	code, err := engine.ExitCode(r.Cmd, <-r.ended)
	f.said = r.out.String() + r.err.String()
	f.printed += f.said
	_, _ = io.Copy(f.Stdout(), &r.out)
	_, _ = io.Copy(f.Stderr(), &r.err)
	f.Check(err)
	if sign := crash.FindString(f.said); sign != "" {
		f.Fatalf("a crash, or an apply that contradicts its plan: %s", sign)
	}
	return code
}

var crash = regexp.MustCompile(
	`panic:|Plugin did not respond|[Cc]rashed|inconsistent (result|final plan)|goroutine 1 \[`)

// retry runs the engine until it succeeds, up to five times. There must be errors, and each must be about a group for
// which a fault struck a call in the same run.
func (f *fixture) retry(_ bool, args []string) {
	for range 5 {
		earlier := len(f.service.Calls())
		if f.ended(f.start(false, args)) == 0 {
			return
		}
		struck := map[string]bool{}
		for _, call := range f.service.Calls()[earlier:] {
			struck[call.ID] = struck[call.ID] || call.Fault != ""
		}
		problems := title.FindAllStringSubmatch(f.said, -1)
		other := slices.IndexFunc(problems, func(title []string) bool { return !struck[title[1]] })
		if other >= 0 || problems == nil {
			f.Fatalf("a run failed without an error, or no fault struck the group of error %d", other)
		}
	}
	f.Fatalf("none of five runs succeeded")
}

// title matches the title of an error, and the ID in it.
var title = regexp.MustCompile(`(?m)^Error: (?:[^"\n]*"([^"\n]+)")?.*$`)

// signal sends a signal to the background engine. Like Ctrl-C in a terminal, INT also reaches its provider. TERM
// reaches only the engine, as when a CI system cancels a job.
func (f *fixture) signal(_ bool, args []string) {
	if args[0] == "TERM" {
		f.Check(f.background.Process.Signal(syscall.SIGTERM))
		return
	}
	f.Check(engine.Interrupt(f.background.Cmd))
}

// dies ends the background engine in a way that it cannot handle, and waits for its provider. PIPE is a reader of its
// output that goes away, as in "terraform plan | head". HUP reaches engine and provider, and TERMINAL is both, as when
// a terminal is closed.
func (f *fixture) dies(_ bool, args []string) {
	r := f.background
	f.background = nil
	r.unread.Store(args[0] != "HUP")
	if args[0] != "PIPE" {
		f.Check(engine.HangUp(r.Cmd))
	}
	var exit *exec.ExitError
	if err := <-r.ended; !errors.As(err, &exit) || exit.Exited() {
		f.Fatalf("the engine has ended by itself: %v\n%s%s", err, &r.out, &r.err)
	}
	ended := engine.AwaitGroup(r.Cmd, 20*time.Second)
	if _, _ = engine.ExitCode(r.Cmd, nil); !ended {
		f.Fatalf("the provider has not ended")
	}
}
