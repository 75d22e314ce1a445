package api

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
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
	proxy := proxyOfEnvironment()
	dialer := net.Dialer{Timeout: config.RequestTimeout, KeepAlive: 30 * time.Second}
	lookups := &http.Transport{
		Proxy:                  func(request *http.Request) (*url.URL, error) { return proxy(request.URL) },
		OnProxyConnectResponse: tunnelFailure,
		DialContext:            listening(dialer.DialContext),
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

// ProxyFault returns what is wrong with the environment variable that names the proxy for an address, or nil. The error
// does not contain the variable's value, which may include a password. No call can be made then: connecting directly is
// not what the variable asks for.
func ProxyFault(address *url.URL) error {
	_, err := proxyOfEnvironment()(address)
	if fault := new(Error); errors.As(err, &fault) {
		return errors.New(fault.Reason)
	}
	return nil
}

// proxyOfEnvironment returns a function that finds the proxy for an address. Left to itself, httpproxy would connect
// directly if the variable cannot be parsed.
func proxyOfEnvironment() func(*url.URL) (*url.URL, error) {
	environment := httpproxy.FromEnvironment()
	environment.HTTPProxy, environment.HTTPSProxy = readProxy(environment.HTTPProxy), readProxy(environment.HTTPSProxy)
	find := environment.ProxyFunc()
	return func(address *url.URL) (*url.URL, error) {
		proxy, err := find(address)
		if proxy != nil && proxy.String() == unreadable {
			return nil, &Error{
				Kind: Blocked, advice: adviceProxy,
				Reason: "the environment variable " + strings.ToUpper(address.Scheme) + "_PROXY is not the address of a proxy, " +
					"such as http://proxy.example:8080 (in a password, write % as %25, and / as %2F)",
			}
		}
		return proxy, err
	}
}

// unreadable stands for a proxy whose address cannot be parsed.
const unreadable = "http://unreadable.invalid"

func readProxy(text string) string {
	address := text
	if !strings.Contains(text, "://") {
		address = "http://" + text
	}
	if parsed, err := url.Parse(address); err != nil || parsed.Hostname() == "" && text != "" {
		return unreadable
	}
	return text
}

// connection records whether an attempt got a connection, with TLS and through a proxy if need be. Before that, nothing
// of the request can have been sent.
type connection struct {
	made, reused atomic.Bool
	peer         atomic.Pointer[peer] // nil if what the other side says is encrypted
}

func (c *connection) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			c.made.Store(true)
			c.reused.Store(info.Reused)
			peer, _ := info.Conn.(*peer)
			c.peer.Store(peer)
		},
	})
}

// foreign returns how a response begins that is none of HTTP/1, on a connection on which there has never been one, or
// "". It proves that nobody there has understood the request. err is the error of the exchange.
func (c *connection) foreign(err error) string {
	if peer := c.peer.Load(); peer != nil {
		return peer.foreign()
	}
	_, quoted, isMalformed := strings.Cut(err.Error(), "malformed HTTP response ")
	if !isMalformed || c.reused.Load() {
		return ""
	}
	return quoted
}

// peer is a connection that remembers how the first words of the other side begin.
type peer struct {
	net.Conn
	mu    sync.Mutex
	first []byte
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// listening returns a function that dials like the given one, and listens to the first words.
func listening(dial dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &peer{Conn: conn}, nil
	}
}

// Read implements net.Conn.
func (p *peer) Read(text []byte) (int, error) {
	const most = 16 // bytes
	n, err := p.Conn.Read(text)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first = append(p.first, text[:min(n, most-len(p.first))]...)
	return n, err
}

// foreign returns the first words, quoted, unless they are those of HTTP/1, or there are none.
func (p *peer) foreign() string {
	const wanted = "HTTP/1."
	p.mu.Lock()
	defer p.mu.Unlock()
	if begins := p.first[:min(len(p.first), len(wanted))]; strings.HasPrefix(wanted, string(begins)) {
		return ""
	}
	return strconv.QuoteToASCII(string(p.first))
}
