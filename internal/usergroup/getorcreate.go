package usergroup

import (
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// getOrCreate makes the call with which groups are looked up and created. It returns a problem unless the response is
// about the group. record is told whether the call has created it: asLookup or asCreation. A response that says so may
// lack the token.
func (o *op) getOrCreate(
	ctx context.Context, request api.GroupRequest, record func(created api.Done),
) (api.Answer, *Problem) {
	answer, failure := o.calls.GetOrCreate(ctx, request)
	answer.UserGroup = answer.UserGroup.WithoutEcho(o.lookup())
	o.shows(answer.UserGroup)
	answer, failure, problem := o.marked(ctx, answer, failure)
	o.lost = o.lost || answer.Earlier != api.No
	created := answer.Earlier
	switch {
	case o.know.hasOtherID(o.response): // It says nothing about the group that the request may have created.
		created = api.Maybe
	case answer.IsNew():
		created = api.Yes
	case failure != nil:
		created = failure.Done
	}
	record(created)
	switch {
	case problem != nil:
		problem.Done, problem.Left = o.done, o.unnamedLeft()
		return answer, problem
	case failure != nil && !answer.IsNew():
		return answer, o.problem(CallFailed, failure)
	case o.contradicts(answer):
		return answer, o.problem(Mismatched, nil)
	default:
		return answer, nil
	}
}

// asCreation records that the group of the operation was created, or may have been.
func (o *op) asCreation(created api.Done) { o.done = max(o.done, created) }

// asLookup records the same of a group that must not remain. The known token shows that the group existed.
func (o *op) asLookup(created api.Done) {
	existed := created == api.Maybe && o.know.isExactly(o.response)
	if created != api.No && !existed {
		o.leave(o.know.ID)
	}
}

// marked returns the answer with a value for new_user_group. Some services leave it out if it is false. The known token
// shows that a group is not new. Otherwise, only a creation can show whether this is such a service, so the preflight
// has to make one.
func (o *op) marked(ctx context.Context, answer api.Answer, failure *api.Error) (api.Answer, *api.Error, *Problem) {
	isUnmarked := failure != nil && failure.Kind == api.Unmarked
	if !isUnmarked || o.operation == Preflight {
		return answer, failure, nil
	}
	if !o.know.isExactly(answer.UserGroup) {
		if problem := o.passPreflight(ctx); problem != nil {
			return answer, failure, problem
		}
		if !o.client.MarksNew() {
			return answer, failure, nil
		}
	}
	return answer, nil, nil // Without New, it is not new.
}

// contradicts reports whether a response cannot be one to this request: it shows another ID, or as new what is known.
// Such responses come from a cache, or from a service that changes IDs.
func (o *op) contradicts(answer api.Answer) bool {
	return o.know.hasOtherID(answer.UserGroup) || answer.IsNew() && o.know.isExactly(answer.UserGroup)
}
