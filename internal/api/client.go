// Package api is the wire: the four calls of the service, the one place where HTTP happens, typed errors, retries,
// redaction and the Secret type. It knows no policy: what a lost answer or a stale token means for a user group is
// decided above it.
package api

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// path is the only path of the service (interface section 4).
const path = "api/user"

// Config is everything a Client needs to know. All fields without a comment on their zero value are required.
type Config struct {
	// BaseURL comes from ParseBaseURL.
	BaseURL *url.URL
	// APIKey goes into the Authorization header of every request (interface section 5).
	APIKey Secret
	// RequestTimeout bounds each attempt, from dialling to the last byte of the answer.
	RequestTimeout time.Duration
	// MaxRetries is how often a call is repeated after its first attempt, where repeating is safe. Zero means never.
	MaxRetries int
	// RetryWaitMin is the wait before the first repetition; it doubles with each further one.
	RetryWaitMin time.Duration
	// RetryWaitMax caps every wait, also what a Retry-After header asks for.
	RetryWaitMax time.Duration
	// RequestsPerSecond limits all calls of this client together. Zero means no limit.
	RequestsPerSecond float64
	// Headers are sent with every request, and treated as secrets. Nil means none.
	Headers map[string]Secret
	// UserAgent is the value of the header of that name.
	UserAgent string

	// ProxyURL comes from ParseProxyURL. Zero means a direct connection: the environment is not asked here.
	ProxyURL Secret
	// RootCAs are the certificate authorities to trust. Nil means those of the system.
	RootCAs *x509.CertPool
	// ClientCertificate is for a service that asks for one. Nil means none.
	ClientCertificate *tls.Certificate
	// TLSServerName is the name that the certificate of the service must have. Empty means the host of BaseURL.
	TLSServerName string

	// Transport takes the place of the network where a test has the service in the same process. Nil means the network.
	Transport http.RoundTripper
	// Random takes the place of chance (at least 0, below 1) where a test must know how long waits are. Nil means
	// chance.
	Random func() float64
}

// Client makes the four calls. It is safe for concurrent use; all calls share one connection pool, one rate limit and
// one gate that a 429 closes.
type Client struct {
	config    Config
	url       string
	proxy     *url.URL
	secrets   []Secret
	transport http.RoundTripper
	limiter   *rate.Limiter
	gate      gate

	// worked has the methods by which a call has succeeded.
	worked sync.Map
	// certificateWanted: the service has asked for a client certificate.
	certificateWanted atomic.Bool
}

// New returns a client; it makes no call.
func New(config Config) *Client {
	limit := rate.Inf
	if config.RequestsPerSecond > 0 {
		limit = rate.Limit(config.RequestsPerSecond)
	}
	if config.Random == nil {
		config.Random = rand.Float64
	}
	c := &Client{
		config:    config,
		url:       config.BaseURL.JoinPath(path).String(),
		secrets:   []Secret{config.APIKey},
		transport: config.Transport,
		// A burst of one keeps the calls evenly spaced, also when ten workers start at once.
		limiter: rate.NewLimiter(limit, 1),
	}
	for _, value := range config.Headers {
		c.secrets = append(c.secrets, value)
	}
	if proxy, err := url.Parse(config.ProxyURL.Reveal()); err == nil && !config.ProxyURL.IsZero() {
		password, _ := proxy.User.Password()
		c.proxy, c.secrets = proxy, append(c.secrets, NewSecret(password))
	}
	if c.transport == nil {
		c.transport = c.newTransport()
	}
	return c
}

// target is the host and port of the service.
func (c *Client) target() string {
	base, port := c.config.BaseURL, "443"
	if base.Scheme == "http" {
		port = "80"
	}
	return net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), port))
}

var allMethods = []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete}

// hasWorked reports whether a call by one of the methods has succeeded.
func (c *Client) hasWorked(methods ...string) bool {
	return slices.ContainsFunc(methods, func(method string) bool {
		_, worked := c.worked.Load(method)
		return worked
	})
}

// Repeats is how often an operation may be repeated by whoever decides about repetitions that are not safe in general.
func (c *Client) Repeats() int { return c.config.MaxRetries }

// WaitBeforeRepeat waits before the n-th repetition (counted from 0) of an operation whose last call failed with err,
// as long as the calls of this package wait between their own attempts. It returns early with the context's error.
func (c *Client) WaitBeforeRepeat(ctx context.Context, n int, err *Error) error {
	return sleep(ctx, c.wait(n, err))
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
