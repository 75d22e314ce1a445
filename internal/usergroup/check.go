package usergroup

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// check is the state of the check of the service, which protects groups from being changed or deleted by mistake. It
// verifies that no cache responds in place of the service, and that the API key belongs to the expected environment.
// The service returns the environment of a group only when it updates or rotates the group (interface sections 2.2
// and 4). No customer's group may be changed for that, so the provider creates a group for the check.
type check struct {
	environment string // the expected tag; empty for any

	mu      sync.Mutex
	running *verdict // of the check that is under way, or nil
	last    *verdict // of the last check that has ended, or nil
}

// verdict is the result of one check.
type verdict struct {
	done    chan struct{} // closed when the check has ended
	problem *Problem      // nil if the check has passed
	// uncached reports whether a second lookup of a new group got a response other than the one to its creation.
	uncached bool
}

// checkService returns the verdict of a check that has passed in this process, or else of a new one. Whoever asks
// during a check shares its verdict. It stops waiting for that when stop is closed, unless stop is nil. A check that
// shows a cache, a refused API key, or anything but the expected environment, and one that gets no response or cannot
// delete its group, ends the run. After any other failure, the next operation checks again.
func (s *Service) checkService(ctx context.Context, stop <-chan struct{}) *verdict {
	s.check.mu.Lock()
	last, running := s.check.last, s.check.running
	final := s.ended(CheckService) != nil
	if last != nil && (final || last.problem == nil || last.problem.Placeholder == PlaceholderLeft) {
		s.check.mu.Unlock()
		return last.shared()
	}
	if running != nil {
		s.check.mu.Unlock()
		select {
		case <-running.done:
			return running.shared()
		case <-stop:
			draft := Problem{Operation: CheckService}
			draft.record(api.Stopped(http.MethodGet, ctx.Err()))
			return &verdict{problem: draft.with(CallFailed)}
		}
	}
	mine := &verdict{done: make(chan struct{})}
	s.check.running = mine
	s.check.mu.Unlock()
	s.runCheck(ctx, mine)
	s.check.mu.Lock()
	s.check.running, s.check.last = nil, mine
	s.check.mu.Unlock()
	close(mine.done)
	return mine
}

// shared returns the verdict for operations other than the one that ran the check, which explains the problem.
func (v *verdict) shared() *verdict {
	if v.problem == nil {
		return v
	}
	cause := v.problem
	if cause.Finding == RunEnded {
		cause = cause.Cause
	}
	return &verdict{problem: notBegun(CheckService, v.problem.ID, cause), uncached: v.uncached}
}

func (s *Service) runCheck(ctx context.Context, v *verdict) {
	ctx = s.client.Begin(api.CleanUp(ctx, time.Time{}))
	for tries := 0; ; tries++ {
		v.problem = s.tryOut(ctx, v)
		// An incomplete response proves nothing and rarely comes twice.
		if v.problem == nil || tries > 0 || v.problem.Finding != CallFailed || v.problem.Call.Kind != api.Incomplete {
			break
		}
	}
	switch {
	case v.problem == nil:
	case v.problem.Placeholder == PlaceholderLeft:
		// Each further check, and each lookup of a missing group, would leave another group behind.
		v.problem = s.endFor(LookUp, v.problem)
	case v.problem.Finding == CallFailed && (v.problem.Call.Decided() && v.problem.Call.Kind != api.Incomplete ||
		s.unreachable(ctx, v.problem.Call, v.problem.Call.Method)):
		v.problem = s.end(v.problem) // No group of a customer can be the reason.
	}
}

