package usergroup

import (
	"context"
	"crypto/rand"
	"net/http"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Create creates a group or, with adopt, takes over an existing one. Without adopt, an existing group is an error and
// is not changed. If nothing fails, it makes one call, or three for an adoption. With an error, it returns no group,
// and the error says whether the group was created.
func (s *Service) Create(ctx context.Context, wanted api.GroupRequest, adopt bool) (Result, error) {
	p := about(Create, Prior{ID: wanted.UserGroupID})
	p.Sent = wanted
	return s.exclusively(ctx, p, func(ctx context.Context, lock *groupLock) (Result, *Problem) {
		// A group that this run has already created or adopted belongs to another address.
		result, problem := s.create(ctx, wanted, adopt && lock.instance == "", p)
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

func (s *Service) create(ctx context.Context, wanted api.GroupRequest, adopt bool, p Problem) (Result, *Problem) {
	if problem := s.checkEnvironment(ctx, p); problem != nil {
		return Result{}, problem
	}
	answer, err := s.client.GetOrCreate(ctx, wanted)
	if adopt && err == nil && !*answer.New && api.Sleep(ctx, beforeAdoption) == nil {
		answer, err = s.client.GetOrCreate(ctx, wanted)
	}
	p.Done, p.Response = p.record(err), answer.UserGroup
	isNew, lost := answer.New != nil && *answer.New, answer.AfterLostAttempt
	switch {
	case answer.New == nil:
		return Result{}, p.with(CallFailed)
	case p.Prior.isOtherID(answer.UserGroup): // It says nothing about the group that the request may have created.
		p.Done = Maybe
		return Result{}, p.with(AnsweredForAnother)
	case isNew && err == nil:
		result := Result{Group: &answer.UserGroup}
		if wanted.Differences(answer.UserGroup).Name {
			result.Warnings = []*Problem{p.with(Respelled)}
		}
		return result, nil
	case isNew || lost && !adopt:
		p.Done = Maybe
		return s.claim(ctx, isNew, p)
	case adopt:
		return s.takeOver(ctx, p)
	default:
		p.Done = No
		problem := p.with(Exists)
		if !s.exists.CompareAndSwap(nil, problem) {
			problem.Cause = s.exists.Load()
		}
		return Result{}, problem
	}
}

// claim decides whether a creation whose response was lost or incomplete has created the group that exists now. If that
// response reported a new group, a lookup has to show the same one. If there was none, the lookup has to show the name
// and the properties that were sent: its response cannot echo them, because it sends neither.
func (s *Service) claim(ctx context.Context, isNew bool, p Problem) (Result, *Problem) {
	prior := Prior{ID: p.ID}.with(p.Response)
	result, problem := s.find(api.CleanUp(ctx), prior)
	if problem != nil {
		return Result{}, p.because(problem)
	}
	sent, found := p.Sent, result.Group
	if isNew && prior.isSame(*found) {
		return result, nil
	}
	p.Response = *found
	differences := sent.Differences(*found)
	shown := sent.Name != nil && found.Name != nil && (sent.Properties.IsZero() || !found.Properties.IsZero())
	echo := shown && *sent.Name == p.ID && s.client.NameRequired(http.MethodGet)
	if !shown || echo || differences.Name || len(differences.Properties) > 0 {
		return Result{}, p.with(MayHaveExisted)
	}
	result.Warnings = append(result.Warnings, p.with(Claimed))
	return result, nil
}

// takeOver adopts an existing group: it updates the group to what is wanted, and does not change its token.
func (s *Service) takeOver(ctx context.Context, p Problem) (Result, *Problem) {
	existing := p.Response
	p.Operation, p.Prior = Adopt, p.Prior.with(existing)
	result, problem := s.put(ctx, p.Sent, p)
	switch {
	case problem != nil && problem.Finding == NotTakenAsSent: // The group is ours. The next plan shows the difference.
		result.Warnings = append(result.Warnings, problem)
	case problem != nil:
		return Result{}, problem
	}
	p.Done = Yes
	adopted := result.Group.Over(existing)
	return Result{Group: &adopted, Warnings: append(result.Warnings, p.with(Adopted))}, nil
}
