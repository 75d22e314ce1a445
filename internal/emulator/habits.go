package emulator

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// habit is an option that makes the service behave as one that somebody has built.
type habit struct {
	option      any // points to the option, or sets it
	flag, usage string
	// of is what the habit is an example of: a text of DESIGN.md, or an answer of the probe, such as rotate=later. A
	// choice has one for each value but the first, separated by |. A habit without a reason would only be more to read.
	of string
}

// habits returns all habits, in the order of [Options].
func (o *Options) habits() []habit {
	return []habit{
		{
			choice(&o.Answers, "stored", "echo"), "answers", "show what is stored, or what the request has",
			"lookup=nothing",
		},
		{
			choice(&o.Updates, "replace", "merge", "clear"), "updates",
			"let an update replace what it has, merge it, or also clear the rest",
			"properties=merged | unsent=cleared",
		},
		{
			choice(&o.Refusals, "status", "success-zero", "fields", "page"), "refusals",
			"refuse with this kind of response",
			"`success: 0` | its words | the form of the response",
		},
		{
			choice(&o.Deletions, "success", "no-content", "object"), "deletions", "answer a DELETE with this",
			"answered with an empty success | in other words than `success`",
		},
		{
			choice(&o.DeletedIDs, "free", "gone", "revived", "revived-as-new"), "deleted-ids",
			"create a group for a deleted ID, refuse it, or bring the group back",
			"deleted-id=reserved | deleted-id=revived | deleted-id=revived",
		},

		{
			&o.Required, "required", "refuse a GET without this `field`, such as name; can be repeated",
			"lookup-fields=demands",
		},
		{
			&o.RequiredToUpdate, "required-to-update", "refuse a PUT without this `field`; can be repeated",
			"update=demands",
		},
		{
			&o.RequiredToCreate, "required-to-create", "refuse to create a group without this `field`",
			"lookup-fields=demands",
		},
		{
			&o.MissingStatus, "missing-status", "refuse a call without a field with this `status`, such as 500",
			"update=demands",
		},
		{
			&o.DataSourceRequired, "data-source-required", "refuse a DELETE without data_source_provided_id",
			"delete=source",
		},
		{&o.UniqueNames, "unique-names", "refuse a name that another group has", "409, 423 and 425"},
		{
			pattern(&o.IDPattern), "id-pattern", "refuse an ID that does not match this `expression`, such as ^[0-9]+$",
			"token and no other number",
		},
		{
			&o.MaxGroups, "max-groups", "refuse with 402 to create more `groups` than this; 0 means no limit",
			"token and no other number",
		},
		{
			&o.CountsChangedRows, "counts-changed-rows",
			"refuse an update that changes nothing with 404, as MySQL makes programs do",
			"A 404 to an update that changes nothing",
		},
		{
			&o.StaleTokenStatus, "stale-token-status", "refuse an old token with this `status`, such as 401",
			"if another token shows",
		},
		{&o.BusyStatus, "busy-status", "refuse deletions as busy with this `status`, such as 409", "409, 423 and 425"},
		{
			&o.BusyDeletions, "busy-deletions", "how many `times` the deletion of a group is refused as busy",
			"409, 423 and 425",
		},
		{
			&o.BusyRetryAfter, "busy-retry-after", "Retry-After in `seconds` of a deletion refused as busy",
			"A lookup directly before each attempt to delete it",
		},
		{&o.RateLimit, "rate-limit", "maximum `calls` per second; 0 means no limit", "pace=some"},
		{&o.RateLimitStatus, "rate-limit-status", "`status` of a call above the limit; 0 means 429", "pace=some"},
		{
			&o.RepeatsRequests, "repeats-requests", "repeat the request and the current token in refusals",
			"No secret is printed",
		},

		{&o.UpsertOnPut, "upsert-on-put", "let a PUT create a group that does not exist", "missing-update=creates"},
		{&o.GetOverwrites, "get-overwrites", "let a GET replace what an existing group has", "overwrites=always"},
		{
			&o.ForgivingDeletes, "forgiving-deletes", "let a DELETE with an old token or of no group succeed",
			"stale-deletion=accepted",
		},
		{
			&o.ForgivingRotations, "forgiving-rotations", "answer an old token with one of no group",
			"stale-rotation=hollow",
		},
		{
			&o.ReuseTeamIDs, "reuse-team-ids", "give a new group the number after the highest in use",
			"Numbers that are used again",
		},
		{
			&o.FirstTeamID, "first-team-id", "team `ID` of the first group; 0 means 1001",
			"One `team_id` in several notations",
		},
		{
			&o.TextTeamIDs, "text-team-ids", "show each team ID as a text that is not a number",
			"Identity is a number and a token",
		},
		{
			&o.SameTeamIDs, "same-team-ids", "count in each environment by itself",
			"token and no other number",
		},
		{
			&o.RotationTime, "rotation-time", "how long a rotation takes after it was checked, even if its caller gives up",
			"the service may still be at work on it",
		},
		{&o.DeletionDelay, "deletion-delay", "how long after its response a deletion takes effect", "gone=later"},
		{&o.RotationDelay, "rotation-delay", "how long after its response a rotation takes effect", "rotate=later"},
		{
			&o.StaleRotations, "stale-rotations", "respond to a rotation with the token that was sent",
			"another token than the one that was sent",
		},
		{
			&o.StaleUpdates, "stale-updates", "respond to an update with the group as it was before",
			"a warning names what the response shows differently",
		},
		{&o.RenewingUpdates, "renewing-updates", "give a group another token with each update", "token=renewed"},
		{
			&o.DerivedTokens, "derived-tokens", "derive tokens from the ID and the number of rotations",
			"Tokens that follow from the ID alone",
		},
		{&o.ReplicaLag, "replica-lag", "how late lookups see what other calls have changed", "lag=lags"},
		{
			&o.TokenLag, "token-lag", "how long a GET shows the previous token after a rotation",
			"shows the token before the last but one",
		},

		{
			&o.DefaultName, "default-name", "create a group without a name with this `name`; {id} is its ID",
			"Services fill in defaults",
		},
		{
			jsonText(&o.DefaultProperties), "default-properties", "create a group without properties with this `JSON`",
			"defaults=some",
		},
		{&o.LateDefaults, "late-defaults", "show the two only after the response to the creation", "defaults=later"},
		{&o.EmptyIsAbsent, "empty-is-absent", "ignore an empty name, mapping or properties", "empty=ignored"},
		{&o.CutNames, "cut-names", "store no more `characters` of a name; 0 means all", "texts=changed"},

		{
			&o.Omit, "omit", "leave this `field` out of user_group in all responses; can be repeated",
			"Names and properties may be missing",
		},
		{
			&o.OmitZero, "omit-zero", "leave out fields that are false, 0, empty or null",
			"without `new_user_group`",
		},
		{&o.UpperIDs, "upper-ids", "show IDs in capitals", "ids=spelled"},
		{&o.PlainIDs, "plain-ids", "show IDs with _ in place of all but letters and digits", "ids=changed"},
		{&o.SignedTokens, "signed-tokens", "show another token in each response", "token=signed"},
		{
			&o.SlashRedirect, "slash-redirect", "be at /api/user/, to which this `status`, such as 308, redirects",
			"create=slash",
		},
	}
}

