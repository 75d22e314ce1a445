package usergroup

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Create creates a group or, with adopt, takes over an existing one. Without adopt, an existing group is an error and
// is not changed. If nothing fails, it makes one call, or two for an adoption. With an error, it returns no group,
// and the error says whether the group was created.
func (s *Service) Create(ctx context.Context, wanted api.GroupRequest, adopt bool) (Result, error) {
	draft := Problem{Operation: Create, ID: wanted.UserGroupID, Sent: wanted}
	known := Known{ID: wanted.UserGroupID}
	return exclusively(ctx, s, Create, known, func(ctx context.Context, lock *groupLock) (Result, *Problem) {
		draft.AfterDeletion = lock.deleted
		// A group that this run has already created or adopted belongs to another address.
		mayAdopt := adopt && lock.instance == ""
		result, problem := s.create(ctx, wanted, mayAdopt, lock, draft)
		if problem != nil {
			return result, problem
		}
		existed := func(w *Problem) bool { return w.Finding == Adopted || w.Finding == Claimed }
		if lock.deleted && !slices.ContainsFunc(result.Warnings, existed) {
			draft.Done = Yes
			result.Warnings = append(result.Warnings, draft.with(Recreated))
		}
		result.Instance = rand.Text()
		lock.instance, lock.deleted = result.Instance, false
		return result, nil
	})
}

// creation is a creation, which is sent as often as it takes to know what the group is that exists then.
type creation struct {
	*Service

	wanted api.GroupRequest
	adopt  bool
	lock   *groupLock
	draft  Problem
	lost   bool // a response was lost, so the creation may have been carried out
	settle settling
}

func (s *Service) create(
	ctx context.Context, wanted api.GroupRequest, adopt bool, lock *groupLock, draft Problem,
) (Result, *Problem) {
	if problem := s.checkEnvironment(ctx, draft); problem != nil {
		return Result{}, problem
	}
	c := creation{Service: s, wanted: wanted, adopt: adopt, lock: lock, draft: draft}
	for {
		answer, err := s.client.GetOrCreate(ctx, wanted)
		c.sees(answer, err)
		shows, group := s.judge(Known{ID: wanted.UserGroupID}, nil, answer), answer.UserGroup
		switch {
		case shows == fromCache:
			return Result{}, c.draft.with(AnsweredFromCache)
		case shows == justMade && namesDiffer(wanted.Name, group.Name):
			c.draft.Done = Maybe
			return Result{}, c.draft.with(AnsweredFromCache)
		case shows == justMade && (err != nil || isOtherID(wanted.UserGroupID, group)):
			result, problem := s.confirmCreated(ctx, c.draft)
			if !adopt || problem == nil || problem.Finding != MayHaveExisted || !s.client.Retry(ctx, nil) {
				return result, problem
			}
			c.lost = true // Whoever has created the group, it is to be adopted.
		case shows == justMade:
			s.remember(group.Token)
			return Result{Group: &group}, nil
		case isOtherID(wanted.UserGroupID, group):
			return Result{}, c.draft.with(AnsweredForAnother)
		case answer.New == nil:
			return Result{}, s.endIfKeyRefused(c.draft.with(CallFailed))
		default:
			if result, again, problem := c.meets(ctx, group); !again {
				return result, problem
			}
		}
	}
}

// sees records a response.
func (c *creation) sees(answer api.Answer, err error) {
	c.lost = c.lost || answer.AfterLostAttempt
	c.draft.Response = answer.UserGroup
	c.draft.Done = c.draft.record(err)
	if c.lost {
		c.draft.Done = Maybe
	} else if answer.New != nil && !*answer.New {
		c.draft.Done = No
	}
}

// meets decides what becomes of the existing group that the creation has met. It returns again if another response has
// to show that.
func (c *creation) meets(ctx context.Context, group api.UserGroup) (result Result, again bool, problem *Problem) {
	if c.isGone(group.Token) { // This response is older than the deletion.
		switch {
		case c.client.Retry(ctx, nil):
			return Result{}, true, nil
		case c.lost:
			return Result{}, false, c.draft.with(MayHaveExisted)
		default:
			return Result{}, false, c.draft.with(Exists)
		}
	}
	if c.lost && !c.adopt {
		result, problem = c.claim(ctx, c.wanted, c.draft)
		return result, false, problem
	}
	isLive := c.lock.instance != ""
	if !isLive {
		if isLive, problem = c.isLive(ctx, c.wanted, c.draft); problem != nil {
			return Result{}, false, problem
		}
	}
	switch {
	case !isLive && c.settle.wait(ctx, group):
		return Result{}, true, nil
	case !isLive && ctx.Err() != nil:
		c.draft.record(api.Stopped(http.MethodGet, ctx.Err()))
		return Result{}, false, c.draft.with(CallFailed)
	case c.adopt:
		result, problem = c.takeOver(ctx, c.wanted, c.draft)
		return result, false, problem
	default:
		c.draft.shows(group)
		c.draft.Empty = !isLive && c.names.shown.Load()
		_, c.draft.LookupUncertain = c.uncertain.Load(c.draft.ID)
		return Result{}, false, c.draft.with(Exists)
	}
}

