package usergroup

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// check is what has to be known of the service before harm could be done: that nothing in between answers from memory,
// and that the API key belongs to the expected environment. Only a group of the provider's own making can show either:
// no customer's may be touched, and the service tells the environment of a group only when it updates or rotates it
// (interface sections 2.2 and 4).
type check struct {
	environment string // the expected one; empty for any
	mu          sync.Mutex
	passed      bool
	// uncached: a look at a new group did not bring back the answer that had created it.
	uncached bool
}

// checkService checks once in a process. A verdict against the service ends the run; a check that fails otherwise is no
// verdict, and the next operation checks again.
func (s *Service) checkService(ctx context.Context) (uncached bool, problem *Problem) {
	s.check.mu.Lock()
	defer s.check.mu.Unlock()
	if ended := s.ended.Load(); ended != nil {
		return s.check.uncached, &Problem{Finding: RunEnded, Cause: ended}
	}
	for tries := 0; !s.check.passed; tries++ {
		problem = s.tryOut(api.Finish(ctx))
		s.check.passed = problem == nil
		// Half an answer is no verdict, and hardly comes twice.
		if problem != nil && (tries > 0 || problem.Finding != CallFailed || problem.Call.Kind != api.Incomplete) {
			break
		}
	}
	return s.check.uncached, problem
}

// tryOut makes a group under an id that nobody else has, looks at it, has it updated and deletes it.
func (s *Service) tryOut(ctx context.Context) *Problem {
	// In lower case, which no service is known to change.
	facts := Problem{Operation: CheckService, ID: "terraform-provider-embed-check-" + strings.ToLower(rand.Text()[:20])}
	facts.Known.EnvironmentTag = &s.check.environment
	group := api.GroupRequest{UserGroupID: facts.ID, Name: &facts.ID}
	made, err := s.client.GetOrCreate(ctx, group)
	if facts.failed(err) == No && err != nil {
		facts.LookupLost = facts.Call.Lost
		return s.endIfKeyRefused(facts.with(CallFailed))
	}
	facts.Placeholder = PlaceholderLeft
	// An id at random cannot be there before, and its token cannot be known.
	created := made.New != nil && *made.New
	cached := made.New != nil && !created && !made.Lost ||
		isOtherID(facts.ID, made.UserGroup) || s.remembers(made.UserGroup.Token)
	seen := made
	if !cached {
		seen, err = s.client.GetOrCreate(ctx, group)
		cached = err == nil && *seen.New
	}
	facts.LookupLost = made.Lost || seen.Lost || facts.failed(err) != No
	s.check.uncached = s.check.uncached || err == nil && !cached && created
	var token api.Secret
	if !cached {
		token = cmp.Or(seen.UserGroup.Token, made.UserGroup.Token)
		if err == nil && s.check.environment != "" {
			seen, err = s.client.Update(ctx, group)
		}
	}
	facts.Told = seen.UserGroup
	if err := s.remove(ctx, group, token); err != nil {
		facts.failed(err)
		return facts.with(LeftBehind)
	}
	facts.Placeholder = PlaceholderRemoved
	if err == nil && !cached && !created {
		// A lost attempt has most likely made the group, and the looks after it say nothing about a cache.
		err = &api.Error{Kind: api.Incomplete, Method: "GET", Reason: "the answer that creates a group was lost"}
	}
	facts.failed(err)
	switch tag := facts.Told.EnvironmentTag; {
	case err != nil:
		return facts.with(CallFailed)
	case cached:
		return s.end(facts.with(AnsweredFromCache))
	case s.check.environment == "" || tag != nil && *tag == s.check.environment:
		return nil
	case tag == nil:
		return s.end(facts.with(NoEnvironment))
	default:
		return s.end(facts.with(WrongKey))
	}
}

// remove deletes the group that tryOut has made.
func (s *Service) remove(ctx context.Context, group api.GroupRequest, token api.Secret) error {
	err := s.client.Delete(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: group.UserGroupID})
	var call *api.Error
	if !errors.As(err, &call) || call.Kind != api.Refused || !call.Lost {
		return err
	}
	// Refused because the lost attempt has deleted it, or for another reason. After a look it is there in either case.
	found, err := s.client.GetOrCreate(ctx, group)
	if err != nil {
		return err
	}
	return s.client.Delete(ctx, api.TokenRequest{CurrentToken: found.UserGroup.Token, UserGroupID: group.UserGroupID})
}
