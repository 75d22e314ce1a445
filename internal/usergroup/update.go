package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Update changes an existing group to what is wanted. If nothing fails, it makes one call. If the service carried out
// the update but the result differs from what was sent, Update returns an error and a Result with the current values.
func (s *Service) Update(ctx context.Context, wanted api.GroupRequest, known Known) (Result, error) {
	return alone(s, Update, known, func(*record) (Result, *Problem) { return s.update(ctx, wanted, known) })
}

func (s *Service) update(ctx context.Context, wanted api.GroupRequest, known Known) (Result, *Problem) {
	facts := Problem{Operation: Update, ID: known.ID, Known: known, Sent: wanted}
	if problem := s.refuseHarm(ctx, facts); problem != nil {
		return Result{}, problem
	}
	answer, err := s.client.Update(ctx, wanted)
	facts.Done = facts.failed(err)
	if wanted.Name == nil && known.Name != "" && api.IsKind(err, api.Refused) {
		wanted.Name = &known.Name // The service may require one.
		answer, err = s.client.Update(ctx, wanted)
		facts.Done = max(facts.Done, facts.failed(err))
	}
	facts.Told = answer.UserGroup
	if err != nil {
		return Result{}, s.endIfKeyRefused(facts.with(CallFailed))
	}
	facts.Done = Yes
	result := Result{Group: &answer.UserGroup}
	switch problem := known.expect(facts); {
	case problem != nil && problem.Finding == WrongEnvironment:
		// The known group was updated, but its environment differs from the known one. The state must show that.
		return result, problem
	case problem != nil:
		return Result{}, problem
	case !known.isSame(answer.UserGroup):
		answer.UserGroup.Token = api.Secret{} // It may belong to another group.
	}
	if wanted.Differences(answer.UserGroup).Any() {
		return result, facts.with(NotTakenAsSent)
	}
	if isOtherID(known.ID, answer.UserGroup) {
		result.Warnings = append(result.Warnings, facts.with(OtherSpelling))
	}
	return result, nil
}

// refuseHarm returns a problem if the group or the API key belongs to an environment other than the expected one. An
// operation calls it before it sends anything.
func (s *Service) refuseHarm(ctx context.Context, facts Problem) *Problem {
	expected, tag := s.check.environment, facts.Known.EnvironmentTag
	if expected != "" && tag != nil && *tag != expected {
		facts.Told = api.UserGroup{EnvironmentTag: tag}
		facts.Known.EnvironmentTag = &expected
		return facts.with(WrongEnvironment)
	}
	return s.checkEnvironment(ctx, facts)
}

// checkEnvironment returns a problem unless the API key belongs to the expected environment, if one is expected.
func (s *Service) checkEnvironment(ctx context.Context, facts Problem) *Problem {
	if s.check.environment == "" {
		return nil
	}
	if _, problem := s.checkService(ctx); problem != nil {
		return facts.because(problem)
	}
	return nil
}

// expect returns a problem if the response to an update or a rotation shows another group or another environment than
// the plan relied on.
func (k Known) expect(facts Problem) *Problem {
	told := facts.Told
	switch {
	case k.isOther(told):
		return facts.with(Replaced)
	case isOtherID(k.ID, told) && !k.isSame(told):
		return facts.with(AnsweredForAnother)
	case k.EnvironmentTag != nil && told.EnvironmentTag != nil && *k.EnvironmentTag != *told.EnvironmentTag:
		return facts.with(WrongEnvironment)
	default:
		return nil
	}
}
