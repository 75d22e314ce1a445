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
		result, problem := o.deleteChecked(ctx)
		if problem == nil && !o.lock.isMadeElsewhere(o.know) {
			o.lock.made, o.lock.deleted = slices.DeleteFunc(o.lock.made, o.know.isAlso), o.know
		}
		return result, problem
	})
}

// deleteChecked deletes the group once the API key is proved right. The lookup that proves it may show that the group
// is gone.
func (o *op) deleteChecked(ctx context.Context) (Result, *Problem) {
	if problem := o.checkBeforeChange(ctx); problem != nil {
		return o.gone(problem)
	}
	return o.delete(ctx)
}

func (o *op) delete(ctx context.Context) (Result, *Problem) {
	var refusal *api.Error
	for range maxTries {
		if o.lock.isMadeElsewhere(o.know) {
			return Result{Warnings: []*Problem{o.problem(Kept, nil)}}, nil
		}
		if !o.know.Token.IsZero() {
			refusal = o.calls.Delete(ctx, o.deletion(o.know.Token))
			if refusal == nil {
				o.done = api.Yes
				return Result{}, nil
			}
			o.done = max(o.done, refusal.Done)
			if problem := o.finalRefusal(refusal); problem != nil {
				return Result{}, problem
			}
		}
		found, problem := o.findCurrent(ctx)
		if problem != nil {
			result, problem := o.gone(problem)
			return result, o.countFailure(refusal, problem)
		}
		if found.Group.Token == o.know.Token {
			// The service refuses the current token, or lookups lag behind a deletion whose response was lost.
			if o.done == api.No || !o.calls.Retry(ctx, nil) {
				return Result{}, o.problem(CallFailed, refusal)
			}
			continue
		}
		if o.done != api.No { // The deletion may have been carried out, and somebody may have created the group again.
			return Result{}, o.problem(UnexpectedToken, nil)
		}
		o.know = o.know.with(*found.Group)
	}
	return Result{}, o.problem(CallFailed, refusal)
}

// finalRefusal returns a problem if no lookup can help after a deletion has failed: the token is not the reason, no
// response has arrived, or deletions have ended. A refusal may be about the token, and a success that only says nothing
// is no failure yet, so the lookup comes before the judgment.
func (o *op) finalRefusal(failure *api.Error) *Problem {
	problem := o.problem(CallFailed, failure)
	switch {
	case failure.Kind == api.Unconfirmed, failure.MayBeToken():
		return nil
	case failure.Done == api.No, failure.Status == 0:
		return problem
	}
	judged := o.judge(problem)
	if o.run.cause(waysOf[Delete]...) != nil {
		return judged
	}
	return nil
}

// gone returns the outcome of a deletion after a lookup that has found a problem. A group that is gone is deleted.
func (o *op) gone(problem *Problem) (Result, *Problem) {
	switch problem.Finding {
	case NotFound:
		if len(o.left) == 0 {
			return Result{}, nil
		}
		return Result{Warnings: []*Problem{o.problem(Gone, nil)}}, nil
	case Replaced:
		return Result{Warnings: []*Problem{o.problem(AnotherRemains, nil)}}, nil
	default:
		return Result{}, problem
	}
}
