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

// check is the result of the check of the service, which protects groups from being changed or deleted by mistake. It
// verifies that no cache responds in place of the service, and that the API key belongs to the expected environment.
// The service returns the environment of a group only when it updates or rotates the group (interface sections 2.2
// and 4). No customer's group may be changed for that, so the provider creates a group for the check.
type check struct {
	environment string // the expected tag; empty for any
	mu          sync.Mutex
	passed      bool
	// uncached reports whether a second lookup of a new group got a response other than the one to its creation.
	uncached bool
}

// checkService runs the check until it has passed once in this process. A check that shows a cache, a refused API
// key, or anything but the expected environment ends the run. After any other failure, the next operation checks
// again.
func (s *Service) checkService(ctx context.Context) (uncached bool, problem *Problem) {
	s.check.mu.Lock()
	defer s.check.mu.Unlock()
	if ended := s.ended.Load(); ended != nil {
		return s.check.uncached, &Problem{Finding: RunEnded, Cause: ended}
	}
	for tries := 0; !s.check.passed; tries++ {
		problem = s.tryOut(api.Finish(ctx))
		s.check.passed = problem == nil
		// An incomplete response proves nothing and rarely comes twice.
		if problem != nil && (tries > 0 || problem.Finding != CallFailed || problem.Call.Kind != api.Incomplete) {
			break
		}
	}
	return s.check.uncached, problem
}

// tryOut creates a group with a random ID, looks it up, updates it if an environment is expected, and deletes it.
func (s *Service) tryOut(ctx context.Context) *Problem {
	// The ID is lowercase, because a service may convert IDs to lowercase.
	facts := Problem{Operation: CheckService, ID: "terraform-provider-embed-check-" + strings.ToLower(rand.Text()[:20])}
	facts.Known.EnvironmentTag = &s.check.environment
	group := api.GroupRequest{UserGroupID: facts.ID, Name: &facts.ID}
	made, err := s.client.GetOrCreate(ctx, group)
	if facts.failed(err) == No && err != nil {
		facts.LookupLost = facts.Call.Lost
		return s.endIfKeyRefused(facts.with(CallFailed))
	}
	facts.Placeholder = PlaceholderLeft
	// A group with a random ID cannot exist yet, and its token cannot be known. A response that contradicts this comes
	// from a cache.
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
		// A lost attempt has most likely created the group. The lookups that followed prove nothing about a cache.
		err = &api.Error{Kind: api.Incomplete, Method: "GET", Reason: "the response that creates the group was lost"}
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

// remove deletes the group that tryOut has created.
func (s *Service) remove(ctx context.Context, group api.GroupRequest, token api.Secret) error {
	err := s.client.Delete(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: group.UserGroupID})
	var call *api.Error
	if !errors.As(err, &call) || call.Kind != api.Refused || !call.Lost {
		return err
	}
	// Either the lost attempt has deleted the group, or the refusal has another reason. After a lookup, the group exists
	// in both cases.
	found, err := s.client.GetOrCreate(ctx, group)
	if err != nil {
		return err
	}
	return s.client.Delete(ctx, api.TokenRequest{CurrentToken: found.UserGroup.Token, UserGroupID: group.UserGroupID})
}