// addTo adds the flag of the habit.
func (h habit) addTo(flags *flag.FlagSet) {
	switch option := h.option.(type) {
	case *bool:
		flags.BoolVar(option, h.flag, false, h.usage)
	case *int:
		flags.IntVar(option, h.flag, 0, h.usage)
	case *int64:
		flags.Int64Var(option, h.flag, 0, h.usage)
	case *string:
		flags.StringVar(option, h.flag, "", h.usage)
	case *time.Duration:
		flags.DurationVar(option, h.flag, 0, h.usage)
	case *[]string:
		flags.Func(h.flag, h.usage, func(value string) error {
			*option = append(*option, value)
			return nil
		})
	case chosen:
		usage := fmt.Sprintf("%s: `%s` (default %s)", h.usage, strings.Join(option.names, "|"), option.names[0])
		flags.Func(h.flag, usage, option.set)
	case func(string) error:
		flags.Func(h.flag, h.usage, option)
	}
}

// chosen is an option that has one of several values.
type chosen struct {
	names []string
	set   func(name string) error
}

// choice returns an option that sets target to the position of the chosen name. The names are in the order of the
// constants of T, and the first one is the default.
func choice[T ~int](target *T, names ...string) chosen {
	return chosen{names, func(name string) error {
		i := slices.Index(names, name)
		if i < 0 {
			return errors.New("must be " + strings.Join(names, " or "))
		}
		*target = T(i)
		return nil
	}}
}

// pattern returns a function that sets target to a regular expression.
func pattern(target *string) func(string) error {
	return func(text string) error {
		*target = text
		_, err := regexp.Compile(text)
		return err
	}
}

// jsonText returns a function that sets target to a JSON text.
func jsonText(target *string) func(string) error {
	return func(text string) error {
		if *target = text; !json.Valid([]byte(text)) {
			return errors.New("must be JSON")
		}
		return nil
	}
}
