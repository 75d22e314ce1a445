package protocoltest_test

import (
	"crypto/tls"
	"encoding/pem"
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
func TestBadProviderArgumentIsOneErrorWithoutACall(t *testing.T) {
	const marker = "marker-4711"
	const invalid, missing = "A provider argument is invalid", "A provider argument is missing"
	const conflict = "Provider arguments conflict"
	empty := File(t, "empty", " \n")
	twoLines := File(t, "two", marker+"\n"+marker)
	noPEM := File(t, "pem", marker)
	tests := []struct {
		argument    string
		configured  any
		environment string // empty to test the configuration only
		title       string // of the error
	}{
		{"base_url", "", "", missing},
		{"base_url", marker + ".example", marker + ".example", invalid},
		{"base_url", "https://user:" + marker + "@service.example", "https://user:" + marker + "@service.example", invalid},
		{"api_key", "", "", missing},
		{"api_key", "  ", "  ", missing},
		{"api_key", marker + "\n" + marker, marker + "\n" + marker, invalid},
		{"api_key", marker + "\x00", "", invalid},
		{"api_key_file", "/no/such/" + marker, "/no/such/" + marker, invalid},
		{"api_key_file", empty, empty, invalid},
		{"api_key_file", twoLines, twoLines, invalid},
		{"allow_http", nil, marker, invalid},
		{"request_timeout", marker, marker, invalid},
		{"request_timeout", "30", "30", invalid},
		{"request_timeout", "0s", "0s", invalid},
		{"request_timeout", "-1s", "-1s", invalid},
		{"max_retries", -1, "-1", invalid},
		{"max_retries", 101, "101", invalid},
		{"max_retries", 0.5, "", invalid},
		{"max_retries", nil, marker, invalid},
		{"max_retries", nil, "1.5", invalid},
		{"retry_wait_min", marker, marker, invalid},
		{"retry_wait_max", marker, marker, invalid},
		{"retry_wait_max", "1us", "1us", conflict},
		{"requests_per_second", 0.0, "0", invalid},
		{"requests_per_second", nil, "NaN", invalid},
		{"requests_per_second", nil, marker, invalid},
		{"headers", Object{"CONTENT-TYPE": marker}, `{"CONTENT-TYPE":"` + marker + `"}`, invalid},
		{"headers", Object{"a b": marker}, `{"a b":"` + marker + `"}`, invalid},
		{"headers", Object{"X-Tenant": marker + "\r\nX: y"}, `{"X-Tenant":"` + marker + `\r\nX: y"}`, invalid},
		{"headers", Object{"X-Tenant": nil}, `{"X-Tenant":null}`, invalid},
		{"headers", Object{"X-Tenant": "a", "x-tenant": "b"}, `{"X-Tenant":"a","x-tenant":"b"}`, invalid},
		{"headers", nil, `{"X-Tenant":1}`, invalid},
		{"headers", nil, `{"X-Tenant":"a","X-Tenant":"b"}`, invalid},
		{"headers", nil, marker, invalid},
		{"ca_cert_file", "/no/such/" + marker, "/no/such/" + marker, invalid},
		{"ca_cert_file", noPEM, noPEM, invalid},
		{"ca_cert_file", empty, empty, invalid},
		{"user_agent_suffix", "a\n" + marker, "a\n" + marker, invalid},
		{"environment", marker, marker, invalid},
		{"environment", "customer", "customer", invalid},
		{"max_deletions", -1, "-1", invalid},
		{"max_deletions", 1_000_001, "1000001", invalid},
	}
	for _, test := range tests {
		t.Run(test.argument+" "+strings.NewReplacer("/", "|", "\x00", "0").Replace(test.environment), func(t *testing.T) {
			p := bare(t)
			p.Serve(emulator.Options{})
			check := func(source string, diags Diags) {
				t.Helper()
				if len(diags.List) != 1 || !diags.HasError() || strings.Contains(diags.String(), marker) {
					t.Fatalf("%s: want one error without the value, got:\n%s", source, diags)
				}
				one := diags.List[0]
				// Terraform prints the line of the configuration that an error points to.
				secret := slices.Contains([]string{"api_key", "headers", "proxy_url", "client_key_pem", "base_url"}, test.argument)
				if secret != (one.Attribute == nil) ||
					!secret && !strings.Contains(one.Attribute.String(), `"`+test.argument+`"`) {
					t.Errorf("%s: the error is at %v", source, one.Attribute)
				}
				switch {
				case source == "configuration" && test.argument == "requests_per_second": // The validator is the framework's.
					p.Walk().WantNone() // `terraform validate` has reported it.
				case source == "configuration" && strings.HasPrefix(test.argument, "max_"):
					p.Walk().WantNone()
					diags.WantError("Invalid number", test.argument+" must be a whole number", "No call was made")
				default:
					says := []string{test.argument, "No call was made"}
					if test.title != conflict {
						says = append(says, "EMBED_"+strings.ToUpper(test.argument))
					}
					diags.WantError(test.title, says...)
				}
			}
			arguments := p.Arguments()
			if test.argument == "api_key_file" {
				delete(arguments, "api_key")
			}
			if test.configured != nil {
				check("configuration", p.Configure(With(arguments, Object{test.argument: test.configured})))
			}
			if test.environment != "" {
				t.Setenv("EMBED_"+strings.ToUpper(test.argument), test.environment)
				delete(arguments, test.argument)
				check("environment", p.Configure(arguments))
			}
			p.WantCalls("")
		})
	}
	all := bare(t).Configure(Object{"request_timeout": "x", "retry_wait_min": "x", "headers": Object{"Host": "x"}})
	if len(all.List) != 5 {
		t.Errorf("want errors for base_url, api_key and three more arguments at once, got:\n%s", all)
	}
}

// A refresh keeps the state, and a plan succeeds. Every operation that needs a call returns an error that explains why
// it cannot make one.
func TestUnknownProviderArgumentsMakeNoCall(t *testing.T) {
	says := func(what string) []string {
		return []string{what, "provider block", "only known after apply", "No call was made", "-target"}
	}
	known := start(t, emulator.Options{})
	state := known.Created(Acme())
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		second(p.Create(Acme("user_group_id", "new"))).WantError(notConfigured, says("Creating a user group")...)
	}
	p := known.AnotherProcess(Object{"headers": Object{"X-Tenant": Unknown}})
	p.WantSame(p.Refreshed(state), state)
	p.WantSettled(state, Acme())
	for _, config := range []Object{Acme("name", "New"), NextQuarter()} {
		after, diags := p.Update(state, config)
		diags.WantError(notConfigured, says("Updating a user group")...)
		p.WantSame(after, state)
	}
	p.Updated(state, Acme("deletion_protection", true))
	second(p.Destroy(state)).WantError(notConfigured, says("Deleting a user group")...)
	second(p.Importing("acme", nil)).WantError(notConfigured, says("Importing a user group")...)
	second(p.DataSource(ByID("acme"))).WantError(notConfigured, says("Looking up a user group")...)
	second(userGroups(p, "acme")).WantError(notConfigured, says("Looking up user groups")...)
	second(p.Open(ByID("acme"))).WantError(notConfigured, says("Reading a user group token")...)
	second(p.Invoke(ByID("acme"))).WantError(notConfigured, says("Rotating a user group token")...)
	second(p.List(0, false, "acme")).WantError(notConfigured, says("Listing user groups")...)
	p.WantCalls("")
}

