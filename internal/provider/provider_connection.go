package provider

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
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
	pool, valid := x509.NewCertPool(), false
	required := "at least one certificate in PEM format"
	for block, rest := pem.Decode([]byte(content)); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			continue
		}
		pool.AddCert(certificate)
		if reason := outOfDate(certificate); reason == "" {
			valid = true
		} else {
			required = validNow + reason
		}
	}
	if !valid {
		r.invalidContent(source, required)
	}
	return pool
}

func (r argumentReader) clientCertificate(m providerModel) *tls.Certificate {
	certificate, source, ok := r.content("client_cert_pem", "client_cert_file", m.ClientCertPEM, m.ClientCertFile)
	key, keySource, keyOK := r.content("client_key_pem", "client_key_file", m.ClientKeyPEM, m.ClientKeyFile)
	switch {
	case !ok || !keyOK || source == "" && keySource == "":
		return nil
	case source == "" || keySource == "":
		only := cmp.Or(source, keySource)
		r.conflict(only, fmt.Sprintf("Only %s is set. A client certificate takes both the certificate (client_cert_file or "+
			"client_cert_pem) and its private key (client_key_file or client_key_pem).", only))
		return nil
	}
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		r.conflict(source, fmt.Sprintf("%s and %s must contain a certificate and its private key, in PEM format and "+
			"without a passphrase (%s).", source, keySource, err))
		return nil
	}
	if reason := outOfDate(pair.Leaf); reason != "" {
		r.invalidContent(source, validNow+reason)
	}
	return &pair
}

const validNow = "a certificate that is valid now; this one "

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

// invalidContent adds an error about the content of an argument, or of the file that it names. what is the content
// that it must have.
func (r argumentReader) invalidContent(argument, what string) {
	verb := "must contain "
	if strings.HasSuffix(argument, "_file") {
		verb = "must name a file with "
	}
	r.invalid(argument, verb+what)
}
