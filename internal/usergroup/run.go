package usergroup

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// run decides when a run is over for operations that have not begun yet, so that four hundred groups with one cause
// neither take hours nor get four hundred explanations.
type run struct {
	mu sync.Mutex
	// over is the problem that ended the run for every operation, or nil.
	over *Problem
	// overFor are the problems that ended it for one operation.
	overFor map[Operation]*Problem
	// gaveUp maps each HTTP method to the last operation during which no call with that method got through.
	gaveUp map[string]givenUp
}

type givenUp struct {
	id      string
	decided int // how many calls with the method had gotten through in this process
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
	return problem
}

// endFor is like end, for one operation.
func (s *Service) endFor(operation Operation, problem *Problem) *Problem {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	if cause := cmp.Or(s.run.over, s.run.overFor[operation]); cause != nil {
		return problem.referTo(cause)
	}
	if s.run.overFor == nil {
		s.run.overFor = map[Operation]*Problem{}
	}
	s.run.overFor[operation] = problem
	return problem
}

// endIfKeyRefused ends the run if the service itself responded with status 401. It may only be used after a call that
// carries no token, because only then does the status mean that the API key was refused.
func (s *Service) endIfKeyRefused(problem *Problem) *Problem {
	if call := problem.Call; call != nil && call.FromService && call.Status == http.StatusUnauthorized {
		return s.end(problem)
	}
	return problem
}

// endIfUnreachable ends the run if nothing got through for as long as two operations on different groups have tried: for
// every operation if nothing at all did, or else for this one. A group that alone makes calls fail ends nothing.
func (s *Service) endIfUnreachable(ctx context.Context, operation Operation, problem *Problem) *Problem {
	call := problem.lastCall()
	if call == nil || !s.unreachable(ctx, call) {
		return problem
	}
	s.run.mu.Lock()
	last := s.run.gaveUp[call.Method]
	if s.run.gaveUp == nil {
		s.run.gaveUp = map[string]givenUp{}
	}
	now := givenUp{problem.ID, s.client.Decided(call.Method)}
	s.run.gaveUp[call.Method] = now
	s.run.mu.Unlock()
	switch {
	case last.id == "" || last.id == now.id || last.decided != now.decided:
		return problem
	case s.client.Unreachable(ctx, ""):
		return s.end(problem)
	default:
		return s.endFor(operation, problem)
	}
}

// unreachable reports whether no call with the method of the failed one has gotten through since the operation met its
// first failure. A failure that retries would not cure only counts if nothing has ever gotten through.
func (s *Service) unreachable(ctx context.Context, call *api.Error) bool {
	if errors.Is(call, context.Canceled) {
		return false
	}
	hopeless := !call.Decided() && s.client.Decided("") == 0
	return (call.Temporary() || hopeless) && s.client.Unreachable(ctx, call.Method)
}

// referTo returns a copy of the problem that leaves the explanation to an earlier one, but keeps what was done.
func (p Problem) referTo(cause *Problem) *Problem {
	p.Finding, p.Cause, p.Call = RunEnded, cause, nil
	return &p
}

// lastCall returns the failed call that the problem is about, or nil.
func (p *Problem) lastCall() *api.Error {
	if p.Finding == RunEnded {
		return nil
	}
	if p.Cause != nil && p.Cause.Call != nil {
		return p.Cause.Call
	}
	return p.Call
}
