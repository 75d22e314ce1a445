package usergroup

import (
	"context"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// refuseHarm returns a problem if the group or the API key belongs to an environment other than the expected one. An
// operation calls it before it sends anything.
func (s *Service) refuseHarm(ctx context.Context, draft Problem) *Problem {
	expected, tag := s.check.environment, draft.Known.EnvironmentTag
	if expected != "" && tag != nil && *tag != expected {
		draft.Response = api.UserGroup{EnvironmentTag: tag}
		draft.Known.EnvironmentTag = &expected
		return draft.with(WrongEnvironment)
	}
	return s.checkEnvironment(ctx, draft)
}

// checkEnvironment returns a problem unless the API key belongs to the expected environment, if one is expected.
func (s *Service) checkEnvironment(ctx context.Context, draft Problem) *Problem {
	if s.check.environment == "" {
		return nil
	}
	if verdict := s.checkService(ctx, ctx.Done()); verdict.problem != nil {
		return draft.because(verdict.problem)
	}
	return nil
}

// expect returns a problem if the response to an update or a rotation shows another group or another environment than
// the plan relied on.
func (k Known) expect(draft Problem) *Problem {
	response := draft.Response
	switch {
	case k.isOther(response):
		return draft.with(Replaced)
	case isOtherID(k.ID, response) && !k.isSame(response):
		return draft.with(AnsweredForAnother)
	case k.EnvironmentTag != nil && response.EnvironmentTag != nil && *k.EnvironmentTag != *response.EnvironmentTag:
		return draft.with(WrongEnvironment)
	default:
		return nil
	}
}

// isOtherID reports whether a response shows an ID other than the requested one.
func isOtherID(id string, group api.UserGroup) bool {
	return group.ProvidedID != nil && *group.ProvidedID != "" && *group.ProvidedID != id
}

// showsNothing reports whether a response to a lookup by ID alone shows nothing that a placeholder does not have. If
// lookups have sent a name, a placeholder has its ID as its name.
func (s *Service) showsNothing(id string, group api.UserGroup) bool {
	nameless := group.Name == nil || *group.Name == "" || *group.Name == id && s.nameSent.Load()
	return nameless && (group.Properties.IsZero() || group.Properties.Canonical() == "{}")
}

// namesDiffer reports whether a response with the second name cannot be the response to a request with the first one.
// Letter case and surrounding white space do not count.
func namesDiffer(sent, returned *string) bool {
	return sent != nil && returned != nil && !strings.EqualFold(strings.TrimSpace(*sent), strings.TrimSpace(*returned))
}

// mayBeTheToken reports whether a stale token may be the reason why a call failed, or the call may have been carried
// out. The contract does not specify the status for a stale token, so the caller has to look up the group.
func mayBeTheToken(call *api.Error) bool {
	maybe := []api.Kind{api.Refused, api.Unauthorized, api.UnknownOutcome, api.Incomplete}
	return call.AfterLostAttempt || slices.Contains(maybe, call.Kind)
}
