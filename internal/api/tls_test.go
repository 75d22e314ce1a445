package api

import (
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

func serveTLS(t testing.TB, http2 bool, answer func(n int, w http.ResponseWriter, r *http.Request)) (*service, *x509.CertPool) {
	t.Helper()
	s := newService(answer)
	s.EnableHTTP2 = http2
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s, pool
}

func trusting(pool *x509.CertPool) func(*Config) { return func(c *Config) { c.RootCAs = pool } }

// TestUnknownCertificate: nothing is sent, repeating is pointless, and the reason says what to do something about.
func TestUnknownCertificate(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			server, _ := serveTLS(t, true, always(http.StatusOK, contentJSON, successJSON))
			_, err := call.make(t.Context(), newClient(t, server.URL, retries(maxRetries)))
			failure := failureOf(t, err)
			wantKind(t, failure, NotSent)
			if failure.Attempts != 1 || failure.Lost || server.connections.Load() != 1 {
				t.Errorf("%d attempts, %d connections, Lost = %v", failure.Attempts, server.connections.Load(), failure.Lost)
			}
			const want = "the certificate of the service could not be verified: x509: certificate signed by unknown authority"
			if failure.Reason != want {
				t.Errorf("Reason = %q, want %q", failure.Reason, want)
			}
			wantRequests(t, server.count(), 0)
		})
	}
}

// TestCertificateOfAnotherHost is about a trusted certificate under a wrong name.
func TestCertificateOfAnotherHost(t *testing.T) {
	t.Parallel()
	server, pool := serveTLS(t, false, always(http.StatusOK, contentJSON, successJSON))
	address := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	_, err := newClient(t, address, retries(maxRetries), trusting(pool)).GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
	failure := failureOf(t, err)
	wantKind(t, failure, NotSent)
	if failure.Attempts != 1 || !strings.Contains(failure.Reason, "could not be verified") || !strings.Contains(failure.Reason, "localhost") {
		t.Errorf("Attempts = %d, Reason = %q", failure.Attempts, failure.Reason)
	}
}

// TestTrustedCertificate: with the authority configured all calls work, over HTTP/1.1 and HTTP/2, on one connection.
func TestTrustedCertificate(t *testing.T) {
	t.Parallel()
	for protocol, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		server, pool := serveTLS(t, http2, always(http.StatusOK, contentJSON, successJSON))
		client := newClient(t, server.URL, trusting(pool))
		for _, call := range fourCalls {
			if _, err := call.make(t.Context(), client); err != nil {
				t.Errorf("%s %s: %v", protocol, call.name, err)
			}
		}
		wantRequests(t, server.count(), len(fourCalls))
		for _, request := range server.seen() {
			if request.protocol != protocol || request.length != int64(len(request.body)) || request.header.Get("Authorization") != "Token "+plantedKey {
				t.Errorf("%s: got %+v", protocol, request)
			}
		}
		if got := server.connections.Load(); got != 1 {
			t.Errorf("%s: %d connections", protocol, got)
		}
	}
}

// TestLossOverTLS: a cut after the request was read is an unknown outcome, on a new and on a used connection, and no
// protocol's transport replays it.
func TestLossOverTLS(t *testing.T) {
	t.Parallel()
	for protocol, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		for _, first := range []int{1, 2} {
			for _, call := range fourCalls {
				server, pool := serveTLS(t, http2, func(n int, w http.ResponseWriter, _ *http.Request) {
					if n == first {
						panic(http.ErrAbortHandler)
					}
					reply(w, http.StatusOK, contentJSON, successJSON)
				})
				client := newClient(t, server.URL, trusting(pool))
				var err error
				for range first {
					_, err = call.make(t.Context(), client)
				}
				failure := failureOf(t, err)
				if failure.Kind != UnknownOutcome || !failure.Lost {
					t.Errorf("%s %s: %#v", protocol, call.name, failure)
				}
				wantRequests(t, server.count(), first)
			}
		}
	}
}

// brokenOnce closes the first connection before a byte has come from the server.
type brokenOnce struct {
	net.Listener
	broken atomic.Bool
}

func (l *brokenOnce) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil && l.broken.CompareAndSwap(false, true) {
		_ = conn.Close()
	}
	return conn, err
}

// TestHandshakeFails: bytes have gone out, but none of the request, so that even a rotation is repeated and nothing is
// lost.
func TestHandshakeFails(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			server := newService(always(http.StatusOK, contentJSON, successJSON))
			server.Listener = &brokenOnce{Listener: server.Listener}
			server.StartTLS()
			t.Cleanup(server.Close)
			pool := x509.NewCertPool()
			pool.AddCert(server.Certificate())
			answer, err := call.make(t.Context(), newClient(t, server.URL, trusting(pool), retries(1)))
			if err != nil || answer.Lost {
				t.Errorf("Lost = %v, error %v", answer.Lost, err)
			}
			wantRequests(t, server.count(), 1)
		})
	}
}

// TestPlainHTTPWhereTLSIsExpected is what a wrong port in base_url looks like.
func TestPlainHTTPWhereTLSIsExpected(t *testing.T) {
	t.Parallel()
	server := serve(t, always(http.StatusOK, contentJSON, successJSON))
	_, err := newClient(t, strings.Replace(server.URL, "http:", "https:", 1)).Rotate(t.Context(), NewSecret(plantedToken))
	failure := failureOf(t, err)
	wantKind(t, failure, NotSent)
	wantRequests(t, server.count(), 0)
}