// tryOut creates a group with a random ID, looks it up, updates it if an environment is expected, and deletes it.
func (s *Service) tryOut(ctx context.Context, v *verdict) *Problem {
	// The ID is lowercase, because a service may convert IDs to lowercase.
	id := "terraform-provider-embed-check-" + strings.ToLower(rand.Text()[:20])
	group := api.GroupRequest{UserGroupID: id, Name: &id}
	draft := Problem{Operation: CheckService, ID: id, URL: s.client.URL()}
	draft.Known.EnvironmentTag = &s.check.environment
	made, err := s.client.GetOrCreate(ctx, group)
	draft.record(err)
	if made.New == nil {
		draft.LookupUncertain = draft.Call.MayHaveHappened()
		return s.endIfKeyRefused(draft.with(CallFailed))
	}
	seen, cached, err := s.askAgain(ctx, group, made)
	if cached {
		draft.record(nil)
		draft.LookupUncertain = made.AfterLostAttempt || seen.AfterLostAttempt
		if *made.New && !isOtherID(id, made.UserGroup) && !s.remembers(made.UserGroup.Token) {
			draft.LookupUncertain = s.remove(ctx, group, made.UserGroup.Token) != nil || draft.LookupUncertain
		}
		return s.end(draft.with(AnsweredFromCache))
	}
	v.uncached = v.uncached || err == nil && *made.New
	draft.LookupUncertain = made.AfterLostAttempt || seen.AfterLostAttempt || err != nil
	token := cmp.Or(seen.UserGroup.Token, made.UserGroup.Token)
	if err == nil && s.check.environment != "" {
		seen, err = s.client.Update(ctx, group)
	}
	draft.Response = seen.UserGroup
	if err == nil && s.judgeEnvironment(draft) == nil && !s.names.known.Load() {
		var shown api.Answer
		shown, err = s.look(ctx, Known{ID: id})
		draft.LookupUncertain = draft.LookupUncertain || shown.AfterLostAttempt || err != nil
		s.names.known.Store(err == nil)
	}
	if err == nil && !*made.New {
		// A lost attempt has most likely created the group. The lookups that followed prove nothing about a cache.
		err = &api.Error{Kind: api.Incomplete, Method: "GET", Reason: "the response to the creation of the group was lost"}
	}
	draft.Placeholder = PlaceholderRemoved
	// The failures so far must not keep the group from being removed.
	if left := s.remove(s.client.Begin(ctx), group, token); left != nil {
		draft.Placeholder = PlaceholderLeft
		draft.record(left)
		return draft.with(LeftBehind)
	}
	if draft.record(err); err != nil {
		return draft.with(CallFailed)
	}
	if wrong := s.judgeEnvironment(draft); wrong != nil {
		return s.end(wrong)
	}
	return nil
}

// askAgain looks up a group that tryOut has created, and reports whether a cache has responded to one of the two calls.
func (s *Service) askAgain(
	ctx context.Context, group api.GroupRequest, made api.Answer,
) (seen api.Answer, cached bool, err error) {
	// A group with a random ID cannot exist yet, and its token cannot be known. A response that contradicts this comes
	// from a cache.
	existed := !*made.New && !made.AfterLostAttempt
	if existed || isOtherID(group.UserGroupID, made.UserGroup) || s.remembers(made.UserGroup.Token) {
		return made, true, nil
	}
	seen, err = s.client.GetOrCreate(ctx, group)
	return seen, err == nil && *seen.New, err
}

// judgeEnvironment returns a problem unless the response to an update shows the expected environment.
func (s *Service) judgeEnvironment(draft Problem) *Problem {
	switch tag := draft.Response.EnvironmentTag; {
	case s.check.environment == "" || tag != nil && *tag == s.check.environment:
		return nil
	case tag == nil:
		return draft.with(NoEnvironment)
	default:
		return draft.with(WrongKey)
	}
}

// remove deletes the group that tryOut has created.
func (s *Service) remove(ctx context.Context, group api.GroupRequest, token api.Secret) error {
	err := s.client.Delete(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: group.UserGroupID})
	var call *api.Error
	if !errors.As(err, &call) || !call.AfterLostAttempt || call.Kind != api.Refused && call.Kind != api.Unauthorized {
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
