package probe

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/dashembed/terraform-provider-embed/internal/settings"
)

// Command is the program embed-probe. It reads the settings of the provider with getenv, and returns the exit code.
// After a signal, it removes its groups. Further signals do
// not keep it from that. SIGPIPE means that the reader of its output is gone.
func Command(args []string, getenv func(string) string, stdout, stderr io.Writer) (exitCode int) {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()
	flags := flag.NewFlagSet("embed-probe", flag.ContinueOnError)
	flags.SetOutput(stderr)
	environment := flags.String("environment", "Testing", "environment that the API key must belong to: "+
		"`Testing|Customer|none`; use none if the service does not show environments")
	err := flags.Parse(args)
	switch known := []string{"Testing", "Customer", NoEnvironment}; {
	case errors.Is(err, flag.ErrHelp):
		return ExitSafe
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && !slices.Contains(known, *environment):
		err = errors.New("-environment must be Testing, Customer or none")
	}
	read, faults := settings.FromEnvironment("probe", getenv)
	if err = errors.Join(err, faults); err != nil {
		_, _ = fmt.Fprintf(stderr, "A flag or an environment variable is missing or wrong:\n%v\n", err)
		return ExitUsage
	}
	report := Run(ctx, Options{
		Client: read.Client, DataSourceProvidedID: read.Groups.DataSourceProvidedID,
		LookupFields: read.Groups.LookupFields, Environment: *environment, Progress: stderr,
	})
	if err := report.Text(stdout); err != nil {
		_, _ = fmt.Fprintln(stderr, "the report could not be written:", err)
		return ExitUnfinished
	}
	return report.ExitCode()
}
