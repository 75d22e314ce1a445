package usergroup

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// breaker ends a run once its calls are pointless, so that four hundred groups with one cause neither take hours nor
// get four hundred explanations. It is a circuit breaker that is not closed again, because a run has an end.
type breaker struct {
	over context.Context // ends when the run does
	stop context.CancelFunc

	mu sync.Mutex
	// ended has what ended the run for an operation, or for everything.
	ended map[Operation]*Problem
	// failed has the last group with which the API key was not allowed an operation, the service was out of reach
	// (everything), or responses were mixedUp.
	failed map[Operation]string
}

const (
	everything Operation = -1 - iota
	mixedUp              // responses are about other groups, or contradict each other
)

func newBreaker() breaker {
	ctx, cancel := context.WithCancel(context.Background())
	return breaker{over: ctx, stop: cancel, ended: map[Operation]*Problem{}, failed: map[Operation]string{}}
}

// begin returns the context of an operation, which ends when the run does, or what has ended the run before.
func (b *breaker) begin(ctx context.Context, p Problem) (_ context.Context, release func(), _ *Problem) {
	ctx, cancel := context.WithCancel(ctx)
	forget := context.AfterFunc(b.over, cancel)
	release = func() { forget(); cancel() }
	if cause := b.cause(p.Operation); cause != nil {
		return ctx, release, p.referTo(cause)
	}
	return ctx, release, nil
}

func (b *breaker) cause(operation Operation) *Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.ended[everything], b.ended[operation])
}

// end ends the run for an operation, or for everything, because of a problem that every other group would have, too. It
// returns the problem, or one that refers to what has ended the run before.
func (b *breaker) end(operation Operation, problem *Problem) *Problem {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cause := cmp.Or(b.ended[everything], b.ended[operation]); cause != nil {
		if cause == problem || problem.Cause == cause {
			return problem
		}
		return problem.referTo(cause)
	}
	b.ended[operation] = problem
	if operation == everything {
		b.stop()
	}
	return problem
}

// judge ends the run if the failure of an operation is not about its group: the service refuses the API key; or two
// groups have failed, and no call of the run has gotten through meanwhile, the key has never been allowed this, or
// something answers in place of the service.
func (b *breaker) judge(client *api.Client, problem *Problem, started time.Time) *Problem {
	call := problem.Call
	switch {
	case problem.Finding == CacheSuspected, problem.Finding == AnsweredForAnother:
		if b.isSecond(mixedUp, problem.ID) {
			return b.end(everything, problem)
		}
	case call == nil:
		return problem
	case errors.Is(call, context.Canceled):
		if cause := b.cause(problem.Operation); cause != nil {
			return problem.referTo(cause)
		}
		return problem
	case call.FromService() && call.Status == http.StatusUnauthorized &&
		call.Method != http.MethodPost && call.Method != http.MethodDelete: // These may be refused because of the token.
		return b.end(everything, problem)
	case call.FromService() && call.Kind == api.Unauthorized && !client.HasWorked(call.Method):
		if b.isSecond(problem.Operation, problem.ID) {
			return b.end(problem.Operation, problem)
		}
	case !call.Decided() && !client.LastThrough().After(started):
		if call.Kind == api.NotSent || b.isSecond(everything, problem.ID) {
			return b.end(everything, problem)
		}
	}
	return problem
}

// isSecond reports whether another group has failed in the same way before.
func (b *breaker) isSecond(operation Operation, id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	earlier, again := b.failed[operation]
	b.failed[operation] = id
	return again && earlier != id
}
