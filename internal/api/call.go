package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// maxAnswer is the largest answer that is read, in bytes.
const maxAnswer = 4 << 20

// call is one call of the service with all its attempts. It is the http.RoundTripper below go-retryablehttp: an attempt
// whose answer does not say that the work was done is an *Error there already, so that one place decides what an
// answer means and the retry rules only look at its Kind.
type call struct {
	client *Client
	method string
	body   []byte
	// repeatable: doing the work twice does no harm, or what harm it does is dealt with above.
	repeatable bool
	decode     decoder
	secrets    []Secret

	attempts int
	lost     bool
	created  bool
	answer   Answer
	failure  *Error
}

type finishing struct{}

// Finish marks a context for calls that clean up after another one: their first attempt is made even when the run has
// been stopped meanwhile, because stopping half-way would leave something behind at the service.
func Finish(ctx context.Context) context.Context {
	return context.WithValue(ctx, finishing{}, true)
}

// do makes a call: the only way to the service.
func (c *Client) do(ctx context.Context, call call, body any) (Answer, error) {
	var err error
	if call.body, err = encode(body); err != nil {
		return Answer{}, &Error{Kind: NotSent, Method: call.method, Reason: "the request could not be written as JSON", cause: err}
	}
	call.client = c
	request, err := retryablehttp.NewRequestWithContext(ctx, call.method, c.url, call.body)
	if err != nil {
		return Answer{}, &Error{Kind: NotSent, Method: call.method, Reason: "the request could not be built", cause: err}
	}
	retrying := retryablehttp.Client{
		HTTPClient: &http.Client{Transport: &call},
		RetryMax:   c.config.MaxRetries,
		CheckRetry: call.shouldRepeat,
		Backoff:    call.backoff,
	}
	response, err := retrying.Do(request)
	if err != nil {
		call.failure.Attempts = call.attempts
		call.failure.Lost = call.lost
		call.failure.Created = call.created
		return Answer{}, call.failure
	}
	_ = response.Body.Close()
	call.answer.Lost = call.lost
	call.answer.Created = call.answer.Created || call.created
	return call.answer, nil
}

// RoundTrip implements http.RoundTripper: one attempt.
func (c *call) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	if err := c.awaitTurn(ctx); err != nil {
		if c.failure != nil {
			// What the last attempt ended with says more than that there was no further one.
			c.failure.permanent = true
			return nil, c.failure
		}
		return nil, c.fail(&Error{Kind: NotSent, Reason: "the run was stopped before the request was sent", cause: err, permanent: true})
	}
	c.attempts++
	start := time.Now()
	response, body, failure := c.exchange(ctx, request)
	if failure == nil {
		c.answer, failure = c.interpret(response, body)
	}
	c.log(ctx, response, body, failure, time.Since(start))
	if failure != nil {
		return nil, c.fail(failure)
	}
	response.Body = http.NoBody
	return response, nil
}

// awaitTurn waits for the gate and the rate limit. The gate may close while the call queues for the rate limit, and then
// holds it back as well.
func (c *call) awaitTurn(ctx context.Context) error {
	for {
		err := c.client.gate.pass(ctx)
		if err == nil {
			err = c.client.limiter.Wait(ctx)
		}
		switch {
		case err != nil && c.attempts == 0 && ctx.Value(finishing{}) != nil:
			return nil
		case err != nil:
			return err
		case c.client.gate.isOpen():
			return nil
		}
	}
}

// exchange sends the request and reads the whole answer. Once begun it is not cut short when the run is stopped, only
// by its own time limit: what the service did must be known.
func (c *call) exchange(ctx context.Context, request *http.Request) (*http.Response, []byte, *Error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.client.config.RequestTimeout)
	defer cancel()
	ctx, sent := watchSending(ctx)
	request = request.Clone(ctx)
	c.setHeaders(request.Header)
	// Go's transport replays a GET whose body it can rewind when a kept-alive connection dies; here a GET creates.
	request.GetBody = nil
	request.Body = io.NopCloser(bytes.NewReader(c.body))
	request.ContentLength = int64(len(c.body))

	response, err := c.client.transport.RoundTrip(request)
	if err != nil {
		return nil, nil, c.transportFailure(err, ctx.Err() != nil, sent())
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode == http.StatusSwitchingProtocols {
		// What follows is no HTTP any more, has no end, and is not subject to the time limit.
		return response, nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		failure := c.transportFailure(err, ctx.Err() != nil, true)
		failure.Status = response.StatusCode
		return response, nil, failure
	}
	return response, body, nil
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
	header.Set("User-Agent", c.client.config.UserAgent)
}

// transportFailure says what a failed exchange means: before the first byte was sent nothing can have been done.
func (c *call) transportFailure(err error, timedOut, sent bool) *Error {
	failure := &Error{Kind: UnknownOutcome, cause: err}
	var certificate *tls.CertificateVerificationError
	switch {
	case !sent && errors.As(err, &certificate):
		failure.Kind, failure.permanent = NotSent, true
		failure.Reason = "the certificate of the service could not be verified: " + certificate.Err.Error()
	case !sent:
		failure.Kind = NotSent
		failure.Reason = "no connection to the service could be made: " + rootCause(err)
	case timedOut:
		failure.Reason = fmt.Sprintf("no complete answer came within %s", c.client.config.RequestTimeout)
	default:
		failure.Reason = "the connection was cut before a complete answer had come"
	}
	// A certificate and a proxy's refusal hold text that somebody else made up.
	failure.Reason = oneLine(c.client.conceal(failure.Reason, c.secrets...))
	return failure
}

func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

func (c *call) fail(failure *Error) *Error {
	failure.Method = c.method
	c.lost = c.lost || failure.Kind == UnknownOutcome && !failure.existed
	c.created = c.created || failure.Created
	c.failure = failure
	if failure.Kind == Throttled {
		c.client.gate.closeFor(c.client.wait(c.attempts-1, failure))
	}
	return failure
}

// shouldRepeat implements retryablehttp.CheckRetry. It says nothing of its own: the failure already does.
func (c *call) shouldRepeat(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if err == nil || ctx.Err() != nil || c.failure == nil || c.failure.permanent {
		return false, nil // an error from here would replace the failure itself
	}
	switch c.failure.Kind {
	case NotSent, Throttled:
		return true, nil
	case UnknownOutcome:
		return c.repeatable, nil
	default:
		return false, nil
	}
}

// backoff implements retryablehttp.Backoff.
func (c *call) backoff(_, _ time.Duration, n int, _ *http.Response) time.Duration {
	return c.client.wait(n, c.failure)
}

func (c *call) log(ctx context.Context, response *http.Response, body []byte, failure *Error, took time.Duration) {
	fields := map[string]any{"method": c.method, "attempt": c.attempts, "took_ms": took.Milliseconds()}
	if response != nil {
		fields["status"] = response.StatusCode
	}
	if failure != nil {
		fields["failure"] = failure.Reason
		if failure.RetryAfter > c.client.config.RetryWaitMax {
			tflog.Warn(ctx, "The service asked for a longer wait than retry_wait_max allows; waiting for retry_wait_max", map[string]any{
				"retry_after": failure.RetryAfter.String(), "retry_wait_max": c.client.config.RetryWaitMax.String(),
			})
		}
	}
	tflog.Debug(ctx, "Called the user group service", fields)
	tflog.Trace(ctx, "Bodies of the call, secrets masked", map[string]any{
		"method": c.method, "request": c.readable(c.body), "response": c.readable(body),
	})
}
