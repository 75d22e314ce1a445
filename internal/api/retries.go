package api

import (
	"context"
	"time"
)

const (
	// patience is how long, in multiples of RetryWaitMax, refusals for the pace are retried without being counted,
	// after the service has last let a call of the process through. By default this is two minutes, because limits are
	// commonly counted per minute.
	patience = 4
	// hasty is how many times a call that is refused for its pace is repeated as soon as the pace of the process
	// allows. If it is refused again while others get through, the pace is not the reason. Further refusals of it do
	// not change the pace.
	hasty = 3
)

// Retries counts the retries of an operation: of one call, or of something that the caller of this package repeats.
type Retries struct {
	client           *Client
	counted, refused int
}

// Retries returns the retries for an operation that is about to begin.
func (c *Client) Retries() *Retries { return &Retries{client: c} }

// Repeats returns how many times an operation may be retried.
func (c *Client) Repeats() int { return c.config.MaxRetries }

// next returns how long to wait before the next retry, and whether it is allowed. err is the failure of the last
// call, or nil if no call failed.
func (r *Retries) next(err *Error) (wait time.Duration, more bool) {
	c := r.client
	if err != nil && err.PaceRefused() && time.Since(c.pace.letThrough()) < patience*c.config.RetryWaitMax {
		r.refused++
		if r.refused > hasty {
			wait = c.wait(r.refused-hasty-1, err)
		}
		return wait, true
	}
	r.counted++
	return c.wait(r.counted-1, err), r.counted <= c.config.MaxRetries
}

// Wait waits before the next retry and reports whether it is allowed. It returns false if no retries are left or the
// run is stopped while it waits.
func (r *Retries) Wait(ctx context.Context, err *Error) bool {
	wait, more := r.next(err)
	return more && sleep(ctx, wait) == nil
}

// Linger is like Wait, but also waits if no retries are left. It is for callers that look the group up in any case.
func (r *Retries) Linger(ctx context.Context, err *Error) bool {
	wait, more := r.next(err)
	return sleep(ctx, wait) == nil && more
}

// wait returns the wait before retry n, counted from 0: what the service asked for, or else RetryWaitMin, doubled n
// times, and at most RetryWaitMax in both cases. A doubled wait is reduced at random by up to a half, so that
// workers that failed together do not come back together.
func (c *Client) wait(n int, err *Error) time.Duration {
	longest := c.config.RetryWaitMax
	if err != nil && err.RetryAfter > 0 {
		return min(err.RetryAfter, longest)
	}
	wait := longest
	if c.config.RetryWaitMin < longest>>n {
		wait = c.config.RetryWaitMin << n
	}
	return wait - time.Duration(c.config.Random()*float64(wait/2))
}

// sleep waits. If the context ends first, it returns the context's error.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
