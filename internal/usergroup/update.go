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
	answer, err := s.client.Update(ctx, wanted)
	draft.Done = draft.record(err)
	if wanted.Name == nil && known.Name != "" && api.IsKind(err, api.Refused) {
		wanted.Name = &known.Name // The service may require one.
		answer, err = s.client.Update(ctx, wanted)
		draft.Done = max(draft.Done, draft.record(err))
	}
	draft.Told = answer.UserGroup
	if err != nil {
		return Result{}, s.endIfKeyRefused(draft.with(CallFailed))
	}
	draft.Done = Yes
	result := Result{Group: &answer.UserGroup}
	switch problem := known.expect(draft); {
	case problem != nil && problem.Finding == WrongEnvironment:
		// The known group was updated, but its environment differs from the known one. The state must show that.
		return result, problem
	case problem != nil:
		return Result{}, problem
	case !known.isSame(answer.UserGroup):
		answer.UserGroup.Token = api.Secret{} // It may belong to another group.
	}
	if wanted.Differences(answer.UserGroup).Any() {
		return result, draft.with(NotTakenAsSent)
	}
	if isOtherID(known.ID, answer.UserGroup) {
		result.Warnings = append(result.Warnings, draft.with(OtherSpelling))
	}
	return result, nil
}
