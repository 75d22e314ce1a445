// Package usergroup implements safe operations on user groups. The service only has a get-or-create call: lookups
// create groups, creating adopts them, and a lost response leaves the outcome open. This package contains everything
// that deals with that. It does not depend on Terraform.
//
// Every operation sends its call, looks up the group if the response leaves the outcome open, and decides. It reports
// what went wrong as data ([Problem]), which the caller puts into words.
package usergroup

import (
	"cmp"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Service implements the safe operations. It is safe for concurrent use. Operations on the same ID run one at a time.
type Service struct {
	client *api.Client
	// records maps each ID to its *record. The keys of tokens are the tokens that this process has seen.
	records, tokens sync.Map
	// nameRequired is set once the service has accepted a lookup only with a name.
	nameRequired atomic.Bool
	// ended is the problem that ended the run for every group, or nil; see end.
	ended atomic.Pointer[Problem]
	check check
}

// New returns a Service that uses the client. environment is the tag that every group must have ("Customer" or
// "Testing", interface section 2.2). If it is empty, any tag will do.
func New(client *api.Client, environment string) *Service {
	return &Service{client: client, check: check{environment: environment}}
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
	// Retired are the fingerprints of tokens that rotations have replaced. A retired token never becomes current again.
	Retired []string
	// TakenOver reports whether a refresh found another group under the ID and no update has followed. Terraform has
	// shown that group but has never managed it.
	TakenOver bool
	// Instance is the Result.Instance of the creation that brought the group into the state.
	Instance string
}

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
	return !group.Token.IsZero() && (group.Token == k.Token || group.Token.Fingerprint() == k.Fingerprint)
}

// Found is an existing group.
type Found struct {
	api.UserGroup
	// Replaced reports whether this is another group with the ID of the known one.
	Replaced bool
	// Outdated reports whether the service returned a retired token, so that this response is older than what is known.
	Outdated bool
	// Lost reports whether an attempt of the lookup was lost. The service may still carry it out.
	Lost bool
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

// record is what this process has done to the group with one ID. Holding its lock gives exclusive access to the ID.
type record struct {
	sync.Mutex
	// instance is the Result.Instance of the last creation or adoption. It is empty if there was none since a deletion.
	instance string
	deleted  bool
}

// alone runs an operation with exclusive access to its ID. It returns RunEnded if a problem has ended the run.
func alone[R any](s *Service, operation Operation, known Known, do func(*record) (R, *Problem)) (result R, err error) {
	kept, _ := s.records.LoadOrStore(known.ID, &record{})
	mine, _ := kept.(*record)
	mine.Lock()
	defer mine.Unlock()
	if cause := s.ended.Load(); cause != nil {
		return result, &Problem{Finding: RunEnded, Operation: operation, ID: known.ID, Cause: cause}
	}
	s.remember(known.Token)
	result, problem := do(mine)
	if problem == nil {
		return result, nil
	}
	return result, problem
}

// end ends the run for every group, because the problem affects all of them. It returns the first such problem as it
// is, and RunEnded with the first problem as its cause for all later ones.
func (s *Service) end(problem *Problem) *Problem {
	if s.ended.CompareAndSwap(nil, problem) {
		return problem
	}
	return &Problem{Finding: RunEnded, Operation: problem.Operation, ID: problem.ID, Cause: s.ended.Load()}
}

// endIfKeyRefused ends the run if the service itself responded with status 401. It may only be used after a call that
// carries no token, because only then does the status mean that the API key was refused.
func (s *Service) endIfKeyRefused(problem *Problem) *Problem {
	if call := problem.Call; call != nil && call.FromService && call.Status == http.StatusUnauthorized {
		return s.end(problem)
	}
	return problem
}

// remember records a token. No two groups share one, so a response that reports a new group with a known token comes
// from a cache.
func (s *Service) remember(token api.Secret) {
	if !token.IsZero() {
		s.tokens.Store(token, true)
	}
}

func (s *Service) remembers(token api.Secret) bool {
	_, seen := s.tokens.Load(token)
	return seen
}
