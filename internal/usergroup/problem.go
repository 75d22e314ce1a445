package usergroup

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Problem describes, as data, why an operation failed or what the user has to know although it succeeded. It serves
// as an error or as a warning.
type Problem struct { //nolint:errname // it is a warning, too
	Finding   Finding
	Operation Operation
	ID        string
	Done      api.Done         // whether the group was created, updated, rotated or deleted
	Left      []string         // the IDs of groups that were created for lookups or the preflight, and may remain
	Call      *api.Error       // the call that failed, or nil
	Prior     Prior            // what is known
	Expected  string           // the environment that is expected
	Sent      api.GroupRequest // what was requested
	Response  api.UserGroup    // what the service returned
	Cause     *Problem         // the preflight that the operation depended on, or what ended the run
	Explains  bool             // later problems refer to this one
	IsWarning bool             // nothing has failed; whoever shows the problem as a warning sets this
}

// Operation identifies the operation that a Problem is about. No constant is empty, so that none is meant by mistake.
type Operation string

const (
	LookUp    Operation = "LookUp"
	Create    Operation = "Create"
	Adopt     Operation = "Adopt"
	Update    Operation = "Update"
	Rotate    Operation = "Rotate"
	Delete    Operation = "Delete"
	Preflight Operation = "Preflight"
)

// Finding is the conclusion of an operation. No constant is empty.
type Finding string

const (
	CallFailed       Finding = "CallFailed"       // a call failed, or its outcome is unknown
	NotFound         Finding = "NotFound"         // the group does not exist, and the placeholder was deleted
	Exists           Finding = "Exists"           // the group to be created exists already
	MayHaveExisted   Finding = "MayHaveExisted"   // a group exists after a lost creation, but may be another one
	Replaced         Finding = "Replaced"         // the known group is gone, and another one has its ID; also a warning
	UnexpectedToken  Finding = "UnexpectedToken"  // the group has another token than before an update
	Mismatched       Finding = "Mismatched"       // a response shows another ID, or contradicts an earlier one
	MayBePlaceholder Finding = "MayBePlaceholder" // a lost lookup may have made the group; a warning if it shows a name
	LeftBehind       Finding = "LeftBehind"       // a group made for a lookup or the preflight may remain; also a warning
	NotTakenAsSent   Finding = "NotTakenAsSent"   // a response shows another name or other properties; always a warning
	OutdatedToken    Finding = "OutdatedToken"    // the service shows only a token that was replaced, or should have been
	WrongEnvironment Finding = "WrongEnvironment" // the group belongs to another environment than the expected one
	WrongKey         Finding = "WrongKey"         // the API key does not belong to the expected environment
	RunEnded         Finding = "RunEnded"         // an earlier problem (Cause) explains this one, or has ended the run

	// The following findings are always warnings.
	Adopted Finding = "Adopted" // the group existed and was taken over
	Claimed Finding = "Claimed" // after a lost creation, the existing group is taken for the one created
	Kept    Finding = "Kept"    // the group was not deleted, because another instance of the resource manages it
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

// refersTo returns the problem as one that leaves the explanation to an earlier one, but keeps what was done. It has no
// Call if none was made.
func (p *Problem) refersTo(cause *Problem) *Problem {
	referring := *p
	referring.Finding, referring.Cause, referring.Explains = RunEnded, cause, false
	return &referring
}

// likeness is what two problems with one explanation have in common: their calls failed in the same way.
type likeness struct {
	finding Finding
	kind    api.Kind
	status  int
}

func (p *Problem) likeness() likeness {
	call := cmp.Or(p.Call, &api.Error{})
	return likeness{p.Finding, call.Kind, call.Status}
}

// isAboutAnother reports whether the group of the state is gone, or another one has its ID, or the key is a wrong one.
func (p *Problem) isAboutAnother() bool {
	return slices.Contains([]Finding{NotFound, Replaced, WrongEnvironment}, p.Finding)
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
