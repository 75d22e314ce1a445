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
	return s.exclusively(ctx, Create, prior, func(ctx context.Context, o *op) (Result, *Problem) {
		o.sent = wanted
		result, problem := o.create(ctx, adopt)
		if problem == nil {
			result.Instance = rand.Text()
			made := o.know.with(*result.Group)
			made.Instance = result.Instance
			o.lock.made = append(o.lock.made, made)
		}
		return result, problem
	})
}

// beforeAdoption is how long an adoption waits before it looks again. The placeholder of another run's lookup is
// usually gone by then.
const beforeAdoption = 2 * time.Second

// create creates or adopts the group. A group that this run has already created or adopted belongs to another address.
func (o *op) create(ctx context.Context, adopt bool) (Result, *Problem) {
	if problem := o.checkKey(ctx); problem != nil {
		return Result{}, problem
	}
	made, problem := o.sendCreation(ctx)
	adopt = adopt && !o.lock.isMadeElsewhere(o.know.with(o.response))
	if adopt && made == exists && problem == nil {
		made, problem = o.sendAgain(ctx)
	}
	switch {
	case problem != nil:
		return Result{}, problem
	case made == isNew:
		return Result{Group: new(o.response), Warnings: o.differences()}, nil
	case made == isIncomplete:
		return o.created(ctx)
	case adopt:
		return o.takeOver(ctx)
	case o.lost:
		return o.claim(ctx)
	}
	problem = o.problem(Exists, nil)
	problem.Cause = o.run.explains(problem)
	return Result{}, problem
}

// sendAgain sends the creation once more before an adoption. A run that is stopped meanwhile adopts nothing.
func (o *op) sendAgain(ctx context.Context) (making, *Problem) {
	if err := api.Sleep(ctx, beforeAdoption); err != nil {
		return exists, o.problem(CallFailed, api.NewStopped("", err))
	}
	return o.sendCreation(ctx)
}

// making is what the response to a creation says.
type making int

const (
	exists       making = iota // the group existed, unless an earlier attempt was lost
	isNew                      // the group was created
	isIncomplete               // the group was created, but the response lacks its token
)

// sendCreation makes the call. Where deletions take effect later, the group that this run has deleted is still there
// for a while, and must not be taken for another one.
func (o *op) sendCreation(ctx context.Context) (making, *Problem) {
	for {
		answer, failure, problem := o.getOrCreate(ctx, o.sent)
		o.response = answer.UserGroup
		if problem != nil {
			problem.Done = failure.Done
			return exists, problem
		}
		made, problem := o.made(answer, failure)
		if problem != nil || made != exists || !o.lock.deleted.mayBe(answer.UserGroup) {
			return made, problem
		}
		if again := o.calls.Retry(ctx, nil); !again {
			return exists, o.problem(StillThere, nil)
		}
	}
}

// made returns what the response to a creation says, and records whether the group was created.
func (o *op) made(answer api.Answer, failure *api.Error) (making, *Problem) {
	if answer.New == nil {
		o.done = failure.Done
		return exists, o.problem(CallFailed, failure)
	}
	o.done = max(o.done, answer.Earlier)
	o.lost = o.lost || answer.Earlier != api.No
	if o.isForeign(answer.UserGroup) { // It says nothing about the group that the request may have created.
		o.done = api.Maybe
		return exists, o.problem(AnsweredForAnother, nil)
	}
	if !answer.IsNew() {
		return exists, nil
	}
	o.done = api.Yes
	if failure != nil {
		return isIncomplete, nil //nolint:nilerr // the group was created: a lookup shows what the response lacks
	}
	return isNew, nil
}

// created returns the group that this run has created, although the response lacks its token: a lookup has to show it.
func (o *op) created(ctx context.Context) (Result, *Problem) {
	o.know = o.know.with(o.response)
	o.calls = o.calls.CleaningUp()
	result, problem := o.findCurrent(ctx)
	if problem != nil {
		return Result{}, problem
	}
	if !o.know.hasTeam(*result.Group) && !o.sent.ShownBy(*result.Group) {
		return Result{}, o.problem(MayHaveExisted, nil)
	}
	o.removed() // The creation has shown the group before a lookup could have created it.
	return Result{Group: result.Group}, nil
}

// differences returns a warning if the service shows another ID, or another name or other properties than were sent.
func (o *op) differences() (warnings []*Problem) {
	if o.know.hasOtherID(o.response) {
		warnings = append(warnings, o.problem(Respelled, nil))
	}
	if o.sent.Differences(o.response).Any() {
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
	if !o.sent.ShownBy(*result.Group) {
		return Result{}, o.problem(MayHaveExisted, nil)
	}
	result.Warnings = append(result.Warnings, o.problem(Claimed, nil))
	return result, nil
}

// takeOver adopts an existing group: it updates the group to what is wanted, and does not change its token. After a
// lost creation, the group may also be the one that was created.
func (o *op) takeOver(ctx context.Context) (Result, *Problem) {
	existing := o.response
	o.operation, o.know, o.done = Adopt, o.know.with(existing), api.No
	result, problem := o.put(ctx)
	if problem != nil {
		return Result{}, problem
	}
	adopted := result.Group.Over(existing)
	if adopted.Token.IsZero() || adopted.Token != existing.Token {
		found, problem := o.findCurrent(ctx)
		if problem != nil {
			return Result{}, problem
		}
		adopted = found.Group.Over(adopted)
	}
	finding := Adopted
	if o.lost {
		finding = Claimed
	}
	warnings := append(result.Warnings, o.renewed(o.know, adopted)...)
	return Result{Group: &adopted, Warnings: append(warnings, o.problem(finding, nil))}, nil
}
