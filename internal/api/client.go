// Package api is the HTTP client for the service: its four calls, typed errors, retries, redaction and the Secret type.
// It contains no policy: what a lost response or a stale token means for a user group is decided by its callers.
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

// Config is everything a Client needs to know. All fields without a comment on their zero value are required.
type Config struct {
	// BaseURL comes from ParseBaseURL.
	BaseURL *url.URL
	// APIKey goes into the Authorization header of every request (interface section 5).
	APIKey Secret
	// RequestTimeout bounds each attempt, from dialing to the last byte of the answer.
	RequestTimeout time.Duration
	// MaxRetries is how often a call is repeated after its first attempt, where repeating is safe. Being refused for its
	// pace does not count as long as other calls get through.
	MaxRetries int
	// RetryWaitMin is the wait before the first repetition; it doubles with each further one.
	RetryWaitMin time.Duration
	// RetryWaitMax caps every wait, also what a Retry-After header asks for.
	RetryWaitMax time.Duration
	// RequestsPerSecond is the highest pace of all calls of this client together. Zero: as fast as the service allows.
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
	// chance. It must be safe for concurrent use.
	Random func() float64
}

// Client makes the four calls. It is safe for concurrent use; all calls share one connection pool and one
// pace.
type Client struct {
	config    Config
	url       string
	proxy     *url.URL
	secrets   []Secret
	transport http.RoundTripper
	pace      *pace

	// worked has the methods by which a call has succeeded.
	worked sync.Map
	// certificateWanted: the service has asked for a client certificate.
	certificateWanted atomic.Bool
}

// New returns a client; it makes no call.
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
