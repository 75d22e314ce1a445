package emulator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// DefaultKey is the API key of the service when [Options.Environments] is nil.
// The contract does not show how keys are issued, so this one simply exists.
const DefaultKey = "emulator-key-0001"

const defaultFirstTeamID = 1001

// Answers says what name, provided_id and properties in an answer are. The
// contract calls them echoes of the request and does not show what becomes of
// them when the request did not carry them.
type Answers int

const (
	// AnswersStored answers what is stored, whatever the request carried.
	AnswersStored Answers = iota
	// AnswersEcho answers what this very request carried, and null for the rest.
	AnswersEcho
)

// Updates says what an update does to a mapping and to properties that exist
// already: a gap of the contract. A field that is not given is left alone in
// both readings.
type Updates int

const (
	// UpdatesReplace puts the given value in the place of the stored one.
	UpdatesReplace Updates = iota
	// UpdatesMerge adds the given top-level members to the stored ones. The
	// merge is shallow, and a properties member that is null is stored as null.
	UpdatesMerge
)

// Refusals says how the service refuses what a body asks for. The contract has
// success 0 and leaves the status and the shape of the message open.
//
// A request that is wrong before its body is looked at (key, path, method,
// query, headers, length, rate) is refused by its HTTP status in both styles:
// a wrong key is 401 even under RefusalsSuccessZero.
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
	// IDsLowerCase keeps and finds ids in lower case, so that Acme and acme are one.
	IDsLowerCase
)

// Options choose among the readings of the contract. The zero value is a
// sensible service.
type Options struct {
	// Answers: are name, provided_id and properties told or echoed?
	Answers Answers
	// Updates: does an update replace or merge?
	Updates Updates
	// NameRequired refuses a GET or a PUT without a name. Which fields are
	// required is a gap of the contract.
	NameRequired bool
	// Refusals: status or success 0?
	Refusals Refusals
	// Environments maps an API key to the tag of the environment it opens. nil
	// means DefaultKey opens Customer. Keys of the same tag share one environment,
	// and an id can exist once in each: the contract's only rule of uniqueness.
	// A key of the tag "" opens an environment whose tag is answered as null.
	Environments map[string]string
	// FirstTeamID is the first team_id given out; 0 means 1001. The contract says
	// "number": choose one above 2^53 to see whether it survives.
	FirstTeamID int64
	// Latency is how long every call takes at least. The work is done on arrival,
	// so that a caller that gives up early has nevertheless had it done.
	Latency time.Duration
	// RateLimit is how many calls a second the whole service takes, 0 being
	// without limit. One more is answered 429 with Retry-After: 1. Unused calls
	// can be saved up to one second's worth. Limits are a gap of the contract.
	RateLimit int
	// UpsertOnPut lets a PUT create the group that is absent; without it the PUT
	// is refused. Updating an absent group is a gap of the contract.
	UpsertOnPut bool
	// ForgivingDeletes has a DELETE succeed whatever it finds: the id counts where
	// the token is stale, and what is absent is deleted already. Without it both
	// are refused. Deleting an absent group is a gap of the contract.
	ForgivingDeletes bool
	// IDs: are ids taken as they are given? The contract does not show their format.
	IDs IDs
	// TrimNames stores names without the spaces around them.
	TrimNames bool
	// AddsProperty puts a property of the service's own beside those that are given.
	AddsProperty bool
	// Omit are fields that no answer's user_group has, such as team_id.
	Omit []string
	// StaleTokenStatus is the status by which a token is refused that no group has
	// now; 0 means 404. Which condition yields which error is a gap of the contract.
	StaleTokenStatus int
	// ReadLag is how long a GET still shows a group as it was before its last update,
	// rotation or deletion.
	ReadLag time.Duration
	// Log is given one line for each call, just before it is answered. A line
	// carries neither keys nor tokens nor bodies. Lines come one at a time.
	Log func(line string)
	// ForgetCalls keeps no record, for a service that runs for days: Calls and
	// everything that counts calls stay empty.
	ForgetCalls bool
}

func (o Options) complete() (Options, error) {
	if o.Environments == nil {
		o.Environments = map[string]string{DefaultKey: "Customer"}
	}
	o.Environments = maps.Clone(o.Environments)
	if o.FirstTeamID == 0 {
		o.FirstTeamID = defaultFirstTeamID
	}
	return o, o.validate()
}

func (o Options) validate() error {
	if len(o.Environments) == 0 {
		return errors.New("emulator: no API key: Environments is empty")
	}
	for key := range o.Environments {
		if key == "" || strings.ContainsFunc(key, isNotVisibleASCII) {
			return errors.New("emulator: an API key has to be visible ASCII without spaces: it travels in a header")
		}
	}
	if o.Latency < 0 || o.RateLimit < 0 {
		return errors.New("emulator: Latency and RateLimit cannot be negative")
	}
	if o.IDs < IDsExact || o.IDs > IDsLowerCase {
		return fmt.Errorf("emulator: there is no IDs %d", o.IDs)
	}
	if o.Answers < AnswersStored || o.Answers > AnswersEcho {
		return fmt.Errorf("emulator: there is no Answers %d", o.Answers)
	}
	if o.Updates < UpdatesReplace || o.Updates > UpdatesMerge {
		return fmt.Errorf("emulator: there is no Updates %d", o.Updates)
	}
	if o.Refusals < RefusalsStatus || o.Refusals > RefusalsSuccessZero {
		return fmt.Errorf("emulator: there is no Refusals %d", o.Refusals)
	}
	return nil
}

func (o Options) defaultEnvironment() string {
	if tag, ok := o.Environments[DefaultKey]; ok {
		return tag
	}
	return o.Environments[slices.Min(slices.Collect(maps.Keys(o.Environments)))]
}

func isNotVisibleASCII(r rune) bool { return r <= ' ' || r > '~' }
