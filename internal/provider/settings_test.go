package provider_test

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"reflect"
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
	p.Use(StartService(t, emulator.Options{}), emulator.Options{})
	arguments := With(p.Arguments(), "headers", Object{"x-tenant": tenant})
	p.Configure(arguments).WantNone()
	state := p.Updated(p.Created(Acme()), NextQuarter("name", "New"))
	p.WantDestroyed(p.Refreshed(state))
	for _, call := range p.Service.Calls() {
		for name, want := range map[string]string{
			"Authorization": "Token " + emulator.DefaultKey, "X-Tenant": tenant,
			"User-Agent": "terraform-provider-embed/test (CLI 1.99.0) hcp/3",
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

// A gateway has a private certificate authority, and requires a client certificate.
func TestCertificatesAreUsed(t *testing.T) { //nolint:paralleltest // it sets the environment
	p := bare(t)
	p.Use(StartService(t, emulator.Options{}), emulator.Options{})
	target, err := url.Parse(p.Service.URL())
	p.Must(err)
	certificate, key := CertificatePair(t, time.Hour)
	gateway := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(target))
	gateway.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	gateway.StartTLS()
	t.Cleanup(gateway.Close)
	authority := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: gateway.Certificate().Raw}))

	ours := Object{"client_cert_pem": certificate, "client_key_pem": key}
	for name, test := range map[string]struct {
		configured Object
		variable   string // EMBED_CA_CERT_PEM
		says       string // in the error; empty for no error
	}{
		"nobody listens":               {configured: With(ours, "base_url", "https://127.0.0.1:1"), says: "base_url"},
		"unknown authority":            {configured: ours, says: "ca_cert_pem"},
		"no client certificate":        {variable: authority, says: "client_cert_pem"},
		"authority in the environment": {configured: ours, variable: authority},
		"authority in the configuration": {
			configured: With(ours, "ca_cert_pem", authority), variable: "no certificate",
		},
	} {
		t.Setenv("EMBED_CA_CERT_PEM", test.variable)
		p.Configure(With(p.Arguments(), "base_url", gateway.URL, "max_retries", 0, test.configured)).WantNone()
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
// The error names the argument and its environment variable. It does not show the value, and does not point to it:
// Terraform prints the line that an error points to. TestArguments in internal/settings has all values.
func TestBadProviderArgumentIsOneErrorWithoutACall(t *testing.T) {
	type inEnvironment string
	const marker, noText = "marker-4711", inEnvironment("marker-4711")
	const missing, invalid = "A provider argument is missing", "A provider argument is invalid"
	certificate, key := CertificatePair(t, time.Hour)
	_, another := CertificatePair(t, time.Hour)
	for argument, values := range map[string][]any{
		"base_url": {
			"", marker + ".example", "https://user:" + marker + "@service.example", "http://" + marker + ".example",
			"https://a/?" + marker, inEnvironment("https://a b/" + marker),
		},
		"api_key": {
			"", "  ", marker + "\n" + marker, marker + "\x00", marker + "\u200b", marker + "\u00ad" + marker,
			marker + "\u2060" + marker, "\ufeff" + marker, inEnvironment("  "), inEnvironment("a\n" + marker),
		},
		"allow_http":      {noText},
		"request_timeout": {marker, "30", "0s", "-1s", noText},
		"max_retries": {
			-1, 101, 91.25, 1e300, noText, inEnvironment("-1"), inEnvironment("101"), inEnvironment("1.5"),
		},
		"retry_wait_max":      {marker, noText},
		"requests_per_second": {0.0, noText, inEnvironment("0"), inEnvironment("NaN")},
		"headers": {
			Object{"CONTENT-TYPE": marker},
			Object{"authorization": marker},
			Object{"Host": marker},
			Object{"a b": marker},
			Object{"X-Tenant: " + marker: ""},
			Object{"X-Tenant": marker + "\r\nX: y"},
			Object{"X-Tenant": nil},
			Object{"X-Tenant": "a", "x-tenant": "b"},
			noText,
			inEnvironment(`{"X-Tenant":1}`), inEnvironment(`["` + marker + `"]`),
			inEnvironment(`{"X-Tenant":"a","x-tenant":"b"}`),
		},
		"ca_cert_pem":             {marker, noText},
		"client_cert_pem":         {marker, certificate, key, noText}, // with nothing, or something wrong, as the key
		"environment":             {marker, "customer", noText},
		"lookup_fields":           {[]string{marker}, []string{"name", ""}, []any{"name", nil}, noText},
		"max_deletions":           {-1, 1_000_001, 91.25, inEnvironment("-1"), inEnvironment("1000001")},
		"data_source_provided_id": nil,
	} {
		for i, value := range values {
			t.Run(fmt.Sprint(argument, " ", i), func(t *testing.T) {
				p := bare(t)
				p.Use(StartService(t, emulator.Options{}), emulator.Options{})
				arguments, variable := p.Arguments(), "EMBED_"+strings.ToUpper(argument)
				title, says := invalid, []string{argument, variable, "No call was made"}
				switch typed := value.(type) {
				case inEnvironment:
					t.Setenv(variable, string(typed))
					arguments[argument] = nil
				default:
					arguments[argument] = value
				}
				if value == "" || value == "  " || value == inEnvironment("  ") {
					title = missing
				}
				diags := p.Configure(arguments)
				diags.WantError(title, says...)
				second(p.Open(ByID("acme"))).WantError(notConfigured)
				at := diags.List[0].Attribute
				// Terraform prints the line of the configuration that an error points to.
				if strings.Contains(diags.String(), marker) || at != nil {
					t.Errorf("the error is at %v:\n%s", at, diags)
				}
				p.WantCalls("")
			})
		}
	}
	pair := bare(t).Configure(Object{
		"base_url": "https://a", "api_key": "k", "client_cert_pem": certificate, "client_key_pem": another,
	})
	pair.WantError(invalid, "client_key_pem", "private key does not match public key")
	// One run shows all arguments that are wrong, and the next one all that are missing.
	for want, config := range map[string]Object{
		"ca_cert_pem headers": {"requests_per_second": 1, "ca_cert_pem": "x", "headers": Object{"Host": "x"}},
		"api_key base_url":    {"requests_per_second": 1},
	} {
		var got []string
		for _, each := range bare(t).Configure(config).List {
			argument, _, _ := strings.Cut(each.Detail, " ")
			got = append(got, argument)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("the errors are about %q, want %q", got, want)
		}
	}
}

// TestLookupFieldsAreSent checks that a lookup sends what lookup_fields names, and otherwise only the ID.
func TestLookupFieldsAreSent(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	for text, fields := range map[string][]string{
		`{"user_group_id":"acme"}`:                               {},
		`{"user_group_id":"acme","name":"Acme","properties":{}}`: {"properties", "name"},
		`{"user_group_id":"acme","mapping":{}}`:                  {"mapping"},
	} {
		p := p.AnotherProcess(Object{"lookup_fields": fields})
		p.WantSame(p.Refreshed(state), state)
		if got := lastBody(p); !reflect.DeepEqual(exact(p, got), exact(p, text)) {
			t.Errorf("%v: the lookup sent %s, want %s", fields, got, text)
		}
	}
}

// TestDemandedFieldsAreAdvised refreshes where lookups demand a name: after a creation, and as the first call of a run,
// when nothing shows yet whether bodies are dropped on the way. It also deletes where a deletion demands a data source.
// Some services break down for want of a field.
func TestDemandedFieldsAreAdvised(t *testing.T) {
	t.Parallel()
	for status, says := range map[int]string{
		http.StatusBadRequest: "is missing", http.StatusUnprocessableEntity: "is missing", http.StatusInternalServerError: "",
	} {
		p := start(t, emulator.Options{Required: []string{"name"}, MissingStatus: status})
		state := Silent(p.Apply(p.Plan(p.Nothing(), Acme())))
		second(p.ReadToo(state)).WantError(cannotLookUp, says, "add the field to lookup_fields")
		p.Walk().WantNone()
		bodies := map[bool]string{true: "drops the body"}[status < http.StatusInternalServerError]
		second(p.Read(state)).WantError(cannotLookUp, says, bodies, "add the field to lookup_fields")

		p = start(t, emulator.Options{DataSourceRequired: true, MissingStatus: status})
		second(p.Destroy(p.Created(Acme()))).WantError(cannotDelete, says, "check data_source_provided_id")
	}
}

// wantDeferred checks how many operations were deferred since the last time.
func wantDeferred(p *Provider, what string, want int) {
	p.T.Helper()
	if p.Deferrals != want {
		p.T.Errorf("%s: %d deferrals, want %d", what, p.Deferrals, want)
	}
	p.Deferrals = 0
}

// TestUnknownProviderArgumentsMakeNoCall checks that a refresh keeps the state, that plans are complete, and that every
// operation that needs a call explains why it cannot make one. Engines that allow deferral defer these operations, and
// repeat the plan in a later run.
func TestUnknownProviderArgumentsMakeNoCall(t *testing.T) {
	t.Parallel()
	says := func(what string) []string {
		return []string{what, "provider block", "only known after apply", "No call was made", "-target"}
	}
	known := start(t, emulator.Options{})
	state, new := known.Created(Acme()), Acme("user_group_id", "new")
	known.WalkDeferring().WantNone()
	known.PlanToo(known.Nothing(), new).Diags.WantNone()
	wantDeferred(known, "a plan with known arguments", 0)
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		second(p.Create(new)).WantError(notConfigured, says("Creating a user group")...)
		p.WalkDeferring().WantNone()
		p.PlanToo(p.Nothing(), new).Diags.WantNone()
		wantDeferred(p, "with an unknown "+argument.Name, 1)
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
		wantDeferred(p, "a refresh", deferrals)
		for what, operate := range map[string]func() Diags{
			"Importing a user group":      func() Diags { return second(p.Importing("acme", nil)) },
			"Looking up a user group":     func() Diags { return second(p.Data(ResourceType, ByID("acme"))) },
			"Looking up user groups":      func() Diags { return second(userGroups(p, "acme")) },
			"Reading a user group token":  func() Diags { return second(p.Open(ByID("acme"))) },
			"Rotating a user group token": func() Diags { return second(p.Invoke(ByID("acme"))) },
		} {
			if diags := operate(); deferrals > 0 {
				diags.WantNone()
			} else {
				diags.WantError(notConfigured, says(what)...)
			}
			wantDeferred(p, what, deferrals)
		}
	}
	// Plans refuse what they refuse otherwise.
	p.PlanToo(p.Edited(state, "deletion_protection", true), nil).Diags.WantErrorAt("deletion_protection", isProtected)
	p.WantSettled(state, Acme())
	p.WantCalls("")
}
