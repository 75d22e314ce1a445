// Testrun runs `go test` and tells what a person wants to know of it: a line per package, the output of what failed, every
// skipped test with its reason, and last the counts.
//
//	testrun [-race] [-no-skips] [-engine PATH] [-- arguments of go test]
//
// With -engine the acceptance tests run too, on that Terraform or OpenTofu.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

func main() {
	engine := flag.String("engine", "", "run the acceptance tests too, on the Terraform or OpenTofu at this `path`")
	race := flag.Bool("race", false, "turn the race detector on; without a C compiler say so and go on")
	noSkips := flag.Bool("no-skips", false, "a skipped test is a failure")
	flag.Parse()
	// An interrupt reaches `go test` as well; wait for it, so that no engine outlives the run.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if err := run(*engine, *race, *noSkips, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

func run(engine string, race, noSkips bool, arguments []string) error {
	command := []string{"test", "-json"}
	unraced := race && !canRace()
	if race && !unraced {
		command = append(command, "-race")
	}
	command = append(command, arguments...)

	environment := os.Environ()
	if engine != "" {
		dir, err := os.MkdirTemp("", "testrun")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		title, settings, err := acceptance(engine, dir)
		if err != nil {
			return err
		}
		fmt.Println("Acceptance tests on", title)
		environment = append(withoutEngineSettings(environment), settings...)
	}
	warnUnraced(os.Stdout, unraced)
	fmt.Println("go", strings.Join(command, " "))

	test := exec.Command("go", command...)
	test.Env = environment
	test.Stderr = os.Stderr
	events, err := test.StdoutPipe()
	if err != nil {
		return err
	}
	if err := test.Start(); err != nil {
		return err
	}
	result := newReport(os.Stdout)
	readError := result.read(events)
	testError := test.Wait()

	warnUnraced(os.Stdout, unraced)
	result.close()
	switch {
	case readError != nil:
		return readError
	case testError != nil:
		return fmt.Errorf("go test: %w", testError)
	case result.passed+result.skipped == 0:
		return errors.New("no test was run")
	case noSkips && result.skipped > 0:
		return errors.New("tests were skipped, and none may be on this engine")
	}
	return nil
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
