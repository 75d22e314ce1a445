package emulator

import (
	"cmp"
	"context"
	"encoding/json"
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
	choice(flags, &o.Answers, "answers", "show what is stored, or what the request has", "stored", "echo")
	choice(flags, &o.Updates, "updates", "let an update replace what it has, merge it, or also clear the rest",
		"replace", "merge", "clear")
	choice(flags, &o.Refusals, "refusals", "refuse with this kind of response",
		"status", "success-zero", "detail", "fields", "list", "located", "text", "page")
	choice(flags, &o.Deletions, "deletions", "answer a DELETE with this", "success", "no-content", "empty", "object")
	choice(flags, &o.DeletedIDs, "deleted-ids", "create a group for a deleted ID, refuse it, or bring the group back",
		"free", "conflict", "gone", "revived", "revived-as-new")
	choice(flags, &o.Tags, "tags", "show the tag of the environment as this", "text", "object", "list")
	each(flags, &o.Required, "required", "refuse a GET without this `field`, such as name; can be repeated")
	each(flags, &o.RequiredToUpdate, "required-to-update", "refuse a PUT without this `field`; can be repeated")
	each(flags, &o.RequiredToCreate, "required-to-create", "refuse to create a group without this `field`")
	flags.IntVar(&o.MissingStatus, "missing-status", 0, "refuse a call without a field with this `status`, such as 500")
	flags.BoolVar(&o.DataSourceRequired, "data-source-required", false, "refuse a DELETE without data_source_provided_id")
	flags.BoolVar(&o.UniqueNames, "unique-names", false, "refuse a name that another group has")
	flags.IntVar(&o.MaxIDLength, "max-id-length", 0, "refuse an ID with more `characters`; 0 means no limit")
	flags.IntVar(&o.MaxNameLength, "max-name-length", 0, "refuse a name with more `characters`; 0 means no limit")
	flags.BoolVar(&o.CutNames, "cut-names", false, "cut a name that is too long instead of refusing it")
	flags.Func("id-pattern", "refuse an ID that does not match this `expression`, such as ^[0-9]+$", chosen.setIDPattern)
	flags.IntVar(&o.MaxGroups, "max-groups", 0, "refuse with 402 to create more `groups` than this; 0 means no limit")
	flags.BoolVar(&o.CountsChangedRows, "counts-changed-rows", false,
		"refuse an update that changes nothing with 404, as MySQL makes programs do")
	flags.IntVar(&o.StaleTokenStatus, "stale-token-status", 0, "refuse an old token with this `status`, such as 401")
	flags.IntVar(&o.BusyStatus, "busy-status", 0, "refuse deletions as busy with this `status`, such as 409")
	flags.IntVar(&o.BusyDeletions, "busy-deletions", 0, "how many `times` the deletion of a group is refused as busy")
	flags.DurationVar(&o.BusyTime, "busy-time", 0, "how long after its creation a group is busy")
	flags.IntVar(&o.BusyRetryAfter, "busy-retry-after", 0, "Retry-After in `seconds` of a deletion refused as busy")
	flags.IntVar(&o.RateLimit, "rate-limit", 0, "maximum `calls` per second; 0 means no limit")
	flags.IntVar(&o.RateLimitStatus, "rate-limit-status", 0, "`status` of a call above the limit; 0 means 429")
	flags.BoolVar(&o.RepeatsRequests, "repeats-requests", false, "repeat the request and the current token in refusals")

	flags.BoolVar(&o.UpsertOnPut, "upsert-on-put", false, "let a PUT create a group that does not exist")
	flags.BoolVar(&o.GetOverwrites, "get-overwrites", false, "let a GET replace what an existing group has")
	flags.BoolVar(&o.ForgivingDeletes, "forgiving-deletes", false, "let a DELETE with an old token or of no group succeed")
	flags.BoolVar(&o.ForgivingRotations, "forgiving-rotations", false, "answer an old token with one of no group")
	flags.BoolVar(&o.ReuseTeamIDs, "reuse-team-ids", false, "give a new group the number after the highest in use")
	flags.Int64Var(&o.FirstTeamID, "first-team-id", 0, "team `ID` of the first group; 0 means 1001")
	flags.BoolVar(&o.TextTeamIDs, "text-team-ids", false, "show each team ID as a text that is not a number")
	flags.BoolVar(&o.OneTeamID, "one-team-id", false, "show the same number for all groups")
	flags.BoolVar(&o.SameTeamIDs, "same-team-ids", false, "count in each environment by itself")
	flags.Func("work-times", "`method=duration`, such as POST=40s, that a call takes, which is checked at the start and "+
		"carried out at the end, even if the caller gives up; can be repeated", chosen.addWorkTime)
	flags.DurationVar(&o.GatewayTimeout, "gateway-timeout", 0, "respond with 504 after this time, while the work goes on")
	flags.DurationVar(&o.DeletionDelay, "deletion-delay", 0, "how long after its response a deletion takes effect")
	flags.DurationVar(&o.RotationDelay, "rotation-delay", 0, "how long after its response a rotation takes effect")
	flags.BoolVar(&o.StaleRotations, "stale-rotations", false, "respond to a rotation with the token that was sent")
	flags.BoolVar(&o.StaleUpdates, "stale-updates", false, "respond to an update with the group as it was before")
	flags.BoolVar(&o.RenewingUpdates, "renewing-updates", false, "give a group another token with each update")
	flags.BoolVar(&o.DerivedTokens, "derived-tokens", false, "derive tokens from the ID and the number of rotations")
	flags.DurationVar(&o.ReplicaLag, "replica-lag", 0, "how late lookups see what other calls have changed")
	flags.DurationVar(&o.TokenLag, "token-lag", 0, "how long a GET shows the previous token after a rotation")
	flags.DurationVar(&o.Latency, "latency", 0, "minimum time that each call takes; the work is done at once")

	flags.StringVar(&o.DefaultName, "default-name", "", "create a group without a name with this `name`; {id} is its ID")
	flags.Func("default-properties", "create a group without properties with this `JSON`", jsonText(&o.DefaultProperties))
	flags.BoolVar(&o.LateDefaults, "late-defaults", false, "show the two only after the response to the creation")
	flags.BoolVar(&o.EmptyIsAbsent, "empty-is-absent", false, "ignore an empty name, mapping or properties")
	flags.BoolVar(&o.TrimNames, "trim-names", false, "store names without leading and trailing spaces")
	flags.BoolVar(&o.LowerNames, "lower-names", false, "store names in lower case")
	flags.BoolVar(&o.EscapeNames, "escape-names", false, "store names with HTML entities")
	flags.BoolVar(&o.DecomposeNames, "decompose-names", false, "store names in the Unicode form NFD")
	flags.BoolVar(&o.UnixLineEnds, "unix-line-ends", false, "store LF in place of CRLF in names")
	flags.BoolVar(&o.Doubles, "doubles", false, "store numbers in properties as doubles")
	flags.IntVar(&o.Digits, "digits", 0, "store numbers in properties with this many `digits`; 0 means with all")
	flags.BoolVar(&o.NumbersAsText, "numbers-as-text", false, "store numbers in properties as text")
	flags.BoolVar(&o.DropNulls, "drop-nulls", false, "store no null members of properties")
	flags.BoolVar(&o.DropListNulls, "drop-list-nulls", false, "store no null elements of lists in properties")
	flags.BoolVar(&o.EmptyLists, "empty-lists", false, "store empty objects in properties as []")
	flags.BoolVar(&o.KeysAsLists, "keys-as-lists", false, "store objects with the keys 0, 1, 2 as lists, as PHP does")

	each(flags, &o.Omit, "omit", "leave this `field` out of user_group in all responses; can be repeated")
	flags.BoolVar(&o.OmitZero, "omit-zero", false, "leave out fields that are false, 0, empty or null")
	flags.Func("no-properties", "show this `JSON` in place of missing properties, not null", jsonText(&o.NoProperties))
	flags.BoolVar(&o.UpperIDs, "upper-ids", false, "show IDs in capitals")
	flags.BoolVar(&o.PlainIDs, "plain-ids", false, "show IDs with _ in place of all but letters and digits")
	flags.BoolVar(&o.BOM, "bom", false, "put a byte order mark before the body of each response")
	flags.BoolVar(&o.SignedTokens, "signed-tokens", false, "show another token in each response")

	flags.IntVar(&o.SlashRedirect, "slash-redirect", 0, "be at /api/user/, to which this `status`, such as 308, redirects")
	flags.DurationVar(&o.IdleTimeout, "idle-timeout", 0, "how long a connection without calls stays open; 0 means forever")
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

// setIDPattern sets the pattern that IDs must match.
func (s *commandLine) setIDPattern(pattern string) error {
	s.IDPattern = pattern
	_, err := regexp.Compile(pattern)
	return err
}

// addWorkTime adds how long the calls with a method take, such as POST=40s.
func (s *commandLine) addWorkTime(value string) error {
	method, text, _ := strings.Cut(value, "=")
	duration, err := time.ParseDuration(text)
	if !slices.Contains([]string{"GET", "PUT", "POST", "DELETE"}, method) || err != nil {
		return errors.New("must be GET, PUT, POST or DELETE, = and a duration, such as POST=40s")
	}
	if s.WorkTimes == nil {
		s.WorkTimes = map[string]time.Duration{}
	}
	s.WorkTimes[method] = duration
	return nil
}

// each adds a flag that can be repeated, and whose values are listed in target.
func each(flags *flag.FlagSet, target *[]string, name, usage string) {
	flags.Func(name, usage, func(value string) error {
		*target = append(*target, value)
		return nil
	})
}

// jsonText returns a function for [flag.FlagSet.Func] that sets target to a JSON text.
func jsonText(target *string) func(string) error {
	return func(text string) error {
		if *target = text; !json.Valid([]byte(text)) {
			return errors.New("must be JSON")
		}
		return nil
	}
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
