package usergroup

import (
	"context"
	"errors"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Delete deletes a group. It succeeds if the group is already gone. It makes one call if the current token is known.
//
// Delete never deletes another group that has the ID now, provided that the service checks the token. Nor does it
// delete a group that this process has created or adopted for another instance of the resource. If a replacement is
// created before the old instance is destroyed, both instances are the same group.
func (s *Service) Delete(ctx context.Context, known Known, dataSourceProvidedID string) (Result, error) {
	draft := Problem{Operation: Delete, ID: known.ID, URL: s.client.URL(), Known: known}
	return exclusively(ctx, s, Delete, known, func(ctx context.Context, lock *groupLock) (Result, *Problem) {
		if lock.instance != "" && lock.instance != known.Instance {
			return Result{Warnings: []*Problem{draft.with(Kept)}}, nil
		}
		if known.TakenOver {
			draft.Response.TeamID, draft.Empty = known.TeamID, known.TakenOverEmpty
			return Result{Warnings: []*Problem{draft.with(AnotherRemains)}}, nil
		}
		result, problem := s.delete(ctx, &known, dataSourceProvidedID, draft)
		if problem == nil {
			s.setGone(known.Token)
			lock.instance, lock.deleted = "", true
		}
		return result, problem
	})
}

// delete is Delete. It sets the token in known to the last one that the group is known to have had.
func (s *Service) delete(
	ctx context.Context, known *Known, dataSourceProvidedID string, draft Problem,
) (Result, *Problem) {
	if problem := s.refuseHarm(ctx, draft); problem != nil {
		return Result{}, problem
	}
	lost := false
	if known.Token.IsZero() {
		found, problem := s.findCurrent(ctx, *known)
		if problem != nil {
			return draft.goneOr(problem)
		}
		*known, lost = known.with(found), found.Uncertain
	}
	for stale := 0; ; stale++ {
		err := s.client.Delete(ctx, api.TokenRequest{
			CurrentToken: known.Token, UserGroupID: known.ID, DataSourceProvidedID: dataSourceProvidedID,
		})
		if err == nil && lost {
			draft.Call, draft.Done, draft.LookupUncertain = nil, Yes, true
			return Result{Warnings: []*Problem{draft.with(MayBeLeftBehind)}}, nil
		}
		if err == nil {
			return Result{}, nil
		}
		draft.Done = max(draft.Done, draft.record(err))
		// If no response arrives, a lookup would most likely create a placeholder that cannot be deleted either.
		if !mayBeTheToken(draft.Call) || draft.Call.Kind == api.UnknownOutcome && draft.Call.Status == 0 {
			return Result{}, draft.with(CallFailed)
		}
		found, problem := s.findCurrent(ctx, *known)
		switch {
		case problem != nil:
			return draft.goneOr(problem)
		case found.Token == known.Token, stale >= maxStale:
			draft.LookupUncertain = lost || found.Uncertain // The service contradicts what the lookup has shown.
			return Result{}, draft.with(CallFailed)
		case !known.isSame(found.UserGroup):
			return Result{}, draft.with(MayBeAnother)
		}
		// Another client has rotated the token.
		*known, lost = known.with(found), lost || found.Uncertain
	}
}

// goneOr returns the outcome of a deletion after a lookup has returned a problem. It is a success if the problem
// shows that the group is gone.
func (p Problem) goneOr(problem *Problem) (Result, *Problem) {
	switch {
	case errors.Is(problem, ErrNotFound) && !problem.LookupUncertain:
		return Result{}, nil
	case errors.Is(problem, ErrNotFound):
		return Result{Warnings: []*Problem{p.because(problem)}}, nil
	case problem.Finding == Replaced:
		p.Response = problem.Response
		return Result{Warnings: []*Problem{p.with(AnotherRemains)}}, nil
	default:
		return Result{}, p.because(problem)
	}
}
