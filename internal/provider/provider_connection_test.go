package provider

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// certificatePair returns a certificate that signs itself, valid until the given time from now, and its key.
func certificatePair(t *testing.T, validFor time.Duration) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(validFor),
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

func TestProviderClientCertificate(t *testing.T) {
	certificate, key := certificatePair(t, time.Hour)
	expired, expiredKey := certificatePair(t, -time.Hour)
	_, otherKey := certificatePair(t, time.Hour)
	certificateFile, keyFile := settingsFile(t, "cert.pem", certificate), settingsFile(t, "key.pem", key)
	both := settingsFile(t, "both.pem", key+certificate)
	tests := map[string]struct {
		configured, variables protocolObject
		want                  string // of the only error; none for a certificate
	}{
		"files": {
			configured: protocolObject{"client_cert_file": certificateFile, "client_key_file": keyFile},
		},
		"text": {
			configured: protocolObject{"client_cert_pem": certificate, "client_key_pem": key},
		},
		"file and text": {
			configured: protocolObject{"client_cert_file": certificateFile, "client_key_pem": key},
		},
		"one file": {
			configured: protocolObject{"client_cert_file": both, "client_key_file": both},
		},
		"environment": {
			variables: protocolObject{"CLIENT_CERT_FILE": certificateFile, "CLIENT_KEY_PEM": key},
		},
		"configuration wins": {
			configured: protocolObject{"client_cert_pem": certificate, "client_key_pem": key},
			variables:  protocolObject{"CLIENT_CERT_FILE": "/no/such"},
		},
		"no key": {
			configured: protocolObject{"client_cert_pem": certificate},
			want:       "client_cert_pem needs the private key",
		},
		"no certificate": {
			configured: protocolObject{"client_key_file": keyFile},
			want:       "client_key_file needs the certificate",
		},
		"both forms": {
			configured: protocolObject{
				"client_cert_pem": certificate, "client_cert_file": certificateFile, "client_key_pem": key,
			},
			want: "Only one of client_cert_pem and client_cert_file",
		},
		"another key": {
			configured: protocolObject{"client_cert_pem": certificate, "client_key_pem": otherKey},
			want:       "does not belong to the certificate",
		},
		"expired": {
			configured: protocolObject{"client_cert_pem": expired, "client_key_pem": expiredKey},
			want:       "expired on 20",
		},
		"no PEM certificate": {
			configured: protocolObject{"client_cert_pem": "hunter2", "client_key_pem": key},
			want:       "must be a certificate in PEM form",
		},
		"no PEM key": {
			configured: protocolObject{"client_cert_pem": certificate, "client_key_pem": "hunter2"},
			want:       "the private key in PEM form",
		},
		"no such file": {
			configured: protocolObject{"client_cert_file": "/no/such", "client_key_pem": key},
			want:       "must name a readable file",
		},
		"authority expired": {configured: protocolObject{"ca_cert_pem": expired}, want: "expired on 20"},
		"authority no PEM": {
			configured: protocolObject{"ca_cert_pem": "hunter2"}, want: "must be at least one certificate",
		},
		"server name is an address": {
			configured: protocolObject{"tls_server_name": "https://hunter2"}, want: "must be a host name",
		},
		"proxy without a host": {
			configured: protocolObject{"proxy_url": "http://"}, want: "must be the address of a proxy",
		},
		"proxy of another kind": {
			configured: protocolObject{"proxy_url": "ftp://hunter2:1"}, want: "must start with http://",
		},
		"proxy of the shell is bad": {
			variables: protocolObject{"": "http://user:hun/ter2@proxy:1"}, want: "HTTPS_PROXY",
		},
		"NO_PROXY exempts, bad or no": {
			variables: protocolObject{"": "http://user:hun/ter2@proxy:1", "NO_PROXY": "service.example"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for variable, value := range test.variables {
				switch variable {
				case "":
					variable = "HTTPS_PROXY"
				case "NO_PROXY":
				default:
					variable = "EMBED_" + variable
				}
				t.Setenv(variable, value.(string))
			}
			arguments := protocolObject{"base_url": "https://service.example", "api_key": "k"}
			read, diags := readSettings(t, protocolWith(arguments, test.configured))
			if test.want != "" {
				if len(diags) != 1 || !strings.Contains(diags[0].Detail(), test.want) ||
					strings.Contains(diags[0].Detail(), "hunter2") {
					t.Errorf("want one error with %q, got %v", test.want, diags)
				}
				return
			}
			if len(diags) > 0 || (read.client.ClientCertificate == nil) != (name == "NO_PROXY exempts, bad or no") {
				t.Errorf("certificate %v: %v", read.client.ClientCertificate != nil, diags)
			}
		})
	}
}

func TestProviderProxy(t *testing.T) {
	for name, test := range map[string]struct{ base, configured, https, http, no, want string }{
		"none": {base: "https://service.example"},
		"argument": {
			base: "https://service.example", configured: "http://one:3128", https: "http://two:3128",
			no: "*", want: "http://one:3128",
		},
		"https": {
			base: "https://service.example", https: "http://two:3128", http: "http://three:3128",
			want: "http://two:3128",
		},
		"http": {
			base: "http://service.example", https: "http://two:3128", http: "three:3128",
			want: "http://three:3128",
		},
		"exempt": {
			base: "https://service.example", https: "http://two:3128", no: "service.example",
		},
		"loopback has no proxy": {base: "http://127.0.0.1:8642", http: "http://three:3128"},
		"empty argument is unset": {
			base: "https://service.example", configured: "", https: "http://two:3128",
			want: "http://two:3128",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HTTPS_PROXY", test.https)
			t.Setenv("HTTP_PROXY", test.http)
			t.Setenv("NO_PROXY", test.no)
			config := protocolObject{"base_url": test.base, "api_key": "k", "allow_http": true}
			if test.configured != "" {
				config["proxy_url"] = test.configured
			}
			read, diags := readSettings(t, config)
			if got := read.client.ProxyURL.Reveal(); len(diags) > 0 || got != test.want {
				t.Errorf("the proxy is %q, want %q: %v", got, test.want, diags)
			}
		})
	}
}

// TestProtocolMutualTLS: a service that asks for a client certificate, under a name of its own, signed by an authority that
// is given as text.
func TestProtocolMutualTLS(t *testing.T) {
	service := startService(t, emulator.Options{})
	target, err := url.Parse(service.URL())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key := certificatePair(t, time.Hour)
	block, _ := pem.Decode([]byte(certificate))
	mine, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	gateway := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	pool := x509.NewCertPool()
	pool.AddCert(mine)
	gateway.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, ClientCAs: pool}
	gateway.StartTLS()
	t.Cleanup(gateway.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw}))

	p := protocolBare(t)
	p.service, p.keys = service, []string{emulator.DefaultKey}
	arguments := protocolWith(p.arguments(), protocolObject{
		"base_url": gateway.URL, "ca_cert_pem": authority, "tls_server_name": "example.com", "max_retries": 0,
	})
	p.configure(arguments).wantNone()
	_, diags := p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "client certificate", "was not created")
	p.wantCalls("")
	p.configure(protocolWith(arguments, protocolObject{"client_cert_pem": certificate, "client_key_pem": key})).wantNone()
	_, diags = p.create(protocolAcme())
	diags.wantNone()
	p.wantCalls("GET")
}
