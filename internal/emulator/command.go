package emulator

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Command is the program embed-emulator. It runs an emulator until the context ends, and returns the exit code. It
// closes stdout once it has printed what a shell evaluates, and prints a line for each call to stderr.
func Command(ctx context.Context, args []string, stdout io.WriteCloser, stderr io.Writer) (exitCode int) {
	logger := log.New(stderr, "", 0)
	chosen, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	chosen.Log = func(call Call) {
		logger.Printf("%s %.1fms", call, float64(time.Since(call.At).Microseconds())/1000)
	}
	service, err := StartOn(chosen.addr, chosen.Options)
	if err != nil {
		logger.Print(err)
		return 1
	}
	defer service.Close()

	logger.Printf("listening on %s; press Ctrl-C to stop", service.URL())
	_, err = fmt.Fprintf(stdout, "export EMBED_BASE_URL=%s\n%s", service.URL(), chosen.exports())
	if err := errors.Join(err, stdout.Close()); err != nil {
		logger.Print("embed-emulator: the exports could not be written: ", err)
		return 1
	}
	<-ctx.Done()
	return 0
}

type commandLine struct {
	Options

	addr string
	keys []string // of Environments, in the order in which they are printed
}

// exports returns lines for a shell: one that exports the first key, and the same for each other key as a comment.
func (s *commandLine) exports() (lines string) {
	for i, key := range s.keys {
		line := "export EMBED_API_KEY=" + key + "\n"
		opens := cmp.Or(s.Environments[key], "an environment without a tag")
		if i == 0 {
			lines += line + "# This key opens " + opens + ".\n"
		} else {
			lines += "# To open " + opens + " instead:\n# " + line
		}
	}
	return lines
}

func parse(args []string, stderr io.Writer) (chosen commandLine, err error) {
	o := &chosen.Options
	flags := flag.NewFlagSet("embed-emulator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&chosen.addr, "addr", "127.0.0.1:8642", "loopback `address` to listen on; port 0 means any free port")
	flags.Func("environment", "environment `tag` of the default API key, or key=tag for another key; can be repeated; "+
		"an empty tag is null in responses (without this flag: Customer, and "+TestingKey+"=Testing)",
		chosen.addEnvironment)
	flags.DurationVar(&o.Latency, "latency", 0, "minimum time that each call takes; the work is done at once")
	for _, habit := range o.habits() {
		habit.addTo(flags)
	}
	if err := flags.Parse(args); err != nil {
		return commandLine{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		_, _ = fmt.Fprintln(stderr, err)
		return commandLine{}, err
	}
	if chosen.Environments == nil {
		_ = chosen.addEnvironment("Customer")
		_ = chosen.addEnvironment(TestingKey + "=Testing")
	}
	return chosen, nil
}

// plainKey matches the keys that need no quotes in a shell, because a shell evaluates the printed key.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9._~+/:@%-]+$`)

func (s *commandLine) addEnvironment(value string) error {
	key, tag := DefaultKey, value
	if i := strings.LastIndex(value, "="); i >= 0 {
		key, tag = value[:i], value[i+1:]
	}
	if !plainKey.MatchString(key) {
		return errors.New("a key may only contain letters, digits and . _ ~ + / : @ % -")
	}
	if !slices.Contains([]string{"", "Customer", "Testing"}, tag) {
		return errors.New("a tag must be Customer, Testing or empty")
	}
	if s.Environments == nil {
		s.Environments = map[string]string{}
	}
	if !slices.Contains(s.keys, key) {
		s.keys = append(s.keys, key)
	}
	s.Environments[key] = tag
	return nil
}
