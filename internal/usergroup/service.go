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

// Service offers the safe operations. It is safe for concurrent use; operations on one id follow one another.
type Service struct {
	client *api.Client
	// records holds a *record for each id, tokens every token that this process has seen.
	records, tokens sync.Map
	// nameRequired remembers that the service refuses a lookup without a name.
	nameRequired atomic.Bool
	// ended holds what has ended the run for every group; see end.
	ended atomic.Pointer[Problem]
	check check
}

// New returns a Service on top of a client. environment is the tag that every group must have ("Customer" or
// "Testing", interface section 2.2), or empty for any.
func New(client *api.Client, environment string) *Service {
	return &Service{client: client, check: check{environment: environment}}
}

// Known is what earlier answers told about a group. Everything but the id may be unknown, that is nil, zero or empty.
type Known struct {
	ID             string
	Name           string
	TeamID         *int64
	Token          api.Secret
	Fingerprint    string // of the token, where the token itself is not kept
	EnvironmentTag *string
	// Retired are the fingerprints of tokens that were rotated away. A retired token never returns.
	Retired []string
	// TakenOver says that a refresh found another group under the id than the one that was known, and that this one was
	// not updated since: Terraform has shown it, and has never managed it.
	TakenOver bool
	// Instance is the Result.Instance of the creation that brought the group into the state.
	Instance string
}

// with is what is known after a lookup has found the group.
func (k Known) with(found Found) Known {
	k.Token, k.Fingerprint = found.Token, found.Token.Fingerprint()
	k.TeamID = cmp.Or(found.TeamID, k.TeamID)
	return k
}

// isOther reports whether an answer is about another group than the known one: same id, but deleted and created again.
func (k Known) isOther(group api.UserGroup) bool {
	return k.TeamID != nil && group.TeamID != nil && *k.TeamID != *group.TeamID
}

// isSame reports whether an answer is certainly about the known group. An unknown team_id says neither.
func (k Known) isSame(group api.UserGroup) bool {
	if k.TeamID != nil && group.TeamID != nil {
		return *k.TeamID == *group.TeamID
	}
	return !group.Token.IsZero() && (group.Token == k.Token || group.Token.Fingerprint() == k.Fingerprint)
}

// Found is an existing group.
type Found struct {
	api.UserGroup
	// Replaced says that it is another group than the known one under the same id.
	Replaced bool
	// Outdated says that the service showed a token that was retired: what it shows is older than what is known.
	Outdated bool
	// Lost says that an attempt of the look was lost, which the service may still carry out.
	Lost bool
	// Warnings are what has to be known besides.
	Warnings []*Problem
}

// Result is what an operation brought about. After an error, a Result with a Group says what was done nevertheless.
type Result struct {
	Group *api.UserGroup
	// Instance tells one creation or adoption of a group from every other one; see Service.Delete.
	Instance string
	// Retired is the fingerprint of the token that a rotation has replaced; empty when there was none.
	Retired  string
	Warnings []*Problem
}

// record is what this process has done about an id. Who holds its lock has the id to itself.
type record struct {
	sync.Mutex
	// instance is the Result.Instance of the last creation or adoption; empty for none.
	instance string
	deleted  bool
}

// alone carries an operation out when other operations on the same id are done, and refuses when something has ended
// the run for every group.
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

// end ends the run for every group, since what is wrong for one is wrong for all. The first problem explains it, and
// those of other operations point to it.
func (s *Service) end(problem *Problem) *Problem {
	if s.ended.CompareAndSwap(nil, problem) {
		return problem
	}
	return &Problem{Finding: RunEnded, Operation: problem.Operation, ID: problem.ID, Cause: s.ended.Load()}
}

// endIfKeyRefused ends the run when a call that carries no token was answered with 401 by the service itself: that is
// about the API key.
func (s *Service) endIfKeyRefused(problem *Problem) *Problem {
	if call := problem.Call; call != nil && call.FromService && call.Status == http.StatusUnauthorized {
		return s.end(problem)
	}
	return problem
}

// remember keeps a token, by which an answer from a cache is told from a new group: no two groups have the same one.
func (s *Service) remember(token api.Secret) {
	if !token.IsZero() {
		s.tokens.Store(token, true)
	}
}

func (s *Service) remembers(token api.Secret) bool {
	_, seen := s.tokens.Load(token)
	return seen
}
