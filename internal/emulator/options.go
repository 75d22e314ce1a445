package emulator

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"time"
)

// DefaultKey is the API key of the service if [Options.Environments] is nil.
const DefaultKey = "emulator-key-0001"

// TestingKey opens Testing if the flags of embed-emulator do not say which environments there are.
const TestingKey = "emulator-key-0002"

// Each of these types selects one of the values that follow.
type (
	Answers    int // what responses have as name, provided_id and properties
	Updates    int // what an update does to what is stored
	Refusals   int // how the service refuses a call: except for RefusalsSuccessZero with a 4xx status
	Deletions  int // what answers a DELETE that succeeds
	DeletedIDs int // what a GET of a deleted ID does
)

const (
	AnswersStored Answers = iota // what is stored
	AnswersEcho                  // what the same request has, and null for the rest
)

const (
	UpdatesReplace Updates = iota // replaces name, mapping and properties, each only if the update has it
	UpdatesMerge                  // merges the members of mapping and properties, at the top level; a null is stored
	UpdatesClear                  // replaces the whole group, and clears what the update lacks
)

const (
	RefusalsStatus      Refusals = iota // success 0 and a message
	RefusalsSuccessZero                 // the same, with status 200 if the reason is in the body of the request
	RefusalsFields                      // {field: [message]}, where the field can be non_field_errors
	RefusalsPage                        // an HTML page with the status as its title
)

const (
	DeletedIDsFree         DeletedIDs = iota // creates another group
	DeletedIDsGone                           // is refused with 410
	DeletedIDsRevived                        // brings the deleted group back, as one that is not new
	DeletedIDsRevivedAsNew                   // brings the deleted group back, as a new one
)

const (
	DeletionsSuccess   Deletions = iota // success 1
	DeletionsNoContent                  // status 204
	DeletionsObject                     // {}
)

