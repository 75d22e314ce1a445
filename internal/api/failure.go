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
)

// handshakeAlerts matches the alerts with which a server refuses a TLS connection, in the words of crypto/tls, which
// exports no names for them. A TLS 1.3 server refuses a client certificate after the first request was written, but
// without reading it.
var handshakeAlerts = regexp.MustCompile(
	`certificate|handshake failure|protocol version|security level|unrecognized name|access denied|application protocol`)

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
	switch {
	case errors.As(err, &failure): // The proxy has refused the connection, or none can be found.
	case errors.As(err, &certificate):
		failure.Reason, failure.advice = "the certificate could not be verified: "+certificate.Err.Error(), adviceCertificate
	case errors.As(err, new(tls.RecordHeaderError)):
		failure.Reason, failure.advice = "the server does not speak TLS", adviceTLS
	case handshakeAlerts.MatchString(alert):
		failure.Reason, failure.advice = "the server refused the TLS connection: "+alert, adviceTLS
	case !connection.made.Load():
		failure.Kind, failure.Reason = NotSent, "no connection was made: "+err.Error()
	case ctx.Err() != nil:
		failure.Kind = Late
		failure.Reason = fmt.Sprintf("no complete response arrived within %s", c.config.RequestTimeout)
	default:
		failure.Kind, failure.Reason = Cut, "the connection was cut before a complete response had arrived: "+err.Error()
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
		Kind: kind, advice: adviceProxy,
		Reason: "the proxy did not connect: it responded with status " + statusText(response.StatusCode),
	}
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
	shown := target.Scheme + "://" + target.Host + target.Path // without parts that could be a secret
	if target.Path == wanted.Path && target.Path != c.config.URL.Path {
		return "the address of the service ends in a slash: set base_url to " + wanted.String()
	}
	return fmt.Sprintf("it leads to %s; redirects are never followed, because following them could send the API key to "+
		"another address", c.quoter(call.known, nil).quote(shown))
}
