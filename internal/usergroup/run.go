package usergroup

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// run decides when a run is over, so that four hundred groups with one cause neither take hours nor get four hundred
// explanations.
type run struct {
	mu sync.Mutex
	// over is the problem that ended the run for every operation, or nil.
	over *Problem
	// overFor are the problems that ended it for one operation.
	overFor map[Operation]*Problem
	// refused maps an operation to the first group for which the service has refused the API key.
	refused map[Operation]string
	// isOver ends when the run is over for every operation.
	isOver  context.Context
	setOver context.CancelFunc
}

func newRun() run {
	ctx, cancel := context.WithCancel(context.Background())
	return run{overFor: map[Operation]*Problem{}, refused: map[Operation]string{}, isOver: ctx, setOver: cancel}
}

// ended returns the problem that ended the run for an operation, or nil.
func (s *Service) ended(operation Operation) *Problem {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	return cmp.Or(s.run.over, s.run.overFor[operation])
}

// notBegun returns the problem of an operation on a group that makes no call because of an earlier problem.
func notBegun(operation Operation, id string, cause *Problem) *Problem {
	return &Problem{Finding: RunEnded, Operation: operation, ID: id, Cause: cause}
}

// end ends the run for every operation, because the problem affects all of them. It returns the problem, or one that
// refers to the problem that has ended the run before.
func (s *Service) end(problem *Problem) *Problem {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if s.run.over != nil {
		return problem.referTo(s.run.over)
	}
	s.run.over = problem
	s.run.setOver()
	return problem
}

// endFor is like end, for one operation.
func (s *Service) endFor(operation Operation, problem *Problem) *Problem {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if cause := cmp.Or(s.run.over, s.run.overFor[operation]); cause != nil {
		return problem.referTo(cause)
	}
	s.run.overFor[operation] = problem
	return problem
}

// untilOver returns a context that also ends when the run is over, so that operations under way do not wait any longer.
func (s *Service) untilOver(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(s.run.isOver, cancel)
	return ctx, func() {
		forget()
		cancel()
	}
}

// endIfKeyRefused ends the run if the service itself responded with status 401. It may only be used after a call that
// carries no token, because only then does the status mean that the API key was refused.
func (s *Service) endIfKeyRefused(problem *Problem) *Problem {
	if call := problem.Call; call != nil && call.FromService && call.Status == http.StatusUnauthorized {
		return s.end(problem)
	}
	return problem
}

// endIfGeneral ends the run if the failure of an operation is not about its group. If nothing got through for as long
// as it has tried, and the service cannot be reached or the calls of another group fail as well, the run ends for every
// operation or, if calls of other kinds get through, for this one. If the API key has never been allowed to do this for
// any group, it ends for this operation.
func (s *Service) endIfGeneral(ctx context.Context, operation Operation, problem *Problem) *Problem {
	call := problem.lastCall()
	switch {
	case call == nil:
		return problem
	case errors.Is(call, context.Canceled):
		if cause := s.ended(operation); cause != nil {
			return problem.referTo(cause)
		}
		return problem
	case s.unreachable(ctx, call, "") && (call.Kind == api.NotSent || s.client.FailsForSeveral("")):
		return s.end(problem)
	case s.unreachable(ctx, call, call.Method) && s.client.FailsForSeveral(call.Method), s.keyMayNot(operation, problem):
		return s.endFor(operation, problem)
	default:
		return problem
	}
}

// unreachable reports whether no call with the method, or with any if it is empty, has gotten through since the
// operation began to fail. A failure that retries would not cure only counts if nothing has ever gotten through.
func (s *Service) unreachable(ctx context.Context, call *api.Error, method string) bool {
	hopeless := !call.Decided() && s.client.Succeeded("") == 0
	return (call.Temporary() || hopeless) && s.client.Unreachable(ctx, method)
}

// keyMayNot reports whether the service has refused the API key for the calls of an operation on two groups, and has
// not accepted it for any.
func (s *Service) keyMayNot(operation Operation, problem *Problem) bool {
	call := problem.lastCall()
	if !call.FromService || call.Kind != api.Unauthorized || s.client.Succeeded(call.Method) > 0 {
		return false
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	first, again := s.run.refused[operation]
	if !again {
		s.run.refused[operation] = problem.ID
	}
	return again && first != problem.ID
}

// referTo returns a copy of the problem that leaves the explanation to the one that has ended the run, but keeps what
// was done. It returns the problem itself if it is that one, or has it as its cause and explains it.
func (p *Problem) referTo(cause *Problem) *Problem {
	if p == cause || p.Cause == cause && p.Finding != RunEnded {
		return p
	}
	reference := *p
	reference.Finding, reference.Cause, reference.Call = RunEnded, cause, nil
	return &reference
}

// lastCall returns the failed call that the problem is about, or nil.
func (p *Problem) lastCall() *api.Error {
	if p.Finding != RunEnded && p.Cause != nil && p.Cause.Call != nil {
		return p.Cause.Call
	}
	return p.Call
}
