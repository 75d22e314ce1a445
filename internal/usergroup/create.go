package usergroup

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Create creates a group or, with adopt, takes over an existing one. Without adopt, an existing group is an error and
// is not changed. If nothing fails, it makes one call, or three for an adoption. With an error, it returns no group,
// and the error says whether the group was created.
func (s *Service) Create(ctx context.Context, wanted api.GroupRequest, adopt bool) (Result, error) {
	prior := Prior{ID: wanted.UserGroupID}
	return s.exclusively(ctx, Create, prior, func(ctx context.Context, o *op, lock *groupLock) (Result, *Problem) {
		o.sent = wanted
		// A group that this run has already created or adopted belongs to another address.
		result, problem := o.create(ctx, adopt && lock.instance == "", lock.deleted)
		if problem == nil {
			result.Instance = rand.Text()
			lock.instance = result.Instance
		}
		return result, problem
	})
}

// beforeAdoption is how long an adoption waits before it looks again. The placeholder of another run's lookup is
// usually gone by then.
const beforeAdoption = 2 * time.Second

// create creates or adopts the group. deleted is the group that this run has deleted last under the ID.
func (o *op) create(ctx context.Context, adopt bool, deleted Prior) (Result, *Problem) {
	if problem := o.checkKey(ctx); problem != nil {
		return Result{}, problem
	}
	answer, failure, problem := o.sendCreation(ctx, deleted)
	if problem != nil {
		return Result{}, problem
	}
	isLost := answer.Earlier != api.No
	isOld := failure == nil && !*answer.New
	if adopt && isOld && api.Sleep(ctx, beforeAdoption) == nil {
		answer, failure, problem = o.sendCreation(ctx, deleted)
		if problem != nil {
			return Result{}, problem
		}
		isLost = isLost || answer.Earlier != api.No
	}
	o.response = answer.UserGroup
	if answer.New == nil {
		o.done = failure.Done
		return Result{}, o.problem(CallFailed, failure)
	}
	if isLost {
		o.done = api.Maybe
	}
	if o.know.isForeign(answer.UserGroup) { // It says nothing about the group that the request may have created.
		o.done = api.Maybe
		return Result{}, o.problem(AnsweredForAnother, nil)
	}
	if *answer.New {
		return o.created(ctx, failure)
	}
	if adopt {
		return o.takeOver(ctx, isLost)
	}
	if isLost {
		return o.claim(ctx)
	}
	exists := o.problem(Exists, nil)
	exists.Cause = o.run.explains(exists)
	return Result{}, exists
}

// sendCreation makes the call. Where deletions take effect later, the group that this run has deleted is still there for
// a while, and must not be taken for another one.
func (o *op) sendCreation(ctx context.Context, deleted Prior) (api.Answer, *api.Error, *Problem) {
	for {
		answer, failure, problem := o.getOrCreate(ctx, o.sent)
		isOld := answer.New != nil && !*answer.New
		if problem != nil || !isOld || !deleted.isSame(answer.UserGroup) {
			return answer, failure, problem
		}
		if again := o.calls.Retry(ctx, nil); !again {
			o.response = answer.UserGroup
			return answer, failure, o.problem(StillThere, nil)
		}
	}
}

// created returns the group that this run has created. If the response lacks its token, a lookup has to show it.
func (o *op) created(ctx context.Context, failure *api.Error) (Result, *Problem) {
	o.done = api.Yes
	if failure == nil {
		group := o.response
		return Result{Group: &group, Warnings: o.differences()}, nil
	}
	o.know = o.know.with(o.response)
	o.calls = o.calls.CleaningUp()
	result, problem := o.findCurrent(ctx)
	if problem != nil {
		problem.Call = failure
		return Result{}, problem
	}
	if !o.know.hasTeam(*result.Group) && !o.isShownBy(*result.Group) {
		return Result{}, o.problem(MayHaveExisted, failure)
	}
	return result, nil
}

// differences returns a warning if the service shows another name or other properties than were sent.
func (o *op) differences() (warnings []*Problem) {
	differences := o.sent.Differences(o.response)
	if differences.Name || o.know.hasOtherID(o.response) {
		warnings = append(warnings, o.problem(Respelled, nil))
	}
	if len(differences.Properties) > 0 {
		warnings = append(warnings, o.problem(NotTakenAsSent, nil))
	}
	return warnings
}

// claim decides whether a creation whose response was lost has created the group that exists now: a lookup has to show
// what was sent.
func (o *op) claim(ctx context.Context) (Result, *Problem) {
	o.know = o.know.with(o.response)
	o.calls = o.calls.CleaningUp()
	result, problem := o.findCurrent(ctx)
	if problem != nil {
		return Result{}, problem
	}
	if !o.isShownBy(*result.Group) {
		return Result{}, o.problem(MayHaveExisted, nil)
	}
	result.Warnings = append(result.Warnings, o.problem(Claimed, nil))
	return result, nil
}

// isShownBy reports whether a response to a lookup shows what was sent, and does not merely echo the lookup.
func (o *op) isShownBy(group api.UserGroup) bool {
	return o.sent.ShownBy(group) && !o.lookup().ShownBy(group)
}

// takeOver adopts an existing group: it updates the group to what is wanted, and does not change its token. After a
// lost creation, the group may also be the one that was created.
func (o *op) takeOver(ctx context.Context, isLost bool) (Result, *Problem) {
	existing := o.response
	o.operation, o.know, o.done = Adopt, o.know.with(existing), api.No
	result, problem := o.put(ctx)
	if problem != nil && problem.Finding != NotTakenAsSent {
		return Result{}, problem
	}
	if problem != nil { // The group is ours. The next plan shows the difference.
		result.Warnings = append(result.Warnings, problem)
	}
	adopted := result.Group.Over(existing)
	if adopted.Token.IsZero() {
		found, problem := o.findCurrent(ctx)
		if problem != nil {
			return Result{}, problem
		}
		adopted = adopted.Over(*found.Group)
	}
	finding := Adopted
	if isLost {
		finding = Claimed
	}
	return Result{Group: &adopted, Warnings: append(result.Warnings, o.problem(finding, nil))}, nil
}
