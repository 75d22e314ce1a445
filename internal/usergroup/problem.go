package usergroup

import (
	"errors"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Problem describes, as data, why an operation failed or what the user has to know although it succeeded. It serves
// as an error or as a warning.
type Problem struct {
	Finding   Finding
	Operation Operation
	ID        string
	// Done says whether the operation was carried out: whether the group was created, updated, rotated or deleted.
	Done Happened
	// NewToken reports whether the Result of a rotation has the new token. If not, but Done is Yes, the token is lost.
	NewToken bool
	// Placeholder says what became of the empty group that a lookup creates if the group does not exist.
	Placeholder Placeholder
	// LookupUncertain reports whether the outcome of a lookup is uncertain, so that it may have created a placeholder,
	// or may still create one.
	LookupUncertain bool
	// MayBeLive reports whether the group that a lookup may have created may as well be a live one.
	MayBeLive bool
	// Empty reports whether the group in Response, which is not the known one, shows nothing of its own although the
	// service shows names, so that it may be the placeholder of an earlier lookup.
	Empty bool
	// AfterDeletion reports whether this process has deleted a group with the ID before, or has found that it was gone.
	AfterDeletion bool
	// URL is the address of all calls. It is set if the problem is Removable.
	URL string
	// Call is the error of the call that failed, or nil.
	Call *api.Error
	// Known is what was known or expected of the group, Sent is what was requested, and Response is what the service
	// returned.
	Known    Known
	Sent     api.GroupRequest
	Response api.UserGroup
	// Cause is the problem of a lookup or a check that this operation depended on, or the problem that ended the run.
	Cause *Problem
}

// Operation identifies the operation that a Problem is about.
type Operation int

const (
	LookUp Operation = iota
	Create
	Adopt
	Update
	Rotate
	Delete
	CheckService
)

// Happened says whether something was done at the service.
type Happened int

const (
	No Happened = iota
	Maybe
	Yes
)

// Placeholder says what became of the empty group that a lookup created.
type Placeholder int

const (
	NoPlaceholder      Placeholder = iota // none is known to have been created
	PlaceholderRemoved                    // it was deleted again
	PlaceholderLeft                       // it was created and is not known to be deleted
)

// Finding is the conclusion of an operation.
type Finding int

const (
	CallFailed         Finding = iota // a call failed, or its outcome is unknown
	NotFound                          // the group does not exist, and the placeholder was deleted
	Exists                            // the group to be created exists already
	MayHaveExisted                    // a group exists after a creation with an unknown outcome, but may be another one
	Replaced                          // the known group is gone, and another one has its ID
	AnsweredForAnother                // the response shows an ID other than the requested one
	AnsweredFromCache                 // a response comes from a cache and shows an earlier state
	AnswersDisagree                   // two responses about one group contradict each other
	MayBeLeftBehind                   // the placeholder of a lost lookup may exist
	NotTakenAsSent                    // the service accepted an update, but its values differ from what was sent
	NotRotated                        // the service reported a rotation, but returned the old token
	MayBeAnother                      // the group has another token, and it is unclear whether it is the known group
	LeftBehind                        // a group that was created for a lookup or a check could not be deleted
	OutdatedToken                     // the service shows only a retired token
	WrongEnvironment                  // the group belongs to an environment other than the known or expected one
	WrongKey                          // the API key belongs to an environment other than the expected one
	NoEnvironment                     // the service does not report the environment of a group
	RunEnded                          // an earlier problem (Cause) ended the run before the operation was complete

	// The following findings are always warnings.

	Adopted        // the group existed and was taken over
	Claimed        // after a creation whose response was lost, the existing group is taken for the one created
	Recreated      // this process had deleted the group before it created it
	Kept           // the group was not deleted, because another instance of the resource manages it
	AnotherRemains // the group is gone, and another one that has its ID was not touched
	FoundEmpty     // the group that a lookup has found is Empty
	TokenChanged   // the token is not the known one
	TokenReturned  // the token is a retired one, which has become current again
	OtherSpelling  // the service spells the ID of this group differently
)

// ErrNotFound matches, with errors.Is, the error of a lookup that found no group and deleted its placeholder.
var ErrNotFound = errors.New("user group not found")

// Error implements error.
func (p *Problem) Error() string {
	return fmt.Sprintf("user group %q: operation %d ended in finding %d", p.ID, p.Operation, p.Finding)
}

// Is makes errors.Is report that a lookup's NotFound is ErrNotFound.
func (p *Problem) Is(target error) bool {
	return target == ErrNotFound && p.Operation == LookUp && p.Finding == NotFound
}

// ChangedNothing reports whether an earlier problem ended the run before this operation could change anything.
func (p *Problem) ChangedNothing() bool {
	return p.Finding == RunEnded && p.Done == No && p.Placeholder == NoPlaceholder && !p.LookupUncertain
}

// Removable reports whether to suggest a command that deletes whatever group has the ID: an empty group may be there,
// and nothing shows that it is another one.
func (p *Problem) Removable() bool {
	switch {
	case p.Finding == AnotherRemains, p.Finding == FoundEmpty:
		return p.Empty
	case p.MayBeLive:
		return false
	default:
		return p.Placeholder == PlaceholderLeft || p.LookupUncertain && !p.Known.Existed()
	}
}

func (p Problem) with(finding Finding) *Problem {
	p.Finding = finding
	return &p
}

// because returns a copy of the problem with the finding of its cause, a lookup or the check of the service.
func (p Problem) because(cause *Problem) *Problem {
	p.Finding, p.Cause = cause.Finding, cause
	if cause.Finding == RunEnded || cause.Cause != nil {
		p.Cause = cause.Cause
	}
	if cause.Operation == LookUp {
		p.Placeholder, p.LookupUncertain, p.Response = cause.Placeholder, cause.LookupUncertain, cause.Response
		p.URL, p.MayBeLive = cause.URL, p.MayBeLive || cause.MayBeLive
	}
	return &p
}

// record records the error of a call, and returns whether the service did the work in spite of it. For a nil error,
// it returns No.
func (p *Problem) record(err error) Happened {
	p.Call = nil
	if !errors.As(err, &p.Call) {
		return No
	}
	switch {
	case p.Call.Kind == api.Incomplete:
		return Yes
	case p.Call.MayHaveHappened():
		return Maybe
	default:
		return No
	}
}
