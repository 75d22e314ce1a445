package api

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter spaces the calls of a process, so that they go as fast as the service allows. A rate limit that refuses a call
// lowers the rate at once, and calls that get through raise it slowly, as in TCP.
type limiter struct {
	calls   *rate.Limiter
	ceiling rate.Limit

	mu      sync.Mutex
	first   time.Time // when the first call was sent
	through time.Time // when the service last decided on a call
	passes  int
	opens   time.Time // no call is sent earlier
	lowered time.Time // a call that was sent earlier says nothing about the rate
}

const (
	increase   = 0.05 // calls per second, for each call that gets through
	decrease   = 0.7
	lowestRate = 1.0
)

// newLimiter returns a limiter that allows ceiling calls per second at most (rate.Inf for no limit).
func newLimiter(ceiling rate.Limit) *limiter {
	return &limiter{calls: rate.NewLimiter(ceiling, 1), ceiling: ceiling}
}

// wait waits until the next call may be sent. It returns an error if the context ends first.
func (l *limiter) wait(ctx context.Context) error {
	l.mu.Lock()
	if l.first.IsZero() {
		l.first = time.Now()
	}
	wait := time.Until(l.opens)
	l.mu.Unlock()
	if err := Sleep(ctx, wait); err != nil {
		return err
	}
	return l.calls.Wait(ctx)
}

// learn adapts the rate to the outcome of a call. A nil failure is a success. longest caps a Retry-After.
func (l *limiter) learn(sent time.Time, failure *Error, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, limit := time.Now(), l.calls.Limit()
	switch {
	case failure == nil || failure.Decided():
		l.through = now
		l.passes++
		if limit < l.ceiling {
			l.calls.SetLimit(min(limit+increase, l.ceiling))
		}
	case failure.RateLimited():
		if opens := now.Add(min(failure.RetryAfter, longest)); opens.After(l.opens) {
			l.opens = opens
		}
		if sent.Before(l.lowered) { // Calls under way together are refused together, so only the first refusal counts.
			return
		}
		l.lowered = now
		if limit == rate.Inf {
			limit = rate.Limit(float64(l.passes) / max(1, now.Sub(l.first).Seconds()))
		}
		l.calls.SetLimit(max(limit*decrease, min(lowestRate, l.ceiling)))
	}
}

// lastThrough returns when the service last decided on a call, or the zero time if it never has.
func (l *limiter) lastThrough() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.through
}
