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

// maxAnswer is the largest answer that is read, in bytes.
const maxAnswer = 4 << 20

// call is one of the four calls.
type call struct {
	client *Client
	method string
	// id is the group that the call is about, for the log.
	id   string
	body []byte
	// repeatable: doing the work twice does no harm, or what harm it does is dealt with above.
	repeatable bool
	decode     decoder
	secret     Secret
}

type finishing struct{}

// Finish marks a context for calls that clean up after another one: their first attempt is made even when the run has
// been stopped meanwhile, because stopping half-way would leave something behind at the service.
func Finish(ctx context.Context) context.Context {
	return context.WithValue(ctx, finishing{}, true)
}

// do makes a call, in as many attempts as it takes and the configuration allows: the only way to the service.
func (c *Client) do(ctx context.Context, call call, body any) (Answer, error) {
	call.client = c
	text, err := encode(body)
	if err != nil {
		return Answer{}, call.notSent("the request could not be written as JSON", err)
	}
	call.body = text
	retries := c.Retries()
	var failure *Error
	for attempt := 1; ; attempt++ {
		turn, err := c.pace.await(ctx)
		if err != nil && (attempt > 1 || ctx.Value(finishing{}) == nil) {
			// What the last attempt ended with says more than that there was no further one.
			if failure == nil {
				failure = call.notSent("the run was stopped before the request was sent", err)
			}
			return Answer{}, failure
		}
		lost := failure != nil && failure.MayHaveHappened()
		var answer Answer
		answer, failure = call.attempt(ctx, attempt)
		c.adaptPace(turn, failure, retries)
		answer.Lost = lost
		if failure == nil {
			return answer, nil
		}
		failure.Lost = lost
		if !call.mayRepeat(failure) || !retries.Wait(ctx, failure) {
			return answer, failure
		}
	}
}

// adaptPace has the pace of the process follow from what became of a call.
func (c *Client) adaptPace(turn turn, failure *Error, retries *Retries) {
	switch {
	case failure == nil || failure.Status != 0 && !failure.PaceRefused():
		c.pace.passed(turn)
	case failure.PaceRefused() && retries.refused <= hasty:
		c.pace.refused(turn, min(failure.RetryAfter, c.config.RetryWaitMax))
	default:
		c.pace.unanswered()
	}
}

func (c *call) notSent(reason string, cause error) *Error {
	return &Error{Kind: NotSent, Method: c.method, Reason: reason, cause: cause, permanent: true}
}

// mayRepeat reports whether the same call may be sent again after an attempt that failed so.
func (c *call) mayRepeat(failure *Error) bool {
	switch failure.Kind {
	case NotSent, Throttled:
		return !failure.permanent
	case UnknownOutcome:
		return c.repeatable
	case Incomplete: // Half an answer tells that the work was done; what it lacks, the same update tells again.
		return c.method == http.MethodPut
	default:
		return false
	}
}

// attempt sends the request once, and says what came of it.
func (c *call) attempt(ctx context.Context, number int) (answer Answer, failure *Error) {
	start := time.Now()
	response, body, failure, cut := c.exchange(ctx) //nolint:bodyclose // exchange has read and closed it.
	if failure == nil {
		answer, failure = c.interpret(response, body, cut)
	}
	if failure == nil {
		c.client.worked.Store(c.method, true)
	} else {
		failure.Method, failure.Attempts = c.method, number
	}
	c.log(ctx, number, response, body, failure, time.Since(start))
	return answer, failure
}

// exchange sends the request and reads the answer, as much as comes of it: cut says why it is not whole. Once begun
// it is not cut short when the run is stopped, only by its own time limit: what the service did must be known.
func (c *call) exchange(ctx context.Context) (response *http.Response, body []byte, failure *Error, cut error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.client.config.RequestTimeout)
	defer cancel()
	var way sending
	ctx = way.watch(ctx)
	request, err := http.NewRequestWithContext(ctx, c.method, c.client.url, bytes.NewReader(c.body))
	if err != nil {
		return nil, nil, c.notSent("the request could not be built", err), nil
	}
	// Go's transport replays a GET whose body it can rewind when a kept-alive connection dies; here a GET creates.
	request.GetBody = nil
	c.setHeaders(request.Header)

	response, err = c.client.transport.RoundTrip(request)
	if err != nil {
		return nil, nil, c.transportFailure(err, ctx.Err() != nil, &way), nil
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		// What follows is no HTTP any more, has no end, and is not subject to the time limit.
		return response, nil, nil, nil
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		cut = errors.New(c.cut(ctx.Err() != nil))
	case len(body) > maxAnswer:
		cut = fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
	}
	return response, body, nil, cut
}

func (c *call) setHeaders(header http.Header) {
	for name, value := range c.client.config.Headers {
		header.Set(name, value.Reveal())
	}
	// Go's transport unpacks only what it has asked for itself.
	header.Del("Accept-Encoding")
	header.Set("Authorization", "Token "+c.client.config.APIKey.Reveal())
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	// A GET that creates must not be answered from memory.
	header.Set("Cache-Control", "no-store")
	header.Set("User-Agent", c.client.config.UserAgent)
}
