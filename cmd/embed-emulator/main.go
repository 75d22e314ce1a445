// Command embed-emulator runs the emulated dashboard service in the foreground, on a loopback address, until it is
// interrupted.
//
// It prints two export lines that point the provider at the service, and the keys of the other environments as
// comments. Then it closes standard output, so that a shell can evaluate the lines while the service keeps running:
//
//	eval "$(embed-emulator &)"
//
// It prints a line for each call to standard error.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := emulator.Command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
