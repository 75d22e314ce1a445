package protocoltest_test

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// The harness checks that no log has a key or a token. A header can be secret, too.
func TestHeadersAndUserAgentReachTheService(t *testing.T) {
	const tenant = "secret-of-the-gateway"
	t.Setenv("TF_APPEND_USER_AGENT", "hcp/3")
	p := bare(t)
	p.Serve(emulator.Options{})
	arguments := With(p.Arguments(), "headers", Object{"x-tenant": tenant}, "user_agent_suffix", "ci/7\n")
	p.Configure(arguments).WantNone()
	state := p.Updated(p.Created(Acme()), NextQuarter("name", "New"))
	p.WantDestroyed(p.Refreshed(state))
	for _, call := range p.Service.Calls() {
		for name, want := range map[string]string{
			"Authorization": "Token " + emulator.DefaultKey, "X-Tenant": tenant,
			"User-Agent": "terraform-provider-embed/test (CLI 1.99.0) hcp/3 ci/7",
		} {
			if got := call.Header.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("%s: the header %s is %q, want %q", call.Method, name, got, want)
			}
		}
	}
	p.WantCalls("PUT > POST > GET > DELETE")
	for text, want := range map[string]bool{
		tenant: false, "Acme": true, `"@module":"sdk.framework"`: true, `"@module":"provider"`: true,
	} {
		if strings.Contains(p.Logged(), text) != want {
			t.Errorf("the log contains %q: %t, want %t", text, !want, want)
		}
	}
}

// A gateway has a private certificate authority and another host name, and requires a client certificate.
func TestCertificatesAreUsed(t *testing.T) {
	p := bare(t)
	p.Serve(emulator.Options{})
	target, err := url.Parse(p.Service.URL())
	p.Must(err)
	certificate, key := CertificatePair(t, time.Hour)
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
	authorityFile := File(t, "ca.pem", authority)

	ours := Object{"client_cert_pem": certificate, "client_key_pem": key}
	for name, test := range map[string]struct {
		configured Object
		variable   string // EMBED_CA_CERT_FILE
		says       string // in the error; empty for no error
	}{
		"nobody listens":               {configured: With(ours, "base_url", "https://127.0.0.1:1"), says: "EMBED_BASE_URL"},
		"unknown authority":            {configured: ours, says: "certificate"},
		"no client certificate":        {variable: authorityFile, says: "client certificate"},
		"authority in the environment": {configured: ours, variable: authorityFile},
		"authority in the configuration": {
			configured: With(ours, "ca_cert_file", authorityFile), variable: "/no/such",
		},
		"authority as text": {configured: With(ours, "ca_cert_pem", authority), variable: "/no/such"},
	} {
		t.Setenv("EMBED_CA_CERT_FILE", test.variable)
		gatewayed := Object{"base_url": gateway.URL, "tls_server_name": "example.com", "max_retries": 0}
		p.Configure(With(p.Arguments(), gatewayed, test.configured)).WantNone()
		_, diags := p.Create(Acme("user_group_id", name))
		if test.says != "" {
			diags.WantError(`Cannot create user group "`+name+`"`, test.says, "was not created")
			p.WantCalls("")
			continue
		}
		diags.WantNone()
		p.WantCalls("GET")
	}
}

