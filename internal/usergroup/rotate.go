package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// RotateToken replaces the token of a group at most once, even if responses are lost, and returns the group with its
// new token. It makes one call if the current token is known. It repeats a rotation only if the service cannot be at
// work on it any more, and a lookup has shown that the token is still the one that was sent. If it fails after the
// service has returned a new token, it returns that token with the error.
func (s *Service) RotateToken(ctx context.Context, prior Prior) (Result, error) {
	return s.exclusively(ctx, Rotate, prior, func(ctx context.Context, o *op) (Result, *Problem) {
		if problem := o.checkBeforeChange(ctx); problem != nil {
			return Result{}, problem
		}
		result, problem := o.rotate(ctx)
		result.Previous = o.replacing.Fingerprint() // A failed rotation may have replaced it, too.
		return result, problem
	})
}

func (o *op) rotate(ctx context.Context) (Result, *Problem) {
	var failure *api.Error
	for range maxTries {
		if problem := o.ensureToken(ctx); problem != nil {
			return Result{}, problem
		}
		sent := o.know.Token
		isCurrent := o.response.Token == sent // A lookup has just shown it.
		o.replacing = sent
		var answer api.Answer
		answer, failure = o.calls.Rotate(ctx, api.TokenRequest{CurrentToken: sent, UserGroupID: o.know.ID})
		o.response = answer.UserGroup
		if failure == nil && o.showsRotation(sent) {
			return o.rotated(answer.UserGroup)
		}
		o.done = max(o.done, doneBy(failure))
		if o.done == api.No && !failure.MayBeToken() {
			break
		}
		found, again, problem := o.settle(ctx, sent, failure)
		if problem != nil {
			return Result{}, o.countFailure(failure, problem)
		}
		isChanged := found.Token != sent
		if isChanged && (isCurrent || o.done != api.No) {
			return o.settled(found, answer.UserGroup, sent)
		}
		if !isChanged && !o.maySendAgain(again) {
			break
		}
		o.know = o.know.with(found)
	}
	return Result{}, o.notRotated(failure)
}

// doneBy returns whether a call has rotated the token. A success that does not show another token proves nothing.
func doneBy(failure *api.Error) api.Done {
	if failure == nil || failure.Kind == api.Incomplete {
		return api.Maybe
	}
	return failure.Done
}

// mayShowLater reports whether a lookup may show the new token later, so that a rotation must not be sent again. If an
// earlier attempt may have rotated the token, a refusal shows that lookups lag.
func (o *op) mayShowLater(failure *api.Error) bool {
	if failure == nil || failure.IsUnderWay() {
		return true
	}
	return failure.Done == api.No && o.done != api.No
}

// maySendAgain reports whether a rotation may be sent again with the token that a lookup still shows. again says
// whether there is a retry left. There is none once settle has waited for a token that may show later.
func (o *op) maySendAgain(again bool) bool { return again && o.done != api.No }

// ensureToken looks up the current token unless it is known.
func (o *op) ensureToken(ctx context.Context) *Problem {
	if !o.know.Token.IsZero() {
		return nil
	}
	current, problem := o.findCurrent(ctx)
	if problem == nil {
		o.know = o.know.with(*current.Group)
	}
	return problem
}

// showsRotation reports whether the response to a rotation proves it: it shows another token than the one that was
// sent or the one before it, and names the group. A service may believe any token, and a replica may show an old one.
func (o *op) showsRotation(sent api.Secret) bool {
	if o.isReplaced(o.response.Token, sent) || o.isForeign(o.response) {
		return false
	}
	return o.know.hasID(o.response) || o.know.hasTeam(o.response)
}

// isReplaced reports whether a token is the one that was sent, or the one before it.
func (o *op) isReplaced(token, sent api.Secret) bool { return token == sent || o.know.isStale(token) }

// settle looks the group up after a rotation that no response has proved. If the new token may show later, it looks
// until another token shows, for as long as retries allow. Waiting before the lookup gives the service time to complete
// what is still in progress. Even a run that is stopped looks once, because the state must not miss a new token. again
// reports whether the operation has not used up its retries.
func (o *op) settle(
	ctx context.Context, sent api.Secret, failure *api.Error,
) (_ api.UserGroup, again bool, _ *Problem) {
	again = true
	if o.done != api.No {
		o.calls = o.calls.CleaningUp()
	}
	isLost := failure != nil && failure.Kind != api.Incomplete && failure.Done != api.No
	if isLost {
		again = o.calls.Await(ctx, failure)
	}
	for {
		found, problem := o.findCurrent(ctx)
		if problem != nil {
			return api.UserGroup{}, again, problem
		}
		isLast := !again || !o.mayShowLater(failure)
		if found.Group.Token != sent || isLast {
			return *found.Group, again, nil
		}
		again = o.calls.Await(ctx, nil)
	}
}

// rotated returns the group with its new token, whatever else is wrong with the response.
func (o *op) rotated(group api.UserGroup) (Result, *Problem) {
	o.done = api.Yes
	result := Result{Group: &group}
	if o.know.hasOtherID(group) {
		result.Warnings = []*Problem{o.problem(Respelled, nil)}
	}
	problem := o.unexpected()
	if problem != nil {
		problem.Returned = true
	}
	return result, problem
}

// settled returns the group that a lookup shows with another token than the one that was sent. If the response named no
// group, and its token is not the one that the group has now, it proves nothing. Nor does a refusal, if the token has
// changed since it was looked up: a service may report that it has failed after it has rotated the token.
func (o *op) settled(found, response api.UserGroup, sent api.Secret) (Result, *Problem) {
	if o.done == api.No {
		o.done = api.Maybe
		return Result{}, o.problem(UnexpectedToken, nil)
	}
	isUnnamed := !response.Token.IsZero() && !o.isForeign(response)
	if isUnnamed && !o.isReplaced(response.Token, sent) && response.Token != found.Token {
		return Result{}, o.problem(UnexpectedToken, nil)
	}
	o.done = api.Yes
	if o.know.hasTeam(found) { // So no lookup has created it.
		o.removed()
	}
	return Result{Group: &found}, nil
}

// notRotated returns the problem of a rotation after which a lookup still shows the token that was sent.
func (o *op) notRotated(failure *api.Error) *Problem {
	if failure == nil {
		return o.problem(TokenUnchanged, nil)
	}
	return o.problem(CallFailed, failure)
}
