package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Update changes an existing group to what is wanted. If nothing fails, it makes one call. If the service carried out
// the update but the result differs from what was sent, Update returns an error and a Result with the current values.
func (s *Service) Update(ctx context.Context, wanted api.GroupRequest, known Known) (Result, error) {
	return exclusively(ctx, s, Update, known, func(ctx context.Context, _ *groupLock) (Result, *Problem) {
		return s.update(ctx, wanted, known)
	})
}

func (s *Service) update(ctx context.Context, wanted api.GroupRequest, known Known) (Result, *Problem) {
	draft := Problem{Operation: Update, ID: known.ID, Known: known, Sent: wanted}
	if problem := s.refuseHarm(ctx, draft); problem != nil {
		return Result{}, problem
	}
	answer, problem := s.put(ctx, wanted, &draft)
	result := Result{Group: &answer.UserGroup}
	switch {
	case problem != nil && problem.Finding == WrongEnvironment:
		// The known group was updated, but its environment differs from the known one. The state must show that.
		return result, problem
	case problem != nil:
		return Result{}, problem
	case !known.isSame(answer.UserGroup), known.hasRetired(answer.UserGroup.Token):
		// It may belong to another group, or be out of date. The next lookup decides.
		answer.UserGroup.Token = api.Secret{}
	}
	switch differs := wanted.Differences(answer.UserGroup).Any(); {
	case differs && draft.Done == Yes:
		return result, draft.with(NotTakenAsSent)
	case differs:
		return Result{}, draft.with(NotTakenAsSent)
	}
	if isOtherID(known.ID, answer.UserGroup) {
		result.Warnings = append(result.Warnings, draft.with(OtherSpelling))
	}
	return result, nil
}

// put updates the group that draft is about, and completes the draft. A response about another group, or with other
// values than were sent, may be that to an earlier call, so it is not believed until the update was repeated.
func (s *Service) put(ctx context.Context, wanted api.GroupRequest, draft *Problem) (api.Answer, *Problem) {
	var first api.UserGroup
	for tries := 1; ; tries++ {
		answer, err := s.client.Update(ctx, wanted)
		happened := draft.record(err)
		if wanted.Name == nil && draft.Known.Name != "" && api.IsKind(err, api.Refused) {
			wanted.Name = &draft.Known.Name // The service may require one.
			answer, err = s.client.Update(ctx, wanted)
			happened = max(happened, draft.record(err))
		}
		draft.Response = answer.UserGroup
		problem, differs := draft.Known.expect(*draft), wanted.Differences(answer.UserGroup).Any()
		if err != nil {
			if problem != nil || differs { // This may be half the response to an earlier call.
				happened = min(happened, Maybe)
			}
			draft.Done = max(draft.Done, happened)
			return answer, s.endIfKeyRefused(draft.with(CallFailed))
		}
		again := areSame(first, answer.UserGroup)
		confirmed := again && answer.UserGroup.ProvidedID != nil && !isOtherID(draft.ID, answer.UserGroup)
		believed := again || !differs
		if problem != nil {
			believed = problem.Finding == WrongEnvironment || problem.Finding == Replaced && confirmed
		}
		draft.Done = Yes
		if !believed {
			s.client.Distrust()
			draft.Done, first = Maybe, answer.UserGroup
			if tries == 1 && s.client.Retry(ctx, nil) {
				continue
			}
		}
		if problem != nil {
			problem.Done = draft.Done
		}
		return answer, problem
	}
}
