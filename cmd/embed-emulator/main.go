// Command embed-emulator runs the emulated dashboard service in the foreground, on a loopback address, until it is interrupted.
//
// It prints two export lines that point the provider at the service, and then closes standard output, so that a shell
// can evaluate the lines while the service keeps running:
//
//	eval "$(embed-emulator &)"
//
// It prints a line for each call to standard error.
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
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout io.WriteCloser, stderr io.Writer) (exitCode int) {
	logger := log.New(stderr, "", 0)
	chosen, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	chosen.Log = func(call emulator.Call) {
		logger.Printf("%s %.1fms", call, float64(time.Since(call.At).Microseconds())/1000)
	}
	service, err := emulator.StartOn(chosen.addr, chosen.Options)
	if err != nil {
		logger.Print(err)
		return 1
	}
	defer service.Close()

	logger.Printf("listening on %s; press Ctrl-C to stop", service.URL())
	_, err = fmt.Fprintf(stdout, "export EMBED_BASE_URL=%s\nexport EMBED_API_KEY=%s\n", service.URL(), chosen.key)
	if err := errors.Join(err, stdout.Close()); err != nil {
		logger.Print("embed-emulator: the exports could not be written: ", err)
		return 1
	}
	<-ctx.Done()
	return 0
}

type settings struct {
	emulator.Options

	addr, key string
}

func parse(args []string, stderr io.Writer) (chosen settings, err error) {
	chosen.key = emulator.DefaultKey
	flags := flag.NewFlagSet("embed-emulator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&chosen.addr, "addr", "127.0.0.1:8642", "loopback `address` to listen on; port 0 means any free port")
	flags.Func("environment", "environment `tag` of the default API key, or key=tag for another key; can be repeated; "+
		"the printed EMBED_API_KEY is the first key; an empty tag is null in responses (default Customer)",
		chosen.addEnvironment)
	choice(flags, &chosen.Answers, "answers",
		"show as name, ID and properties what is stored, or what the request has", "stored", "echo")
	choice(flags, &chosen.Updates, "updates",
		"let an update replace mapping and properties, merge them, or also clear what it omits", "replace", "merge", "clear")
	choice(flags, &chosen.Refusals, "refusals",
		"refuse a body with a 4xx status, or with status 200 and success 0", "status", "success-zero")
	flags.BoolVar(&chosen.NameRequired, "name-required", false, "refuse a GET or a PUT without a name")
	flags.BoolVar(&chosen.NameRequiredToCreate, "name-required-to-create", false, "refuse to create a group without a name")
	flags.IntVar(&chosen.MissingNameStatus, "missing-name-status", 0,
		"`status` of the response to a call without a required name; 0 means 400; from 500 on, an error page")
	flags.BoolVar(&chosen.DataSourceRequired, "data-source-required", false, "refuse a DELETE without data_source_provided_id")
	flags.BoolVar(&chosen.UniqueNames, "unique-names", false, "refuse a name that another group has")
	flags.IntVar(&chosen.MaxIDLength, "max-id-length", 0, "maximum number of `characters` of an ID; 0 means no limit")
	flags.IntVar(&chosen.MaxNameLength, "max-name-length", 0, "maximum number of `characters` of a name; 0 means no limit")
	flags.BoolVar(&chosen.CutNames, "cut-names", false, "cut a name that is too long instead of refusing it")
	flags.BoolVar(&chosen.UpsertOnPut, "upsert-on-put", false, "let a PUT create a group that does not exist")
	flags.BoolVar(&chosen.ForgivingDeletes, "forgiving-deletes", false,
		"let a DELETE succeed if the group does not exist or the token is old")
	flags.IntVar(&chosen.StaleTokenStatus, "stale-token-status", 0,
		"`status` of the response to a call with an old token; 0 means the same as for other refusals")
	flags.BoolVar(&chosen.TrimNames, "trim-names", false, "store names without leading and trailing spaces")
	flags.Func("omit", "`field` to leave out of user_group in all responses; can be repeated", func(field string) error {
		chosen.Omit = append(chosen.Omit, field)
		return nil
	})
	flags.DurationVar(&chosen.TokenLag, "token-lag", 0, "how long a GET shows the previous token after a rotation")
	flags.Int64Var(&chosen.FirstTeamID, "first-team-id", 0, "team `ID` of the first group; 0 means 1001")
	flags.DurationVar(&chosen.Latency, "latency", 0, "minimum time that each call takes")
	flags.IntVar(&chosen.RateLimit, "rate-limit", 0, "maximum `calls` per second; 0 means no limit")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		_, _ = fmt.Fprintln(stderr, err)
		return settings{}, err
	}
	return chosen, nil
}

// plainKey matches the keys that need no quotes in a shell, because a shell evaluates the printed key.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9._~+/:@%-]+$`)

func (s *settings) addEnvironment(value string) error {
	key, tag := emulator.DefaultKey, value
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
		s.key = key
	}
	s.Environments[key] = tag
	return nil
}

// choice adds a flag that sets target to the position of the chosen name. The names are in the order of the constants
// of T, and the first one is the default.
func choice[T ~int](flags *flag.FlagSet, target *T, flagName, usage string, names ...string) {
	usage = fmt.Sprintf("%s: `%s` (default %s)", usage, strings.Join(names, "|"), names[0])
	flags.Func(flagName, usage, func(name string) error {
		i := slices.Index(names, name)
		if i < 0 {
			return errors.New("must be " + strings.Join(names, " or "))
		}
		*target = T(i)
		return nil
	})
}
