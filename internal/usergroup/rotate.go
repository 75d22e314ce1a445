package usergroup

import (
	"context"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// RotateToken replaces the token of a group exactly once, even if responses are lost, and returns the group with its
// new token. It makes one call if the current token is known. It repeats a rotation only after a lookup has shown
// that the token is still the one that was sent. If it fails after the service has returned a new token, it returns
// that token with the error.
func (s *Service) RotateToken(ctx context.Context, known Known) (Result, error) {
	return alone(s, Rotate, known, func(*record) (Result, *Problem) { return s.rotate(ctx, known) })
}

// maxStale is how often an operation looks up the current token and continues after the service has refused a stale
// one. Another client may rotate the token at the same time, but the operation must end.
const maxStale = 2

func (s *Service) rotate(ctx context.Context, known Known) (Result, *Problem) {
	facts := Problem{Operation: Rotate, ID: known.ID, Known: known}
	if problem := s.refuseHarm(ctx, facts); problem != nil {
		return Result{}, problem
	}
	if known.Token.IsZero() {
		found, problem := s.findCurrent(ctx, known)
		if problem != nil {
			return Result{}, facts.because(problem)
		}
		known = known.with(found)
	}
	retries := s.client.Retries()
	for stale := 0; ; {
		answer, err := s.client.Rotate(ctx, api.TokenRequest{CurrentToken: known.Token, UserGroupID: known.ID})
		facts.Told = answer.UserGroup
		facts.Done = max(facts.Done, facts.failed(err))
		switch {
		case !answer.UserGroup.Token.IsZero():
			return s.rotated(known, facts)
		case facts.Done == No && !mayBeTheToken(facts.Call):
			return Result{}, facts.with(CallFailed)
		case facts.Done == Yes:
			known.Retired = append(slices.Clone(known.Retired), known.Token.Fingerprint())
		}
		// Waiting before the lookup gives the service time to complete a rotation that is still in progress.
		more := facts.Done == No || retries.Linger(ctx, facts.Call)
		if !more {
			// Even a run that is stopped makes one more lookup, because the state must not miss a new token.
			ctx = api.Finish(ctx)
		}
		found, problem := s.findCurrent(ctx, known)
		switch changed := found.Token != known.Token; {
		case problem != nil:
			return Result{}, facts.because(problem)
		case changed && facts.Done != No:
			return Result{Group: &found.UserGroup, Retired: known.Token.Fingerprint()}, nil
		case changed && !known.isSame(found.UserGroup):
			return Result{}, facts.with(MayBeAnother)
		case !changed && facts.Done == No, !more, stale >= maxStale:
			return Result{}, facts.with(CallFailed)
		case changed:
			stale++
		}
		known = known.with(found)
	}
}

// rotated returns a new token, no matter what else is wrong with the response. Otherwise the token would be lost.
func (s *Service) rotated(known Known, facts Problem) (Result, *Problem) {
	told := facts.Told
	if told.Token == known.Token {
		return Result{}, facts.with(NotRotated)
	}
	facts.Done = Yes
	s.remember(told.Token)
	result := Result{Group: &told, Retired: known.Token.Fingerprint()}
	problem := known.expect(facts)
	switch {
	case problem != nil && problem.Finding != WrongEnvironment:
		// With the other fields in the state, the next refresh could not detect that this is another group.
		result.Group = &api.UserGroup{Token: told.Token}
		return result, problem
	case problem != nil:
		return result, problem
	case facts.Call != nil && facts.Call.Kind != api.Incomplete: // an incomplete response with a token is sufficient
		return result, facts.with(CallFailed)
	case isOtherID(known.ID, told):
		result.Warnings = append(result.Warnings, facts.with(OtherSpelling))
	}
	return result, nil
}

// findCurrent looks up the current token. It does not return the token of another group, or a retired token.
func (s *Service) findCurrent(ctx context.Context, known Known) (Found, *Problem) {
	for retries := s.client.Retries(); ; {
		found, problem := s.find(ctx, known)
		facts := Problem{Operation: LookUp, ID: known.ID, Known: known, Told: found.UserGroup}
		switch {
		case problem != nil:
			return Found{}, problem
		case found.Replaced:
			return Found{}, facts.with(Replaced)
		case known.Token.IsZero() && known.Fingerprint != "" && !known.isSame(found.UserGroup):
			return Found{}, facts.with(MayBeAnother)
		case !found.Outdated:
			return found, nil
		case !retries.Wait(ctx, nil):
			return Found{}, facts.with(OutdatedToken)
		}
	}
}
