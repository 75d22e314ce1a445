// Package api is the HTTP client for the service: its four calls, typed errors, retries, redaction and the Secret
// type. Its callers decide what a lost response or a stale token means for a user group.
package api

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// path is the only path of the service (interface section 4).
const path = "api/user"

// Config configures a Client. All fields without a comment on their zero value are required.
type Config struct {
	// BaseURL comes from ParseBaseURL.
	BaseURL *url.URL
	// APIKey goes into the Authorization header of every request (interface section 5).
	APIKey Secret
	// RequestTimeout limits each attempt, from dialing to the last byte of the response.
	RequestTimeout time.Duration
	// MaxRetries is how many retries the calls of an operation have together, where repeating a call is safe. Refusals
	// because of a rate limit do not count for a while, as long as other calls get through. Zero means no retries at all.
	MaxRetries int
	// RetryWaitMin is the wait before the first retry. It doubles with each further retry.
	RetryWaitMin time.Duration
	// RetryWaitMax caps every wait, including one that a Retry-After header asks for.
	RetryWaitMax time.Duration
	// RequestsPerSecond limits the pace of all calls of this client together. Zero means as fast as the service allows.
	RequestsPerSecond float64
	// Headers are sent with every request and treated as secrets. Nil means none.
	Headers map[string]Secret
	// UserAgent is the value of the User-Agent header.
	UserAgent string

	// ProxyURL comes from ParseProxyURL. Zero means a direct connection. A Client does not read the environment.
	ProxyURL Secret
	// RootCAs are the trusted certificate authorities. Nil means those of the system.
	RootCAs *x509.CertPool
	// ClientCertificate is sent if the server asks for one. Nil means none.
	ClientCertificate *tls.Certificate
	// TLSServerName is the name that the certificate of the service must have. Empty means the host of BaseURL.
	TLSServerName string

	// Transport replaces the network in tests that run the service in the same process. Nil means the network.
	Transport http.RoundTripper
	// Observe wraps the transport, for a caller that looks at what goes over the wire. Nil means that nobody looks.
	Observe func(http.RoundTripper) http.RoundTripper
	// Random returns numbers in [0, 1), for tests that must know how long waits are. With 0, waits between retries are
	// the longest. Nil means rand.Float64. It must be safe for concurrent use.
	Random func() float64
}

// Client makes the four calls. It is safe for concurrent use. All calls share one connection pool and one pace.
type Client struct {
	config    Config
	url       string
	proxy     *url.URL
	secrets   []Secret
	transport http.RoundTripper
	pace      *pace

	mu sync.Mutex
	// tallies has a tally for each HTTP method, and one for all of them under "".
	tallies map[string]tally
	// distrusts is set once a response was out of step with its request; see Distrust.
	distrusts atomic.Bool
	// certificateWanted is set once a server has asked for a client certificate.
	certificateWanted atomic.Bool
}

// New returns a client. It makes no call.
func New(config Config) *Client {
	ceiling := math.Inf(1)
	if config.RequestsPerSecond > 0 {
		ceiling = config.RequestsPerSecond
	}
	if config.Random == nil {
		config.Random = rand.Float64
	}
	c := &Client{
		config:    config,
		url:       config.BaseURL.JoinPath(path).String(),
		secrets:   []Secret{config.APIKey},
		transport: config.Transport,
		pace:      newPace(ceiling, config.Random),
		tallies:   map[string]tally{},
	}
	for _, value := range config.Headers {
		c.secrets = append(c.secrets, value)
	}
	if proxy, err := url.Parse(config.ProxyURL.Reveal()); err == nil && !config.ProxyURL.IsZero() {
		password, _ := proxy.User.Password()
		c.proxy, c.secrets = proxy, append(c.secrets, NewSecret(password))
	}
	if c.transport == nil {
		c.transport = network{shared: c.newTransport(), own: c.newTransport()}
	}
	if config.Observe != nil {
		c.transport = config.Observe(c.transport)
	}
	return c
}

// URL returns the address of all calls.
func (c *Client) URL() string { return c.url }

// target returns the host and the port of the service.
func (c *Client) target() string {
	base, port := c.config.BaseURL, "443"
	if base.Scheme == "http" {
		port = "80"
	}
	return net.JoinHostPort(base.Hostname(), cmp.Or(base.Port(), port))
}

var allMethods = []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete}

func (c *Client) hasWorked(methods ...string) bool {
	return slices.ContainsFunc(methods, func(method string) bool { return c.Succeeded(method) > 0 })
}

// Distrust records that a response belonged to another request. From then on, each call has a connection of its own,
// as deletions always have, since another response may be waiting on any of those that are open.
func (c *Client) Distrust() { c.distrusts.Store(true) }

// tally records, for one method or for all, what has gotten through to the service.
type tally struct {
	// decided and succeeded count the calls that the service itself has decided on, and those that have succeeded.
	decided, succeeded int
	// failing are the IDs of the groups whose calls have failed since the last call that the service decided on.
	failing map[string]bool
}

// Succeeded returns how many calls with the method have succeeded.
func (c *Client) Succeeded(method string) int { return c.tallyOf(method).succeeded }

func (c *Client) tallyOf(method string) tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tallies[method]
}

// count records the outcome of an attempt, for its method and, under "", for all.
func (c *Client) count(call *call, failure *Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, method := range []string{"", call.method} {
		t := c.tallies[method]
		switch {
		case failure == nil:
			t.decided, t.succeeded, t.failing = t.decided+1, t.succeeded+1, nil
		case failure.Decided():
			t.decided, t.failing = t.decided+1, nil
		case t.failing == nil:
			t.failing = map[string]bool{call.id: true}
		default:
			t.failing[call.id] = true
		}
		c.tallies[method] = t
	}
}
