// Command demo demonstrates the provider step by step. It runs demo.txtar, a script like those in internal/endtoend,
// with a real engine and the emulator of the service, and prints what each step shows and how it is proven. `make
// demo` builds everything that the demo needs and runs it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/endtoend"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// The script runs in a copy of the example. Its steps refer to the customers in the example.
const (
	script  = "internal/demo/demo.txtar"
	example = "examples/demo"
)

func main() { os.Exit(start()) }

func start() int {
	program := flag.String("engine", "terraform", "`program` to run, terraform or tofu: a path, or a name on PATH")
	provider := flag.String("provider", "bin/terraform-provider-embed", "`path` of the provider's binary")
	flag.Parse()

	// After these signals, the demo cleans up. SIGPIPE means that the reader of its output is gone.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()
	switch err := demonstrate(ctx, *program, *provider); {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nStopped and cleaned up.")
		return 130
	default:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		return 1
	}
}

func demonstrate(ctx context.Context, program, provider string) error {
	began := time.Now()
	provider, err := filepath.Abs(provider)
	if err != nil {
		return err
	}
	found, err := engine.Find(ctx, program)
	if err != nil {
		return err
	}
	fmt.Printf("Running %s against an emulator of the service, in a temporary directory.\n", found)
	s := &stage{out: os.Stdout}
	if err := s.perform(script, example, &endtoend.Runner{
		Context: ctx, Engine: found, Provider: provider, Configuration: os.DevNull,
	}); err != nil {
		return err
	}
	fmt.Printf("\nAll %d steps did what their titles say, in %.0f seconds. No key and no token was printed.\n",
		s.steps, time.Since(began).Seconds())
	fmt.Println("The configuration is in examples/demo.")
	return nil
}
