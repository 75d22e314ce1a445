// Testengines runs the acceptance tests on each of several engines, one after the other, and prints a table of what passed and
// what was skipped and why.
//
//	testengines PATH… [-- arguments of go test]
//
// Without arguments of their own it runs all acceptance tests.
//
// It fails where a test fails, and where one is skipped that could have run: a skip is expected only when its message names a
// minimal version that the engine really is below. Where there are several Terraforms, none may skip on the newest of them.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/dashembed/terraform-provider-embed/tools/testrun/gotest"
)

// acceptance are the default arguments.
var acceptance = []string{"-count=1", "-p=2", "-timeout=30m", "-run=^TestAcc[A-Z_]", "./..."}

func main() {
	// An interrupt reaches `go test` as well; wait for it, so that what its tests leave is removed.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	engines, arguments := os.Args[1:], acceptance
	if at := slices.Index(engines, "--"); at >= 0 {
		engines, arguments = engines[:at], engines[at+1:]
	}
	if err := run(engines, arguments, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testengines:", err)
		os.Exit(1)
	}
}

func run(programs, arguments []string, to io.Writer) error {
	if len(programs) == 0 {
		return errors.New("no engine was given, so none was tested: name the paths of some")
	}
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	engines := make([]gotest.Engine, len(programs))
	for i, program := range programs {
		own := filepath.Join(dir, strconv.Itoa(i))
		err := os.Mkdir(own, 0o700)
		if err == nil {
			engines[i], err = gotest.FindEngine(program, own)
		}
		if err != nil {
			return err
		}
	}

	newest := newestTerraform(engines)
	var all table
	var problems []error
	for _, engine := range engines {
		began := time.Now()
		report, err := gotest.Run(gotest.Options{Engine: &engine, Arguments: arguments, To: to})
		fmt.Fprintln(to)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", engine, err))
		}
		if report == nil {
			continue
		}
		row := newRow(engine.Engine, report, engine.Path == newest)
		row.took = time.Since(began)
		for _, one := range row.unexpected {
			problems = append(problems, fmt.Errorf("%s: %s", engine, one))
		}
		all = append(all, row)
	}
	fmt.Fprint(to, all)
	if len(problems) > 0 {
		fmt.Fprintln(to)
	}
	return errors.Join(problems...)
}
