package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// rateLimitWaits is how long, in multiples of RetryWaitMax, an operation repeats calls that are refused because
	// of a rate limit without counting these retries. The time begins with its first such refusal. By default this is
	// two minutes, because limits are commonly counted per minute.
	rateLimitWaits = 4
	// quickRetries is how many times a call that a rate limit refuses is repeated as soon as the pace of the process
	// allows. If it is refused again while others get through, the pace is not the reason. Further refusals of it do
	// not change the pace.
	quickRetries = 3
	// shortestTurn is how long an operation may wait for its turn after a refusal, even if RetryWaitMax is short. The
	// pace leaves up to a second between calls.
	shortestTurn = 10 * time.Second
)

// budget is what an operation may spend on retries. All calls of the operation share it, so that loops of calls do not
// multiply it.
type budget struct {
	client       *Client
	retries      int       // how many retries were counted
	rateLimited  int       // how many refusals because of a rate limit were not counted
	limitedSince time.Time // when the first of them came
	// failures has the failures of calls with each method and, under "", of all.
	failures map[string]failures
}

// failures records that calls have failed.
type failures struct {
	count   int
	decided int // how many calls of this process had gotten through when this began
}

type budgetKey struct{}

// Begin returns the context for the calls of one operation, which share MaxRetries retries. A call with any other
// context is an operation by itself. The calls of an operation must not be concurrent.
func (c *Client) Begin(ctx context.Context) context.Context {
	return context.WithValue(ctx, budgetKey{}, &budget{client: c, failures: map[string]failures{}})
}

// budgetOf returns the budget of the operation to which the context belongs, and begins one if there is none.
func (c *Client) budgetOf(ctx context.Context) (context.Context, *budget) {
	b, ok := ctx.Value(budgetKey{}).(*budget)
	if !ok {
		ctx = c.Begin(ctx)
		b, _ = ctx.Value(budgetKey{}).(*budget)
	}
	return ctx, b
}

// Retry waits before the next retry of an operation and reports whether it is allowed. It returns false if no retries
// are left, or if the run is stopped while it waits. failure is the error of the last call, or nil if no call failed.
func (c *Client) Retry(ctx context.Context, failure *Error) bool {
	wait, allowed := c.next(ctx, failure)
	return allowed && Sleep(ctx, wait) == nil
}

// AwaitOutcome is like Retry, but also waits if no retries are left, because the service may still be working on the
// call that failed.
func (c *Client) AwaitOutcome(ctx context.Context, failure *Error) bool {
	wait, allowed := c.next(ctx, failure)
	return Sleep(ctx, wait) == nil && allowed
}

// Unreachable reports whether no call of this process with the given method has gotten through to the service since
// such calls of the operation began to fail. An empty method stands for all of them.
func (c *Client) Unreachable(ctx context.Context, method string) bool {
	_, budget := c.budgetOf(ctx)
	failed := budget.failures[method]
	return failed.count > 0 && failed.decided == c.tallyOf(method).decided
}

// FailsForSeveral reports whether calls with the method failed for more than one group since such a call last got
// through to the service. An empty method stands for all of them.
func (c *Client) FailsForSeveral(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.tallies[method].failing) > 1
}

// failed records that a call of the operation has failed. What got through between the first and the second failure
// does not count if there are enough retries, because it was under way when the failures began.
func (b *budget) failed(method string) {
	for _, method := range []string{"", method} {
		f := b.failures[method]
		if f.count++; f.count == 1 || f.count == 2 && b.client.config.MaxRetries > 1 {
			f.decided = b.client.tallyOf(method).decided
		}
		b.failures[method] = f
	}
}

func (c *Client) next(ctx context.Context, failure *Error) (wait time.Duration, allowed bool) {
	_, budget := c.budgetOf(ctx)
	return budget.next(failure)
}

// next returns how long to wait before the next retry, and whether it is allowed.
func (b *budget) next(failure *Error) (wait time.Duration, allowed bool) {
	if failure != nil && failure.RateLimited() && b.mayWaitForLimit() {
		b.rateLimited++
		if b.rateLimited > quickRetries {
			wait = b.client.wait(b.rateLimited-quickRetries-1, failure)
		}
		return wait, true
	}
	if b.rateLimited > 0 && b.waitsForLimit() == 0 {
		return 0, false
	}
	b.retries++
	return b.client.wait(b.retries-1, failure), b.retries <= b.client.config.MaxRetries
}

// mayWaitForLimit reports whether a refusal because of a rate limit need not be counted: retries are not turned off,
// the service has let a call of this process through lately, and the operation has not been refused for too long.
func (b *budget) mayWaitForLimit() bool {
	longest := rateLimitWaits * b.client.config.RetryWaitMax
	if b.limitedSince.IsZero() {
		b.limitedSince = time.Now()
	}
	return b.client.config.MaxRetries > 0 && b.waitsForLimit() > 0 && time.Since(b.client.pace.letThrough()) < longest
}

// waitsForLimit returns how much longer the operation may wait after a refusal because of a rate limit.
func (b *budget) waitsForLimit() time.Duration {
	return max(0, rateLimitWaits*b.client.config.RetryWaitMax-time.Since(b.limitedSince))
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

// parseRetryAfter reads a Retry-After header in either of its forms, seconds or an HTTP date, and returns the wait
// from now, at most maxRetryAfter. It returns 0 for a header that is missing, unreadable or in the past.
func parseRetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	// A number that overflows is still a request to wait.
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}

// maxRetryAfter limits what a header can ask for, before RetryWaitMax caps it further.
const maxRetryAfter = 365 * 24 * time.Hour

// Sleep waits. If the context ends first, it returns the context's error.
func Sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
