package usergroup

import (
	"context"
	"slices"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// RotateToken replaces the token of a group exactly once, even if responses are lost, and returns the group with its
// new token. It makes one call if the current token is known. It repeats a rotation only after a lookup has shown
// that the token is still the one that was sent. If it fails after the service has returned a new token, it returns
// that token with the error.
func (s *Service) RotateToken(ctx context.Context, known Known) (Result, error) {
	return exclusively(ctx, s, Rotate, known, func(ctx context.Context, _ *groupLock) (Result, *Problem) {
		return s.rotate(ctx, known)
	})
}

// maxStale is how often an operation looks up the current token and continues after the service has refused a stale
// one. Another client may rotate the token at the same time, but the operation must end.
const maxStale = 2

func (s *Service) rotate(ctx context.Context, known Known) (Result, *Problem) {
	draft := Problem{Operation: Rotate, ID: known.ID, Known: known}
	if problem := s.refuseHarm(ctx, draft); problem != nil {
		return Result{}, problem
	}
	if known.Token.IsZero() {
		found, problem := s.findCurrent(ctx, known)
		if problem != nil {
			return Result{}, draft.because(problem)
		}
		known = known.with(found)
	}
	for stale := 0; ; {
		answer, err := s.client.Rotate(ctx, api.TokenRequest{CurrentToken: known.Token, UserGroupID: known.ID})
		draft.Response = answer.UserGroup
		happened, finding := draft.record(err), s.oddRotation(known, answer.UserGroup)
		if finding != CallFailed {
			// Something is out of step. What the service did is unknown, and nothing of the response is kept.
			s.client.Distrust()
			happened = Maybe
		}
		draft.Done = max(draft.Done, happened)
		switch {
		case finding != CallFailed:
		case !answer.UserGroup.Token.IsZero():
			return s.rotated(known, draft)
		case draft.Done == No && !mayBeTheToken(draft.Call):
			return Result{}, draft.with(CallFailed)
		case draft.Done == Yes:
			known.Retired, known.SinceRotation = append(slices.Clone(known.Retired), known.Token.Fingerprint()), 0
		}
		// Waiting before the lookup gives the service time to complete a rotation that is still in progress.
		more := draft.Done == No || s.client.AwaitOutcome(ctx, draft.Call)
		if !more {
			// Even a run that is stopped makes one more lookup, because the state must not miss a new token.
			ctx = api.CleanUp(ctx, time.Time{})
		}
		found, problem := s.findCurrent(ctx, known)
		draft.LookupUncertain = draft.Done == No && found.Uncertain // The service contradicts what the lookup shows.
		switch changed := found.Token != known.Token; {
		case problem != nil:
			return Result{}, draft.because(problem)
		case changed && draft.Done != No && !known.hasRetired(found.Token):
			return Result{Group: &found.UserGroup, Retired: known.Token.Fingerprint()}, nil
		case changed && !known.isSame(found.UserGroup):
			return Result{}, draft.with(MayBeAnother)
		case !changed && draft.Done == No, !more, stale >= maxStale:
			return Result{}, draft.with(finding)
		case changed:
			stale++
		}
		known = known.with(found)
	}
}

// oddRotation returns what is odd about a response to a rotation, or CallFailed if nothing is: it is about another
// group, or its token is not new.
func (s *Service) oddRotation(k Known, response api.UserGroup) Finding {
	switch {
	case k.isOther(response):
		return Replaced
	case isOtherID(k.ID, response) && !k.isSame(response):
		return AnsweredForAnother
	case response.Token.IsZero():
		return CallFailed
	case s.remembers(response.Token), k.hasRetired(response.Token):
		return NotRotated
	default:
		return CallFailed
	}
}

// rotated returns a new token, no matter what else is wrong with the response. Otherwise the token would be lost.
func (s *Service) rotated(known Known, draft Problem) (Result, *Problem) {
	response := draft.Response
	draft.Done, draft.NewToken = Yes, true
	s.remember(response.Token)
	result := Result{Group: &response, Retired: known.Token.Fingerprint()}
	if problem := known.expect(draft); problem != nil {
		return result, problem
	}
	if isOtherID(known.ID, response) {
		result.Warnings = append(result.Warnings, draft.with(OtherSpelling))
	}
	return result, nil
}

// findCurrent looks up the current token. It does not return the token of another group, or a retired token unless that
// is current again.
func (s *Service) findCurrent(ctx context.Context, known Known) (Found, *Problem) {
	for {
		found, problem := s.find(ctx, known)
		draft := Problem{Operation: LookUp, ID: known.ID, Known: known, Response: found.UserGroup}
		switch {
		case problem != nil:
			return Found{}, problem
		case found.Replaced:
			return Found{}, draft.with(Replaced)
		case known.Token.IsZero() && known.Fingerprint != "" && !known.isSame(found.UserGroup):
			return Found{}, draft.with(MayBeAnother)
		case !found.Outdated:
			return found, nil
		case !s.client.Retry(ctx, nil):
			return Found{}, draft.with(OutdatedToken)
		}
	}
}
