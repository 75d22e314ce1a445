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
	Done      Happened         // whether the group was created, updated, rotated or deleted
	MayRemain bool             // an empty group may remain under the ID
	Call      *api.Error       // the call that failed, or nil
	Prior     Prior            // what was known
	Expected  string           // the environment that was expected
	Sent      api.GroupRequest // what was requested
	Response  api.UserGroup    // what the service returned
	Cause     *Problem         // a lookup or preflight that the operation depended on, or what ended the run
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
	Preflight
)

// Happened says whether something was done at the service.
type Happened int

const (
	No Happened = iota
	Maybe
	Yes
)

// Finding is the conclusion of an operation.
type Finding int

const (
	CallFailed         Finding = iota // a call failed, or its outcome is unknown
	NotFound                          // the group does not exist, and the placeholder was deleted
	LookupRefused                     // the service refuses the lookup of this group in a way that says something about it
	Exists                            // the group to be created exists already
	MayHaveExisted                    // a group exists after a creation with an unknown outcome, but may be another one
	Replaced                          // the known group is gone, and another one has its ID
	UnexpectedToken                   // the group has another token than it should have after a rotation or deletion
	AnsweredForAnother                // the response shows an ID other than the requested one
	CacheSuspected                    // a response contradicts an earlier one
	MayBePlaceholder                  // the group may be the placeholder of a lost lookup; a warning if it shows a name
	LeftBehind                        // a group that was created for a lookup or the preflight could not be deleted
	NotTakenAsSent                    // the service accepted an update, but shows other properties; a warning for Adopt
	OutdatedToken                     // the service shows only the token from before the last rotation
	WrongEnvironment                  // the group belongs to an environment other than the known or expected one
	WrongKey                          // the API key does not belong to the expected environment
	RunEnded                          // an earlier problem (Cause) ended the run

	// The following findings are always warnings.
	Adopted        // the group existed and was taken over
	Claimed        // after a creation whose response was lost, the existing group is taken for the one created
	Kept           // the group was not deleted, because another instance of the resource manages it
	AnotherRemains // the group is gone, and another one that has its ID was not touched
	Respelled      // the service shows the ID or the name in another spelling
)

func about(operation Operation, prior Prior) Problem {
	return Problem{Operation: operation, ID: prior.ID, Prior: prior}
}

// Error implements error.
func (p *Problem) Error() string {
	return fmt.Sprintf("user group %q: operation %d ended in finding %d", p.ID, p.Operation, p.Finding)
}

// Unwrap returns the error of the failed call, or nil.
func (p *Problem) Unwrap() error {
	if p.Call == nil {
		return nil
	}
	return p.Call
}

// IsNotFound reports whether the error of a lookup says that there is no group with the ID.
func IsNotFound(err error) bool {
	var p *Problem
	return errors.As(err, &p) && p.Operation == LookUp && p.Finding == NotFound
}

func (p Problem) with(finding Finding) *Problem {
	p.Finding = finding
	return &p
}

// because returns a copy of the problem with the finding of its cause, a lookup or the preflight.
func (p Problem) because(cause *Problem) *Problem {
	p.Finding, p.Call, p.Expected, p.Response = cause.Finding, cause.Call, cause.Expected, cause.Response
	if p.Cause = cause; cause.Finding == RunEnded {
		p.Cause = cause.Cause
	}
	p.MayRemain = p.MayRemain || cause.Operation == LookUp && cause.MayRemain
	return &p
}

// referTo returns the problem as one that leaves the explanation to an earlier one, but keeps what was done.
func (p Problem) referTo(cause *Problem) *Problem {
	p.Finding, p.Cause, p.Call = RunEnded, cause, nil
	return &p
}

// record records the error of a call, and returns whether the service did the work in spite of it. For a nil error,
// it returns No.
func (p *Problem) record(err error) Happened {
	p.Call = nil
	switch {
	case !errors.As(err, &p.Call) || !p.Call.MayHaveHappened():
		return No
	case p.Call.Kind == api.Incomplete:
		return Yes
	default:
		return Maybe
	}
}
