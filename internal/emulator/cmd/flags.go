package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const defaultAddr = "127.0.0.1:8642"

// plainKey is what a shell takes as it stands: the key is printed to be evaluated.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9._~+/:@%-]+$`)

type settings struct {
	addr    string
	key     string
	options emulator.Options
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var chosen settings
	options := &chosen.options
	// A long-running service that recorded every call would only grow.
	options.ForgetCalls = true

	flags := flag.NewFlagSet("emulator", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&chosen.addr, "addr", defaultAddr, "loopback `address` to listen on; port 0 picks a free one")
	flags.Func("answers", "name, id and properties in an answer: `stored|echo` (default stored)",
		choice(&options.Answers, map[string]emulator.Answers{"stored": emulator.AnswersStored, "echo": emulator.AnswersEcho}))
	flags.Func("updates", "what an update does to mapping and properties: `replace|merge` (default replace)",
		choice(&options.Updates, map[string]emulator.Updates{"replace": emulator.UpdatesReplace, "merge": emulator.UpdatesMerge}))
	flags.Func("refusals", "how a body is refused: `status|success-zero` (default status)",
		choice(&options.Refusals, map[string]emulator.Refusals{"status": emulator.RefusalsStatus, "success-zero": emulator.RefusalsSuccessZero}))
	flags.BoolVar(&options.NameRequired, "name-required", false, "refuse a GET or a PUT without a name")
	flags.BoolVar(&options.UpsertOnPut, "upsert-on-put", false, "let a PUT create the group that is absent")
	flags.BoolVar(&options.ForgivingDeletes, "forgiving-deletes", false, "let a DELETE of an absent group, or with a stale token, succeed")
	flags.Func("environment", "environment `tag`, or key=tag for another API key; can be given several times, the first is exported; an empty tag is answered as null (default Customer)",
		chosen.addEnvironment)
	flags.Int64Var(&options.FirstTeamID, "first-team-id", 0, "first team id given out, 0 being the usual one")
	flags.DurationVar(&options.Latency, "latency", 0, "how long every call takes at least")
	flags.IntVar(&options.RateLimit, "rate-limit", 0, "calls a second, more are answered 429; 0 is no limit")

	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("there are no arguments, only flags: %q", flags.Arg(0))
		_, _ = fmt.Fprintln(stderr, err)
		return settings{}, err
	}
	if chosen.key == "" {
		chosen.key = emulator.DefaultKey
	}
	return chosen, nil
}

func (s *settings) addEnvironment(value string) error {
	key, tag := emulator.DefaultKey, value
	if i := strings.LastIndex(value, "="); i >= 0 {
		key, tag = value[:i], value[i+1:]
	}
	if !plainKey.MatchString(key) {
		return errors.New("a key is letters, digits and the characters . _ ~ + / : @ % -")
	}
	if !slices.Contains([]string{"", "Customer", "Testing"}, tag) {
		return errors.New("a tag is Customer, Testing or empty")
	}
	if _, taken := s.options.Environments[key]; taken {
		return errors.New("the key has a tag already")
	}
	if s.options.Environments == nil {
		s.options.Environments = map[string]string{}
		s.key = key
	}
	s.options.Environments[key] = tag
	return nil
}

func choice[T any](target *T, values map[string]T) func(string) error {
	return func(name string) error {
		value, ok := values[name]
		if !ok {
			return fmt.Errorf("has to be one of %s", strings.Join(slices.Sorted(maps.Keys(values)), ", "))
		}
		*target = value
		return nil
	}
}
