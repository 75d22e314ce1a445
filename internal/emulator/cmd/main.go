// Command cmd runs the emulated dashboard service in the foreground, on a
// loopback address, until it is interrupted.
//
// Standard output gets two export lines that point the provider at the service,
// and is closed then, so that a shell can take them in and leave it running:
//
//	eval "$(emulator &)"
//
// Standard error gets a line for each call.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const (
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout io.WriteCloser, stderr io.Writer) int {
	chosen, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return exitUsage
	}
	chosen.options.Log = func(line string) { _, _ = fmt.Fprintln(stderr, line) }
	service, err := emulator.StartOn(chosen.addr, chosen.options)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, err)
		return exitFailure
	}
	defer service.Close()

	_, err = fmt.Fprintf(stdout, "export EMBED_BASE_URL=%s\nexport EMBED_API_KEY=%s\n", service.URL(), chosen.key)
	if err := errors.Join(err, stdout.Close()); err != nil {
		_, _ = fmt.Fprintln(stderr, "emulator: the exports could not be written:", err)
		return exitFailure
	}
	_, _ = fmt.Fprintf(stderr, "listening on %s, end with an interrupt\n", service.URL())
	<-ctx.Done()
	return 0
}
