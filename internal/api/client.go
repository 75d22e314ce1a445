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
	URL    *url.URL // the address of all calls, from ParseBaseURL
	APIKey Secret   // for the Authorization header of every request (interface section 5)
	// RequestTimeout limits each attempt, from dialing to the last byte of the response.
	RequestTimeout time.Duration
	// MaxRetries is how many retries the calls of an operation have together, where repeating a call is safe. Refusals
	// because of a rate limit do not count for a while, as long as other calls get through. Zero means no retries at all.
	MaxRetries int
	// RetryWaitMax caps every wait between two attempts, including one that a Retry-After header asks for.
	RetryWaitMax time.Duration
	// RequestsPerSecond limits all calls of this client together. Zero means as fast as the service allows.
	RequestsPerSecond float64
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
	required, _ := c.naming(method)
	return required
}

func (c *Client) naming(method string) (required, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	required, known = c.nameRequired[method]
	return required, known
}

// succeeded records that a call has succeeded, even if its response was incomplete. named says whether it was sent with
// NameIfRequired.
func (c *Client) succeeded(call call, named bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.worked[call.method] = true
	_, known := c.nameRequired[call.method]
	if call.named != nil && !(named && known) { // A service may require a name only of a group that does not exist yet.
		c.nameRequired[call.method] = named
	}
}
