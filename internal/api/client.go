// Package api is the HTTP client for the service: its four calls, typed errors, retries, a rate limiter and the Secret
// type. Its callers decide what a lost response or a stale token means for a user group.
package api

import (
	"crypto/tls"
	"crypto/x509"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Config configures a Client. All fields without a comment on their zero value are required.
type Config struct {
	// URL is the address of all calls, and comes from ParseBaseURL.
	URL *url.URL
	// APIKey goes into the Authorization header of every request (interface section 5).
	APIKey Secret
	// RequestTimeout limits each attempt, from dialing to the last byte of the response.
	RequestTimeout time.Duration
	// MaxRetries is how many retries the calls of an operation have together, where repeating a call is safe. Refusals
	// because of a rate limit do not count for a while, as long as other calls get through. Zero means no retries at all.
	MaxRetries int
	// RetryWaitMax caps every wait between two attempts, including one that a Retry-After header asks for.
	RetryWaitMax time.Duration
	// RequestsPerSecond limits all calls of this client together. Zero means as fast as the service allows.
	RequestsPerSecond float64
	// Headers are sent with every request and treated as secrets. Nil means none.
	Headers map[string]Secret
	// UserAgent is the value of the User-Agent header.
	UserAgent string
	// RootCAs are the trusted certificate authorities. Nil means those of the system.
	RootCAs *x509.CertPool
	// ClientCertificate is sent if the server asks for one. Nil means none.
	ClientCertificate *tls.Certificate
	// Transport replaces the network, for tests and for a caller that looks at what goes over the wire. Nil means
	// NewTransport.
	Transport http.RoundTripper
	// Random returns numbers in [0, 1), for tests that must know how long waits are. With 0, waits are the longest. Nil
	// means rand.Float64. It must be safe for concurrent use.
	Random func() float64
}

// Client makes the four calls. It is safe for concurrent use. All calls share one rate limiter.
type Client struct {
	config  Config
	secrets []Secret
	limiter *limiter

	mu sync.Mutex
	// worked has the HTTP methods with which a call has succeeded, nameless those with which one has succeeded without a
	// name, and nameRequired those that the service has only accepted with a name.
	worked, nameless, nameRequired map[string]bool
	// recognized is set once a response had the form that the contract specifies.
	recognized bool
}

// New returns a client. It makes no call.
func New(config Config) *Client {
	ceiling := rate.Inf
	if config.RequestsPerSecond > 0 {
		ceiling = rate.Limit(config.RequestsPerSecond)
	}
	if config.Random == nil {
		config.Random = rand.Float64
	}
	if config.Transport == nil {
		config.Transport = NewTransport(config)
	}
	c := &Client{
		config: config, secrets: []Secret{config.APIKey}, limiter: newLimiter(ceiling),
		worked: map[string]bool{}, nameless: map[string]bool{}, nameRequired: map[string]bool{},
	}
	for _, value := range config.Headers {
		c.secrets = append(c.secrets, value)
	}
	return c
}

// LastThrough returns when the service itself last decided on a call, or the zero time if it never has.
func (c *Client) LastThrough() time.Time { return c.limiter.lastThrough() }

// HasWorked reports whether a call with one of the HTTP methods has succeeded, or with any if none is given.
func (c *Client) HasWorked(methods ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(methods) == 0 && len(c.worked) > 0 ||
		slices.ContainsFunc(methods, func(method string) bool { return c.worked[method] })
}

// NameRequired reports whether the service has accepted calls with the HTTP method only with a name, so that each of
// them sends one.
func (c *Client) NameRequired(method string) bool { return c.has(c.nameRequired, method) }

// succeeded records that a call has succeeded, even if its response was incomplete. named says whether it was sent with NameIfRequired.
func (c *Client) succeeded(call call, named bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worked[call.method] = true
	switch {
	case call.named == nil:
	case !named:
		c.nameless[call.method] = true
	case !c.nameless[call.method]: // Otherwise, the service requires a name only of a group that does not exist yet.
		c.nameRequired[call.method] = true
	}
}

func (c *Client) has(facts map[string]bool, method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return facts[method]
}
