package usergroup

import "context"

// Delete deletes a group. It succeeds if the group is already gone. It makes one call if the current token is known.
//
// Delete never deletes another group that has the ID now, provided that the service checks the token. Nor does it
// delete a group that this process has created or adopted for another instance of the resource. If a replacement is
// created before the old instance is destroyed, both instances are the same group.
func (s *Service) Delete(ctx context.Context, prior Prior) (Result, error) {
	p := about(Delete, prior)
	return s.exclusively(ctx, p, func(ctx context.Context, lock *groupLock) (Result, *Problem) {
		if lock.instance != "" && lock.instance != prior.Instance {
			return Result{Warnings: []*Problem{p.with(Kept)}}, nil
		}
		if problem := s.refuseHarm(ctx, p); problem != nil {
			return Result{}, problem
		}
		result, problem := s.delete(ctx, prior, p)
		if problem == nil {
			lock.instance = ""
		}
		return result, problem
	})
}

func (s *Service) delete(ctx context.Context, prior Prior, p Problem) (Result, *Problem) {
	for tries := 1; ; tries++ {
		if !prior.Token.IsZero() {
			err := s.client.Delete(ctx, s.deletion(prior, prior.Token))
			if err == nil {
				return Result{}, nil
			}
			p.Done = max(p.Done, p.record(err))
			// If no response arrives, a lookup would most likely create a placeholder that cannot be deleted either.
			if !mayBeTheToken(p.Call) || p.Call.Status == 0 || tries == maxTries {
				return Result{}, p.with(CallFailed)
			}
		}
		found, problem := s.findCurrent(ctx, prior)
		switch {
		case problem != nil && problem.Finding == NotFound && !problem.MayRemain:
			return Result{}, nil
		case problem != nil && problem.Finding == NotFound:
			return Result{Warnings: []*Problem{p.because(problem)}}, nil
		case problem != nil && problem.Finding == Replaced:
			p.Response, p.MayRemain, p.Call = problem.Response, problem.MayRemain, nil // The refusal was about the old token.
			return Result{Warnings: []*Problem{p.with(AnotherRemains)}}, nil
		case problem != nil:
			return Result{}, p.because(problem)
		case found.Group.Token == prior.Token: // The service refuses the current token.
			return Result{}, p.with(CallFailed)
		case p.Done != No: // The deletion may have been carried out, and somebody may have created the group again.
			p.Response = *found.Group
			return Result{}, p.with(UnexpectedToken)
		}
		prior = prior.with(*found.Group)
	}
}
