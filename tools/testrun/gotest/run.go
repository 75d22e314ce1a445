package gotest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Options of a run.
type Options struct {
	// Engine is where the acceptance tests run; nil leaves them to skip themselves.
	Engine *Engine
	Race   bool
	// Arguments are those of `go test`.
	Arguments []string
	To        io.Writer
}

// Run runs `go test -json`. The error says that a test has failed, or that none was run.
func Run(options Options) (*Report, error) {
	command := []string{"test", "-json"}
	unraced := options.Race && !canRace()
	if options.Race && !unraced {
		command = append(command, "-race")
	}
	command = append(command, options.Arguments...)

	environment := environment()
	if options.Engine != nil {
		fmt.Fprintf(options.To, "Acceptance tests on %s (%s)\n", options.Engine, options.Engine.Path)
		environment = append(environment, options.Engine.settings...)
	}
	warnUnraced(options.To, unraced)
	fmt.Fprintln(options.To, "go", strings.Join(command, " "))

	test := exec.Command("go", command...)
	test.Env = environment
	test.Stderr = os.Stderr
	events, err := test.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := test.Start(); err != nil {
		return nil, err
	}
	report := NewReport(options.To)
	readError := report.Read(events)
	_, _ = io.Copy(io.Discard, events) // Or what cannot be read would keep go test from ending.
	testError := test.Wait()

	warnUnraced(options.To, unraced)
	report.Close()
	switch {
	case readError != nil:
		return report, readError
	case testError != nil:
		return report, fmt.Errorf("go test: %w", testError)
	case report.Passed+len(report.Skips) == 0:
		return report, errors.New("no test was run")
	}
	return report, nil
}

// canRace tells whether the race detector can be had: it needs cgo, and cgo a C compiler. Go itself answers 0 where there is
// none.
func canRace() bool {
	enabled, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	return err == nil && strings.TrimSpace(string(enabled)) == "1"
}

func warnUnraced(to io.Writer, unraced bool) {
	if unraced {
		fmt.Fprint(to, "\n*** The race detector is OFF: it needs cgo and a C compiler (gcc or clang), and there is none. ***\n\n")
	}
}
