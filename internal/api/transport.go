package api

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

// maxIdleConnections is well above any sensible -parallelism, so that each of Terraform's workers can reuse its
// connection. With Go's default of two per host, most calls would open a new one.
const maxIdleConnections = 128

// idleTimeout is shorter than the idle timeouts of common servers (5 s and up). A request that is sent while the
// server closes the connection has an unknown outcome, which costs far more than a new connection.
const idleTimeout = 4 * time.Second

// network sends requests over HTTP. A request that closes its connection gets one of its own: no other request is sent
// there, before or after, so its response cannot be another request's. A single http.Transport would send it on an idle
// connection if there is one.
type network struct{ shared, own *http.Transport }

// RoundTrip implements http.RoundTripper.
func (n network) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Close {
		return n.own.RoundTrip(request)
	}
	return n.shared.RoundTrip(request)
}

func (c *Client) newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: c.config.RequestTimeout, KeepAlive: 30 * time.Second}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countingConn{Conn: conn}, nil
	}
	// HTTP/2 adds nothing for ten calls at a time, and makes outcomes uncertain (GOAWAY).
	var http1 http.Protocols
	http1.SetHTTP1(true)
	transport := &http.Transport{
		DialContext: dial,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: c.config.RootCAs, ServerName: c.config.TLSServerName,
			GetClientCertificate: c.clientCertificate,
		},
		TLSHandshakeTimeout:    c.config.RequestTimeout,
		OnProxyConnectResponse: refuseTunnel,
		Protocols:              &http1,
		MaxIdleConns:           maxIdleConnections,
		MaxIdleConnsPerHost:    maxIdleConnections,
		IdleConnTimeout:        idleTimeout,
	}
	if c.proxy == nil {
		return transport
	}
	transport.Proxy = http.ProxyURL(c.proxy)
	if c.proxy.Scheme == "https" {
		// The outer TLS connection is to the proxy. TLSServerName and ClientCertificate are for the service only.
		transport.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			secured := tls.Client(conn, &tls.Config{
				MinVersion: tls.VersionTLS12, RootCAs: c.config.RootCAs, ServerName: c.proxy.Hostname(),
			})
			if err := secured.HandshakeContext(ctx); err != nil {
				_ = conn.Close()
				return nil, err
			}
			return secured, nil
		}
	}
	return transport
}

// clientCertificate is called when the server asks for a client certificate. An empty certificate means none.
func (c *Client) clientCertificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	c.certificateWanted.Store(true)
	if c.config.ClientCertificate == nil {
		return &tls.Certificate{}, nil
	}
	return c.config.ClientCertificate, nil
}

// tunnelRefusal is the error for a proxy that refuses CONNECT.
type tunnelRefusal struct {
	status int
	header http.Header
}

func (r *tunnelRefusal) Error() string {
	return fmt.Sprintf("the response to CONNECT has status %d", r.status)
}

func refuseTunnel(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &tunnelRefusal{response.StatusCode, response.Header}
}

// countingConn counts the bytes written to the network, which distinguishes a request that was never sent, and is
// safe to repeat, from one with an unknown outcome.
type countingConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countingConn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(data)
	c.written.Add(int64(n))
	return n, err
}

// sending records how far an attempt has come.
type sending struct {
	connected, reused atomic.Bool
	conn              atomic.Pointer[countingConn]
	before            atomic.Int64
}

// watch returns a context for an attempt to be recorded in s.
func (s *sending) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			s.connected.Store(true)
			s.reused.Store(info.Reused)
			if counting, ok := withoutTLS(info.Conn).(*countingConn); ok {
				s.before.Store(counting.written.Load())
				s.conn.Store(counting)
			}
		},
	})
}

// begun reports whether any byte of the request may have been sent. If in doubt, it returns true.
func (s *sending) begun() bool {
	if !s.connected.Load() {
		return false
	}
	counting := s.conn.Load()
	return counting == nil || counting.written.Load() != s.before.Load()
}

// withoutTLS returns the connection below TLS. A connection through an https proxy has two layers of TLS.
func withoutTLS(conn net.Conn) net.Conn {
	for {
		wrapped, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapped.NetConn()
	}
}
