package provider

import (
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestProviderConnection(t *testing.T) {
	certificate, key := protocoltest.CertificatePair(t, time.Hour)
	expired, expiredKey := protocoltest.CertificatePair(t, -time.Hour)
	_, otherKey := protocoltest.CertificatePair(t, time.Hour)
	certificateFile, keyFile := protocoltest.File(t, "cert.pem", certificate), protocoltest.File(t, "key.pem", key)
	both := protocoltest.File(t, "both.pem", key+certificate)
	broken := strings.Replace(certificate, "\n", "\nMIIB", 1)
	badProxy := object{"HTTPS_PROXY": "http://user:hun/ter2@proxy:1"}
	badProxyExempt := protocoltest.With(badProxy, "NO_PROXY", "service.example")
	type o = object
	pair := o{"client_cert_pem": certificate, "client_key_pem": key}
	for name, test := range map[string]struct {
		configured, variables o
		want                  string // in the only error; if empty, a client certificate
	}{
		"files":         {configured: o{"client_cert_file": certificateFile, "client_key_file": keyFile}},
		"text":          {configured: pair},
		"file and text": {configured: o{"client_cert_file": certificateFile, "client_key_pem": key}},
		"one file":      {configured: o{"client_cert_file": both, "client_key_file": both}},
		"environment": {
			variables: o{"EMBED_CLIENT_CERT_FILE": certificateFile, "EMBED_CLIENT_KEY_PEM": key},
		},
		"configuration wins": {configured: pair, variables: o{"EMBED_CLIENT_CERT_FILE": "/no/such"}},
		"no key": {
			configured: o{"client_cert_pem": certificate}, want: "client_cert_pem needs the private key",
		},
		"no certificate": {
			configured: o{"client_key_file": keyFile}, want: "client_key_file needs the certificate",
		},
		"both forms": {
			configured: protocoltest.With(pair, "client_cert_file", certificateFile),
			want:       "Only one of client_cert_pem and client_cert_file",
		},
		"both forms in the environment": {
			variables: o{"EMBED_CLIENT_CERT_PEM": certificate, "EMBED_CLIENT_CERT_FILE": certificateFile},
			want:      "or as EMBED_CLIENT_CERT_PEM and EMBED_CLIENT_CERT_FILE",
		},
		"another key": {
			configured: protocoltest.With(pair, "client_key_pem", otherKey), want: "does not belong to the certificate",
		},
		"expired": {
			configured: o{"client_cert_pem": expired, "client_key_pem": expiredKey}, want: "expired on 20",
		},
		"no PEM certificate": {
			configured: protocoltest.With(pair, "client_cert_pem", "hunter2"), want: "must be a certificate in PEM form",
		},
		"a second certificate that is broken": {
			configured: protocoltest.With(pair, "client_cert_pem", certificate+broken),
			want:       "must be a certificate in PEM form",
		},
		"no PEM key": {
			configured: protocoltest.With(pair, "client_key_pem", "hunter2"), want: "the private key in PEM form",
		},
		"no such file": {
			configured: o{"client_cert_file": "/no/such", "client_key_pem": key}, want: "must name a readable file",
		},
		"authority expired": {configured: o{"ca_cert_pem": expired}, want: "expired on 20"},
		"authority no PEM":  {configured: o{"ca_cert_pem": "hunter2"}, want: "must be at least one certificate"},
		"server name is an address": {
			configured: o{"tls_server_name": "https://hunter2"}, want: "must be a host name",
		},
		"server name is an IPv6 address": {configured: protocoltest.With(pair, "tls_server_name", "::1")},
		"proxy without a host": {
			configured: o{"proxy_url": "http://"}, want: "must be the address of a proxy",
		},
		"proxy of another kind":        {configured: o{"proxy_url": "ftp://hunter2:1"}, want: "must start with http://"},
		"proxy of the shell is bad":    {variables: badProxy, want: "HTTPS_PROXY"},
		"bad, but NO_PROXY exempts it": {configured: pair, variables: badProxyExempt},
	} {
		t.Run(name, func(t *testing.T) {
			for variable, value := range test.variables {
				t.Setenv(variable, value.(string))
			}
			arguments := o{"base_url": "https://service.example", "api_key": "k"}
			read, diags := readSettings(t, protocoltest.With(arguments, test.configured))
			switch {
			case test.want == "":
				if len(diags) > 0 || read.client.ClientCertificate == nil {
					t.Errorf("want a client certificate without errors, got %v: %v", read.client.ClientCertificate, diags)
				}
			case len(diags) != 1, !strings.Contains(diags[0].Detail(), test.want),
				strings.Contains(diags[0].Detail(), "hunter2"):
				t.Errorf("want one error with %q, got %v", test.want, diags)
			}
		})
	}
}

func TestProviderProxy(t *testing.T) {
	const service, one, two, three = "https://service.example", "http://one:3128", "http://two:3128", "http://three:3128"
	for name, test := range map[string]struct {
		base, https, http, no, want string
		configured                  any
	}{
		"none":                    {base: service},
		"argument":                {base: service, configured: one, https: two, no: "*", want: one},
		"https":                   {base: service, https: two, http: three, want: two},
		"http":                    {base: "http://service.example", https: two, http: "three:3128", want: three},
		"exempt":                  {base: service, https: two, no: "service.example"},
		"loopback has no proxy":   {base: "http://127.0.0.1:8642", http: three},
		"empty argument is unset": {base: service, configured: "", https: two, want: two},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HTTPS_PROXY", test.https)
			t.Setenv("HTTP_PROXY", test.http)
			t.Setenv("NO_PROXY", test.no)
			config := object{"base_url": test.base, "api_key": "k", "allow_http": true, "proxy_url": test.configured}
			read, diags := readSettings(t, config)
			if got := read.client.ProxyURL.Reveal(); len(diags) > 0 || got != test.want {
				t.Errorf("the proxy is %q, want %q: %v", got, test.want, diags)
			}
		})
	}
}
