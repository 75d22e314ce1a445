package api

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"regexp"
	"slices"
)

// Obstacle is what stands, or may stand, between the client and the service. It follows from errors, status and headers,
// never from the service's message.
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
func (c *Client) transportFailure(err error, connection *connection) *Error {
	failure := &Error{Kind: NotSent, cause: err, permanent: true}
	var certificate *tls.CertificateVerificationError
	var remote *net.OpError
	var refusal proxyRefusal
	refused := errors.As(err, &remote) && remote.Op == "remote error" && handshakeAlerts.MatchString(remote.Err.Error())
	switch {
	case errors.As(err, &certificate):
		failure.Reason, failure.Obstacle = "the certificate could not be verified: "+certificate.Err.Error(), Certificate
	case errors.As(err, new(tls.RecordHeaderError)):
		failure.Reason, failure.Obstacle = "the server does not speak TLS", TLS
	case refused && !connection.isReused():
		failure.Reason, failure.Obstacle = "the server refused the TLS connection: "+remote.Err.Error(), TLS
	case errors.As(err, &refusal):
		failure.Reason, failure.Obstacle = "the proxy did not connect: it responded with status "+statusText(int(refusal)), Proxy
	case !connection.isMade():
		failure.Reason, failure.permanent = "no connection was made: "+rootCause(err).Error(), false
	default:
		failure.Kind, failure.permanent = UnknownOutcome, false
		failure.Reason = "the connection was cut before a complete response had arrived"
	}
	failure.Reason = c.shown(failure.Reason) // It may quote a certificate.
	return failure
}

func rootCause(err error) error {
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
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
	case oddBody && is(400, 411, 413, 415, 422), oddBody && !failure.FromService() && is(403, 405):
		return BodyDropped
	case !failure.FromService() && !failure.Temporary() && failure.Kind != Redirected:
		return Foreign
	case failure.Status/100 == 2 && !failure.json:
		return Foreign
	default:
		return NoObstacle
	}
}
