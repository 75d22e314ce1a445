package usergroup

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// isUnproved reports whether an environment is expected, and nothing has proved that the API key belongs to it.
func (o *op) isUnproved() bool { return o.settings.Environment != "" && !o.run.isProved() }

// checkKey makes sure that the API key belongs to the expected environment, if need be with the preflight.
func (o *op) checkKey(ctx context.Context) *Problem {
	if !o.isUnproved() {
		return nil
	}
	return o.passPreflight(ctx)
}

// proveKeyBy makes sure of the same after a lookup. A known token proves the key, if the environment of its group is
// known. Another token proves nothing: the group may be one of another environment, even with the same number.
func (o *op) proveKeyBy(ctx context.Context, group api.UserGroup) *Problem {
	if !o.know.isExactly(group) {
		return o.checkKey(ctx)
	}
	if o.know.environment() == o.settings.Environment {
		o.run.prove()
	}
	return nil
}

// proved changes a group once the API key is proved to belong to the expected environment. A group of the state can
// prove that itself, which costs one lookup and no test group. Before another one is looked up, the preflight has to.
func (o *op) proved(
	ctx context.Context, change func(context.Context) (Result, *Problem),
) (Result, *Problem) {
	if o.isUnproved() {
		found, problem := o.find(ctx)
		if problem != nil {
			return Result{}, problem
		}
		o.know = o.know.with(*found.Group)
	}
	if problem := o.checkKey(ctx); problem != nil {
		return Result{}, problem
	}
	return change(ctx)
}

// passPreflight tests the service with a group of the provider's own, once in a process, or returns the result of the
// earlier test. Whoever asks meanwhile waits for it. It shows that no cache responds in place of the service and, if an
// environment is expected, that the API key belongs to it: the service returns the environment of a group only when it
// updates or rotates the group (interface sections 2.2 and 4), and no customer's group may be changed for that.
func (o *op) passPreflight(ctx context.Context) *Problem {
	waits := ctx
	if o.calls.CleansUp() {
		waits = context.WithoutCancel(ctx)
	}
	if problem := o.acquire(waits, o.preflight); problem != nil {
		return problem
	}
	defer func() { <-o.preflight }()
	if o.tested {
		return o.testResult()
	}
	test := o.begin(Preflight, Prior{ID: "tf" + strings.ToLower(rand.Text()[:10])})
	test.calls = o.calls.CleaningUp()
	o.testFailure = test.tryOut(ctx)
	o.tested = true
	o.leave(test.left...)
	return o.testResult()
}

// testResult returns a problem if the preflight has found one.
func (o *op) testResult() *Problem {
	if o.testFailure == nil {
		return nil
	}
	return o.because(o.testFailure)
}

// tryOut creates a group, updates it if an environment is expected, looks it up by its ID alone, and deletes it. It
// sends all fields, because a service may demand them. The ID is short, because columns are, and has only lowercase
// letters and digits, because a service may convert others.
func (o *op) tryOut(ctx context.Context) *Problem {
	request := o.request(slices.Collect(maps.Keys(LookupFields)))
	request.Name = new("Terraform " + rand.Text()[:8])
	answer, problem := o.getOrCreate(ctx, request, o.asLookup)
	made := answer.UserGroup
	isOld := !answer.IsNew() && answer.Earlier == api.No
	switch {
	case problem != nil:
		return problem
	case isOld: // Nothing is deleted, because the token may be that of a customer.
		o.leave(o.know.ID)
		return o.problem(Mismatched, nil)
	}
	var failure *api.Error
	var tag *string
	if o.settings.Environment != "" {
		answer, failure = o.rename(ctx, request)
		made, tag = answer.UserGroup.Over(made), answer.UserGroup.EnvironmentTag
	}
	if problem := o.remove(ctx, made); problem != nil {
		return problem
	}
	switch {
	case failure != nil:
		return o.problem(CallFailed, failure)
	case *cmp.Or(tag, new("")) != o.settings.Environment:
		problem := o.problem(WrongKey, nil)
		problem.Response.EnvironmentTag = tag
		return problem
	}
	o.run.prove()
	return nil
}

// rename updates the group of the preflight, so that the response shows its environment. The name is another one,
// because a service may refuse an update that changes nothing.
func (o *op) rename(ctx context.Context, request api.GroupRequest) (api.Answer, *api.Error) {
	request.Name = new("Terraform " + rand.Text()[:8])
	return o.calls.Update(ctx, request)
}