// TestBadProviderArgumentIsOneErrorWithoutACall checks that each bad value causes exactly one error, before any call.
// The error names the argument and, unless arguments conflict, its environment variable. It does not show the value.
// TestProviderSettingsSources in internal/provider checks that arguments are read from both; only numbers and headers
// have another notation in the environment.
func TestBadProviderArgumentIsOneErrorWithoutACall(t *testing.T) {
	type inEnvironment string
	const marker, shorterThanMinimum, noText = "marker-4711", "1us", inEnvironment("marker-4711")
	empty, twoLines := File(t, "empty", " \n"), File(t, "two", marker+"\n"+marker)
	// Terraform prints the line of the configuration that an error points to.
	secret := []string{"api_key", "headers", "proxy_url", "client_key_pem", "base_url"}
	for argument, values := range map[string][]any{
		"base_url":            {"", marker + ".example", "https://user:" + marker + "@service.example"},
		"api_key":             {"", "  ", marker + "\n" + marker, marker + "\x00", inEnvironment("  ")},
		"api_key_file":        {"/no/such/" + marker, empty, twoLines},
		"allow_http":          {noText},
		"request_timeout":     {marker, "30", "0s", "-1s"},
		"max_retries":         {-1, 101, 0.5, noText, inEnvironment("-1"), inEnvironment("101"), inEnvironment("1.5")},
		"retry_wait_min":      {marker},
		"retry_wait_max":      {marker, shorterThanMinimum},
		"requests_per_second": {noText, inEnvironment("0"), inEnvironment("NaN")},
		"headers": {
			Object{"CONTENT-TYPE": marker},
			Object{"a b": marker},
			Object{"X-Tenant": marker + "\r\nX: y"},
			Object{"X-Tenant": nil},
			Object{"X-Tenant": "a", "x-tenant": "b"},
			noText,
			inEnvironment(`{"X-Tenant":1}`), inEnvironment(`{"X-Tenant":null}`),
			inEnvironment(`{"X-Tenant":"a","X-Tenant":"b"}`), inEnvironment(`{"X-Tenant":"a","x-tenant":"b"}`),
		},
		"ca_cert_file":      {"/no/such/" + marker, File(t, "pem", marker), empty},
		"user_agent_suffix": {"a\n" + marker},
		"environment":       {marker, "customer"},
		"max_deletions":     {-1, 1_000_001, inEnvironment("-1"), inEnvironment("1000001")},
	} {
		for i, value := range values {
			t.Run(fmt.Sprint(argument, " ", i), func(t *testing.T) {
				p := bare(t)
				p.Serve(emulator.Options{})
				arguments, variable := p.Arguments(), "EMBED_"+strings.ToUpper(argument)
				if argument == "api_key_file" {
					delete(arguments, "api_key")
				}
				title, says := "A provider argument is invalid", []string{argument, variable, "No call was made"}
				switch value := value.(type) {
				case inEnvironment:
					t.Setenv(variable, string(value))
					arguments[argument] = nil
				case int, float64:
					title, says = "Invalid number", []string{argument + " must be a whole number", "No call was made"}
					arguments[argument] = value
				default:
					arguments[argument] = value
				}
				switch value {
				case "", "  ", inEnvironment("  "):
					title = "A provider argument is missing"
				case shorterThanMinimum:
					title, says = "Provider arguments conflict", []string{argument, "No call was made"}
				}
				diags := p.Configure(arguments)
				diags.WantError(title, says...)
				at := diags.List[0].Attribute
				if slices.Contains(secret, argument) != (at == nil) || strings.Contains(diags.String(), marker) {
					t.Errorf("the error is at %v:\n%s", at, diags)
				} else if at != nil && !strings.Contains(at.String(), `"`+argument+`"`) {
					t.Errorf("the error is at %v", at)
				}
				p.WantCalls("")
			})
		}
	}
	rate := bare(t).Configure(Object{"base_url": "https://a", "api_key": "k", "requests_per_second": 0.0})
	rate.WantErrorAt("requests_per_second", "Invalid Attribute Value", "must be at least")
	all := bare(t).Configure(Object{"request_timeout": "x", "retry_wait_min": "x", "headers": Object{"Host": "x"}})
	if len(all.List) != 5 {
		t.Errorf("want errors for base_url, api_key and three more arguments at once, got:\n%s", all)
	}
}

// TestUnknownProviderArgumentsMakeNoCall checks that a refresh keeps the state, that plans are complete, and that every
// operation that needs a call explains why it cannot make one. Engines that allow deferral defer these operations, and
// repeat the plan in a later run.
func TestUnknownProviderArgumentsMakeNoCall(t *testing.T) {
	says := func(what string) []string {
		return []string{what, "provider block", "only known after apply", "No call was made", "-target"}
	}
	known := start(t, emulator.Options{})
	state, new := known.Created(Acme()), Acme("user_group_id", "new")
	known.WalkDeferring().WantNone()
	known.PlanToo(known.Nothing(), new).Diags.WantNone()
	known.WantDeferred("a plan with known arguments", 0)
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		second(p.Create(new)).WantError(notConfigured, says("Creating a user group")...)
		p.WalkDeferring().WantNone()
		p.PlanToo(p.Nothing(), new).Diags.WantNone()
		p.WantDeferred("with an unknown "+argument.Name, 1)
	}
	p := known.AnotherProcess(Object{"headers": Object{"X-Tenant": Unknown}})
	for _, config := range []Object{Acme("name", "New"), NextQuarter()} {
		after, diags := p.Update(state, config)
		diags.WantError(notConfigured, says("Updating a user group")...)
		p.WantSame(after, state)
	}
	p.Updated(state, Acme("deletion_protection", true))
	second(p.Destroy(state)).WantError(notConfigured, says("Deleting a user group")...)
	second(p.List(0, false, "acme")).WantError(notConfigured, says("Listing user groups")...)
	for deferrals, walk := range []func() Diags{p.Walk, p.WalkDeferring} {
		walk().WantNone()
		p.WantSame(Silent(p.ReadToo(state)), state)
		p.WantDeferred("a refresh", deferrals)
		for what, operate := range map[string]func() Diags{
			"Importing a user group":      func() Diags { return second(p.Importing("acme", nil)) },
			"Looking up a user group":     func() Diags { return second(p.DataSource(ByID("acme"))) },
			"Looking up user groups":      func() Diags { return second(userGroups(p, "acme")) },
			"Reading a user group token":  func() Diags { return second(p.Open(ByID("acme"))) },
			"Rotating a user group token": func() Diags { return second(p.Invoke(ByID("acme"))) },
		} {
			if diags := operate(); deferrals > 0 {
				diags.WantNone()
			} else {
				diags.WantError(notConfigured, says(what)...)
			}
			p.WantDeferred(what, deferrals)
		}
	}
	// Plans refuse what they refuse otherwise.
	protected := state
	protected.Value = Value(p.Type(), With(state.Members(), "deletion_protection", true))
	p.PlanToo(protected, nil).Diags.WantErrorAt("deletion_protection", isProtected)
	p.WantSettled(state, Acme())
	p.WantCalls("")
}
