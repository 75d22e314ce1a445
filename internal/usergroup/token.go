package usergroup

import (
	"context"
	"net/http"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// withToken makes a call that sends the token of the group: the known one or, without one, the one that a lookup shows.
// If the known token may be stale, or the outcome of a deletion may show, it looks once. Then it makes at most one more
// call: with another token if the first call has done nothing, or with the same one after a success that proved
// nothing.
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
	if failure == nil || !mayShow(failure, isKnown) {
		return failure, nil
	}
	if problem := o.lookForToken(ctx); problem != nil {
		return failure, problem
	}
	again := o.done == api.No
	if sent == o.know.Token {
		again = failure.Kind == api.Unconfirmed
	}
	if again {
		failure = call(o.know.Token)
		o.done = max(o.done, doneBy(failure))
	}
	return failure, nil
}

// mayShow reports whether a lookup may show what became of a call: a token that was known from before is stale, or a
// deletion was carried out although it was answered with a failure.
func mayShow(failure *api.Error, isKnown bool) bool {
	isStale := isKnown && failure.MayBeToken()
	isOpen := failure.Status != 0 && failure.Done != api.No
	return isStale || isOpen && failure.Method == http.MethodDelete
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

// doneBy returns whether a call has done its work.
func doneBy(failure *api.Error) api.Done {
	if failure == nil {
		return api.Yes
	}
	return failure.Done
}
