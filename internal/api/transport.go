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

// maxIdleConnections is well above any sensible -parallelism, so that each of Terraform's workers finds its connection
// again. Go's default of two per host would make most calls open a new one.
const maxIdleConnections = 128

// idleTimeout is shorter than the idle time-outs common among servers (5 s and up): a request written to a connection
// that the server is just closing ends in an unknown outcome, which costs far more than a new connection.
const idleTimeout = 4 * time.Second

func (c *Client) newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: c.config.RequestTimeout, KeepAlive: 30 * time.Second}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countingConn{Conn: conn}, nil
	}
	// HTTP/1.1 only: HTTP/2 adds nothing for ten calls at a time, and makes answers uncertain (a GOAWAY).
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
		// The first TLS connection is to the proxy. The server name and the client certificate are for the service
		// alone.
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

// clientCertificate is asked for when the service wants a client certificate. An empty one is none.
func (c *Client) clientCertificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	c.certificateWanted.Store(true)
	if c.config.ClientCertificate == nil {
		return &tls.Certificate{}, nil
	}
	return c.config.ClientCertificate, nil
}

// tunnelRefusal is a proxy's answer to CONNECT other than a connection.
type tunnelRefusal struct {
	status int
	header http.Header
}

func (r *tunnelRefusal) Error() string {
	return fmt.Sprintf("CONNECT was answered with status %d", r.status)
}

func refuseTunnel(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &tunnelRefusal{response.StatusCode, response.Header}
}

// countingConn counts the bytes handed to the network, which tells a request that was never written (safe to repeat)
// from one whose fate is unknown.
type countingConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countingConn) Write(data []byte) (int, error) {
	n, err := c.Conn.Write(data)
	c.written.Add(int64(n))
	return n, err
}

// sending is what is known of one attempt's way out.
type sending struct {
	connected, reused atomic.Bool
	conn              atomic.Pointer[countingConn]
	before            atomic.Int64
}

// watch returns a context for an attempt that is to be watched.
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

// begun reports whether any byte of the request may have been sent. When in doubt it says yes.
func (s *sending) begun() bool {
	if !s.connected.Load() {
		return false
	}
	counting := s.conn.Load()
	return counting == nil || counting.written.Load() != s.before.Load()
}

// withoutTLS is the connection below TLS; there are two layers of it on the way through an https proxy.
func withoutTLS(conn net.Conn) net.Conn {
	for {
		wrapped, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return conn
		}
		conn = wrapped.NetConn()
	}
}
