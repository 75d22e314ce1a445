package usergroup

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Find looks up a group and leaves the service as it was. The lookup creates a missing group, so Find deletes it again
// and returns an error for which IsNotFound is true. It makes one call if the group exists, and three if not, because
// it deletes a group only after a second lookup has shown that the first one created it. A group whose token is zero in
// the Result exists, but the service still shows the token from before the last rotation.
func (s *Service) Find(ctx context.Context, prior Prior) (Result, error) {
	return s.exclusively(ctx, LookUp, prior, func(ctx context.Context, o *op) (Result, *Problem) {
		return o.find(ctx)
	})
}

// find looks the group up, and proves what it concludes. Before an unknown group is looked up, the API key has to be
// proved right: the lookup could create a group in another environment. A known group can prove the key itself.
func (o *op) find(ctx context.Context) (Result, *Problem) {
	if !o.know.isKnown() {
		if problem := o.checkKey(ctx); problem != nil {
			return Result{}, problem
		}
	}
	answer, failure, problem := o.getOrCreate(ctx, o.lookup())
	seen := o.see(answer, failure)
	if problem != nil {
		problem.Left = slices.Clone(o.left)
		return Result{}, problem
	}
	if seen.shows == placeholder {
		return o.removePlaceholder(ctx, seen)
	}
	return o.conclude(ctx, seen)
}

// getOrCreate makes the call. Some services leave out new_user_group if it is false. The known token shows that a group
// is not new. Otherwise, only a creation can show whether this is such a service, so the preflight has to make one.
func (o *op) getOrCreate(ctx context.Context, request api.GroupRequest) (api.Answer, *api.Error, *Problem) {
	answer, failure := o.calls.GetOrCreate(ctx, request)
	if failure == nil || failure.Kind != api.Unmarked {
		return answer, failure, nil
	}
	if o.know.isExactly(answer.UserGroup) {
		answer.New = new(false)
		return answer, nil, nil
	}
	if problem := o.passPreflight(ctx); problem != nil {
		return answer, failure, problem
	}
	if !o.client.MarksNew() {
		return answer, failure, nil
	}
	answer.New = new(false)
	return answer, nil, nil
}

// conclude returns the outcome of a lookup that has created nothing, or whose placeholder somebody has taken. If the
// group does not show the known token, the API key has to be proved right.
func (o *op) conclude(ctx context.Context, seen sighting) (Result, *Problem) {
	switch seen.shows {
	case nothing:
		return Result{}, o.problem(whyNothing(seen.failure, o.client.HasWorkedWith(http.MethodGet)), seen.failure)
	case cached:
		return Result{}, o.problem(CacheSuspected, nil)
	case foreign:
		return Result{}, o.problem(AnsweredForAnother, nil)
	}
	if problem := o.proveKeyBy(ctx, seen.group); problem != nil {
		return Result{}, problem
	}
	if seen.shows == replaced {
		return Result{}, o.problem(Replaced, nil)
	}
	result := Result{Group: &seen.group}
	switch {
	case o.mayRemain() && !o.showsName(seen.group): // A placeholder can have the number of the known group.
		return Result{}, o.problem(MayBePlaceholder, nil)
	case o.mayRemain(): // Most likely, it has the name from somebody. Yet the service may fill in names.
		result.Warnings = []*Problem{o.problem(MayBePlaceholder, nil)}
	case o.know.hasOtherID(seen.group):
		result.Warnings = []*Problem{o.problem(Respelled, nil)}
	}
	if o.know.isStale(seen.group.Token) {
		result.Group.Token = api.Secret{}
	}
	return result, nil
}

// whyNothing returns the finding of a lookup with an unusable response. A key that may read and not create is allowed
// to look up what exists. A deleted ID may be reserved.
func whyNothing(failure *api.Error, hasWorked bool) Finding {
	saysMissing := map[int]bool{http.StatusForbidden: hasWorked, http.StatusConflict: true, http.StatusGone: true}
	if failure.FromService && !failure.Limits() && saysMissing[failure.Status] {
		return LookupRefused
	}
	return CallFailed
}

// showsName reports whether a group has a name that a service does not make of the ID.
func (o *op) showsName(group api.UserGroup) bool {
	name := cmp.Or(group.Name, new(""))
	return *name != "" && *name != o.know.ID
}

// findCurrent looks up the group until the service shows its current token.
func (o *op) findCurrent(ctx context.Context) (Result, *Problem) {
	for {
		result, problem := o.find(ctx)
		if !lacksToken(result, problem) {
			return result, problem
		}
		if again := o.calls.Retry(ctx, nil); !again {
			return Result{}, o.problem(OutdatedToken, nil)
		}
	}
}

// lacksToken reports whether a lookup has shown the group without its current token.
func lacksToken(result Result, problem *Problem) bool {
	if problem != nil {
		return problem.Finding == CallFailed && problem.Call.Kind == api.Incomplete
	}
	return result.Group.Token.IsZero()
}
