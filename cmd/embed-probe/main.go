// Command embed-probe finds out how a dashboard service behaves where its contract leaves that open, and says what
// follows for a Terraform configuration. See the guide "Service behavior".
//
// It reads the same environment variables as the provider, and exits with 0 if nothing is wrong, with 1 if it ended
// early or left a group behind, with 2 after a wrong flag or variable, and with 3 if the table has an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/dashembed/terraform-provider-embed/internal/probe"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
	"github.com/dashembed/terraform-provider-embed/internal/settings"
)

func main() {
	// After the first signal, the probe removes its groups. Further signals do not keep it from that. SIGPIPE means that
	// the reader of its output is gone.
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	// net/http logs data that a service sends after the end of a response. It may contain a token.
	log.SetOutput(io.Discard)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(
	ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer,
) (exitCode int) {
	flags := flag.NewFlagSet("embed-probe", flag.ContinueOnError)
	flags.SetOutput(stderr)
	environment := flags.String("environment", "Testing", "environment that the API key must belong to: "+
		"`Testing|Customer|none`; use none if the service does not show environments")
	err := flags.Parse(args)
	switch known := []string{"Testing", "Customer", probe.NoEnvironment}; {
	case errors.Is(err, flag.ErrHelp):
		return probe.ExitSafe
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && !slices.Contains(known, *environment):
		err = errors.New("-environment must be Testing, Customer or none")
	}
	read, faults := settings.FromEnvironment("probe", getenv)
	if err = errors.Join(err, faults); err != nil {
		_, _ = fmt.Fprintf(stderr, "A flag or an environment variable is missing or wrong:\n%v\n", err)
		return probe.ExitUsage
	}
	report := probe.Run(ctx, probe.Options{
		Client: read.Client, DataSourceProvidedID: read.Groups.DataSourceProvidedID,
		LookupFields: read.Groups.LookupFields, Environment: *environment, Advice: provider.Advice, Progress: stderr,
	})
	if err := report.Text(stdout); err != nil {
		_, _ = fmt.Fprintln(stderr, "the report could not be written:", err)
		return probe.ExitUnfinished
	}
	return report.ExitCode()
}
