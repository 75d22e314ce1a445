// Package api is the HTTP client for the service: its four calls, typed errors, retries, a rate limiter and the Secret
// type. Its callers decide what a lost response or a stale token means for a user group.
package api

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"math/rand/v2"
	"net/http"
	"net/url"
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
	learned learned
}

// New returns a client. It makes no call.
func New(config Config) *Client {
	if config.Random == nil {
		config.Random = rand.Float64
	}
	if config.Transport == nil {
		config.Transport = NewTransport(config)
	}
	return &Client{
		config: config, secrets: config.secrets(), learned: learned{worked: map[string]bool{}},
		limiter: newLimiter(cmp.Or(rate.Limit(config.RequestsPerSecond), rate.Inf)),
	}
}
