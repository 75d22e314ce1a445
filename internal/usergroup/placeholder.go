package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// removal is the outcome of the attempt to remove a group that this run has made.
type removal int

const (
	isOurs removal = iota // only within this file: the group may be deleted
	isRemoved
	isTaken        // somebody may have taken the group
	isContradicted // a lookup has shown a group as new that was not
	remains        // it could not be deleted, or nothing proves that it is ours
)

// removePlaceholder deletes the group that a lookup has just created, even if the run is stopped. What looks new may be
// a live group if a cache repeats the response to its creation, so the preflight comes first.
func (o *op) removePlaceholder(ctx context.Context, made sighting) (Result, *Problem) {
	o.calls = o.calls.CleaningUp()
	verdict := o.passPreflight(ctx)
	if verdict != nil && verdict.Cause.isUnsafe() {
		return Result{}, verdict
	}
	outcome, seen := o.remove(ctx, made.group)
	switch outcome {
	case isContradicted:
		return Result{}, o.problem(CacheSuspected, nil)
	case isTaken:
		return Result{}, o.taken(seen)
	case remains:
		return Result{}, o.problem(LeftBehind, seen.failure)
	}
	if verdict != nil && o.isUnproved() {
		return Result{}, o.because(verdict.Cause)
	}
	return Result{}, o.problem(NotFound, nil)
}

// taken returns the problem of a lookup whose placeholder is not empty any more. Somebody has taken it, or the service
// has filled it in: nothing tells these apart, so the group stays, and is named.
func (o *op) taken(seen sighting) *Problem {
	if seen.shows == foreign {
		return o.problem(AnsweredForAnother, nil)
	}
	return o.problem(Filled, nil)
}

// mostLooks is how many lookups remove makes at most. Each attempt to delete takes at least one.
const mostLooks = 6

// remove deletes a group that this run has made: a placeholder, or that of the preflight. A lookup comes directly
// before each attempt, whatever the last attempt was answered. No other function deletes a group that no configuration
// has.
func (o *op) remove(ctx context.Context, made api.UserGroup) (removal, sighting) {
	var seen sighting
	done := api.No
	for range mostLooks {
		seen = o.see(o.calls.GetOrCreate(ctx, o.lookup()))
		outcome := o.compare(made, seen)
		if outcome != isOurs {
			return outcome, seen
		}
		made = seen.group
		if seen.shows == placeholder { // The first one is gone, and this lookup has created another one.
			continue
		}
		seen.failure = o.calls.Once().Delete(ctx, o.deletion(made.Token))
		if seen.failure == nil {
			if !o.lost {
				o.removed()
			}
			return isRemoved, seen
		}
		done = max(done, seen.failure.Done)
		if again := o.mayRepeat(ctx, seen.failure, done); !again {
			return remains, seen
		}
	}
	return remains, seen
}

// mayRepeat waits until a deletion may be repeated, and reports whether it may. done says whether any attempt may have
// deleted the group: then the next lookup shows what a refusal means.
func (o *op) mayRepeat(ctx context.Context, failure *api.Error, done api.Done) bool {
	if failure.Passes() {
		return o.calls.Retry(ctx, failure)
	}
	return done != api.No
}

// compare returns isOurs if a lookup shows the group that this run has made, or another one that it has made itself.
func (o *op) compare(made api.UserGroup, seen sighting) removal {
	ours := Prior{}.with(made)
	switch {
	case seen.failure != nil:
		return remains
	case seen.shows == cached:
		return isContradicted
	case seen.shows == placeholder && ours.isExactly(seen.group):
		return isContradicted
	case seen.shows == placeholder, o.isRandom && o.showsID(seen.group):
		return isOurs
	case seen.shows == foreign, seen.group.ShowsMore(made):
		return isTaken
	case ours.isSame(seen.group):
		return isOurs
	default:
		return remains
	}
}

// showsID reports whether a response shows the ID of the group, in whatever case.
func (o *op) showsID(group api.UserGroup) bool {
	return group.ProvidedID != nil && o.isOwn(*group.ProvidedID)
}
