package usergroup

import (
	"context"
	"net/http"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// withToken makes a call that sends the token of the group: the known one or, without one, the one that a lookup shows.
// If the known token may be stale, or the outcome of a deletion may show, it looks once. Then it makes at most one more
// call: with another token if the first call has done nothing, or with the same one after a success that proved nothing.
func (o *op) withToken(ctx context.Context, call func(api.Secret) *api.Error) (failure *api.Error, _ *Problem) {
	isKnown := !o.know.Token.IsZero()
	if !isKnown {
		if problem := o.lookForToken(ctx); problem != nil {
			return nil, problem
		}
	}
	sent := o.know.Token
	failure = call(sent)
	o.done = doneBy(failure)
	isStale := isKnown && failure != nil && failure.MayBeToken()
	if !isStale && !mayShow(failure) {
		return failure, nil
	}
	if problem := o.lookForToken(ctx); problem != nil {
		return failure, problem
	}
	isOther, isUnproved := o.know.Token != sent, failure.Kind == api.Unconfirmed
	if isOther && o.done == api.No || !isOther && isUnproved {
		failure = call(o.know.Token)
		o.done = max(o.done, doneBy(failure))
	}
	return failure, nil
}

// lookForToken looks the group up, and returns a problem if the service does not show its current token.
func (o *op) lookForToken(ctx context.Context) *Problem {
	found, problem := o.find(ctx)
	if problem != nil {
		return problem
	}
	if found.Group.Token.IsZero() {
		return o.problem(OutdatedToken, nil)
	}
	o.know = o.know.with(*found.Group)
	return nil
}

// mayShow reports whether a deletion may have been carried out although it was answered with a failure.
func mayShow(failure *api.Error) bool {
	return failure != nil && failure.Method == http.MethodDelete && failure.Status != 0 && failure.Done != api.No
}

// doneBy returns whether a call has done its work.
func doneBy(failure *api.Error) api.Done {
	if failure == nil {
		return api.Yes
	}
	return failure.Done
}
