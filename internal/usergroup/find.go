package usergroup

import (
	"cmp"
	"context"
	"net/http"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Find looks up a group and leaves the service as it was. The lookup creates a missing group, so Find deletes it again
// and returns an error for which IsNotFound is true. It makes one call if the group exists, and three if not, because
// it deletes a group only after a second lookup has shown that the first one created it. A group whose token is zero in
// the Result exists, but the service still shows the token from before the last rotation.
func (s *Service) Find(ctx context.Context, prior Prior) (Result, error) {
	return s.exclusively(ctx, about(LookUp, prior), func(ctx context.Context, _ *groupLock) (Result, *Problem) {
		return s.find(ctx, prior)
	})
}

// sighting is what a response to a lookup shows about the group of the state.
type sighting int

const (
	nothing     sighting = iota // the response is unusable
	placeholder                 // a group that this lookup has created
	cached                      // the known group as a new one, which only a cache can show
	foreign                     // a group with another ID
	replaced                    // another group with this ID
	existing                    // the known group, or one of which nothing was known
)

// classify returns what a response shows. A new group with another token than the known one is another group, whatever
// its team_id, because numbers are used again.
func (k Prior) classify(answer api.Answer, err error) sighting {
	group := answer.UserGroup
	switch {
	case answer.New == nil, err != nil && !*answer.New:
		return nothing
	case k.isOtherID(group) && !k.isSame(group):
		return foreign
	case *answer.New && k.hasToken(group):
		return cached
	case *answer.New:
		return placeholder
	case k.hasOtherTeam(group) && !k.hasToken(group):
		return replaced
	default:
		return existing
	}
}

func (s *Service) find(ctx context.Context, prior Prior) (Result, *Problem) {
	p := about(LookUp, prior)
	if !prior.isKnown() { // A group in the state shows itself that the key is right.
		if problem := s.checkEnvironment(ctx, p); problem != nil {
			return Result{}, problem
		}
	}
	answer, err := s.look(ctx, prior)
	p.MayRemain = p.record(err) != No || answer.AfterLostAttempt
	p.Response = answer.UserGroup
	if prior.classify(answer, err) == placeholder {
		return s.removePlaceholder(ctx, p, answer)
	}
	return s.conclude(ctx, p, prior.classify(answer, err))
}

// look sends a lookup with the ID alone. Only if the service refuses that, it sends a name: the one that the group has.
func (s *Service) look(ctx context.Context, prior Prior) (api.Answer, error) {
	name := cmp.Or(prior.Name, prior.ID)
	return s.client.GetOrCreate(ctx, api.GroupRequest{UserGroupID: prior.ID, NameIfRequired: name})
}

// conclude returns the outcome of a lookup that has created nothing, or whose placeholder somebody has taken.
func (s *Service) conclude(ctx context.Context, p Problem, shows sighting) (Result, *Problem) {
	prior, group := p.Prior, p.Response
	switch shows {
	case nothing:
		// A key that may read and not create is allowed to look up what exists. A deleted ID may be reserved.
		mayNotExist := p.Call.Status == http.StatusForbidden && s.client.HasWorked(http.MethodGet) ||
			p.Call.Status == http.StatusConflict || p.Call.Status == http.StatusGone
		if mayNotExist && p.Call.FromService() {
			return Result{}, p.with(LookupRefused)
		}
		return Result{}, p.with(CallFailed)
	case cached:
		return Result{}, p.with(CacheSuspected)
	case foreign: // It says nothing about the group that the request may have created.
		p.MayRemain = true
		return Result{}, p.with(AnsweredForAnother)
	case replaced:
		return Result{}, cmp.Or(s.checkEnvironment(ctx, p), p.with(Replaced))
	}
	result := Result{Group: &group}
	switch unsure := p.MayRemain && !prior.hasToken(group); { // A placeholder can have the number of the known group.
	case unsure && (group.Name == nil || *group.Name == "" || *group.Name == p.ID):
		return Result{}, p.with(MayBePlaceholder)
	case unsure: // Most likely, it has the name from somebody. Yet the service may fill in names.
		result.Warnings = []*Problem{p.with(MayBePlaceholder)}
	case prior.isOtherID(group):
		result.Warnings = []*Problem{p.with(Respelled)}
	}
	if prior.isStale(group.Token) {
		result.Group.Token = api.Secret{}
	}
	return result, nil
}

// removePlaceholder deletes the group that a lookup has just created, even if the run is stopped. What looks new may be
// a live group if a cache repeats the response to its creation. So the preflight comes first, and directly before each
// attempt to delete it, another lookup has to show the very same group.
func (s *Service) removePlaceholder(ctx context.Context, p Problem, made api.Answer) (Result, *Problem) {
	ctx = s.client.Begin(api.CleanUp(ctx))
	lost := made.AfterLostAttempt
	p.MayRemain = true
	verdict := s.passPreflight(ctx, p)
	if verdict != nil && !verdict.Cause.isRefusal() && verdict.Cause.Finding != WrongKey {
		return Result{}, verdict
	}
	for tries := 1; ; tries++ {
		seen, err := s.look(ctx, p.Prior)
		p.record(err)
		p.Response = seen.UserGroup
		switch shows := p.Prior.classify(seen, err); {
		case err != nil, shows == placeholder && tries == maxTries:
			return Result{}, s.breaker.end(LookUp, p.with(LeftBehind))
		case shows == cached, shows == placeholder && seen.UserGroup.Token == made.UserGroup.Token:
			return Result{}, p.with(CacheSuspected)
		case shows == placeholder: // The first one is gone, and this lookup has created another one.
			made = seen
			continue
		case shows == foreign, showsMore(made.UserGroup, seen.UserGroup): // Somebody has taken it.
			p.MayRemain = seen.AfterLostAttempt
			if shows == existing && p.Prior.isKnown() { // The known group is gone, even if this one has its number.
				shows = replaced
			}
			return s.conclude(ctx, p, shows)
		case !Prior{}.with(made.UserGroup).isSame(seen.UserGroup):
			return Result{}, s.breaker.end(LookUp, p.with(LeftBehind))
		}
		deletion := s.deletion(p.Prior, seen.UserGroup.Token)
		deletion.Once = true
		if err = s.client.Delete(ctx, deletion); err == nil {
			break
		}
		lost = p.record(err) != No || lost
		if !lost && !p.Call.Temporary() || tries == maxTries || !s.client.Retry(ctx, p.Call) {
			return Result{}, s.breaker.end(LookUp, p.with(LeftBehind)) // Each further lookup would leave one behind.
		}
	}
	p.MayRemain = lost
	if verdict != nil && (verdict.Cause.Finding == WrongKey || s.settings.Environment != "") {
		verdict.MayRemain = lost
		return Result{}, verdict
	}
	return Result{}, p.with(NotFound)
}

// showsMore reports whether a lookup shows a name or a property that the response to the creation did not show.
// Services fill in both, so what a group shows decides nothing.
func showsMore(made, seen api.UserGroup) bool {
	name := cmp.Or(made.Name, new(""))
	return seen.Name != nil && *seen.Name != "" && *seen.Name != *name || seen.Properties.Beyond(made.Properties)
}

// findCurrent looks up the group until the service shows its current token.
func (s *Service) findCurrent(ctx context.Context, prior Prior) (Result, *Problem) {
	for {
		result, problem := s.find(ctx, prior)
		if problem != nil || !result.Group.Token.IsZero() {
			return result, problem
		}
		if !s.client.Retry(ctx, nil) {
			return Result{}, about(LookUp, prior).with(OutdatedToken)
		}
	}
}