// Options selects among the readings of what the contract leaves open, and among the habits of services that were built
// behind it. The zero value is a sensible service. habits.go says what each habit is an example of.
type Options struct {
	Answers    Answers
	Updates    Updates
	Refusals   Refusals
	Deletions  Deletions
	DeletedIDs DeletedIDs

	// What the service refuses.

	// Required, RequiredToUpdate and RequiredToCreate list the fields, such as name, without which the service refuses a
	// GET, a PUT, and a call that would create a group. An empty name is missing, and an empty object is not.
	Required, RequiredToUpdate, RequiredToCreate []string
	// MissingStatus is that of these refusals. 0 means 400. From 500 on, the response is the page of a failed program.
	MissingStatus      int
	DataSourceRequired bool   // refuses a DELETE without data_source_provided_id
	UniqueNames        bool   // refuses a name that another group of the environment has
	IDPattern          string // refuses an ID that does not match this regular expression
	MaxGroups          int    // refuses with 402 to create one more group in an environment; 0 means no limit
	// CountsChangedRows refuses an update that changes nothing, in the words for a missing group. MySQL counts only the
	// rows that an update has changed.
	CountsChangedRows bool
	// StaleTokenStatus refuses a stale or unknown token, regardless of Refusals. With 0, Refusals applies.
	StaleTokenStatus int
	// BusyStatus, such as 409, 423 or 425, refuses the deletion of a group that exists, the first BusyDeletions times.
	// BusyRetryAfter is the Retry-After in seconds, unless it is 0.
	BusyStatus, BusyDeletions, BusyRetryAfter int
	// RateLimit is how many calls per second, and how many at once after a pause, the service accepts from all callers
	// together. 0 means no limit. The refusal of any other call has the RateLimitStatus, where 0 means 429, and a
	// Retry-After of one second.
	RateLimit, RateLimitStatus int
	// RepeatsRequests repeats the body of the call, and the token of the group that it is about, in each refusal.
	RepeatsRequests bool

	// What calls do, and when.

	UpsertOnPut   bool // lets a PUT create a missing group, which is refused otherwise
	GetOverwrites bool // lets a GET replace what an existing group has by what the request has, and clear the rest
	// ForgivingDeletes lets a DELETE with a stale token, or of a missing group, succeed. A DELETE with a stale token and
	// an ID goes by the ID. Without ForgivingDeletes, all of these are refused.
	ForgivingDeletes bool
	// ForgivingRotations answers a rotation of a stale or unknown token with a token that belongs to no group, and with
	// null in all other fields.
	ForgivingRotations bool
	ReuseTeamIDs       bool  // gives a new group the number after the highest that is in use, as SQLite does
	FirstTeamID        int64 // 0 means 1001; one above 2^53 shows whether callers keep every digit
	TextTeamIDs        bool  // shows each number as a text that is not one, as services with UUIDs do
	SameTeamIDs        bool  // counts in each environment by itself, so that groups of two environments share a number
	// RotationTime is how long the service works on a rotation: it checks the call when it arrives, and does the work and
	// responds at the end. It goes on if the caller gives up.
	RotationTime   time.Duration
	DeletionDelay  time.Duration // how long after its response a DELETE takes effect
	RotationDelay  time.Duration // how long after its response, which has the sent token, a rotation takes effect
	StaleRotations bool          // responds to a rotation with the sent token, as a program does that reads from a replica
	StaleUpdates   bool          // responds to an update with the group as it was before, as MongoDB does by default
	// RenewingUpdates gives a group another token with each update, as services do whose tokens contain the group.
	RenewingUpdates bool
	// DerivedTokens derives a token from the ID and the number of rotations. A group that is created again has its first
	// token again, and so has the group with this ID in another environment.
	DerivedTokens bool
	// ReplicaLag is how late lookups see what other calls have changed. A group that lookups do not see yet is found when
	// the service tries to create it.
	ReplicaLag time.Duration
	TokenLag   time.Duration // how long a GET shows the previous token, which no longer works, after a rotation
	Latency    time.Duration // the least that a call takes; the work is done at once, even if the caller gives up

	// What is stored.

	DefaultName       string // that of a group that is created without one; in it, {id} stands for the ID
	DefaultProperties string // the JSON object of a group that is created without properties
	LateDefaults      bool   // shows the two only after the response to the creation, which has what was sent
	EmptyIsAbsent     bool   // takes an empty name, mapping or properties for a field that was not sent
	CutNames          int    // stores no more characters of a name, as MySQL does; 0 means all

	// What responses look like.

	Omit     []string // fields that user_group lacks in every response, such as team_id
	OmitZero bool     // leaves out fields that are false, 0, "" or null, as protocol buffers and Go do
	UpperIDs bool     // shows IDs in capitals
	PlainIDs bool     // shows _ in place of each character of an ID that is no letter or digit
	// SignedTokens shows another token in each response. All of them work until the next rotation. [Group.Token] is none
	// of them, but what they have in common.
	SignedTokens bool

	// How the service is reached.

	// Environments maps each API key to the tag of the environment that it opens. nil means that DefaultKey opens
	// Customer. Keys with the same tag share an environment. Responses contain the tag "" as null.
	Environments map[string]string
	// SlashRedirect is the status, such as 308, with which a call to /api/user is redirected to /api/user/, where the
	// service is then. With 0, it is at /api/user.
	SlashRedirect int
	// Log is called with each call just before the response is sent. It can be called concurrently. The calls are then
	// not recorded, because the record of a service that runs for days would only grow.
	Log func(Call)
}

func (o Options) complete() Options {
	if o.Environments == nil {
		o.Environments = map[string]string{DefaultKey: "Customer"}
	}
	o.FirstTeamID = cmp.Or(o.FirstTeamID, 1001)
	o.MissingStatus = cmp.Or(o.MissingStatus, http.StatusBadRequest)
	o.RateLimitStatus = cmp.Or(o.RateLimitStatus, http.StatusTooManyRequests)
	if o.GetOverwrites {
		o.ReplicaLag = 0 // Lookups that write have to go where the others write.
	}
	return o
}

// defaultTag returns the tag of DefaultKey or, if that key does not exist, of the alphabetically first key.
func (o Options) defaultTag() string {
	if tag, ok := o.Environments[DefaultKey]; ok {
		return tag
	}
	return o.Environments[slices.Min(slices.Collect(maps.Keys(o.Environments)))]
}
