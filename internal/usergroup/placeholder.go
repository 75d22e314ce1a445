package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// removePlaceholder deletes the group that a lookup has just created, even if the run is stopped. What looks new may be
// a live group if a cache repeats the response to its creation, so the preflight comes first.
func (o *op) removePlaceholder(ctx context.Context, made api.UserGroup) *Problem {
	o.calls = o.calls.CleaningUp()
	failed := o.passPreflight(ctx)
	if failed != nil && failed.Cause.isUnsafe() {
		return failed
	}
	if problem := o.remove(ctx, made); problem != nil {
		return problem
	}
	if o.isUnproved() { // So the preflight has failed.
		return o.because(failed.Cause)
	}
	return o.problem(NotFound, nil)
}

// mostLooks is how many lookups remove makes at most. Each attempt to delete takes at least one.
const mostLooks = 6

// remove deletes a group that this run has made: a placeholder, or that of the preflight. A lookup comes directly
// before each attempt, whatever the last attempt was answered. No other function deletes a group that no configuration
// has.
func (o *op) remove(ctx context.Context, made api.UserGroup) *Problem {
	done := api.No
	var failure *api.Error
	for range mostLooks {
		answer, problem := o.getOrCreate(ctx, o.lookup(), o.asLookup)
		ours, seen := Prior{}.with(made), answer.UserGroup
		switch {
		case problem != nil:
			return problem
		case answer.IsNew() && ours.isExactly(seen):
			return o.problem(Mismatched, nil)
		case answer.IsNew(): // The first one is gone, and this lookup has created another one.
			made = seen
			continue
		case !ours.isSame(seen), o.operation != Preflight && seen.ShowsMore(made): // Nobody knows the ID of the preflight.
			return o.problem(LeftBehind, nil)
		}
		failure = o.calls.Once().Delete(ctx, o.deletion(seen.Token))
		if failure == nil {
			o.gone()
			return nil
		}
		done = max(done, failure.Done)
		if again := o.mayRepeat(ctx, failure, done); !again {
			return o.problem(LeftBehind, failure)
		}
	}
	return o.problem(LeftBehind, failure)
}

// gone records that the group was deleted. After a lookup without a response, the service may create it again.
func (o *op) gone() {
	if !o.lost {
		o.removed()
	}
}

// mayRepeat waits until a deletion may be repeated, and reports whether it may. done says whether any attempt may have
// deleted the group: then the next lookup shows what a refusal means.
func (o *op) mayRepeat(ctx context.Context, failure *api.Error, done api.Done) bool {
	if failure.Passes() {
		return o.calls.Retry(ctx, failure)
	}
	return done != api.No
}
