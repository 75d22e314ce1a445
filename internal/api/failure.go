package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
)

// Obstacle is what stands, or may stand, between the client and the service. It follows from errors, status and
// headers, never from the service's message.
type Obstacle int

const (
	NoObstacle   Obstacle = iota // the Kind says enough
	Certificate                  // the server's certificate could not be verified
	TLS                          // TLS failed for another reason
	Proxy                        // the proxy has refused the connection
	BodyDropped                  // the body of a GET or DELETE may be dropped or refused on the way
	Foreign                      // nothing shows that the response comes from the service
	WrongAddress                 // the service may not be at this address
)

// handshakeAlerts matches the alerts with which a server refuses a TLS connection, in the words of crypto/tls, which
// exports no names for them. A TLS 1.3 server refuses a client certificate after the first request was written, but
// without reading it.
var handshakeAlerts = regexp.MustCompile(
	`certificate|handshake failure|protocol version|security level|unrecognized name|access denied`)

// transportFailure returns the failure for an exchange without a complete response. Nothing can have been done before
// there was a connection, nor if TLS or a proxy kept the request from the service.
func (c *Client) transportFailure(ctx context.Context, err error, connection *connection) *Error {
	failure := &Error{Kind: NotSent, cause: err, permanent: true}
	var certificate *tls.CertificateVerificationError
	var remote *net.OpError
	refused := errors.As(err, &remote) && remote.Op == "remote error" && handshakeAlerts.MatchString(remote.Err.Error())
	switch {
	case errors.As(err, &failure): // The proxy has refused the connection.
	case errors.As(err, &certificate):
		failure.Reason, failure.Obstacle = "the certificate could not be verified: "+certificate.Err.Error(), Certificate
	case errors.As(err, new(tls.RecordHeaderError)):
		failure.Reason, failure.Obstacle = "the server does not speak TLS", TLS
	case refused && !connection.reused.Load():
		failure.Reason, failure.Obstacle = "the server refused the TLS connection: "+remote.Err.Error(), TLS
	case !connection.made.Load():
		failure.Reason, failure.permanent = "no connection was made: "+err.Error(), false
	case ctx.Err() != nil:
		failure.Kind = UnknownOutcome
		failure.Reason = fmt.Sprintf("no complete response arrived within %s", c.config.RequestTimeout)
	default:
		failure.Kind, failure.Reason = UnknownOutcome, "the connection was cut before a complete response had arrived"
	}
	failure.Reason = c.shown(failure.Reason) // It may quote a certificate.
	return failure
}

// tunnelFailure returns the failure for a proxy's response to CONNECT, or nil if the proxy has connected.
func tunnelFailure(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	return &Error{
		Kind: NotSent, Obstacle: Proxy, permanent: response.StatusCode/100 != 5,
		Reason: "the proxy did not connect: it responded with status " + statusText(response.StatusCode),
	}
}

// obstacle returns the obstacle that a response shows. It depends on the methods that have worked before.
func (c *Client) obstacle(call call, failure *Error) Obstacle {
	is := func(statuses ...int) bool { return slices.Contains(statuses, failure.Status) }
	// Many programs do not expect a body with these methods.
	oddBody := (call.method == http.MethodGet || call.method == http.MethodDelete) && !c.HasWorked(call.method)
	switch {
	case is(http.StatusProxyAuthRequired):
		return Proxy
	case is(http.StatusNotFound, http.StatusMethodNotAllowed) && !c.HasWorked():
		return WrongAddress
	case oddBody && is(400, 411, 413, 415, 422), oddBody && !failure.fromService && is(403, 405):
		return BodyDropped
	case !failure.fromService && failure.Kind != Redirected && (failure.Status/100 == 2 || !failure.Temporary()):
		return Foreign
	default:
		return NoObstacle
	}
}
