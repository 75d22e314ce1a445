package api

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
)

// transportFailure returns the failure for an exchange without a response. Nothing can have been done before the
// first byte of the request was sent, nor if TLS or a proxy kept the request from the service.
func (c *call) transportFailure(err error, timedOut bool, way *sending) *Error {
	failure := &Error{Kind: NotSent, permanent: true, cause: err}
	peer := c.client.peer(err)
	var certificate *tls.CertificateVerificationError
	var noTLS tls.RecordHeaderError
	var refusal *tunnelRefusal
	var netErr net.Error
	alert := alertIn(err)
	switch {
	case errors.As(err, &certificate):
		failure.Reason = "the certificate of " + peer + " could not be verified: " + certificate.Err.Error()
		failure.Obstacle = certificateObstacle(certificate.Err)
	case errors.As(err, &noTLS):
		failure.Reason = server(peer) + " does not speak TLS"
		failure.Obstacle = NoTLS
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`):
		failure.Reason = server(peer) + " expects TLS, but got plain HTTP"
		failure.Obstacle = TLSWanted
	case alert != 0 && (!way.begun() || !way.reused.Load()):
		// TLS 1.3 servers refuse a client certificate after the first request was written, but without reading it.
		failure.Reason = server(peer) + " refused the TLS connection: " + strings.TrimPrefix(alert.Error(), "tls: ")
		failure.Obstacle = HandshakeRefused
		if alert != alertProtocolVersion && c.client.certificateWanted.Load() {
			failure.Obstacle = ClientCertificateWanted
		}
	case errors.As(err, &refusal):
		failure.Reason = fmt.Sprintf("the proxy %s did not connect to %s: it responded with status %s%s",
			c.client.proxy.Host, c.client.target(), statusText(refusal.status), c.server(refusal.header))
		failure.permanent = refusal.status/100 == 4 && refusal.status != http.StatusTooManyRequests
		failure.Obstacle = tunnelObstacle(refusal.status)
	case !way.begun() && (timedOut || errors.As(err, &netErr) && netErr.Timeout()):
		failure.Reason = fmt.Sprintf("no connection to %s was made within %s", peer, c.client.config.RequestTimeout)
		failure.permanent = false
	case !way.begun():
		failure.Reason = "no connection to " + peer + " could be made: " + rootCause(err)
		failure.permanent = false
	default:
		failure.Kind, failure.permanent = UnknownOutcome, false
		failure.Reason = c.cut(timedOut)
	}
	// The error may quote a certificate, whose text is not to be trusted.
	failure.Reason = c.shown(failure.Reason, maxMessage)
	return failure
}

// cut returns the reason why a response is missing or incomplete.
func (c *call) cut(timedOut bool) string {
	if timedOut {
		return fmt.Sprintf("no complete response arrived within %s", c.client.config.RequestTimeout)
	}
	return "the connection was cut before a complete response had arrived"
}

// peer describes the other end of a failed connection: its name, the address that was dialed, and the proxy.
func (c *Client) peer(err error) string {
	name, proxy := c.target(), ""
	if c.proxy != nil {
		proxy = " through the proxy " + c.proxy.Host
		if opError(err, "proxyconnect") != nil {
			name, proxy = "the proxy "+c.proxy.Host, ""
		}
	}
	if dial := opError(err, "dial"); dial != nil && dial.Addr != nil && !strings.HasSuffix(name, dial.Addr.String()) {
		name += " (" + dial.Addr.String() + ")"
	}
	return name + proxy
}

// server returns the peer with a noun, so that a sentence can begin with it.
func server(peer string) string {
	if strings.HasPrefix(peer, "the proxy ") {
		return peer
	}
	return "the server " + peer
}

// opError returns the net.OpError with the given operation in err, or nil. That of a TLS alert is "remote error".
func opError(err error, operation string) *net.OpError {
	var found *net.OpError
	for errors.As(err, &found) && found.Op != operation {
		err = found.Err
		found = nil
	}
	return found
}

// refusingAlerts are the alerts of RFC 8446, section 6, with which a server refuses a connection for good, so that a
// retry would be refused again. crypto/tls exports no names for them.
var refusingAlerts = []tls.AlertError{40, 42, 43, 44, 45, 46, 48, 49, alertProtocolVersion, 71, 112, 116}

const alertProtocolVersion tls.AlertError = 70

// alertIn returns the alert that refused a connection, or 0. It compares texts, because crypto/tls does not export
// the type of an alert that was received.
func alertIn(err error) tls.AlertError {
	if strings.Contains(err.Error(), "tls: server selected unsupported protocol version") {
		return alertProtocolVersion
	}
	if remote := opError(err, "remote error"); remote != nil {
		for _, alert := range refusingAlerts {
			if remote.Err.Error() == alert.Error() {
				return alert
			}
		}
	}
	return 0
}

func rootCause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
