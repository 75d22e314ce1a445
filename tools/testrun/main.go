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
	"os/signal"

	"github.com/dashembed/terraform-provider-embed/tools/testrun/gotest"
)

func main() {
	engine := flag.String("engine", "", "run the acceptance tests too, on the Terraform or OpenTofu at this `path`")
	race := flag.Bool("race", false, "turn the race detector on; without a C compiler say so and go on")
	noSkips := flag.Bool("no-skips", false, "a skipped test is a failure")
	flag.Parse()
	// An interrupt reaches `go test` as well; wait for it, so that what its tests leave is removed.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	if err := run(*engine, *race, *noSkips, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

func run(program string, race, noSkips bool, arguments []string, to io.Writer) error {
	options := gotest.Options{Race: race, Arguments: arguments, To: to}
	if program != "" {
		dir, err := os.MkdirTemp("", "run")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		engine, err := gotest.FindEngine(program, dir)
		if err != nil {
			return err
		}
		options.Engine = &engine
	}
	report, err := gotest.Run(options)
	if err == nil && noSkips && len(report.Skips) > 0 {
		return errors.New("tests were skipped, and none may be on this engine")
	}
	return err
}
