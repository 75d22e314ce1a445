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
	"strings"
)

// Obstacle is what stands, or may stand, between the client and the service. It follows from errors, status and
// headers, never from the service's message.
type Obstacle int

const (
	NoObstacle   Obstacle = iota // the Kind says enough
	Certificate                  // the server's certificate could not be verified
	TLS                          // TLS failed for another reason
	NotHTTP                      // what responds does not speak HTTP/1.1
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
func (c *Client) transportFailure(ctx context.Context, call call, err error, connection *connection) *Error {
	failure := &Error{Kind: Blocked, cause: err}
	var certificate *tls.CertificateVerificationError
	var remote *net.OpError
	alert := ""
	if errors.As(err, &remote) && remote.Op == "remote error" && !connection.reused.Load() {
		alert = remote.Err.Error()
	}
	foreign := connection.foreign(err)
	switch {
	case errors.As(err, &failure): // The proxy has refused the connection, or none can be found.
	case errors.As(err, &certificate):
		failure.Reason, failure.Obstacle = "the certificate could not be verified: "+certificate.Err.Error(), Certificate
	case errors.As(err, new(tls.RecordHeaderError)):
		failure.Reason, failure.Obstacle = "the server does not speak TLS", TLS
	case strings.Contains(alert, "no application protocol"):
		failure.Reason, failure.Obstacle = "the server does not offer HTTP/1.1: "+alert, NotHTTP
	case foreign != "":
		failure.Reason, failure.Obstacle = "the response is not HTTP/1.1: it begins with "+foreign, NotHTTP
	case handshakeAlerts.MatchString(alert):
		failure.Reason, failure.Obstacle = "the server refused the TLS connection: "+alert, TLS
	case !connection.made.Load():
		failure.Kind, failure.Reason = NotSent, "no connection was made: "+err.Error()
	case ctx.Err() != nil:
		failure.Kind = Late
		failure.Reason = fmt.Sprintf("no complete response arrived within %s", c.config.RequestTimeout)
	default:
		failure.Kind, failure.Reason = Cut, "the connection was cut before a complete response had arrived"
	}
	failure.Reason = c.quoter(call.known, nil).quote(failure.Reason) // It may quote a certificate.
	return failure
}

// tunnelFailure returns the failure for a proxy's response to CONNECT, or nil if the proxy has connected.
func tunnelFailure(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
	if response.StatusCode == http.StatusOK {
		return nil
	}
	kind := Blocked
	if response.StatusCode/100 == 5 {
		kind = NotSent
	}
	return &Error{
		Kind: kind, Obstacle: Proxy,
		Reason: "the proxy did not connect: it responded with status " + statusText(response.StatusCode),
	}
}

// bodyFaults are statuses with which programs refuse a call whose body did not arrive, or was not expected.
var bodyFaults = []int{400, 411, 413, 415, 422}

// obstacle returns the obstacle that a response shows. It depends on whether the service has been heard, and on the
// methods that have worked before.
func (c *Client) obstacle(call call, failure *Error) Obstacle {
	isAbsent := failure.Status == http.StatusNotFound || failure.Status == http.StatusMethodNotAllowed
	isClass2 := failure.Status/100 == 2
	switch {
	case failure.Status == http.StatusProxyAuthRequired:
		return Proxy
	case isAbsent && !c.learned.isHeard():
		return WrongAddress
	case c.mayDropBody(call.method, failure):
		return BodyDropped
	case failure.FromService || failure.Kind == Redirected:
		return NoObstacle
	case isClass2 || !failure.Passes():
		return Foreign
	default:
		return NoObstacle
	}
}

// mayDropBody reports whether the body of the request may have been dropped on the way. Many programs do not expect a
// body with GET and DELETE.
func (c *Client) mayDropBody(method string, failure *Error) bool {
	isOdd := method == http.MethodGet || method == http.MethodDelete
	if !isOdd || c.HasWorkedWith(method) {
		return false
	}
	isByGateway := failure.Status == http.StatusForbidden || failure.Status == http.StatusMethodNotAllowed
	return slices.Contains(bodyFaults, failure.Status) || isByGateway && !failure.FromService
}

// faultOf returns what is wrong with a status that HTTP does not have, or "".
func faultOf(status int) string {
	if status >= http.StatusContinue {
		return ""
	}
	return fmt.Sprintf("the response has the status %03d, which does not exist", status)
}

// redirect describes a redirect. It names the target, but none of its parts that could be a secret.
func (c *Client) redirect(call call, response *http.Response) string {
	target, err := response.Location()
	if err != nil {
		return "redirects are never followed, and this one does not say where it leads"
	}
	wanted := c.config.URL.JoinPath("/")
	shown, own := place(target), place(c.config.URL)
	switch {
	case target.Path == wanted.Path && target.Path != c.config.URL.Path:
		return "the address of the service ends in a slash: set base_url to " + wanted.String()
	case shown == own:
		return "it leads to the address that is set already, so whatever is in front of the service redirects in a circle"
	default:
		return fmt.Sprintf("it leads to %s; redirects are never followed, because following them could send the API key to "+
			"another address", c.quoter(call.known, nil).quote(shown))
	}
}

// place returns scheme, host and path of an address in one spelling.
func place(address *url.URL) string {
	scheme, host := strings.ToLower(address.Scheme), strings.ToLower(address.Host)
	defaultPort := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return scheme + "://" + strings.TrimSuffix(host, defaultPort) + address.Path
}
