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
	all := flags.Bool("all", false, "also print the answers that ask for nothing")
	flags.Usage = func() {
		_, _ = io.WriteString(stderr, usage())
		flags.PrintDefaults()
	}
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
	if err := report.Text(stdout, *all); err != nil {
		_, _ = fmt.Fprintln(stderr, "the report could not be written:", err)
		return ExitUnfinished
	}
	return report.ExitCode()
}

// ignored are the arguments of the provider that a probe has no use for.
var ignored = []string{"environment", "max_deletions"}

// usage returns what -help prints before the flags.
func usage() string {
	text := "embed-probe asks a service how it behaves, and says what that means for the\n" +
		"configuration of the provider. It creates groups of its own, whose IDs begin with\n" +
		Prefix + ", and deletes them. That takes about a minute. Use a key\n" +
		"for Testing that can create, update and delete groups, and rotate tokens.\n\n" +
		"It takes these environment variables of the provider:\n\n"
	for _, name := range settings.Names() {
		if !slices.Contains(ignored, name) {
			text += "  " + settings.Variable(name) + "\n"
		}
	}
	return text + "\nEMBED_ENVIRONMENT is ignored: only -environment says where groups may be created.\n\nFlags:\n\n"
}
