package usergroup

import (
	"errors"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Problem is how an operation ended when it did not end well, or what has to be known although it did: facts. It is an
// error or a warning.
type Problem struct {
	Finding   Finding
	Operation Operation
	ID        string
	// Done says whether what the operation is for was done: the group created, updated, rotated or deleted.
	Done Happened
	// Placeholder is what became of the empty group that a lookup makes where there is none.
	Placeholder Placeholder
	// LookupLost says that an attempt of a lookup got no answer that tells: it may have made an empty group, or may still.
	LookupLost bool
	// Call is the failed call, if one failed; its *api.Error says what came back.
	Call *api.Error
	// Known and Told are the two sides of a contradiction, Sent and Told those of an update.
	Known Known
	Sent  api.GroupRequest
	Told  api.UserGroup
	// Cause is the problem that led to this one: of a lookup on behalf of another operation, or what ended the run.
	Cause *Problem
}

// Operation is what was being done.
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
	NoPlaceholder      Placeholder = iota // no answer told of one
	PlaceholderRemoved                    // it was deleted again
	PlaceholderLeft                       // it was made, and is not known to be deleted
)

// Finding is what an operation found out.
type Finding int

const (
	CallFailed         Finding = iota // the service did not do what it was asked for, or did not say so
	NotFound                          // there is no such group, and none was left behind
	Exists                            // a group that was to be created is there already
	MayHaveExisted                    // after a lost answer to a creation there is a group, perhaps another one
	Replaced                          // the known group is gone, and another one has its id
	AnsweredForAnother                // the answer names another id than the one that was asked about
	AnsweredFromCache                 // an answer is about an earlier state of affairs
	AnswersDisagree                   // two answers about one group cannot both be true
	MayBeLeftBehind                   // a lookup whose answer was lost may have made the group that is there now
	NotTakenAsSent                    // the service accepted an update and has something else than was sent
	NotRotated                        // the service reported a rotation and showed the token from before
	MayBeAnother                      // the group has another token, and nothing tells whether it is still the known group
	LeftBehind                        // a group that was made for a look or a check could not be removed again
	OutdatedToken                     // the service shows no token but one that was retired
	WrongEnvironment                  // the group belongs to another environment than was known or expected
	WrongKey                          // the API key belongs to another environment than the expected one
	NoEnvironment                     // the service does not tell an environment to hold to
	RunEnded                          // no call was made, because of what another operation found (Cause)

	Adopted        // the group existed and was taken over; this and what follows are warnings
	Claimed        // after a lost answer to a creation, the group that is there is taken for the one created
	Recreated      // this process had deleted the group before it created it
	Kept           // the group was not deleted, because another instance of the resource manages it
	AnotherRemains // the group is gone, and another one that has its id was not touched
	TokenChanged   // the token is another one than was known
	OtherSpelling  // the service writes the id of this same group differently
)

// ErrNotFound is what errors.Is finds in the error of a lookup that proved that there is no such group, and left none.
var ErrNotFound = errors.New("user group not found")

// Error implements error.
func (p *Problem) Error() string {
	return fmt.Sprintf("user group %q: operation %d ended in finding %d", p.ID, p.Operation, p.Finding)
}

// Is makes a NotFound the ErrNotFound that callers look for.
func (p *Problem) Is(target error) bool {
	return target == ErrNotFound && p.Operation == LookUp && p.Finding == NotFound
}

// with returns a copy of the facts that ends in a finding.
func (p Problem) with(finding Finding) *Problem {
	p.Finding = finding
	return &p
}

// because returns a copy of the facts that ends in what a look, or the check of the environment, ended in.
func (p Problem) because(cause *Problem) *Problem {
	p.Finding, p.Cause = cause.Finding, cause
	if cause.Finding == RunEnded || cause.Cause != nil {
		p.Cause = cause.Cause
	}
	if cause.Operation == LookUp {
		p.Placeholder, p.LookupLost, p.Told = cause.Placeholder, cause.LookupLost, cause.Told
	}
	return &p
}

// failed notes the failure of a call, and returns what it means for the work that was asked for.
func (p *Problem) failed(err error) Happened {
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
