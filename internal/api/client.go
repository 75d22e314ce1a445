// Package api is the HTTP client for the service: its four calls, typed errors, retries, a rate limiter and the Secret
// type. Its callers decide what a lost response or a stale token means for a user group.
package api

import (
	"crypto/tls"
	"crypto/x509"
	"maps"
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
	URL            *url.URL      // the address of all calls, from ParseBaseURL
	APIKey         Secret        // for the Authorization header of every request (interface section 5)
	RequestTimeout time.Duration // for each attempt, from dialing to the last byte of the response
	// MaxRetries is how many retries the calls of an operation have together, where repeating a call is safe. Refusals
	// because of a rate limit do not count for a while, as long as other calls get through. Zero means no retries at all.
	MaxRetries        int
	RetryWaitMax      time.Duration // caps every wait between two attempts, even one that a Retry-After header asks for
	RequestsPerSecond float64       // of all calls together; zero means as many as the service allows
	UserAgent         string
	Headers           map[string]Secret // sent with every request; nil means none
	RootCAs           *x509.CertPool    // the trusted authorities; nil means those of the system
	ClientCertificate *tls.Certificate  // sent if the server asks for one; nil means none
	// Transport replaces the network, for tests and for a caller that looks at what goes over the wire. Unless it reports
	// a connection (httptrace.GotConn), its errors mean that nothing was sent. Nil means NewTransport.
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
	// worked has the HTTP methods with which a call has succeeded. nameRequired has those of which it is known whether the
	// service requires a name.
	worked, nameRequired map[string]bool
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
	return &Client{
		config: config, secrets: slices.AppendSeq([]Secret{config.APIKey}, maps.Values(config.Headers)),
		limiter: newLimiter(ceiling), worked: map[string]bool{}, nameRequired: map[string]bool{},
	}
}

// LastThrough returns when the service itself last decided on a call, or the zero time if it never has.
func (c *Client) LastThrough() time.Time {
	c.limiter.mu.Lock()
	defer c.limiter.mu.Unlock()
	return c.limiter.through
}

// HasWorked reports whether a call with one of the HTTP methods has succeeded, or with any if none is given.
func (c *Client) HasWorked(methods ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(methods) == 0 && len(c.worked) > 0 ||
		slices.ContainsFunc(methods, func(method string) bool { return c.worked[method] })
}

// NameRequired reports whether the service has accepted calls with the HTTP method only with a name, so that each of
// them sends one.
func (c *Client) NameRequired(method string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nameRequired[method]
}

// mayMissName reports whether the next attempt has to show whether only a name was missing, even if no retries are
// left. A service that does not check what it gets fails with status 500.
func (c *Client) mayMissName(call call, failure, earlier *Error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	const status = http.StatusInternalServerError
	_, known := c.nameRequired[call.method]
	return call.named != nil && !known && failure.Status == status && (earlier == nil || earlier.Status != status)
}

// succeeded records that a call has succeeded, even if its response was incomplete. named says whether it was sent with
// NameIfRequired.
func (c *Client) succeeded(call call, named bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worked[call.method] = true
	_, known := c.nameRequired[call.method]
	if call.named != nil && (!named || !known) { // A service may require a name only of a group that does not exist yet.
		c.nameRequired[call.method] = named
	}
}
