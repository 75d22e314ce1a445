package usergroup

import (
	"errors"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Problem is how an operation ended when it did not end well, or what has to be known although it did: facts. It is an
// error or a warning; Title and Detail put it into words.
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
	Sent  Wanted
	Told  api.UserGroup
	// Cause is the problem that led to this one: of a lookup on behalf of another operation, or what ended the run.
	Cause *Problem
}

// Operation is what was being done.
type Operation int

// The operations.
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

// Something was not done, may have been done, or was done.
const (
	No Happened = iota
	Maybe
	Yes
)

// Placeholder is the fate of the empty group that a lookup has made.
type Placeholder int

const (
	// NoPlaceholder: no answer told of one.
	NoPlaceholder Placeholder = iota
	// PlaceholderRemoved: it was deleted again.
	PlaceholderRemoved
	// PlaceholderLeft: it was made, and is not known to be deleted.
	PlaceholderLeft
)

// Finding is what an operation found out.
type Finding int

const (
	// CallFailed: the service did not do what it was asked for, or did not say so.
	CallFailed Finding = iota
	// NotFound: there is no such group, and none was left behind.
	NotFound
	// Exists: a group that was to be created is there already.
	Exists
	// MayHaveExisted: after a lost answer to a creation there is a group, and nothing shows that it is the one created.
	MayHaveExisted
	// Replaced: the known group is gone, and another one has its id.
	Replaced
	// AnsweredForAnother: the answer names another id than the one that was asked about.
	AnsweredForAnother
	// AnsweredFromCache: an answer is about an earlier state of affairs.
	AnsweredFromCache
	// AnswersDisagree: two answers about one group cannot both be true.
	AnswersDisagree
	// MayBeLeftBehind: a lookup whose answer was lost may have made the group that is there now.
	MayBeLeftBehind
	// NotTakenAsSent: the service accepted an update and has something else than was sent.
	NotTakenAsSent
	// NotRotated: the service reported a rotation and answered with the token that was to be replaced.
	NotRotated
	// MayBeAnother: the group has another token, and nothing tells whether it is still the known group.
	MayBeAnother
	// LeftBehind: a group that was made for a look, or to check the environment, could not be removed again.
	LeftBehind
	// OutdatedToken: the service shows no token but one that was retired.
	OutdatedToken
	// WrongEnvironment: the group belongs to another environment than was known or expected.
	WrongEnvironment
	// WrongKey: the API key belongs to another environment than the expected one.
	WrongKey
	// NoEnvironment: the service does not tell an environment to hold to.
	NoEnvironment
	// RunEnded: no call was made, because of what another operation found (Cause).
	RunEnded

	// Adopted: the group existed and was taken over. This and what follows are warnings.
	Adopted
	// Claimed: after a lost answer to a creation, the group that is there is taken for the one created.
	Claimed
	// Recreated: this process had deleted the group before it created it.
	Recreated
	// Kept: the group was not deleted, because another instance of the resource manages it.
	Kept
	// AnotherRemains: the group is gone, and another one that has its id was not touched.
	AnotherRemains
	// TokenChanged: the token is another one than was known.
	TokenChanged
	// OtherSpelling: the service writes the id of this same group differently.
	OtherSpelling
)

// ErrNotFound is what errors.Is finds in the error of a lookup that proved that there is no such group, and left none.
var ErrNotFound = errors.New("user group not found")

// Error implements error.
func (p *Problem) Error() string { return p.Title() + ": " + p.Detail() }

// Is makes a NotFound the ErrNotFound that callers look for.
func (p *Problem) Is(target error) bool {
	return target == ErrNotFound && p.Operation == LookUp && p.Finding == NotFound
}

// orNil is the problem as an error; a nil problem is none.
func (p *Problem) orNil() error {
	if p == nil {
		return nil
	}
	return p
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

// difference is where an answer contradicts what was sent: the name, and top-level keys of the properties.
type difference struct {
	name                       bool
	remained, changed, missing []string
}

func (d difference) any() bool { return d.name || len(d.remained)+len(d.changed)+len(d.missing) > 0 }

func compare(sent Wanted, told api.UserGroup) (d difference) {
	d.name = sent.Name != nil && told.Name != nil && *told.Name != *sent.Name
	if !sent.Properties.IsZero() && !told.Properties.IsZero() {
		d.remained, d.changed, d.missing = jsonobject.Contradictions(sent.Properties, told.Properties)
	}
	return d
}
