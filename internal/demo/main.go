// Command demo shows the provider's whole work, step by step, against the emulator of the service: it runs a real
// engine in a directory of its own and checks after each step what reached the service and what the state says.
// `make demo` builds what it needs and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// example is the configuration that is shown. The steps are written for its customers.
const example = "examples/demo"

func main() { os.Exit(start()) }

func start() int {
	var what options
	flag.StringVar(&what.engine, "engine", "terraform", "the terraform or tofu to run: a path, or a name on PATH")
	flag.StringVar(&what.provider, "provider", filepath.Join("bin", "terraform-provider-embed"), "path of the built provider")
	flag.BoolVar(&what.full, "full", false, "show all of the engine's output, also what it says alike of each of a dozen groups")
	flag.Parse()

	// Whatever ends the demo early, a reader that has gone (SIGPIPE) included, ends it in good order: the engine finishes
	// what it is at, and the directory is removed.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()

	err := show(ctx, what, os.Stdout, wantsColour(os.Stdout))
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nStopped. Nothing is left running, and nothing is left on disk.")
		return 130
	default:
		fmt.Fprintln(os.Stderr, "\ndemo:", err)
		return 1
	}
}

type options struct {
	engine, provider string
	full             bool
}

var errNotAsItShouldBe = errors.New("something is not as it should be, see FAILED above")

// show runs the demo. However it ends, it leaves nothing running and no files.
func show(ctx context.Context, what options, out io.Writer, colour bool) (err error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "embed-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	service, err := emulator.Start(emulator.Options{})
	if err != nil {
		return err
	}
	defer service.Close()

	room := workspace{dir: dir}
	if err := room.copyExample(filepath.FromSlash(example)); err != nil {
		return err
	}
	program, err := newProgram(ctx, what.engine, room, colour)
	if err != nil {
		return err
	}
	version, err := room.offerProvider(ctx, what.provider, program.Platform)
	if err != nil {
		return err
	}
	program.env = append(program.env, "EMBED_BASE_URL="+service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)

	d := &demo{
		screen:    &screen{out: out, colour: colour},
		program:   program,
		service:   service,
		customers: room.customers(),
		full:      what.full,
		secrets:   map[string]bool{emulator.DefaultKey: true},
	}
	d.screen.say("%s with the provider %s, in a directory that is removed at the end.", program, version)
	d.screen.say("The service is the emulator, in this process: EMBED_BASE_URL=%s, EMBED_API_KEY=(its key)", service.URL())
	if err := d.showSteps(ctx, steps()); err != nil {
		return err
	}
	d.screen.table(summary(service.Calls()))
	if !d.failed {
		d.screen.say("\nOne of the groups created is what the look for %s made, and removed at once.", removed)
	}
	d.screen.paragraph()
	d.checkSecrets()
	if d.failed {
		return errNotAsItShouldBe
	}
	d.screen.say("\nEverything was as it should be, in %.0f seconds.", time.Since(began).Seconds())
	if !d.full {
		d.screen.say("What the engine says alike of one group after another was left out; -full shows it.")
	}
	d.screen.say("The configuration was %s. To play with it by hand: make install, make emulator.", example)
	return nil
}

// wantsColour takes any character device for a terminal.
func wantsColour(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
