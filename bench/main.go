// Command bench measures the CPU time and memory that this provider uses, compared with a bare framework provider
// (floor/), and what a run makes of an outage. It fails if a target in targets.go is missed. README.md describes what
// is measured, and has results.
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

	engines "github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
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
	floor := flag.String("floor", "", "absolute `path` of the binary of the bare provider")
	flag.IntVar(&b.groups, "n", 1000, "number of user groups")
	flag.IntVar(&b.missing, "outage", 400, "number of user groups in the outage")
	flag.DurationVar(&b.latency, "latency", 20*time.Millisecond, "time that the service takes for each call")
	flag.IntVar(&b.rounds, "rounds", 3, "number of rounds")
	flag.Parse()
	if flag.NArg() > 0 || b.groups < 1 || b.rounds < 1 {
		return errors.New("-n and -rounds must be above zero, and there are no arguments; -help lists all options")
	}
	var err error
	if b.engine, err = engines.Find(ctx, *program); err != nil {
		return err
	}
	all, err := b.measure(ctx, *provider, *floor)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "%d groups, %s for each call, %s, %d CPUs, rounds: %d\n\n%s\n",
		b.groups, b.latency, b.engine, runtime.NumCPU(), b.rounds, table(all))
	outage, err := b.fail(ctx, *provider)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "A plan for %d groups that are missing, while every response is lost: %s\n", b.missing, outage)
	return errors.Join(judge(all, b.groups), outage.judge())
}
