package api

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// maxIdleConnections is well above any sensible -parallelism, so that each of Terraform's workers can reuse its
// connection. With Go's default of two per host, most calls would open a new one.
const maxIdleConnections = 128

// idleTimeout is shorter than the idle timeouts of common servers (5 s and up). A request that is sent while the
// server closes the connection has an unknown outcome, which costs far more than a new connection.
const idleTimeout = 4 * time.Second

// network sends requests over HTTP. Each call that changes a group has a connection of its own, on which no response to
// another call can arrive.
type network struct{ lookups, changes *http.Transport }

// RoundTrip implements http.RoundTripper.
func (n network) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet {
		return n.lookups.RoundTrip(request)
	}
	return n.changes.RoundTrip(request)
}

// NewTransport returns the network as a Client with this configuration uses it. The usual environment variables name
// the proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
func NewTransport(config Config) http.RoundTripper {
	// HTTP/2 adds nothing for ten calls at a time, and makes outcomes uncertain (GOAWAY).
	var http1 http.Protocols
	http1.SetHTTP1(true)
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs}
	if config.ClientCertificate != nil {
		tlsConfig.Certificates = []tls.Certificate{*config.ClientCertificate}
	}
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	lookups := &http.Transport{
		Proxy:                  func(request *http.Request) (*url.URL, error) { return proxy(request.URL) },
		OnProxyConnectResponse: tunnelFailure,
		DialContext:            (&net.Dialer{Timeout: config.RequestTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    config.RequestTimeout,
		Protocols:              &http1,
		MaxIdleConns:           maxIdleConnections,
		MaxIdleConnsPerHost:    maxIdleConnections,
		IdleConnTimeout:        idleTimeout,
	}
	changes := lookups.Clone()
	changes.DisableKeepAlives = true
	return network{lookups, changes}
}

// connection records whether an attempt got a connection, with TLS and through a proxy if need be. Before that, nothing
// of the request can have been sent.
type connection struct{ made, reused atomic.Bool }

func (c *connection) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			c.made.Store(true)
			c.reused.Store(info.Reused)
		},
	})
}
