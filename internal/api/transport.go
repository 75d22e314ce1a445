package api

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// maxIdleConnections is well above any sensible -parallelism, so that each of Terraform's workers can reuse its
// connection. With Go's default of two per host, most calls would open a new one.
const maxIdleConnections = 128

// idleTimeout is shorter than the idle timeouts of all servers that we know (2 s and up). Some close a connection
// unannounced, and then nothing proves that a request on it was not read, even if no byte of a response has arrived. A
// lost call costs far more than a new connection.
const idleTimeout = time.Second

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
// the proxy (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). See ProxyFault.
func NewTransport(config Config) http.RoundTripper {
	// HTTP/2 adds nothing for ten calls at a time, and makes outcomes uncertain (GOAWAY).
	var http1 http.Protocols
	http1.SetHTTP1(true)
	// A server that speaks only HTTP/2 says so if it is asked for HTTP/1.1.
	tlsConfig := &tls.Config{
		MinVersion: tls.VersionTLS12, RootCAs: config.RootCAs, NextProtos: []string{"http/1.1"},
	}
	if config.ClientCertificate != nil {
		tlsConfig.Certificates = []tls.Certificate{*config.ClientCertificate}
	}
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	dialer := net.Dialer{Timeout: config.RequestTimeout, KeepAlive: 30 * time.Second}
	lookups := &http.Transport{
		Proxy:                  func(request *http.Request) (*url.URL, error) { return proxy(request.URL) },
		OnProxyConnectResponse: tunnelFailure,
		DialContext:            dialer.DialContext,
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

// ProxyFault returns what is wrong with the environment variable that names the proxy for an address, or nil. Left to
// itself, Go would connect directly, which is not what the variable asks for. The error does not contain the value,
// which may include a password.
func ProxyFault(address *url.URL) error {
	environment := httpproxy.FromEnvironment()
	text := map[string]string{"http": environment.HTTPProxy, "https": environment.HTTPSProxy}[address.Scheme]
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	proxy, err := url.Parse(text)
	isAddress := err == nil && proxy.Hostname() != ""
	environment.HTTPProxy, environment.HTTPSProxy = "http://any.invalid", "http://any.invalid"
	if needed, _ := environment.ProxyFunc()(address); needed == nil || text == "http://" || isAddress {
		return nil
	}
	return errors.New("the environment variable " + strings.ToUpper(address.Scheme) + "_PROXY is not the address of a " +
		"proxy, such as http://proxy.example:8080 (in a password, write % as %25, and / as %2F)")
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
