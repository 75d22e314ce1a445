package provider

import (
	"crypto/tls"
	"encoding/pem"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestProtocolHeadersAndUserAgentReachTheService(t *testing.T) {
	t.Setenv("TF_APPEND_USER_AGENT", "hcp/3")
	t.Setenv("EMBED_USER_AGENT_SUFFIX", "ci/7")
	p := protocolBare(t)
	p.serve(emulator.Options{})
	p.configure(protocolWith(p.arguments(), "headers", protocolObject{"x-tenant": "t1"})).wantNone()
	state := p.updated(p.created(protocolAcme()), protocolNextQuarter("name", "New"))
	p.wantDestroyed(p.refreshed(state))
	for _, call := range p.service.Calls() {
		for name, want := range map[string]string{
			"Authorization": "Token " + emulator.DefaultKey, "X-Tenant": "t1",
			"User-Agent": "terraform-provider-embed/test (Terraform 1.99.0) hcp/3 ci/7",
		} {
			if got := call.Header.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s: the header %s is %q, want %q", call.Method, name, got, want)
			}
		}
	}
	p.wantCalls("PUT > POST > GET > DELETE")
}

// TestProtocolCertificates covers a gateway that has a private certificate authority and another host name, and that
// requires a client certificate.
func TestProtocolCertificates(t *testing.T) {
	p := protocolBare(t)
	p.serve(emulator.Options{})
	target, err := url.Parse(p.service.URL())
	p.must(err)
	certificate, key := certificatePair(t, time.Hour)
	gateway := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	gateway.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	gateway.TLS.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if hello.ServerName != "example.com" {
			t.Errorf("the client sent the server name %q", hello.ServerName)
		}
		return nil, nil
	}
	gateway.StartTLS()
	t.Cleanup(gateway.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw}))
	authorityFile := settingsFile(t, "ca.pem", authority)

	ours := protocolObject{"client_cert_pem": certificate, "client_key_pem": key}
	for name, test := range map[string]struct {
		configured protocolObject
		variable   string // EMBED_CA_CERT_FILE
		says       string // in the error; empty for no error
	}{
		"unknown authority":            {configured: ours, says: "certificate"},
		"no client certificate":        {variable: authorityFile, says: "client certificate"},
		"authority in the environment": {configured: ours, variable: authorityFile},
		"authority in the configuration": {
			configured: protocolWith(ours, "ca_cert_file", authorityFile), variable: "/no/such",
		},
		"authority as text": {configured: protocolWith(ours, "ca_cert_pem", authority), variable: "/no/such"},
	} {
		t.Setenv("EMBED_CA_CERT_FILE", test.variable)
		gatewayed := protocolObject{"base_url": gateway.URL, "tls_server_name": "example.com", "max_retries": 0}
		p.configure(protocolWith(p.arguments(), gatewayed, test.configured)).wantNone()
		_, diags := p.create(protocolAcme("user_group_id", name))
		if test.says != "" {
			diags.wantError(`Cannot create user group "`+name+`"`, test.says, "was not created")
			p.wantCalls("")
			continue
		}
		diags.wantNone()
		p.wantCalls("GET")
	}
}

func TestProtocolNobodyListens(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.service.Close()
	p = p.anotherProcess(nil) // On an open connection, the outcome would be unknown.
	second(p.create(protocolAcme("user_group_id", "new"))).wantError(`Cannot create user group "new"`,
		"was not created", "EMBED_BASE_URL")
	after, diags := p.read(state)
	diags.wantError(cannotLookUp, "Nothing was changed", "EMBED_BASE_URL")
	p.wantSame(after, state)
}
