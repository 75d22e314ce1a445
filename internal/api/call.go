package api

import (
	"bytes"
	"cmp"
	"context"
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

// CleanUp marks the context of calls that clean up after another call. They are made even if the run has been stopped,
// because stopping halfway would leave something behind at the service. Only retries that have to wait are not.
func CleanUp(ctx context.Context) context.Context { return context.WithValue(ctx, cleanUpKey{}, true) }

// CleansUp reports whether the context is one of CleanUp.
func CleansUp(ctx context.Context) bool { return ctx.Value(cleanUpKey{}) != nil }

// Stopped returns the error of a call that was not made because the run was stopped. cause is the error of the
// context.
func Stopped(method string, cause error) *Error {
	const reason = "the run was stopped before the next request was sent"
	return &Error{Kind: NotSent, Method: method, Reason: reason, cause: cause, permanent: true}
}

// do makes a call, in as many attempts as it needs and the operation allows. All requests go through it.
func (c *Client) do(ctx context.Context, call call) (answer Answer, _ error) {
	required := c.NameRequired(call.method)
	named := required
	var failure *Error // of the last attempt
	for number := 1; ; number++ {
		if err := c.limiter.wait(ctx); err != nil && !CleansUp(ctx) {
			return answer, cmp.Or(failure, Stopped(call.method, err))
		}
		earlier := failure
		answer, failure = c.attempt(ctx, call, named, number)
		answer.AfterLostAttempt = earlier.MayHaveHappened()
		if failure == nil || failure.Kind == Incomplete && call.method != http.MethodDelete {
			c.succeeded(call, named)
		}
		if failure == nil {
			if named && !required && (answer.New == nil || *answer.New) {
				answer.AfterLostAttempt = earlier.AfterLostAttempt // The status 500 was a refusal: the name was missing.
			}
			return answer, nil
		}
		failure.AfterLostAttempt = earlier.MayHaveHappened()
		trial := !named && c.mayMissName(call, failure, earlier)
		switch {
		case failure.Kind == Refused && !named && call.named != nil:
			required, named = true, true
			continue
		case !failure.Temporary(), failure.Kind == UnknownOutcome && !call.repeatable,
			!c.Retry(ctx, failure) && (!trial || ctx.Err() != nil):
			return answer, failure
		}
		named = required || trial
	}
}

// attempt sends the request once. It interprets and logs the response.
func (c *Client) attempt(ctx context.Context, call call, named bool, number int) (answer Answer, failure *Error) {
	if named && call.named != nil {
		call.body = call.named
	}
	sent := time.Now()
	response, body, failure := c.exchange(ctx, call) //nolint:bodyclose // exchange has closed it.
	if failure == nil {
		answer, failure = c.interpret(call, response, body)
	}
	if failure != nil {
		failure.Method, failure.Attempts = call.method, number
	}
	c.limiter.learn(sent, failure, c.config.RetryWaitMax)
	c.log(ctx, call, number, response, body, failure, time.Since(sent))
	return answer, failure
}

// exchange sends the request and reads the response. Stopping the run does not interrupt a request that has begun. Only
// its own time limit does, because the outcome must be known.
func (c *Client) exchange(ctx context.Context, call call) (response *http.Response, body []byte, failure *Error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.config.RequestTimeout)
	defer cancel()
	var connection connection
	// The request has no GetBody. With one, Go's transport would replay a GET if a kept-alive connection dies, but this
	// GET creates groups.
	request := (&http.Request{
		Method: call.method, URL: c.config.URL, Header: c.header(),
		Body: io.NopCloser(bytes.NewReader(call.body)), ContentLength: int64(len(call.body)),
	}).WithContext(connection.watch(ctx))
	response, err := c.config.Transport.RoundTrip(request)
	if err == nil {
		defer response.Body.Close()
		connection.made.Store(true)
		body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	}
	switch {
	case err != nil:
		return nil, nil, c.transportFailure(ctx, err, &connection)
	case len(body) > maxAnswer:
		return nil, nil, &Error{Kind: UnknownOutcome, Reason: "the response is larger than 4 MiB"}
	default:
		return response, body, nil
	}
}

func (c *Client) header() http.Header {
	header := http.Header{}
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
	return header
}
