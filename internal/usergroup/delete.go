package usergroup

import (
	"context"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Delete deletes a group. It succeeds if the group is already gone. It makes one call if the current token is known.
//
// Delete never deletes another group that has the ID now, provided that the service checks the token. Nor does it
// delete a group that this process has created or adopted for another instance of the resource. If a replacement is
// created before the old instance is destroyed, both instances are the same group.
func (s *Service) Delete(ctx context.Context, prior Prior) (Result, error) {
	return s.exclusively(ctx, Delete, prior, func(ctx context.Context, o *op) (Result, *Problem) {
		result, problem := unlessGone(o.proved(ctx, o.delete))
		if problem == nil && !o.lock.isMadeElsewhere(o.know) {
			o.lock.made, o.lock.deleted = slices.DeleteFunc(o.lock.made, o.know.isAlso), o.know.Fingerprint
		}
		return result, problem
	})
}

// delete deletes the group. A lookup may show that the group is gone.
func (o *op) delete(ctx context.Context) (Result, *Problem) {
	isKept := false
	failure, problem := o.withToken(ctx, func(token api.Secret) *api.Error {
		if isKept = o.lock.isMadeElsewhere(o.know); isKept {
			return nil
		}
		return o.calls.Delete(ctx, o.deletion(token))
	})
	switch {
	case problem != nil:
		return Result{}, problem
	case failure != nil:
		return Result{}, o.problem(CallFailed, failure)
	case isKept:
		o.done = api.No
		return Result{Warnings: []*Problem{o.problem(Kept, nil)}}, nil
	default:
		return Result{}, nil
	}
}

// unlessGone returns the outcome of a deletion. If a lookup has shown that the group is gone, it is deleted.
func unlessGone(result Result, problem *Problem) (Result, *Problem) {
	switch {
	case problem == nil:
		return result, nil
	case problem.Finding == NotFound:
		return Result{}, nil
	case problem.Finding == Replaced:
		return Result{Warnings: []*Problem{problem}}, nil
	default:
		return Result{}, problem
	}
}
