package api

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter spaces the calls of a process, so that they go as fast as the service allows. A rate limit that refuses a
// call lowers the rate at once, and calls that get through raise it slowly, as in TCP.
type limiter struct {
	calls   *rate.Limiter
	ceiling rate.Limit
	turn    chan struct{} // held by the call that comes next
	mu      sync.Mutex
	first   time.Time // when the first call was sent
	passes  int
	steps   rate.Limit // each call that gets through raises the rate by one of so many parts
	opens   time.Time  // no call is sent earlier
	lowered time.Time  // a call that was sent earlier says nothing about the rate
}

// By how much each call that gets through raises the rate: by a tenth until the limit was found, which has refused
// calls after the rate was lowered for the first time; then by a hundredth; and at least by leastIncrease.
const (
	bigSteps, smallSteps = 10, 100

	leastIncrease = 0.05 // calls per second
	decrease      = 0.8
	lowestRate    = 1.0
)

// newLimiter returns a limiter that allows ceiling calls per second at most (rate.Inf for no limit).
func newLimiter(ceiling rate.Limit) *limiter {
	return &limiter{calls: rate.NewLimiter(ceiling, 1), ceiling: ceiling, steps: bigSteps, turn: make(chan struct{}, 1)}
}

// wait waits until the next call may be sent. It returns an error if the context ends first. Only one call at a time
// waits for its time, and the others for their turn, so that a change of the rate applies to all of them. Without
// patience, it does not wait for the time that a Retry-After header has named.
func (l *limiter) wait(ctx context.Context, patient func() bool) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		if err := l.calls.Wait(ctx); err != nil {
			return err
		}
		l.mu.Lock()
		closed := time.Until(l.opens)
		l.mu.Unlock()
		if closed <= 0 || !patient() {
			return nil
		}
		if err := Sleep(ctx, closed); err != nil {
			return err
		}
	}
}

// learn adapts the rate to the outcome of a call. A nil failure is a success. longest caps a Retry-After.
func (l *limiter) learn(sent time.Time, failure *Error, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, limit := time.Now(), l.calls.Limit()
	if l.first.IsZero() {
		l.first = sent
	}
	switch {
	case gotThrough(failure):
		l.passes++
		l.calls.SetLimit(min(limit+max(limit/l.steps, leastIncrease), l.ceiling))
	case failure.Limits():
		if opens := now.Add(min(failure.RetryAfter, longest)); opens.After(l.opens) {
			l.opens = opens
		}
		if !sent.After(l.lowered) { // Calls under way together are refused together, so only the first refusal counts.
			return
		}
		l.lowered = now
		if limit < rate.Inf {
			l.steps = smallSteps
		} else {
			limit = rate.Limit(float64(l.passes) / max(1, now.Sub(l.first).Seconds()))
		}
		l.calls.SetLimit(max(limit*decrease, min(lowestRate, l.ceiling)))
		l.calls.Allow() // From now on, even the next call waits.
	}
}