// TestUnknownProviderArgumentsMakeNoCall is about engines that do not allow deferral.
func TestUnknownProviderArgumentDefersIfTheEngineAllowsIt(t *testing.T) {
	known := start(t, emulator.Options{})
	state := known.Created(Acme("deletion_protection", true))
	config := Acme("user_group_id", "new")
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		p.WalkDeferring().WantNone()
		p.PlanToo(p.Nothing(), config).Diags.WantNone()
		p.WantDeferred("with an unknown "+argument.Name, 1)
	}
	known.WalkDeferring().WantNone()
	known.PlanToo(known.Nothing(), config).Diags.WantNone()
	known.WantDeferred("with known arguments", 0)

	p := known.AnotherProcess(Object{"api_key": Unknown})
	p.WalkDeferring().WantNone()
	p.WantSame(p.Refreshed(state), state)
	p.WantDeferred("a refresh", 1)
	second(p.Importing("acme", nil)).WantNone()
	p.WantDeferred("an import", 1)
	second(p.DataSource(ByID("acme"))).WantNone()
	second(userGroups(p, "acme")).WantNone()
	p.WantDeferred("two data sources", 2)
	second(p.Open(ByID("acme"))).WantNone()
	p.WantDeferred("an ephemeral resource", 1)
	second(p.Invoke(ByID("acme"))).WantNone()
	p.WantDeferred("an action", 1)
	// Plans are complete, and refuse what they refuse otherwise.
	plan := p.Plan(p.Nothing(), config)
	plan.Diags.WantNone()
	p.WantDeferred("a plan", 1)
	for _, name := range []string{"id", "token", "token_fingerprint", "team_id"} {
		if plan.Get(name) != Unknown {
			t.Errorf("%s is planned as %v, want unknown", name, plan.Get(name))
		}
	}
	p.Plan(state, nil).Diags.WantErrorAt("deletion_protection", isProtected)
	p.WantCalls("")
}
