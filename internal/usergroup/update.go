package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Update changes an existing group to what is wanted. If nothing fails, it makes one call. If the service carried out
// the update but the result differs from what was sent, Update returns an error and a Result with the current values.
func (s *Service) Update(ctx context.Context, wanted api.GroupRequest, prior Prior) (Result, error) {
	p := about(Update, prior)
	return s.exclusively(ctx, p, func(ctx context.Context, _ *groupLock) (Result, *Problem) {
		if problem := s.refuseHarm(ctx, p); problem != nil {
			return Result{}, problem
		}
		return s.put(ctx, wanted, p)
	})
}

func (s *Service) put(ctx context.Context, wanted api.GroupRequest, p Problem) (Result, *Problem) {
	wanted.NameIfRequired = p.Prior.Name
	answer, err := s.client.Update(ctx, wanted)
	p.Done, p.Response, p.Sent = p.record(err), answer.UserGroup, wanted
	if err != nil {
		return Result{}, p.with(CallFailed)
	}
	p.Done = Yes
	result := Result{Group: &answer.UserGroup}
	if problem := p.unexpected(); problem != nil {
		if problem.Finding != WrongEnvironment { // Otherwise, it is the known group, and the state must show its environment.
			return Result{}, problem
		}
		return result, problem
	}
	differences := wanted.Differences(answer.UserGroup)
	if differences.Name || p.Prior.isOtherID(answer.UserGroup) {
		result.Warnings = []*Problem{p.with(Respelled)}
	}
	if len(differences.Properties) > 0 {
		return result, p.with(NotTakenAsSent)
	}
	return result, nil
}

// unexpected returns a problem if the response to an update or a rotation shows another group or another environment
// than the plan relied on.
func (p Problem) unexpected() *Problem {
	prior, response := p.Prior, p.Response
	switch tag := prior.EnvironmentTag; {
	case prior.hasOtherTeam(response):
		return p.with(Replaced)
	case prior.isOtherID(response) && !prior.isSame(response):
		return p.with(AnsweredForAnother)
	case tag != nil && response.EnvironmentTag != nil && *tag != *response.EnvironmentTag:
		p.Expected = *tag
		return p.with(WrongEnvironment)
	default:
		return nil
	}
}
