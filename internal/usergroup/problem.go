package usergroup

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Problem describes, as data, why an operation failed or what the user has to know although it succeeded. It serves
// as an error or as a warning.
type Problem struct { //nolint:errname // it is a warning, too
	Finding   Finding
	Operation Operation
	ID        string
	Managed   bool             // the state had the group before the operation
	Done      api.Done         // whether the group was created, updated, rotated or deleted
	Left      []string         // the IDs of groups that were created for lookups or the preflight, and may remain
	Call      *api.Error       // the call that failed, or nil
	Prior     Prior            // what is known
	Expected  string           // the environment that is expected
	Sent      api.GroupRequest // what was requested
	Response  api.UserGroup    // what the service returned
	Cause     *Problem         // the preflight that the operation depended on, or what ended the run
	Explains  bool             // later problems refer to this one
	// SendsDataSource reports that deletions contain the ID of a data source.
	SendsDataSource bool
	// Returned reports that the operation has returned a Group although it failed, and AlsoRotated that the token was
	// rotated after an update had failed.
	Returned, AlsoRotated bool
	// Succeeded reports that the operation has succeeded, so that this is a warning, and AlsoChanged that another
	// operation of the same apply has changed the group, or may have.
	Succeeded, AlsoChanged bool
}

//go:generate go tool -modfile=../../tools/generate/go.mod stringer -type Operation,Finding -output names.go

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

// Finding is the conclusion of an operation.
type Finding int

const (
	CallFailed         Finding = iota // a call failed, or its outcome is unknown
	NotFound                          // the group does not exist, and the placeholder was deleted
	LookupRefused                     // the service refuses the lookup of this group in a way that says something about it
	Exists                            // the group to be created exists already
	StillThere                        // the group to be created is the one that this run has deleted
	MayHaveExisted                    // a group exists after a creation with an unknown outcome, but may be another one
	Replaced                          // the known group is gone, and another one has its ID
	UnexpectedToken                   // the group has another token than it should have after a rotation or deletion
	TokenUnchanged                    // the group still has the token that a rotation should have replaced
	AnsweredForAnother                // the response shows an ID other than the requested one
	CacheSuspected                    // a response contradicts an earlier one
	MayBePlaceholder                  // the group may be the placeholder of a lost lookup; a warning if it shows a name
	Filled                            // the group that a lookup has created shows what the lookup did not send
	LeftBehind                        // a group that was created for a lookup or the preflight may remain; also a warning
	NotTakenAsSent                    // the service shows other properties than were sent; a warning for Create and Adopt
	OutdatedToken                     // the service shows no token, or only the one from before the last rotation
	WrongEnvironment                  // the group belongs to an environment other than the known or expected one
	WrongKey                          // the API key does not belong to the expected environment
	RunEnded                          // an earlier problem (Cause) ended the run

	// The following findings are always warnings.
	Adopted        // the group existed and was taken over
	Claimed        // after a creation whose response was lost, the existing group is taken for the one created
	Kept           // the group was not deleted, because another instance of the resource manages it
	Gone           // the group to be deleted was gone, and a lookup of it may have left an empty one
	AnotherRemains // the group to be deleted was gone, and another one that has its ID was not touched
	Respelled      // the service shows the ID or the name in another spelling
)

// Error implements error.
func (p *Problem) Error() string {
	return fmt.Sprintf("user group %q: %s ended in %s", p.ID, p.Operation, p.Finding)
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
	return errors.As(err, &p) && p.Finding == NotFound
}

// refersTo returns the problem as one that leaves the explanation to an earlier one, but keeps what was done. It has no
// Call if none was made.
func (p *Problem) refersTo(cause *Problem) *Problem {
	referring := *p
	referring.Finding, referring.Cause, referring.Explains = RunEnded, cause, false
	return &referring
}

// isLike reports whether two problems have one explanation, because their calls failed in the same way.
func (p *Problem) isLike(other *Problem) bool {
	call, earlier := cmp.Or(p.Call, &api.Error{}), cmp.Or(other.Call, &api.Error{})
	isSame := call.Kind == earlier.Kind && call.Status == earlier.Status
	return isSame && p.Finding == other.Finding
}

// isOfPreflight reports whether the operation has failed because the preflight has.
func (p *Problem) isOfPreflight() bool { return p.Cause != nil && p.Cause.Operation == Preflight }

// isUnsafe reports whether what the preflight has found may be the sign of a cache. A refusal and a wrong key are not.
func (p *Problem) isUnsafe() bool {
	isRefusal := p.Finding == CallFailed && p.isDecided() && p.Call.Kind != api.Incomplete
	return p.Finding != WrongKey && !isRefusal
}

// isDecided reports whether the service itself has decided on the call that failed.
func (p *Problem) isDecided() bool { return p.Call != nil && p.Call.Decided() }
