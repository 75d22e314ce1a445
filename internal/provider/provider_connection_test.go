package provider

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// selfSigned returns a certificate and its key as PEM text.
func selfSigned(t *testing.T, notBefore, notAfter time.Time) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"}, NotBefore: notBefore, NotAfter: notAfter,
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
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
	cert, key := selfSigned(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM([]byte(cert))
	gateway := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	gateway.Config.ErrorLog = log.New(io.Discard, "", 0)
	gateway.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients, MinVersion: tls.VersionTLS13}
	gateway.StartTLS()
	t.Cleanup(gateway.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw}))

	p := protocolBare(t)
	p.service, p.keys = service, []string{emulator.DefaultKey}
	arguments := protocolWith(p.arguments(), protocolObject{
		"base_url": gateway.URL, "ca_cert_pem": authority, "tls_server_name": "example.com",
	})
	p.configure(arguments).wantNone()
	_, diags := p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "was not created", "client_cert_file", "client_key_file")
	p.wantCalls("")
	p.configure(protocolWith(arguments, protocolObject{"tls_server_name": "other.example"})).wantNone()
	_, diags = p.create(protocolAcme())
	diags.wantError(`Cannot create user group "acme"`, "other.example", "tls_server_name")
	p.wantCalls("")

	certFile, keyFile := settingsFile(t, "cert.pem", cert), settingsFile(t, "key.pem", key)
	for name, config := range map[string]protocolObject{
		"texts":      {"client_cert_pem": cert, "client_key_pem": key},
		"files":      {"client_cert_file": certFile, "client_key_file": keyFile},
		"one of all": {"client_cert_file": certFile, "client_key_pem": key},
	} {
		p.configure(protocolWith(arguments, config)).wantNone()
		_, diags = p.create(protocolAcme("user_group_id", name))
		diags.wantNone()
		p.wantCalls("GET")
	}
	t.Setenv("EMBED_CLIENT_CERT_PEM", cert)
	t.Setenv("EMBED_CLIENT_KEY_FILE", keyFile)
	p.configure(arguments).wantNone()
	p.created(protocolAcme("user_group_id", "environment"))
}

// What is wrong with a certificate or its key is said before any call.
func TestProviderCertificatesAreChecked(t *testing.T) {
	t.Parallel()
	now := time.Now()
	cert, key := selfSigned(t, now.Add(-time.Hour), now.Add(time.Hour))
	_, otherKey := selfSigned(t, now.Add(-time.Hour), now.Add(time.Hour))
	oldCert, oldKey := selfSigned(t, now.Add(-time.Hour), now.Add(-time.Minute))
	newCert, newKey := selfSigned(t, now.Add(time.Minute), now.Add(time.Hour))
	file := settingsFile(t, "cert.pem", cert)
	for name, test := range map[string]struct {
		config protocolObject
		says   string
	}{
		"no key":         {protocolObject{"client_cert_pem": cert}, "client_key_file"},
		"no certificate": {protocolObject{"client_key_pem": key}, "client_cert_file"},
		"another key":    {protocolObject{"client_cert_pem": cert, "client_key_pem": otherKey}, "client_key_pem"},
		"no PEM":         {protocolObject{"client_cert_pem": "x", "client_key_pem": key}, "client_cert_pem"},
		"expired":        {protocolObject{"client_cert_pem": oldCert, "client_key_pem": oldKey}, "expired on"},
		"too early":      {protocolObject{"client_cert_pem": newCert, "client_key_pem": newKey}, "not valid before"},
		"twice":          {protocolObject{"client_cert_pem": cert, "client_cert_file": file, "client_key_pem": key}, "Only one"},
		"two CAs":        {protocolObject{"ca_cert_pem": cert, "ca_cert_file": file}, "Only one"},
		"all is well":    {protocolObject{"client_cert_file": file, "client_key_pem": key, "ca_cert_pem": cert}, ""},
	} {
		_, diags := readSettings(t, protocolWith(protocolObject{"base_url": "https://service.example", "api_key": "k"}, test.config))
		if test.says == "" {
			if len(diags) > 0 {
				t.Errorf("%s: %v", name, diags)
			}
			continue
		}
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), test.says) || !strings.Contains(diags[0].Detail(), "No call was made.") {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func TestProviderUsualProxies(t *testing.T) {
	const unreadable = "http://user:se#cret@proxy.example:3128"
	for name, test := range map[string]struct {
		baseURL   string
		variables map[string]string
		configure any
		want      string
		fails     bool
	}{
		"none":                   {"https://a.example", nil, nil, "", false},
		"https":                  {"https://a.example", map[string]string{"HTTPS_PROXY": "proxy.example:1", "HTTP_PROXY": "x:2"}, nil, "http://proxy.example:1", false},
		"http":                   {"http://a.example", map[string]string{"HTTPS_PROXY": "x:1", "http_proxy": "proxy.example:2"}, nil, "http://proxy.example:2", false},
		"not for it":             {"https://a.example", map[string]string{"HTTPS_PROXY": "proxy.example:1", "NO_PROXY": ".example"}, nil, "", false},
		"loopback":               {"https://127.0.0.1", map[string]string{"HTTPS_PROXY": "proxy.example:1"}, nil, "", false},
		"unreadable":             {"https://a.example", map[string]string{"HTTPS_PROXY": unreadable}, nil, "", true},
		"unreadable, not for it": {"https://a.example", map[string]string{"HTTPS_PROXY": unreadable, "NO_PROXY": "*"}, nil, "", false},
		"proxy_url wins":         {"https://a.example", map[string]string{"HTTPS_PROXY": unreadable}, "http://own.example:1", "http://own.example:1", false},
		"proxy_url is none":      {"https://a.example", map[string]string{"HTTPS_PROXY": "proxy.example:1"}, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
				t.Setenv(variable, test.variables[variable])
			}
			read, diags := readSettings(t, protocolObject{
				"base_url": test.baseURL, "api_key": "k", "allow_http": true, "proxy_url": test.configure,
			})
			if diags.HasError() != test.fails || read.client.ProxyURL.Reveal() != test.want {
				t.Errorf("the proxy is %q, want %q: %v", read.client.ProxyURL.Reveal(), test.want, diags)
			}
			if text := diags.Errors(); test.fails && (strings.Contains(text[0].Detail(), "cret") || !strings.Contains(text[0].Detail(), "HTTPS_PROXY")) {
				t.Errorf("%v", text)
			}
		})
	}
}
