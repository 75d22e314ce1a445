package usergroup

import (
	"cmp"
	"context"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Find looks up a group and leaves the service as it was. The lookup creates a missing group, so Find deletes it again
// and returns an error with the finding NotFound. It makes one call if the group exists, and three if not, because
// it deletes a group only after a second lookup has shown that the first one created it. A group whose token is zero in
// the Result exists, but the service still shows the token from before the last rotation.
func (s *Service) Find(ctx context.Context, prior Prior) (Result, error) {
	return s.exclusively(ctx, LookUp, prior, func(ctx context.Context, o *op) (Result, *Problem) {
		return o.find(ctx)
	})
}

// find looks the group up. After a lookup whose response was lost, the group may be the placeholder of that lookup. It
// is refused then, unless it shows a name, which most likely somebody has given to it: see unnamed.
func (o *op) find(ctx context.Context) (Result, *Problem) {
	result, problem := o.lookUp(ctx)
	if problem != nil || !o.mayRemain() {
		return result, problem
	}
	name := *cmp.Or(result.Group.Name, new(""))
	if cmp.Or(name, o.know.ID) == o.know.ID { // Services name groups after IDs.
		return Result{}, o.problem(MayBePlaceholder, nil)
	}
	if o.know.hasTeam(*result.Group) { // With a name and the known number, it is the known group.
		o.removed()
	}
	return result, nil
}

// lookUp looks the group up, and proves what it concludes. Before an unknown group is looked up, the API key has to be
// proved right: the lookup could create a group in another environment. A known group can prove the key itself.
func (o *op) lookUp(ctx context.Context) (Result, *Problem) {
	if !o.know.isKnown() {
		if problem := o.checkKey(ctx); problem != nil {
			return Result{}, problem
		}
	}
	answer, problem := o.getOrCreate(ctx, o.lookup(), o.asLookup)
	group := answer.UserGroup
	switch {
	case problem != nil:
		return Result{}, problem
	case answer.IsNew():
		return Result{}, o.removePlaceholder(ctx, group)
	}
	if problem := o.proveKeyBy(ctx, group); problem != nil {
		return Result{}, problem
	}
	if o.know.isReplacedBy(group) {
		return Result{}, o.problem(Replaced, nil)
	}
	if o.know.isStale(group.Token) {
		group.Token = api.Secret{}
	}
	return Result{Group: &group}, nil
}
