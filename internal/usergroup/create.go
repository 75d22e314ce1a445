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

// create creates or adopts the group.
func (o *op) create(ctx context.Context, adopt bool) (Result, *Problem) {
	if problem := o.checkKey(ctx); problem != nil {
		return Result{}, problem
	}
	answer, problem := o.getOrCreate(ctx, o.sent, o.asCreation)
	adopt = adopt && !answer.IsNew() && o.lock.mayAdopt(o.know.with(o.response))
	if adopt && problem == nil {
		answer, problem = o.sendAgain(ctx)
	}
	switch {
	case problem != nil:
		return Result{}, problem
	case answer.IsNew() && !o.response.Token.IsZero():
		return Result{Group: &answer.UserGroup, Warnings: o.differences()}, nil
	case adopt && !answer.IsNew():
		return o.takeOver(ctx)
	case o.done != api.No:
		return o.confirm(ctx)
	default:
		return Result{}, o.run.exists(o.problem(Exists, nil))
	}
}

// sendAgain sends the creation once more before an adoption. A run that is stopped meanwhile adopts nothing.
func (o *op) sendAgain(ctx context.Context) (api.Answer, *Problem) {
	_ = api.Sleep(ctx, beforeAdoption)
	return o.getOrCreate(ctx, o.sent, o.asCreation)
}

// confirm looks whether the group that exists after a creation is the one that was to be created. The response to the
// creation lacks the token, or the first response was lost: then the group has to show what was sent.
func (o *op) confirm(ctx context.Context) (Result, *Problem) {
	isNew := o.done == api.Yes
	o.know = o.know.with(o.response)
	o.calls = o.calls.CleaningUp()
	result, problem := o.lookUp(ctx)
	if problem != nil {
		return Result{}, problem
	}
	o.removed()
	isOurs := isNew && o.know.hasTeam(*result.Group) || o.sent.ShownBy(*result.Group)
	switch {
	case !isOurs:
		return Result{}, o.problem(MayHaveExisted, nil)
	case isNew:
		result.Warnings = o.differences()
	default:
		result.Warnings = []*Problem{o.problem(Claimed, nil)}
	}
	return result, nil
}

// takeOver adopts an existing group: it updates the group to what is wanted, and does not change its token. After a
// lost creation, the group may also be the one that was created.
func (o *op) takeOver(ctx context.Context) (Result, *Problem) {
	existing := o.response
	finding := Adopted
	if o.done != api.No {
		finding = Claimed
	}
	o.operation, o.know, o.done = Adopt, o.know.with(existing), api.No
	result, problem := o.put(ctx)
	if problem != nil {
		return Result{}, problem
	}
	adopted := result.Group.Over(existing)
	if adopted.Token != existing.Token { // Only a lookup shows which one is current.
		found, problem := o.find(ctx)
		switch {
		case problem == nil:
			adopted.Token = found.Group.Token
		case problem.isAboutAnother():
			return Result{}, problem
		default:
			return Result{}, o.problem(UnexpectedToken, problem.Call)
		}
	}
	warnings := append(result.Warnings, o.renewed(o.know, adopted)...)
	return Result{Group: &adopted, Warnings: append(warnings, o.problem(finding, nil))}, nil
}

// differences returns a warning if the service shows another name or other properties than were sent.
func (o *op) differences() (warnings []*Problem) {
	if o.sent.Differences(o.response).Any() {
		warnings = append(warnings, o.problem(NotTakenAsSent, nil))
	}
	return warnings
}
