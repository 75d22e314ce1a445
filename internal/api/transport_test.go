package api

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// TestReasonOfATransportFailure: the root of the error and nothing around it, masked and on one line, since a proxy or a
// certificate may hold whatever somebody put there.
func TestReasonOfATransportFailure(t *testing.T) {
	t.Parallel()
	root := errors.New("a " + plantedKey + " b " + plantedToken + " c \x1b[31m\nd")
	tests := map[string]struct {
		err  error
		want string
	}{
		"no connection": {
			fmt.Errorf("dial: %w", fmt.Errorf("proxy: %w", root)),
			"no connection to the service could be made: a (secret) b (secret) c  [31m d",
		},
		"certificate": {
			fmt.Errorf("handshake: %w", &tls.CertificateVerificationError{Err: root}),
			"the certificate of the service could not be verified: a (secret) b (secret) c  [31m d",
		},
	}
	for name, test := range tests {
		failure := testCall(t, http.MethodPost).transportFailure(test.err, false, false)
		wantKind(t, failure, NotSent)
		if failure.Reason != test.want {
			t.Errorf("%s: Reason = %q, want %q", name, failure.Reason, test.want)
		}
	}
}

// TestGateClosesOnThrottlingOnly: one group that cannot be made must not hold back all the others.
func TestGateClosesOnThrottlingOnly(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 404, 429, 500, 503} {
		server := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			reply(w, status, contentJSON, "{}")
		})
		client := newClient(t, server.URL, func(c *Config) { c.RetryWaitMax = hour })
		_, err := client.GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
		if failureOf(t, err).Status != status {
			t.Errorf("status %d: %v", status, err)
		}
		if isOpen := client.gate.isOpen(); isOpen != (status != http.StatusTooManyRequests) {
			t.Errorf("status %d: the gate is open: %v", status, isOpen)
		}
	}
}

// TestTransport is about what no call shows in a reasonable time.
func TestTransport(t *testing.T) {
	t.Parallel()
	transport, ok := newTransport(Config{RequestTimeout: time.Minute}).(*http.Transport)
	if !ok {
		t.Fatal("not an *http.Transport")
	}
	if got := transport.TLSClientConfig.MinVersion; got != tls.VersionTLS12 {
		t.Errorf("MinVersion = %s", tls.VersionName(got))
	}
	// Servers that close idle connections after 5 s are common.
	if got := transport.IdleConnTimeout; got <= 0 || got >= 5*time.Second {
		t.Errorf("IdleConnTimeout = %s", got)
	}
	if transport.MaxIdleConns < 100 || transport.MaxIdleConnsPerHost < 100 {
		t.Errorf("MaxIdleConns = %d, MaxIdleConnsPerHost = %d", transport.MaxIdleConns, transport.MaxIdleConnsPerHost)
	}
}
