package usergroup

import (
	"context"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// RotateToken replaces the token of a group at most once, even if responses are lost, and returns the group with its
// new token. It makes one call if the current token is known. It repeats a rotation only after a lookup has shown
// that the token is still the one that was sent. If it fails after the service has returned a new token, it returns
// that token with the error.
func (s *Service) RotateToken(ctx context.Context, prior Prior) (Result, error) {
	p := about(Rotate, prior)
	return s.exclusively(ctx, p, func(ctx context.Context, _ *groupLock) (Result, *Problem) {
		if problem := s.refuseHarm(ctx, p); problem != nil {
			return Result{}, problem
		}
		return s.rotate(ctx, prior, p)
	})
}

func (s *Service) rotate(ctx context.Context, prior Prior, p Problem) (Result, *Problem) {
	for tries := 1; ; tries++ {
		if prior.Token.IsZero() {
			current, problem := s.findCurrent(ctx, prior)
			if problem != nil {
				return Result{}, p.because(problem)
			}
			prior = prior.with(*current.Group)
		}
		answer, err := s.client.Rotate(ctx, api.TokenRequest{CurrentToken: prior.Token, UserGroupID: prior.ID})
		p.Response = answer.UserGroup
		if err == nil {
			return s.rotated(ctx, prior, p)
		}
		happened := p.record(err)
		p.Done = max(p.Done, happened)
		if p.Done == No && !mayBeTheToken(p.Call) {
			return Result{}, p.with(CallFailed)
		}
		sent := prior.Token
		if happened == Yes { // A lookup that still shows this token lags, and must not cause a second rotation.
			prior.Previous, prior.RotatedAt = sent.Fingerprint(), time.Now()
		}
		// Waiting before the lookup gives the service time to complete a rotation that is still in progress. Even a run
		// that is stopped makes this lookup, because the state must not miss a new token.
		more := p.Done == No || s.client.AwaitOutcome(ctx, p.Call)
		if !more {
			ctx = api.CleanUp(ctx)
		}
		found, problem := s.findCurrent(ctx, prior)
		if problem != nil {
			return Result{}, p.because(problem)
		}
		switch changed := found.Group.Token != sent; {
		case changed && p.Done != No:
			found.Previous = sent.Fingerprint()
			return found, nil
		case !changed && p.Done == No, !more, tries == maxTries:
			return Result{}, p.with(CallFailed)
		}
		prior = prior.with(*found.Group)
	}
}

// rotated returns the group with its new token, whatever else is wrong with the response. A response that does not name
// the group proves nothing: a service may believe any token. Then a lookup has to show the new one.
func (s *Service) rotated(ctx context.Context, prior Prior, p Problem) (Result, *Problem) {
	p.Done = Yes
	result := Result{Group: &p.Response, Previous: prior.Token.Fingerprint()}
	if p.Response.TeamID == "" && (p.Response.ProvidedID == nil || *p.Response.ProvidedID == "") {
		found, problem := s.find(api.CleanUp(ctx), prior)
		switch {
		case problem != nil:
			p.Done = Maybe
			return Result{}, p.because(problem)
		case found.Group.Token != p.Response.Token:
			if p.Done = Maybe; found.Group.Token == prior.Token {
				p.Done = No
			}
			return Result{}, p.with(UnexpectedToken)
		}
		result.Warnings = found.Warnings
	}
	if prior.isOtherID(p.Response) {
		result.Warnings = append(result.Warnings, p.with(Respelled))
	}
	return result, p.unexpected()
}

// mayBeTheToken reports whether a stale token may be the reason why a call failed, or the call may have been carried
// out. The contract does not specify the status for a stale token, so the caller has to look up the group.
func mayBeTheToken(call *api.Error) bool {
	return call.MayHaveHappened() || call.Kind == api.Refused || call.Kind == api.Unauthorized
}
