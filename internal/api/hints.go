package api

import (
	"crypto/x509"
	"errors"
	"html"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A hint says what to change if the cause may be something between Terraform and the service, or in place of the
// service. It is chosen by errors, status, headers and the form of a body, never by the service's message.
const (
	hintNoTLS     = "Check the scheme and the port in base_url (EMBED_BASE_URL), and in the address of the proxy."
	hintTLS       = "Start base_url (EMBED_BASE_URL) with https://, or the address of the proxy if that speaks TLS."
	hintAuthority = "Set ca_cert_file or ca_cert_pem to the certificate of the authority that signed the server's " +
		"certificate."
	hintExpired   = "Renew the certificate, or correct the clock of this machine."
	hintOtherName = "Use a name from the certificate in base_url (EMBED_BASE_URL), or set tls_server_name to one."
	hintHandshake = "The service must offer TLS 1.2 or later, and accept the host in base_url, or tls_server_name, " +
		"as its name."

	hintClientCertificate = "The service asks for a client certificate: set client_cert_file and client_key_file, " +
		"or client_cert_pem and client_key_pem, or check those that are set."
	hintProxyPassword = "Set the user name and the password for the proxy in proxy_url (EMBED_PROXY_URL), " +
		"or in HTTPS_PROXY or HTTP_PROXY. Only basic authentication is supported."
	hintProxyForbids = "Allow CONNECT to this address in the proxy, or add its host to NO_PROXY."
	hintProxyCannot  = "Check the host in base_url (EMBED_BASE_URL), and whether the proxy can resolve and reach it."
)

func certificateHint(err error) string {
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, new(x509.HostnameError)):
		return hintOtherName
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return hintExpired
	default:
		return hintAuthority
	}
}

// tunnelHint returns the hint for a proxy's response to CONNECT.
func tunnelHint(status int) string {
	switch {
	case status == http.StatusProxyAuthRequired:
		return hintProxyPassword
	case status/100 == 4:
		return hintProxyForbids
	default:
		return hintProxyCannot
	}
}

// answerHints are tried in order. The first that applies is used.
var answerHints = []struct {
	applies func(signs) bool
	hint    string
}{
	{func(s signs) bool { return s.is(http.StatusProxyAuthRequired) }, hintProxyPassword},
	{func(s signs) bool { return s.Kind == NotSent }, hintTLS},
	{
		// nginx finishes the handshake without the client certificate that it requires, and then responds with 400. Where
		// the certificate is optional, rules of nginx and haproxy refuse requests without one, usually with 403.
		func(s signs) bool {
			return s.foreign(400, 403) && s.client.certificateWanted.Load() && !s.worked(allMethods...)
		},
		hintClientCertificate,
	},
	{
		func(s signs) bool {
			return s.foreign(400, 403, 405, 411, 413, 415) && s.oddBody() && s.worked(http.MethodPut, http.MethodPost)
		},
		"PUT or POST calls have worked, so something between Terraform and the service drops or refuses the body of " +
			"{method} requests. Configure it to pass on the bodies of GET and DELETE.",
	},
	{
		func(s signs) bool { return s.foreign(400, 405, 411, 413, 415) && s.oddBody() },
		"This response does not come from the service. Something between Terraform and the service may drop or " +
			"refuse the body of {method} requests: configure it to pass on the bodies of GET and DELETE.",
	},
	{
		func(s signs) bool { return s.is(400, 411, 422) && s.FromService && s.oddBody() },
		"Fix what the service reports, then run again. If it reports that something is missing although it was " +
			"sent, something between Terraform and the service drops the body of {method} requests.",
	},
	{
		func(s signs) bool { return s.foreign(401, 403) },
		"This response does not come from the service, so the API key may be right. Check what is in front of it (a " +
			"gateway, a firewall, a sign-in page), and whether that requires a header (headers, EMBED_HEADERS) or a " +
			"different network.",
	},
	{
		func(s signs) bool {
			return s.is(404) && (!s.FromService || s.Method == http.MethodGet) && !s.worked(allMethods...)
		},
		"Check base_url (EMBED_BASE_URL), especially its path: no call has reached the service there yet.",
	},
	{
		func(s signs) bool { return !s.FromService && (s.Kind == Refused || s.isHTML && s.Status/100 == 2) },
		"This response does not come from the service. Check base_url (EMBED_BASE_URL), and what is in front of it.",
	},
}

// signs is what the hint for a response is chosen by.
type signs struct {
	*Error
	client *Client
	isHTML bool
}

func (s signs) hint() string {
	for _, try := range answerHints {
		if try.applies(s) {
			return strings.ReplaceAll(try.hint, "{method}", s.Method)
		}
	}
	return ""
}

func (s signs) is(statuses ...int) bool { return slices.Contains(statuses, s.Status) }

func (s signs) foreign(statuses ...int) bool { return !s.FromService && s.is(statuses...) }

func (s signs) worked(methods ...string) bool { return s.client.hasWorked(methods...) }

// oddBody reports whether many programs do not expect a body with the method of the call, and no call with that
// method has worked yet.
func (s signs) oddBody() bool {
	return (s.Method == http.MethodGet || s.Method == http.MethodDelete) && !s.worked(s.Method)
}

// tlsWanted matches the response of Go, nginx and Apache to a request without TLS on a TLS port.
var tlsWanted = regexp.MustCompile(
	`(?i)HTTP request (was sent )?to (an )?HTTPS (server|port)|plain HTTP to an SSL-enabled`)

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func isHTML(response *http.Response) bool {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && mediaType == "text/html"
}

// sender describes a response that does not come from the service, and who sent it.
func (c *call) sender(response *http.Response, body []byte) string {
	said := ""
	if isHTML(response) {
		said = " with an HTML page"
		if title := htmlTitle.FindSubmatch(body); title != nil {
			said += " titled " + strconv.Quote(c.shown(html.UnescapeString(string(title[1])), maxName))
		}
	}
	return said + c.server(response.Header)
}

// server returns the names of the programs that have handled a response, according to its headers.
func (c *call) server(header http.Header) string {
	var names []string
	for _, field := range []string{"Server", "Via"} {
		if value := c.shown(strings.Join(header.Values(field), ", "), maxName); value != "" {
			names = append(names, field+": "+value)
		}
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
