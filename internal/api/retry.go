package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// rateLimitWaits is how long, in multiples of RetryWaitMax, an operation repeats calls that a rate limit refuses
// without counting these retries, as long as other calls get through: by default for two minutes, because limits are
// commonly counted per minute.
const rateLimitWaits = 4

// retries counts the retries that all calls of one operation share, so that loops of calls do not multiply them.
type retries struct {
	left, used   int
	limitedSince time.Time // when a rate limit first refused a call
}

// Retry waits before the next retry of an operation and reports whether it is allowed. It returns false if no retries
// are left, if there is no patience, or if the run is stopped while it waits. After a rate limit, only the next call
// waits, as long as others get through. failure is the error of the last call, or nil if no call failed.
func (c Calls) Retry(ctx context.Context, failure *Error) bool {
	wait, allowed := c.next(failure)
	if !allowed || !c.patient() {
		return false
	}
	return wait == 0 || Sleep(ctx, wait) == nil
}

func (c Calls) next(failure *Error) (wait time.Duration, allowed bool) {
	r := c.retries
	if failure != nil && failure.Limits() && r.left+r.used > 0 {
		if r.limitedSince.IsZero() {
			r.limitedSince = time.Now()
		}
		longest := rateLimitWaits * c.client.config.RetryWaitMax
		isNew, isOpen := time.Since(r.limitedSince) < longest, time.Since(c.client.lastThrough()) < longest
		switch {
		case isNew && isOpen:
			return 0, true // The limiter waits.
		case !isNew && !isOpen && failure.RetryAfter > 0: // While it waits for that time, so does every other call.
			return 0, false
		}
	}
	wait = c.client.wait(r.used, failure)
	r.left--
	r.used++
	return wait, r.left >= 0
}

// wait returns the wait before retry n, counted from 0: what the service asked for, or else a second, doubled n times,
// and at most RetryWaitMax. A doubled wait is reduced at random by up to a half, so that workers that failed together
// do not come back together.
func (c *Client) wait(n int, failure *Error) time.Duration {
	if failure != nil && failure.RetryAfter > 0 {
		return min(failure.RetryAfter, c.config.RetryWaitMax)
	}
	wait := min(time.Second<<min(n, 16), c.config.RetryWaitMax)
	return wait - time.Duration(c.config.Random()*float64(wait/2))
}

// parseRetryAfter reads a Retry-After header in either of its forms, seconds or an HTTP date. It returns 0 for a header
// that is missing, unreadable or in the past.
func parseRetryAfter(header string) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, _ := http.ParseTime(header) // the zero time if it is no date
	return max(time.Until(date), 0)
}

// Sleep waits. If the context ends first, or has ended before, it returns the context's error.
func Sleep(ctx context.Context, wait time.Duration) error {
	waited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	<-waited.Done()
	return ctx.Err()
}
