package api

import (
	"crypto/x509"
	"errors"
	"net/http"
	"slices"
)

// Obstacle is what stands, or may stand, between the client and the service, or in place of the service. It follows
// from errors, status, headers and the form of a body, never from the service's message.
type Obstacle int

const (
	NoObstacle              Obstacle = iota // the Kind says enough
	ExpiredCertificate                      // the server's certificate has expired or is not valid yet
	UnknownAuthority                        // the server's certificate is not trusted
	OtherName                               // the server's certificate is for other names
	NoTLS                                   // the server does not speak TLS
	TLSWanted                               // the server expects TLS, but got plain HTTP
	HandshakeRefused                        // the server refused the TLS connection, but not for the next reason
	ClientCertificateWanted                 // the server requires a client certificate, or another one
	ProxyPasswordWanted                     // the proxy requires a password, or another one
	ProxyForbids                            // the proxy does not allow a connection to the service
	ProxyCannotConnect                      // the proxy cannot resolve or reach the service
	BodyDropped                             // the body is dropped or refused on the way; those of PUT or POST are not
	BodyMayBeDropped                        // the body may be dropped or refused on the way
	FieldsMayBeDropped                      // the service refused the call, maybe because it did not get the body
	RefusedOnTheWay                         // something other than the service responded with status 401 or 403
	WrongAddress                            // the service may not be at this address
	ForeignResponse                         // something other than the service responded
	LimitReached                            // a rate limit has refused earlier calls, so this one was not sent
)

// certificateObstacle returns the obstacle for a server's certificate that could not be verified.
func certificateObstacle(err error) Obstacle {
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, new(x509.HostnameError)):
		return OtherName
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return ExpiredCertificate
	default:
		return UnknownAuthority
	}
}

// tunnelObstacle returns the obstacle for the status of a proxy's response to CONNECT.
func tunnelObstacle(status int) Obstacle {
	switch {
	case status == http.StatusProxyAuthRequired:
		return ProxyPasswordWanted
	case status/100 == 4:
		return ProxyForbids
	default:
		return ProxyCannotConnect
	}
}

// obstacle returns the obstacle that a response shows. It depends on the methods that have worked before.
func (c *call) obstacle(failure *Error, html bool) Obstacle {
	worked, foreign := c.client.hasWorked, !failure.FromService
	none := !worked(allMethods...)
	is := func(statuses ...int) bool { return slices.Contains(statuses, failure.Status) }
	// Many programs do not expect a body with these methods.
	oddBody := (c.method == http.MethodGet || c.method == http.MethodDelete) && !worked(c.method)
	switch {
	case foreign && is(400, 403) && none && c.client.certificateWanted.Load():
		// nginx finishes the handshake without the client certificate that it requires, and then responds with 400. Where
		// the certificate is optional, rules of nginx and haproxy refuse requests without one, usually with 403.
		return ClientCertificateWanted
	case foreign && is(400, 403, 405, 411, 413, 415) && oddBody && worked(http.MethodPut, http.MethodPost):
		return BodyDropped
	case foreign && is(400, 405, 411, 413, 415) && oddBody:
		return BodyMayBeDropped
	case !foreign && is(400, 411, 422) && oddBody:
		return FieldsMayBeDropped
	case foreign && is(401, 403):
		return RefusedOnTheWay
	case is(404) && none && (foreign || c.method == http.MethodGet):
		return WrongAddress
	case foreign && (failure.Kind == Refused || html && failure.Status/100 == 2):
		return ForeignResponse
	default:
		return NoObstacle
	}
}
