package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// rotate replaces the token. The result says which one was sent, although the rotation may have failed: it may have
// been carried out.
func (o *op) rotate(ctx context.Context) (Result, *Problem) {
	result, problem := o.send(ctx)
	result.Previous = o.know.Token.Fingerprint()
	return result, problem
}

// send sends the rotation, and proves what has become of it.
func (o *op) send(ctx context.Context) (Result, *Problem) {
	failure, problem := o.withToken(ctx, func(token api.Secret) *api.Error {
		answer, failure := o.calls.Rotate(ctx, api.TokenRequest{CurrentToken: token, UserGroupID: o.know.ID})
		o.shows(answer.UserGroup)
		return failure
	})
	switch {
	case problem != nil:
		return Result{}, problem
	case o.done == api.No:
		return Result{}, o.problem(CallFailed, failure)
	case failure == nil && o.showsRotation():
		_, problem := o.unexpected()
		return Result{Group: new(o.response)}, problem
	default:
		return o.settle(ctx, failure)
	}
}

// showsRotation reports whether the response to a rotation proves it: it shows another token than the one that was
// sent or the one before it, and names the group. A service may believe any token, and a replica may show an old one.
func (o *op) showsRotation() bool {
	return !o.know.hasToken(o.response) && o.know.isNamedBy(o.response)
}

// settle looks the group up after a rotation that no response has proved, until another token shows, for as long as
// retries allow. The rotation is never sent again, because the service may still be at work on it. Even a run that is
// stopped looks once, because the state must not miss a new token.
func (o *op) settle(ctx context.Context, failure *api.Error) (Result, *Problem) {
	o.done = api.Maybe
	o.calls = o.calls.EvenIfStopped()
	for {
		found, problem := o.find(ctx)
		if problem != nil {
			return Result{}, problem
		}
		if token := found.Group.Token; !token.IsZero() && token != o.know.Token {
			o.done = api.Yes
			return found, nil
		}
		if again := o.calls.Retry(ctx, nil); !again {
			break
		}
	}
	if failure == nil {
		return Result{}, o.problem(OutdatedToken, nil)
	}
	return Result{}, o.problem(CallFailed, failure)
}
