package emulator

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// DefaultKey is the API key of the service if [Options.Environments] is nil.
const DefaultKey = "emulator-key-0001"

// Answers selects what responses contain as name, provided_id and properties.
type Answers int

const (
	// AnswersStored returns what is stored, regardless of the request.
	AnswersStored Answers = iota
	// AnswersEcho returns what the same request contained, and null for the rest.
	AnswersEcho
)

// Updates selects what an update does to what is stored. Except with UpdatesClear, a field that the update does not
// contain stays as it is.
type Updates int

const (
	// UpdatesReplace replaces the stored mapping and the stored properties with the given ones.
	UpdatesReplace Updates = iota
	// UpdatesMerge merges the given members into the stored ones, at the top level only. A null is stored as null.
	UpdatesMerge
	// UpdatesClear replaces the whole group: a name, a mapping or properties that the update does not contain are
	// cleared.
	UpdatesClear
)

// Refusals selects how the service refuses a body. A call that is refused for another reason (key, path, method,
// query, headers, length, rate) gets a specific status in both readings.
type Refusals int

const (
	// RefusalsStatus responds with a 4xx status, success 0 and a message.
	RefusalsStatus Refusals = iota
	// RefusalsSuccessZero responds with status 200, success 0 and a message.
	RefusalsSuccessZero
)

// Options selects among the readings of what the contract leaves open. The zero value is a sensible service.
type Options struct {
	Answers  Answers
	Updates  Updates
	Refusals Refusals

	// NameRequired refuses a GET or a PUT without a name, or with an empty one.
	NameRequired bool
	// NameRequiredToCreate refuses only a call that would create a group without a name.
	NameRequiredToCreate bool
	// MissingNameStatus is the status of both refusals; 0 means 400. From 500 on, the response is the page of a program
	// that failed.
	MissingNameStatus int
	// DataSourceRequired refuses a DELETE without data_source_provided_id.
	DataSourceRequired bool
	// UniqueNames refuses a name that another group of the environment has.
	UniqueNames bool
	// MaxIDLength is the number of characters above which an ID is refused. 0 means no limit.
	MaxIDLength int
	// MaxNameLength is the number of characters above which a name is refused. 0 means no limit.
	MaxNameLength int
	// CutNames cuts a name at MaxNameLength instead.
	CutNames bool
	// UpsertOnPut lets a PUT create a missing group. Otherwise, such a PUT is refused.
	UpsertOnPut bool
	// ForgivingDeletes lets a DELETE with a stale token, or of a missing group, succeed. A DELETE with a stale token and
	// an ID goes by the ID. Without ForgivingDeletes, all of these are refused.
	ForgivingDeletes bool
	// StaleTokenStatus is the status that refuses a stale or unknown token, regardless of Refusals. With 0, Refusals
	// applies.
	StaleTokenStatus int
	// TrimNames stores names without leading and trailing white space.
	TrimNames bool
	// Omit lists fields that user_group lacks in every response, such as team_id.
	Omit []string
	// TokenLag is how long a GET still shows the previous token after a call has rotated it. The previous token no longer
	// works.
	TokenLag time.Duration

	// Environments maps each API key to the tag of the environment that it opens. nil means that DefaultKey opens
	// Customer. Keys with the same tag share an environment. An ID is unique within an environment. Responses contain
	// the tag "" as null.
	Environments map[string]string
	// FirstTeamID is the first team_id to assign. 0 means 1001. A value above 2^53 shows whether callers keep every
	// digit.
	FirstTeamID int64

	// Latency is the minimum duration of every call. The work is done on arrival, even if the caller gives up.
	Latency time.Duration
	// RateLimit is how many calls per second, and how many at once after a pause, the service accepts from all callers
	// together. The refusal of any other call has a Retry-After of one second. 0 means no limit.
	RateLimit int

	// Log is called with each call just before the response is sent. It can be called concurrently. The calls are then
	// not recorded, because the record of a service that runs for days would only grow.
	Log func(Call)
}

func (o Options) complete() Options {
	if o.Environments == nil {
		o.Environments = map[string]string{DefaultKey: "Customer"}
	}
	o.FirstTeamID = cmp.Or(o.FirstTeamID, 1001)
	return o
}

// defaultTag returns the tag of DefaultKey or, if that key does not exist, of the alphabetically first key.
func (o Options) defaultTag() string {
	if tag, ok := o.Environments[DefaultKey]; ok {
		return tag
	}
	return o.Environments[slices.Min(slices.Collect(maps.Keys(o.Environments)))]
}
