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
	// known returns what is confidential, besides the secrets of the client. The operation adds what it knows.
	known func() Confidential
	// repeatable means that repeating the work is harmless, or that the caller handles the consequences.
	repeatable bool
	// needsToken and needsNew say what a response must have besides success.
	needsToken, needsNew bool
}

// do makes a call, in as many attempts as it needs and the operation allows. All requests go through it.
func (c Calls) do(ctx context.Context, call call) (_ Answer, failure *Error) {
	ofRequest := call.known
	call.known = func() Confidential { return c.known().And(ofRequest()) }
	defer func() {
		if failure != nil {
			failure.WasStopped = ctx.Err() != nil
		}
	}()
	done := No
	for number := 1; ; number++ {
		if err := c.awaitTurn(ctx); err != nil {
			return Answer{}, cmp.Or(failure, NewStopped(call.method, err))
		}
		if failure != nil && !c.patient() { // It has changed while this retry waited.
			return Answer{}, failure
		}
		var answer Answer
		answer, failure = c.client.attempt(ctx, call, number)
		answer.Earlier = done
		if failure == nil {
			return answer, nil
		}
		done = max(done, failure.Done)
		failure.Done = done
		isHarmless := call.repeatable || done == No
		if !failure.Passes() || !isHarmless {
			return answer, failure
		}
		if again := c.Retry(ctx, failure); !again {
			return answer, failure
		}
	}
}

// awaitTurn waits until the next attempt may begin. It returns an error if the run was stopped. Calls that clean up are
// made nevertheless, and only wait for a while: what is removed faster than the service allows is refused, and stays.
func (c Calls) awaitTurn(ctx context.Context) error {
	err := c.client.limiter.wait(ctx, c.patient)
	if err == nil || !c.cleansUp {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.client.config.RetryWaitMax)
	defer cancel()
	if err := c.client.limiter.wait(ctx, c.patient); err != nil { // It does not even begin a wait that is too long.
		<-ctx.Done()
	}
	return nil
}

// NewStopped returns the error of a call that was not made because the run was stopped. cause is the error of the
// context.
func NewStopped(method string, cause error) *Error {
	const reason = "the run was stopped before the next request was sent"
	return &Error{Kind: Stopped, Method: method, Reason: reason, cause: cause}
}

// attempt sends the request once. It interprets and logs the response.
func (c *Client) attempt(ctx context.Context, call call, number int) (answer Answer, failure *Error) {
	sent := time.Now()
	response, body, failure := c.exchange(ctx, call) //nolint:bodyclose // exchange has closed it.
	if failure == nil {
		answer, failure = c.interpret(call, response, body)
	}
	if failure != nil {
		failure.Method, failure.Attempts = call.method, number
		if !failure.saysNo {
			failure.Done = doneBy(call.method, failure.Kind, answer)
		}
	}
	c.learned.record(call.method, answer, failure)
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
		body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	}
	switch {
	case err != nil:
		return nil, nil, c.transportFailure(ctx, call, err, &connection)
	case len(body) > maxAnswer:
		return nil, nil, &Error{Kind: Broken, Reason: "the response is larger than 4 MiB"}
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
