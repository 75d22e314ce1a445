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
	method string
	id     string // of the group, for the log
	body   []byte
	named  []byte // the body with NameIfRequired, or nil if there is none
	secret Secret
	// repeatable means that repeating the work is harmless, or that the caller handles the consequences.
	repeatable bool
	// needsToken and needsNew say what a response must have besides success.
	needsToken, needsNew bool
}

type cleanUpKey struct{}

// CleanUp marks the context of calls that clean up after another call. Their first attempt is made even if the run has
// been stopped, because stopping halfway would leave something behind at the service.
func CleanUp(ctx context.Context) context.Context { return context.WithValue(ctx, cleanUpKey{}, true) }

// CleansUp reports whether the context is one of CleanUp.
func CleansUp(ctx context.Context) bool { return ctx.Value(cleanUpKey{}) != nil }

// do makes a call, in as many attempts as it needs and the operation allows. All requests go through it.
func (c *Client) do(ctx context.Context, call call) (Answer, error) {
	cleansUp := CleansUp(ctx)
	named := c.NameRequired(call.method)
	var answer Answer
	var failure *Error
	for attempt := 1; ; attempt++ {
		if err := c.limiter.wait(ctx); err != nil && !(cleansUp && attempt == 1) {
			if failure != nil { // It says more than that there was no further attempt.
				return answer, failure
			}
			return answer, Stopped(call.method, err)
		}
		earlier, sent := failure, time.Now()
		answer, failure = c.attempt(ctx, call, named, attempt)
		answer.AfterLostAttempt = earlier.MayHaveHappened()
		c.limiter.learn(sent, failure, c.config.RetryWaitMax)
		if failure == nil {
			if named && earlier.missesName() && (answer.New == nil || *answer.New) {
				answer.AfterLostAttempt = earlier.AfterLostAttempt // It was a refusal.
			}
			c.succeeded(call, named)
			return answer, nil
		}
		failure.AfterLostAttempt = earlier.MayHaveHappened()
		// A name is tried once, after a refusal or the first status 500, even if no retries are left.
		mayMissName := call.named != nil && !named && (failure.Kind == Refused ||
			failure.missesName() && !earlier.missesName() && !c.has(c.nameless, call.method))
		switch {
		case mayMissName && failure.Kind == Refused:
		case !call.mayRepeat(failure) || !c.Retry(ctx, failure) && (!mayMissName || ctx.Err() != nil):
			return answer, failure
		}
		named = mayMissName || named && (!failure.missesName() || c.NameRequired(call.method))
	}
}

// missesName reports whether the reason for a failure may be that the request had no name: a service that does not
// check what it gets fails with status 500.
func (e *Error) missesName() bool { return e != nil && e.Status == http.StatusInternalServerError }

// mayRepeat reports whether the call may be repeated after the given failure.
func (call call) mayRepeat(failure *Error) bool {
	switch failure.Kind {
	case NotSent, Throttled:
		return !failure.permanent
	case UnknownOutcome:
		return call.repeatable
	default:
		return false
	}
}

// Stopped returns the error of a call that was not made because the run was stopped. cause is the error of the
// context.
func Stopped(method string, cause error) *Error {
	return notSent(method, "the run was stopped before the next request was sent", cause)
}

func notSent(method, reason string, cause error) *Error {
	return &Error{Kind: NotSent, Method: method, Reason: reason, cause: cause, permanent: true}
}

// attempt sends the request once, and interprets and logs the response.
func (c *Client) attempt(ctx context.Context, call call, named bool, number int) (answer Answer, failure *Error) {
	start := time.Now()
	if named && call.named != nil {
		call.body = call.named
	}
	response, body, failure := c.exchange(ctx, call) //nolint:bodyclose // exchange has closed it.
	if failure == nil {
		answer, failure = c.interpret(call, response, body)
	}
	if failure != nil {
		failure.Method, failure.Attempts = call.method, number
	}
	c.log(ctx, call, number, response, body, failure, time.Since(start))
	return answer, failure
}

// exchange sends the request and reads the response. Stopping the run does not interrupt a request that has begun. Only
// its own time limit does, because the outcome must be known.
func (c *Client) exchange(ctx context.Context, call call) (response *http.Response, body []byte, failure *Error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.config.RequestTimeout)
	defer cancel()
	ctx, connection := watchConnection(ctx)
	request, err := http.NewRequestWithContext(ctx, call.method, c.config.URL.String(), bytes.NewReader(call.body))
	if err != nil {
		return nil, nil, notSent(call.method, "the request could not be built", err)
	}
	// Go's transport replays a GET with a rewindable body if a kept-alive connection dies, but this GET creates groups.
	request.GetBody = nil
	c.setHeaders(request.Header)
	response, err = c.config.Transport.RoundTrip(request)
	if err == nil {
		defer response.Body.Close() //nolint:errcheck // It was read.
		body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	}
	if err == nil && len(body) > maxAnswer {
		err = errors.New("the response is too large")
	}
	switch {
	case err == nil:
		return response, body, nil
	case connection.isMade() && ctx.Err() != nil:
		reason := fmt.Sprintf("no complete response arrived within %s", c.config.RequestTimeout)
		return nil, nil, &Error{Kind: UnknownOutcome, Reason: reason, cause: err}
	default:
		return nil, nil, c.transportFailure(err, connection)
	}
}

func (c *Client) setHeaders(header http.Header) {
	for name, value := range c.config.Headers {
		header.Set(name, value.Reveal())
	}
	// Go's transport decompresses responses only if it has set this header itself.
	header.Del("Accept-Encoding")
	header.Set("Authorization", "Token "+c.config.APIKey.Reveal())
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json")
	// A GET that creates groups must not be served from a cache.
	header.Set("Cache-Control", "no-store")
	header.Set("User-Agent", c.config.UserAgent)
}
