package provider

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpproxy"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// proxy returns the address of the proxy from proxy_url or, if that is not set, from the usual environment variables.
// It adds an error for an address that cannot be parsed. If a variable contained such an address, net/http would
// connect without a proxy.
func (r argumentReader) proxy(configured types.String, base *url.URL) api.Secret {
	if text := r.text("proxy_url", configured); text != "" {
		proxy, err := api.ParseProxyURL(text)
		if err != nil {
			r.invalid("proxy_url", err.Error())
		}
		return proxy
	}
	if base == nil {
		return api.Secret{}
	}
	usual := httpproxy.FromEnvironment()
	name, address := "HTTPS_PROXY", &usual.HTTPSProxy
	if base.Scheme == "http" {
		name, address = "HTTP_PROXY", &usual.HTTPProxy
	}
	text := *address
	// With any valid address, ProxyFunc shows whether NO_PROXY exempts the service.
	*address = "http://proxy.invalid"
	if used, err := usual.ProxyFunc()(base); text == "" || used == nil || err != nil {
		return api.Secret{}
	}
	proxy, err := api.ParseProxyURL(text)
	if err != nil {
		r.add("proxy_url", titleArgumentInvalid, fmt.Sprintf(
			"The environment variable %s (or %s), which applies because proxy_url is not set, %s. No call was made.",
			name, strings.ToLower(name), err))
	}
	return proxy
}

func (r argumentReader) serverName(argument string, configured types.String) string {
	name := r.text(argument, configured)
	if net.ParseIP(name) == nil && strings.ContainsAny(name, ":/@[] \t\r\n") {
		r.invalid(argument, "must be a host name such as dashboards.example.com, without a scheme or port")
	}
	return name
}

func (r argumentReader) authorities(configured, configuredFile types.String) *x509.CertPool {
	content, source, ok := r.content("ca_cert_pem", "ca_cert_file", configured, configuredFile)
	if !ok || source == "" {
		return nil
	}
	certificates, _ := certificatesIn(content)
	pool := x509.NewCertPool()
	for _, certificate := range certificates {
		pool.AddCert(certificate)
	}
	switch {
	case len(certificates) == 0:
		r.invalidContent(source, "at least one certificate in PEM format")
	case !slices.ContainsFunc(certificates, func(c *x509.Certificate) bool { return outOfDate(c) == "" }):
		r.invalidContent(source, "a certificate that is valid now; this one "+outOfDate(certificates[0]))
	}
	return pool
}

func (r argumentReader) clientCertificate(m providerModel) *tls.Certificate {
	certificate, source, ok := r.content("client_cert_pem", "client_cert_file", m.ClientCertPEM, m.ClientCertFile)
	key, keySource, keyOK := r.content("client_key_pem", "client_key_file", m.ClientKeyPEM, m.ClientKeyFile)
	switch {
	case !ok || !keyOK || source == "" && keySource == "":
		return nil
	case keySource == "":
		r.conflict(source, source+" requires the private key of the certificate: also set client_key_file or client_key_pem.")
		return nil
	case source == "":
		r.conflict(keySource, keySource+
			" requires the certificate that the key belongs to: also set client_cert_file or client_cert_pem.")
		return nil
	}
	chain, broken := certificatesIn(certificate)
	if broken || len(chain) == 0 {
		r.invalidContent(source, "a certificate in PEM format")
		return nil
	}
	if reason := outOfDate(chain[0]); reason != "" {
		r.invalidContent(source, "a certificate that is valid now; this one "+reason)
		return nil
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "does not match"):
		mismatch := fmt.Sprintf("The private key in %s does not belong to the certificate in %s.", keySource, source)
		r.conflict(keySource, mismatch)
	default:
		r.invalidContent(keySource, "the private key in PEM format, without a passphrase")
	}
	return &pair
}

// invalidContent adds an error about the content of an argument, or of the file that it names. what is the content
// that it must have.
func (r argumentReader) invalidContent(argument, what string) {
	verb := "must contain "
	if strings.HasSuffix(argument, "_file") {
		verb = "must name a file with "
	}
	r.invalid(argument, verb+what)
}

// certificatesIn returns the certificates in a PEM text. broken reports whether there are others that cannot be
// parsed. Anything other than certificates is ignored.
func certificatesIn(text string) (certificates []*x509.Certificate, broken bool) {
	for block, rest := pem.Decode([]byte(text)); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			broken = true
			continue
		}
		certificates = append(certificates, certificate)
	}
	return certificates, broken
}

// outOfDate returns why a certificate is not valid now, or an empty string if it is valid.
func outOfDate(certificate *x509.Certificate) string {
	const form = "2006-01-02 15:04 MST"
	switch now := time.Now(); {
	case now.After(certificate.NotAfter):
		return "expired on " + certificate.NotAfter.UTC().Format(form)
	case now.Before(certificate.NotBefore):
		return "is not valid before " + certificate.NotBefore.UTC().Format(form)
	default:
		return ""
	}
}
