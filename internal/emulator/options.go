package emulator

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// DefaultKey is the API key of the service when [Options.Environments] is nil.
const DefaultKey = "emulator-key-0001"

// Answers says what name, provided_id and properties in an answer are.
type Answers int

const (
	// AnswersStored answers what is stored, whatever the request carried.
	AnswersStored Answers = iota
	// AnswersEcho answers what this very request carried, and null for the rest.
	AnswersEcho
)

// Updates says what an update does to a mapping and to properties that are there already. A field that is not given is
// left alone in both readings.
type Updates int

const (
	// UpdatesReplace puts the given value in the place of the stored one.
	UpdatesReplace Updates = iota
	// UpdatesMerge adds the given members to the stored ones, at the top level only. A null is stored as null.
	UpdatesMerge
)

// Refusals says how the service refuses what a body asks for. What is wrong before the body is read (key, path, method,
// query, headers, length, rate) is refused by a status of its own in both readings.
type Refusals int

const (
	// RefusalsStatus refuses by a 4xx status with success 0 and a message.
	RefusalsStatus Refusals = iota
	// RefusalsSuccessZero refuses by status 200 with success 0 and a message.
	RefusalsSuccessZero
)

// IDs says what the service makes of an id.
type IDs int

const (
	// IDsExact keeps ids as they are given.
	IDsExact IDs = iota
	// IDsLowerCase keeps and finds ids in lower case, so that Acme and acme are one group.
	IDsLowerCase
)

// Options choose among the readings of what the contract leaves open. The zero value is a sensible service.
type Options struct {
	Answers  Answers
	Updates  Updates
	Refusals Refusals
	IDs      IDs

	// NameRequired refuses a GET or a PUT without a name.
	NameRequired bool
	// UpsertOnPut lets a PUT create the group that is absent; without it the PUT is refused.
	UpsertOnPut bool
	// ForgivingDeletes has a DELETE succeed whatever it finds: the id counts where the token is stale, and what is absent
	// is deleted already. Without it both are refused.
	ForgivingDeletes bool
	// StaleTokenStatus refuses a token that no group has now, whatever Refusals says; 0 refuses it as anything else.
	StaleTokenStatus int
	// TrimNames stores names without the spaces around them.
	TrimNames bool
	// AddsProperty stores a property of the service's own beside those that are given.
	AddsProperty bool
	// Omit are fields that user_group has in no answer, such as team_id.
	Omit []string
	// ReadLag is how long a GET still shows a group as it was before a call updated, rotated or deleted it. A new group,
	// and what is done through an [Environment], is seen at once.
	ReadLag time.Duration

	// Environments maps an API key to the tag of the environment that it opens; nil means that DefaultKey opens Customer.
	// Keys of the same tag share one environment, and an id can exist once in each. The tag "" is answered as null.
	Environments map[string]string
	// FirstTeamID is the first team_id given out; 0 means 1001. One above 2^53 shows whether every digit survives.
	FirstTeamID int64

	// Latency is how long every call takes at least. The work is done on arrival, also for a caller that gives up.
	Latency time.Duration
	// RateLimit is how many calls a second the service takes, from all callers together; 0 is no limit.
	RateLimit int
	// RateBurst is how many calls can come at once after a pause: 0 is one second's worth, 1 spaces every two calls.
	RateBurst int
	// RateStatus refuses a call too many: 429, which 0 means too, or 503.
	RateStatus int
	// RateSilent leaves Retry-After out of that refusal; else it says one second.
	RateSilent bool

	// Log is given each call just before it is answered, from several goroutines at once.
	Log func(Call)
	// ForgetCalls keeps no record, for a service that runs for days: Calls and all that counts calls stay empty.
	ForgetCalls bool
}

func (o Options) complete() (Options, error) {
	for option, possible := range map[string]bool{
		"Answers":          o.Answers == AnswersStored || o.Answers == AnswersEcho,
		"Updates":          o.Updates == UpdatesReplace || o.Updates == UpdatesMerge,
		"Refusals":         o.Refusals == RefusalsStatus || o.Refusals == RefusalsSuccessZero,
		"IDs":              o.IDs == IDsExact || o.IDs == IDsLowerCase,
		"StaleTokenStatus": o.StaleTokenStatus == 0 || http.StatusText(o.StaleTokenStatus) != "",
		"ReadLag":          o.ReadLag >= 0,
		"Environments":     o.Environments == nil || len(o.Environments) > 0,
		"Latency":          o.Latency >= 0,
		"RateLimit":        o.RateLimit >= 0,
		"RateBurst":        o.RateBurst >= 0,
		"RateStatus":       slices.Contains([]int{0, 429, 503}, o.RateStatus),
	} {
		if !possible {
			return o, fmt.Errorf("emulator: the option %s cannot have this value", option)
		}
	}
	if o.Environments == nil {
		o.Environments = map[string]string{DefaultKey: "Customer"}
	}
	o.FirstTeamID = cmp.Or(o.FirstTeamID, 1001)
	o.RateBurst = cmp.Or(o.RateBurst, o.RateLimit)
	o.RateStatus = cmp.Or(o.RateStatus, http.StatusTooManyRequests)
	return o, nil
}

// defaultTag is the tag of DefaultKey or, where that key does not exist, of the first key by the alphabet.
func (o Options) defaultTag() string {
	if tag, ok := o.Environments[DefaultKey]; ok {
		return tag
	}
	return o.Environments[slices.Min(slices.Collect(maps.Keys(o.Environments)))]
}
