package usergroup

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// preflight is what the first use of a service has shown: that no cache responds in its place, and that the API key
// belongs to the expected environment. The service returns the environment of a group only when it updates or rotates
// the group (interface sections 2.2 and 4). No customer's group may be changed for that, so the preflight creates one.
//
// It runs once in a process: before the first placeholder is removed and, if an environment is expected, before the
// first change and before a lookup of something unknown is believed.
type preflight struct {
	running chan struct{} // held by the preflight that is under way
	ended   bool
	problem *Problem // nil if it has passed
}

// passPreflight runs the preflight, or returns the result of the earlier one. Whoever asks meanwhile waits for it.
func (s *Service) passPreflight(ctx context.Context, p Problem) *Problem {
	stopped := ctx.Done()
	if api.CleansUp(ctx) {
		stopped = nil
	}
	select {
	case s.preflight.running <- struct{}{}:
		defer func() { <-s.preflight.running }()
	case <-stopped:
		p.record(api.Stopped("", ctx.Err()))
		return p.with(CallFailed)
	}
	if problem := s.preflight.problem; s.preflight.ended && problem != nil {
		return p.referTo(problem)
	} else if s.preflight.ended {
		return nil
	}
	problem := s.tryOut(s.client.Begin(api.CleanUp(ctx)))
	s.preflight.problem = problem
	s.preflight.ended = problem == nil || !errors.Is(problem, context.Canceled)
	switch {
	case problem == nil:
		return nil
	case problem.isRefusal():
	case problem.Finding == LeftBehind:
		problem = s.breaker.end(LookUp, problem) // Each lookup of a missing group would leave another one behind.
	default:
		problem = s.breaker.end(everything, problem)
	}
	return p.because(problem)
}

// isRefusal reports whether the service itself has refused the preflight. That is no sign of a cache.
func (p *Problem) isRefusal() bool {
	return p.Operation == Preflight && p.Finding == CallFailed && p.Call.Decided() && p.Call.Kind != api.Incomplete
}

// tryOut creates a group, looks it up by its ID alone, updates it if an environment is expected, and deletes it.
func (s *Service) tryOut(ctx context.Context) *Problem {
	// The ID is short, because columns are, and lowercase, because a service may convert IDs to lowercase.
	prior := Prior{ID: "tf-" + strings.ToLower(rand.Text()[:12])}
	name := "Terraform " + rand.Text()[:8]
	p := about(Preflight, prior)
	p.Expected = s.settings.Environment
	made, err := s.client.GetOrCreate(ctx, api.GroupRequest{UserGroupID: prior.ID, Name: &name})
	if p.MayRemain = p.record(err) != No; err != nil {
		return p.with(CallFailed)
	}
	p.MayRemain = true
	seen, err := s.client.GetOrCreate(ctx, api.GroupRequest{UserGroupID: prior.ID, NameIfRequired: name})
	existed := !*made.New && !made.AfterLostAttempt
	if err == nil && (*seen.New || existed || prior.isOtherID(made.UserGroup) || prior.isOtherID(seen.UserGroup)) {
		return p.with(CacheSuspected) // Nothing is deleted, because the token may be that of a customer.
	}
	token := prior.with(made.UserGroup).with(seen.UserGroup).Token
	if err == nil && s.settings.Environment != "" {
		seen, err = s.client.Update(ctx, api.GroupRequest{UserGroupID: prior.ID, Name: &name})
	}
	p.record(err)
	p.Response = seen.UserGroup
	if left := s.erase(s.client.Begin(ctx), prior, token); left != nil {
		p.record(left)
		return p.with(LeftBehind)
	}
	p.MayRemain = made.AfterLostAttempt
	switch tag := p.Response.EnvironmentTag; {
	case err != nil:
		return p.with(CallFailed)
	case s.settings.Environment != "" && (tag == nil || *tag != s.settings.Environment):
		return p.with(WrongKey)
	default:
		return nil
	}
}

// erase deletes the group of the preflight. A refusal after a lost attempt most likely means that the group is gone.
// The lookup that has to show that creates it once more.
func (s *Service) erase(ctx context.Context, prior Prior, token api.Secret) error {
	err := s.client.Delete(ctx, s.deletion(prior, token))
	var call *api.Error
	if !errors.As(err, &call) || !call.AfterLostAttempt || !call.Decided() {
		return err
	}
	found, err := s.client.GetOrCreate(ctx, api.GroupRequest{UserGroupID: prior.ID, NameIfRequired: prior.ID})
	if err != nil {
		return err
	}
	return s.client.Delete(ctx, s.deletion(prior, found.UserGroup.Token))
}

// checkEnvironment passes the preflight if an environment is expected.
func (s *Service) checkEnvironment(ctx context.Context, p Problem) *Problem {
	if s.settings.Environment == "" {
		return nil
	}
	return s.passPreflight(ctx, p)
}

// refuseHarm returns a problem if the group or the API key belongs to an environment other than the expected one. An
// operation calls it before it changes anything.
func (s *Service) refuseHarm(ctx context.Context, p Problem) *Problem {
	expected, tag := s.settings.Environment, p.Prior.EnvironmentTag
	if expected != "" && tag != nil && *tag != expected {
		p.Response, p.Expected = api.UserGroup{EnvironmentTag: tag}, expected
		return p.with(WrongEnvironment)
	}
	return s.checkEnvironment(ctx, p)
}