// isLive reports whether the existing group that a creation has met shows a name or properties, so that it cannot be a
// placeholder of another process. The response to the creation may merely echo the request, so the group is looked up
// by ID alone unless the response shows another name.
func (s *Service) isLive(ctx context.Context, wanted api.GroupRequest, draft Problem) (bool, *Problem) {
	existing := draft.Response
	named := existing.Name != nil && *existing.Name != "" && *existing.Name != draft.ID
	if named && namesDiffer(wanted.Name, existing.Name) {
		return true, nil
	}
	draft.shows(existing)
	found, problem := s.find(ctx, draft.Known)
	switch {
	case problem == nil:
		return !s.showsNothing(draft.ID, found.UserGroup), nil
	case errors.Is(problem, ErrNotFound):
		return false, nil // It was a placeholder.
	default:
		return false, draft.because(problem)
	}
}

// shows sets what is known to what a response to the creation has shown. The group may be live in any case.
func (p *Problem) shows(group api.UserGroup) {
	p.Known = Known{ID: p.ID, TeamID: group.TeamID, Token: group.Token}
	p.MayBeLive = !p.Known.Existed()
}

// confirmCreated looks up a new group if the response to its creation was incomplete or showed another ID.
func (s *Service) confirmCreated(ctx context.Context, draft Problem) (Result, *Problem) {
	draft.Done = Maybe
	draft.shows(draft.Response)
	found, problem := s.find(api.CleanUp(ctx, time.Time{}), draft.Known)
	switch {
	case problem != nil:
		return Result{}, draft.because(problem)
	case !draft.Known.isSame(found.UserGroup):
		return Result{}, draft.with(MayHaveExisted)
	}
	draft.Done = Yes
	group := found.Over(draft.Response)
	result := Result{Group: &group}
	draft.Response = group
	if isOtherID(draft.ID, group) {
		result.Warnings = append(result.Warnings, draft.with(OtherSpelling))
	}
	return result, nil
}

// claim decides whether a creation whose first response was lost has created the group that exists now. Another
// client may have created it earlier. A response to a lookup by ID alone cannot echo a name or properties, unless it
// comes from a cache. The check of the service excludes that, and comes first, because it also finds out whether such
// responses show names at all, unless lookups need a name. If one shows the name and the properties that the creation
// sent, the group is most likely ours. If it shows none, that proves nothing. A group that this process has seen before
// is not ours.
func (s *Service) claim(ctx context.Context, wanted api.GroupRequest, draft Problem) (Result, *Problem) {
	if s.remembers(draft.Response.Token) || wanted.Differences(draft.Response).Any() {
		return Result{}, draft.with(MayHaveExisted)
	}
	if checked := s.checkService(ctx, ctx.Done()); checked.problem != nil {
		return Result{}, draft.because(checked.problem)
	}
	if !s.names.shown.Load() && !s.nameSent.Load() {
		return Result{}, draft.with(MayHaveExisted)
	}
	draft.shows(draft.Response)
	found, problem := s.find(api.CleanUp(ctx, time.Time{}), draft.Known)
	if problem != nil {
		return Result{}, draft.because(problem)
	}
	draft.Response = found.UserGroup
	shown := wanted.Name != nil && found.Name != nil && (wanted.Properties.IsZero() || !found.Properties.IsZero())
	if wanted.Differences(found.UserGroup).Any() || !shown || !draft.Known.isSame(found.UserGroup) {
		return Result{}, draft.with(MayHaveExisted)
	}
	return Result{Group: &found.UserGroup, Warnings: []*Problem{draft.with(Claimed)}}, nil
}

// takeOver adopts an existing group: it updates the group to what is wanted, and does not change its token.
func (s *Service) takeOver(ctx context.Context, wanted api.GroupRequest, draft Problem) (Result, *Problem) {
	draft.Operation = Adopt
	existing := draft.Response
	draft.shows(existing)
	draft.Done = No
	known := draft.Known
	answer, problem := s.put(ctx, wanted, &draft)
	if problem != nil {
		return Result{}, problem
	}
	if wanted.Differences(answer.UserGroup).Any() {
		return Result{}, draft.with(NotTakenAsSent)
	}
	adopted := answer.UserGroup.Over(existing)
	if answer.UserGroup.Token.IsZero() { // Another client may have rotated the token since the lookup.
		if wanted.Name != nil {
			known.Name = *wanted.Name // It has a name now.
		}
		found, problem := s.findCurrent(api.CleanUp(ctx, time.Time{}), known)
		if problem != nil {
			return Result{}, draft.because(problem)
		}
		adopted.Token = found.Token
	}
	s.remember(adopted.Token)
	return Result{Group: &adopted, Warnings: []*Problem{draft.with(Adopted)}}, nil
}
