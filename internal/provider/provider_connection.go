package provider

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpproxy"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// proxy reads proxy_url or, where that is not set, the usual environment variables. Go would go without a proxy where
// their address cannot be read.
func (r argumentReader) proxy(configured types.String, base *url.URL) api.Secret {
	if text := r.text("proxy_url", configured); text != "" {
		proxy, err := api.ParseProxyURL(text)
		if err != nil {
			r.invalid("proxy_url", err.Error())
		}
	} else if m.ProxyURL.IsNull() && client.BaseURL != nil {
		client.ProxyURL = read.usualProxy(client.BaseURL)
	}
}

// usualProxy is the proxy that the variables of other programs name for the address. One that cannot be read is an error:
// Go would go past the proxy without a word.
func (r argumentReader) usualProxy(base *url.URL) api.Secret {
	usual := httpproxy.FromEnvironment()
	text, name := usual.HTTPSProxy, "HTTPS_PROXY"
	if base.Scheme == "http" {
		text, name = usual.HTTPProxy, "HTTP_PROXY"
	}
	// NO_PROXY counts whatever the address of the proxy is like.
	usual.HTTPProxy, usual.HTTPSProxy = "http://proxy.invalid", "http://proxy.invalid"
	if used, err := usual.ProxyFunc()(base); text == "" || err != nil || used == nil {
		return api.Secret{}
	}
	proxy, err := api.ParseProxyURL(text)
	if err != nil {
		r.diags.AddError(titleArgumentInvalid, fmt.Sprintf(
			"The environment variable %s %s. To go without a proxy, name the host of base_url in NO_PROXY. No call was made.", name, err))
	}
	return proxy
}

// pemText is what an argument holds, or the file that it names.
type pemText struct {
	argument string // the one that is set
	text     []byte
}

// pem reads the one of two arguments that is set, in the configuration before the environment as a whole.
func (r argumentReader) pem(stem string, configuredFile, configuredPEM types.String) pemText {
	fileArgument, pemArgument := stem+"_file", stem+"_pem"
	file, text := configuredFile.ValueString(), configuredPEM.ValueString()
	if configuredFile.IsNull() && configuredPEM.IsNull() {
		file, text = os.Getenv(variable(fileArgument)), os.Getenv(variable(pemArgument))
	}
	switch {
	case file != "" && text != "":
		r.conflict(pemArgument, fmt.Sprintf("Only one of %s and %s may be set (in the configuration, or as %s and %s).",
			fileArgument, pemArgument, variable(fileArgument), variable(pemArgument)))
		return pemText{argument: pemArgument}
	case file != "":
		content, err := os.ReadFile(file)
		if err != nil {
			r.invalid(fileArgument, "must name a readable file")
			return pemText{argument: fileArgument}
		}
		return pemText{fileArgument, content}
	case text != "":
		return pemText{pemArgument, []byte(text)}
	}
	return pemText{}
}

func (r argumentReader) authorities(given pemText) *x509.CertPool {
	if given.text == nil {
		return nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(given.text) {
		r.invalid(given.argument, "must hold at least one certificate in PEM form")
	}
	return pool
}

func (r argumentReader) clientCertificate(cert, key pemText) *tls.Certificate {
	switch {
	case cert.argument == "" && key.argument == "":
		return nil
	case cert.text == nil && key.text == nil:
		return nil // There is an error already.
	case key.argument == "":
		r.conflict(cert.argument, cert.argument+" needs the key of the certificate: set client_key_file or client_key_pem.")
		return nil
	case source == "":
		r.conflict(keySource, keySource+
			" needs the certificate that the key belongs to: set client_cert_file or client_cert_pem, too.")
		return nil
	}
	now, leaf := time.Now(), pair.Leaf
	switch {
	case now.After(leaf.NotAfter):
		r.invalid(cert.argument, "holds a certificate that expired on "+leaf.NotAfter.UTC().Format(time.DateTime)+" UTC")
	case now.Before(leaf.NotBefore):
		r.invalid(cert.argument, "holds a certificate that is not valid before "+leaf.NotBefore.UTC().Format(time.DateTime)+" UTC")
	}
	return &pair
}

// invalidContent reports what an argument, or the file that it names, has to be.
func (r argumentReader) invalidContent(argument, what string) {
	verb := "must be "
	if strings.HasSuffix(argument, "_file") {
		verb = "must name a file with "
	}
	r.invalid(argument, verb+what)
}

// certificatesIn returns the certificates in a PEM text, and whether there are some that cannot be read. Whatever else is
// in it does not matter.
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

// outOfDate says why a certificate is not valid at this time; nothing, if it is.
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
