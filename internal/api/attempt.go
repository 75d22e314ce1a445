package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxAnswer is the size of the largest response body that is accepted, in bytes.
const maxAnswer = 4 << 20

// call is one of the four calls of the service.
type call struct {
	client *Client
	method string
	// id is the ID of the group, for the log.
	id   string
	body []byte
	// repeatable means that repeating the work is harmless, or that the caller handles the consequences.
	repeatable bool
	decode     decoder
	secret     Secret
}

type cleanUpKey struct{}

// CleanUp marks the context of calls that clean up after another call. They are sent before all others, and their
// first attempt is made even if the run has been stopped, because stopping halfway would leave something behind at the
// service. No attempt begins after the given time, unless that is zero.
func CleanUp(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, cleanUpKey{}, until)
}

// do makes a call, in as many attempts as it needs and the budget of the operation allows. All requests go through it.
func (c *Client) do(ctx context.Context, call call, body any) (Answer, error) {
	call.client = c
	text, err := encode(body)
	if err != nil {
		return Answer{}, call.notSent("the request could not be written as JSON", err)
	}
	call.body = text
	until, cleansUp := ctx.Value(cleanUpKey{}).(time.Time)
	ctx, budget := c.budgetOf(ctx)
	var answer Answer
	var failure *Error
	var sent time.Time
	for attempt := 1; ; attempt++ {
		turn, err := c.awaitTurn(ctx, budget, cleansUp)
		late := !until.IsZero() && time.Now().After(until)
		// The failure of the previous attempt, if any, says more than that there was no further one.
		switch {
		case err == nil && !late, attempt == 1 && cleansUp && ctx.Err() != nil && !late:
		case failure != nil:
			return answer, failure
		case ctx.Err() != nil:
			return answer, Stopped(call.method, err)
		case late:
			return answer, call.notSent("the request could not be sent in time", nil)
		default:
			failure = call.notSent("earlier calls were refused with status 429 or 503, and no call has succeeded since", nil)
			failure.permanent, failure.Obstacle = false, LimitReached
			return answer, failure
		}
		lost := failure != nil && failure.MayHaveHappened()
		if attempt == 1 {
			sent = time.Now()
		}
		answer, failure = call.attempt(ctx, attempt)
		c.adaptPace(turn, failure, budget)
		answer.AfterLostAttempt, answer.Sent = lost, sent
		if failure == nil {
			return answer, nil
		}
		failure.AfterLostAttempt = lost
		budget.failed(call.method)
		if !call.mayRepeat(failure) || !c.Retry(ctx, failure) {
			return answer, failure
		}
	}
}

// awaitTurn waits until the next attempt may be sent. After a rate limit has refused the operation, and as long as
// nothing gets through, it does not wait for longer than refusals are worth waiting for.
func (c *Client) awaitTurn(ctx context.Context, budget *budget, urgent bool) (turn, error) {
	if !budget.limitedSince.IsZero() && c.Unreachable(ctx, "") {
		longest := max(budget.waitsForLimit(), shortestTurn-time.Since(budget.limitedSince))
		limited, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		if turn, err := c.pace.await(limited, urgent); err == nil || ctx.Err() != nil || c.Unreachable(ctx, "") {
			return turn, err
		}
	}
	return c.pace.await(ctx, urgent)
}

// Stopped returns the error of a call that was not made because the run was stopped. cause is the error of the
// context.
func Stopped(method string, cause error) *Error {
	return (&call{method: method}).notSent("the run was stopped before the next request was sent", cause)
}

// adaptPace adapts the pace of the process to the outcome of an attempt.
func (c *Client) adaptPace(turn turn, failure *Error, budget *budget) {
	switch {
	case failure == nil || failure.Status != 0 && !failure.RateLimited():
		c.pace.passed(turn)
	case failure.RateLimited() && budget.rateLimited <= quickRetries:
		c.pace.refused(turn, min(failure.RetryAfter, c.config.RetryWaitMax))
	default:
		c.pace.ended()
	}
}

func (c *call) notSent(reason string, cause error) *Error {
	return &Error{Kind: NotSent, Method: c.method, Reason: reason, cause: cause, permanent: true}
}

// mayRepeat reports whether the call may be repeated after the given failure.
func (c *call) mayRepeat(failure *Error) bool {
	switch failure.Kind {
	case NotSent, Throttled:
		return !failure.permanent
	case UnknownOutcome:
		return c.repeatable
	case Incomplete: // The work was done. Repeating an update is safe, and may return what was missing.
		return c.method == http.MethodPut
	default:
		return false
	}
}

// attempt sends the request once, and interprets and logs the response.
func (c *call) attempt(ctx context.Context, number int) (answer Answer, failure *Error) {
	start := time.Now()
	response, body, failure, cut := c.exchange(ctx) //nolint:bodyclose // exchange has closed it.
	if failure == nil {
		answer, failure = c.interpret(response, body, cut)
	}
	if failure != nil {
		failure.Method, failure.Attempts = c.method, number
	}
	c.client.count(c, failure)
	c.log(ctx, number, response, body, failure, time.Since(start))
	return answer, failure
}

// exchange sends the request and reads the response. If the body is incomplete, cut is the reason. Stopping the run
// does not interrupt a request that has begun. Only its own time limit does, because the outcome must be known.
func (c *call) exchange(ctx context.Context) (response *http.Response, body []byte, failure *Error, cut error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.client.config.RequestTimeout)
	defer cancel()
	var way sending
	ctx = way.watch(ctx)
	request, err := http.NewRequestWithContext(ctx, c.method, c.client.url, bytes.NewReader(c.body))
	if err != nil {
		return nil, nil, c.notSent("the request could not be built", err), nil
	}
	// Go's transport replays a GET with a rewindable body if a kept-alive connection dies, but this GET creates groups.
	request.GetBody = nil
	c.setHeaders(request.Header)
	// Nothing in the response to a deletion names the group. If it came on a connection that was used before, it could be
	// the response to another call.
	request.Close = c.method == http.MethodDelete || c.client.distrusts.Load()
	response, err = c.client.transport.RoundTrip(request)
	if err != nil {
		return nil, nil, c.transportFailure(err, ctx.Err() != nil, &way), nil
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		// The connection no longer speaks HTTP. Reading from it might never end, and the time limit does not apply to it.
		return response, nil, nil, nil
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		cut = errors.New(c.cut(ctx.Err() != nil))
	case len(body) > maxAnswer:
		cut = fmt.Errorf("the response is larger than %d MiB", maxAnswer>>20)
	}
	return response, body, nil, cut
}

func (c *call) setHeaders(header http.Header) {
	for name, value := range c.client.config.Headers {
		header.Set(name, value.Reveal())
	}
	// Go's transport decompresses responses only if it has set this header itself.
	header.Del("Accept-Encoding")
	header.Set("Authorization", "Token "+c.client.config.APIKey.Reveal())
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	// A GET that creates groups must not be served from a cache.
	header.Set("Cache-Control", "no-store")
	header.Set("User-Agent", c.client.config.UserAgent)
}
