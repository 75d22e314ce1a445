package api

import (
	"context"
	"time"
)

const (
	// patience is how many times RetryWaitMax calls that are refused for their pace are repeated without being counted,
	// after the service has let another call of the process through: two minutes by default. Limits are commonly counted
	// by the minute.
	patience = 4
	// hasty is how often a call is repeated at once, as far as the pace of the process allows, when it is refused for
	// that. A call that is refused again while others get through is not refused for its pace, which then leaves it alone.
	hasty = 3
)

// Retries counts the repetitions of an operation: of a call, or of what is repeated above this package.
type Retries struct {
	client           *Client
	counted, refused int
}

// Retries returns the retries for an operation that is about to begin.
func (c *Client) Retries() *Retries { return &Retries{client: c} }

// Repeats is how often an operation may be retried.
func (c *Client) Repeats() int { return c.config.MaxRetries }

// next returns whether there may be another repetition after one that failed with err (nil for no call at all), and how
// long to wait before it.
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

// Wait waits before the next repetition and reports whether there may be one: not when retries are used up, nor when
// the run is stopped meanwhile.
func (r *Retries) Wait(ctx context.Context, err *Error) bool {
	wait, more := r.next(err)
	return more && sleep(ctx, wait) == nil
}

// Linger is Wait for a caller that looks in any case: it waits also when there may be no further repetition.
func (r *Retries) Linger(ctx context.Context, err *Error) bool {
	wait, more := r.next(err)
	return sleep(ctx, wait) == nil && more
}

// wait is what the service asked for; otherwise it doubles with each repetition, and is cut at random by up to a
// half, so that workers that failed together do not come back together.
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

// sleep returns early with the context's error.
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
