// Command demo demonstrates the provider step by step. It runs the script demo.txtar with a real engine and the
// emulator of the service, and prints what each step shows and how it is proven. `make demo` runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/acceptance/script"
)

// The script runs in a copy of the example. Its steps refer to the customers in the example.
const (
	scriptFile = "internal/acceptance/testdata/scripts/demo.txtar"
	example    = "examples/demo"
)

func main() {
	program := flag.String("engine", "terraform", "`program` to run, terraform or tofu: a path, or a name on PATH")
	flag.Parse()
	// After these signals, the demo cleans up. SIGPIPE means that the reader of its output is gone.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	err := demonstrate(ctx, *program)
	if ctx.Err() != nil {
		err = errors.New("stopped and cleaned up")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		os.Exit(1)
	}
}

// demonstrate always leaves no processes and no files behind.
func demonstrate(ctx context.Context, program string) error {
	found, err := engine.Find(ctx, program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "embed-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	configuration, err := engine.BuildProvider(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Printf("Running %s against an emulator of the service, in a temporary directory.\n", found)
	began := time.Now() // after the build, which can take minutes
	stage := &script.Stage{Out: os.Stdout}
	runner := &script.Runner{Context: ctx, Engine: found, Configuration: configuration}
	if err := stage.Perform(scriptFile, example, dir, runner); err != nil {
		return err
	}
	fmt.Printf("\nAll %d steps did what their titles say, in %.0f seconds. No key and no token was printed.\n"+
		"The configuration is in examples/demo.\n", stage.Steps, time.Since(began).Seconds())
	return nil
}
