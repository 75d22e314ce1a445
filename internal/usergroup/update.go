package usergroup

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// update changes the group. Before a rotation, only a lookup shows which token is current if the update shows another
// one than before.
func (o *op) update(ctx context.Context, before Prior) (Result, *Problem) {
	result, problem := o.put(ctx)
	if problem != nil {
		return result, problem
	}
	if renewed := o.renewed(before, *result.Group); renewed != nil {
		o.know.Token = api.Secret{}
		result.Warnings = append(result.Warnings, renewed...)
	}
	return result, nil
}

// put updates the group. A service that shows something else than was sent causes a warning.
func (o *op) put(ctx context.Context) (Result, *Problem) {
	request := o.sent
	isDemanded := slices.Contains(o.settings.LookupFields, "name")
	if isDemanded && request.Name == nil && o.know.Name != "" {
		request.Name = &o.know.Name
	}
	answer, failure := o.calls.Update(ctx, request)
	o.done = doneBy(failure)
	o.shows(answer.UserGroup)
	if failure != nil {
		return o.checkRefusal(ctx, failure)
	}
	if result, problem := o.unexpected(); problem != nil {
		return result, problem
	}
	return Result{Group: &answer.UserGroup, Warnings: o.differences()}, nil
}

// renewed returns a warning if an updated group shows another token than the one that is known from before. After an
// update, the state cannot have it before the next refresh, because the plan promised that the token stays. It names no
// groups that may remain, because Apply takes it back after a rotation.
func (o *op) renewed(before Prior, updated api.UserGroup) []*Problem {
	if updated.Token.IsZero() || before.hasToken(updated) {
		return nil
	}
	warning := o.problem(UnexpectedToken, nil)
	warning.Left = nil
	return []*Problem{warning}
}

// checkRefusal returns the outcome of an update that has failed. A service that counts changed rows responds with 404
// to one that changes nothing. Then a lookup shows the known group with what was sent, and does not merely echo.
func (o *op) checkRefusal(ctx context.Context, failure *api.Error) (Result, *Problem) {
	if failure.Status != http.StatusNotFound {
		return Result{}, o.problem(CallFailed, failure)
	}
	found, problem := o.find(ctx)
	isShown := problem == nil && o.sent.ShownBy(*found.Group)
	refused := o.problem(CallFailed, failure)
	switch {
	case isShown:
		o.done = api.Yes
		return found, nil
	case cmp.Or(problem, refused).isAboutAnother():
		return Result{}, problem
	default:
		return Result{}, refused
	}
}

// unexpected returns a problem if the response to an update or a rotation shows another group or another environment
// than the plan relied on. The state has to show the other environment.
func (o *op) unexpected() (Result, *Problem) {
	expected := cmp.Or(o.settings.Environment, *cmp.Or(o.know.EnvironmentTag, new("")))
	shown := *cmp.Or(o.response.EnvironmentTag, &expected)
	switch {
	case o.know.hasOtherID(o.response): // It says nothing about the group that was to be changed.
		o.done = api.Maybe
		return Result{}, o.problem(Mismatched, nil)
	case o.know.isReplacedBy(o.response):
		return Result{}, o.problem(Replaced, nil)
	case cmp.Or(expected, shown) != shown: // So the key is wrong, and no call is right.
		problem := o.problem(WrongEnvironment, nil)
		problem.Expected = expected
		return Result{Group: new(o.response)}, problem
	default:
		return Result{}, nil
	}
}
