// Command bench measures the CPU time and memory that this provider uses, compared with a bare framework provider
// (floor/). It fails if a target in targets.go is missed. README.md describes what is measured and the results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	engines "github.com/dashembed/terraform-provider-embed/internal/engine"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	work := run
	if os.Getenv(providerVariable) != "" {
		work = standIn
	}
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var b bench
	program := flag.String("engine", "terraform", "`program` to run, terraform or tofu: a path, or a name on PATH")
	provider := flag.String("provider", "", "absolute `path` of this provider's binary")
	floor := flag.String("floor", "", "absolute `path` of the binary of the bare provider, which has the same schema "+
		"but no logic")
	flag.IntVar(&b.groups, "n", 1000, "number of user groups")
	flag.DurationVar(&b.latency, "latency", 20*time.Millisecond, "time that the service takes for each call")
	flag.IntVar(&b.rounds, "rounds", 3, "number of rounds")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q; -help lists all options", flag.Arg(0))
	}
	if b.groups < 1 || b.rounds < 1 {
		return errors.New("-n and -rounds must be above zero; -help lists all options")
	}
	var err error
	if b.engine, err = engines.Find(ctx, *program); err != nil {
		return err
	}
	lives, err := b.measure(ctx, *provider, *floor)
	if err != nil {
		return err
	}
	all := results(lives[0], lives[1], b.groups)
	fmt.Fprintf(os.Stdout, "%d groups, %s for each call, %s, %d CPUs, rounds: %d\n\n%s",
		b.groups, b.latency, b.engine, runtime.NumCPU(), b.rounds, table(all))
	outage, err := b.fail(ctx, *provider)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "\nA plan while the service responds with status 500: %s\n", outage)
	return errors.Join(judge(all, b.groups), outage.judge())
}
