// Package usergroup implements safe operations on user groups. The service only has a get-or-create call: lookups
// create groups, creating adopts them, and a lost response leaves the outcome open. This package contains everything
// that deals with that. It does not depend on Terraform.
//
// Every operation sends its call, looks up the group if the response leaves the outcome open, and decides. It reports
// what went wrong as data ([Problem]), which the caller puts into words.
package usergroup

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Service implements the safe operations. It is safe for concurrent use. Operations on the same ID run one at a time.
type Service struct {
	client *api.Client
	// locks maps each ID to its *groupLock. tokens maps each token that this process has seen to whether the group that
	// had it is known to be gone. The keys of uncertain are the IDs with a lookup whose outcome is uncertain.
	locks, tokens, uncertain sync.Map
	// nameRequired is set once the service has accepted a lookup only with a name.
	nameRequired atomic.Bool
	// nameSent is set once a lookup has sent a name.
	nameSent atomic.Bool
	names    names
	// scouting is set when the first lookup begins, and scouted is closed when it ends.
	scouting atomic.Bool
	scouted  chan struct{}
	check    check
	run      run
}

// New returns a Service that uses the client. environment is the tag that every group must have ("Customer" or
// "Testing", interface section 2.2). If it is empty, any tag will do.
func New(client *api.Client, environment string) *Service {
	return &Service{
		client: client, scouted: make(chan struct{}), check: check{environment: environment},
		run: newRun(),
	}
}

// Known is what is known about a group from earlier responses. A field that is nil, zero or empty is unknown. Only
// the ID is required.
type Known struct {
	ID             string
	Name           string
	TeamID         *int64
	Token          api.Secret
	Fingerprint    string // of the token; known even if the token is not stored
	EnvironmentTag *string
	// Retired are the fingerprints of tokens that rotations have replaced, and SinceRotation is how long ago the last of
	// these rotations was; see mayLag.
	Retired       []string
	SinceRotation time.Duration
	// TakenOver reports whether a refresh found another group under the ID and no update has followed. Terraform has
	// shown that group but has never managed it. TakenOverEmpty reports whether that group was Empty.
	TakenOver, TakenOverEmpty bool
	// Instance is the Result.Instance of the creation that brought the group into the state.
	Instance string
}

// Existed reports whether the group is known to have existed.
func (k Known) Existed() bool { return k.TeamID != nil || k.Fingerprint != "" || !k.Token.IsZero() }

// with returns what is known after a lookup has found the group.
func (k Known) with(found Found) Known {
	k.Token, k.Fingerprint = found.Token, found.Token.Fingerprint()
	k.TeamID = cmp.Or(found.TeamID, k.TeamID)
	return k
}

// isOther reports whether a response shows that the known group was deleted and another one was created with its ID.
func (k Known) isOther(group api.UserGroup) bool {
	return k.TeamID != nil && group.TeamID != nil && *k.TeamID != *group.TeamID
}

// isSame reports whether a response is certainly about the known group. If a team_id is unknown, it compares tokens.
func (k Known) isSame(group api.UserGroup) bool {
	if k.TeamID != nil && group.TeamID != nil {
		return *k.TeamID == *group.TeamID
	}
	return !group.Token.IsZero() &&
		(group.Token == k.Token || group.Token.Fingerprint() == k.Fingerprint || k.hasRetired(group.Token))
}

// areSame reports whether two responses are certainly about the same group.
func areSame(one, other api.UserGroup) bool {
	return Known{TeamID: one.TeamID, Token: one.Token}.isSame(other)
}

func (k Known) hasRetired(token api.Secret) bool {
	return !token.IsZero() && slices.Contains(k.Retired, token.Fingerprint())
}

// longestLag is how long after a rotation a lookup may still show a retired token because it lags. Copies of a database
// lag for seconds. A token that is shown for longer is current again, because the service has lost the rotation, and a
// state that ignored it would have a dead token for good.
const longestLag = time.Minute

// mayLag reports whether a lookup that shows a retired token may lag. If not, that token is current again. The last
// rotation may seem to lie ahead, because another machine's clock has recorded it.
func (k Known) mayLag() bool { return k.SinceRotation.Abs() < longestLag }

// Found is an existing group.
type Found struct {
	api.UserGroup
	// Replaced reports whether this is another group with the ID of the known one.
	Replaced bool
	// Empty reports whether the group shows nothing of its own although the service shows names.
	Empty bool
	// Outdated reports whether the service returned a retired token that is not current again, so that this response is
	// older than what is known.
	Outdated bool
	// Uncertain reports whether an attempt of the lookup was lost. The service may still carry it out.
	Uncertain bool
	// Warnings are problems that did not make the lookup fail.
	Warnings []*Problem
}

// Result is the outcome of an operation. If an operation returns an error and a Group, the Group shows what the
// operation has done nevertheless.
type Result struct {
	Group *api.UserGroup
	// Instance identifies one creation or adoption of a group; see Service.Delete.
	Instance string
	// Retired is the fingerprint of the token that a rotation has replaced. It is empty if there was no rotation.
	Retired  string
	Warnings []*Problem
}

// groupLock gives exclusive access to the group with one ID, and records what this process has done to it. It is a
// channel, because waiting for it must end when the run is stopped.
type groupLock struct {
	held chan struct{}
	// instance is the Result.Instance of the last creation or adoption. It is empty if there was none since a deletion.
	instance string
	deleted  bool
	// fresh is the last operation if that was a Find that FindForImport may use, and nil otherwise.
	fresh *freshLookup
}

// exclusively runs an operation with exclusive access to its ID and with one budget for all its calls. It returns
// RunEnded if a problem has ended the run.
func exclusively[R any](
	ctx context.Context, s *Service, operation Operation, known Known,
	do func(context.Context, *groupLock) (R, *Problem),
) (result R, err error) {
	value, _ := s.locks.LoadOrStore(known.ID, &groupLock{held: make(chan struct{}, 1)})
	lock, _ := value.(*groupLock)
	select {
	case lock.held <- struct{}{}:
		defer func() { <-lock.held }()
	case <-ctx.Done():
		draft := Problem{Operation: operation, ID: known.ID}
		draft.record(api.Stopped("", ctx.Err()))
		return result, draft.with(CallFailed)
	}
	if cause := s.ended(operation); cause != nil {
		return result, notBegun(operation, known.ID, cause)
	}
	if operation != LookUp {
		lock.fresh = nil
	}
	s.remember(known.Token)
	ctx, release := s.untilOver(s.client.Begin(ctx))
	defer release()
	result, problem := do(ctx, lock)
	if problem == nil {
		return result, nil
	}
	if slices.Contains([]Finding{AnsweredForAnother, AnsweredFromCache, AnswersDisagree}, problem.Finding) {
		s.client.Distrust() // The response may have been that to another call.
	}
	return result, s.endIfGeneral(ctx, operation, problem)
}

// remember records a token. No two groups share one, so a response that reports a new group with a known token comes
// from a cache.
func (s *Service) remember(token api.Secret) {
	if !token.IsZero() {
		s.tokens.LoadOrStore(token, false)
	}
}

// setGone records that the group with a token is gone, so that a response that shows it is an old one.
func (s *Service) setGone(token api.Secret) {
	if !token.IsZero() {
		s.tokens.Store(token, true)
	}
}

// isGone reports whether the group with a token is known to be gone.
func (s *Service) isGone(token api.Secret) bool {
	gone, _ := s.tokens.Load(token)
	return gone == true
}

func (s *Service) remembers(token api.Secret) bool {
	_, seen := s.tokens.Load(token)
	return seen
}
