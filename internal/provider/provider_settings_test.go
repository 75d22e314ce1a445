package provider

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

type object = protocoltest.Object

func providerSchema(t *testing.T) schema.Schema {
	t.Helper()
	var resp provider.SchemaResponse
	New("test")().Schema(t.Context(), provider.SchemaRequest{}, &resp)
	return resp.Schema
}

// readSettings returns the settings that Configure would read from the configuration, for those that a test cannot
// observe otherwise.
func readSettings(t *testing.T, config object) (settings, diag.Diagnostics) {
	t.Helper()
	arguments := providerSchema(t)
	var model providerModel
	raw := protocoltest.Value(arguments.Type().TerraformType(t.Context()), config)
	diags := tfsdk.Config{Schema: arguments, Raw: raw}.Get(t.Context(), &model)
	if diags.HasError() {
		t.Fatalf("the configuration cannot be read: %v", diags)
	}
	read := model.settings(&diags)
	return read, diags
}

// TestProviderSettingsSources checks where the value of each argument comes from. An argument in the configuration
// hides its environment variable, even if the argument is empty. A file also hides the variable with the text, and a
// text the variable with the file.
func TestProviderSettingsSources(t *testing.T) {
	keyFile := protocoltest.File(t, "key", "\n  key-of-file \n")
	otherKeyFile := protocoltest.File(t, "other", "key-of-other-file")
	address := func(s settings) any { return s.client.BaseURL.String() }
	key := func(s settings) any { return s.client.APIKey.Reveal() }
	httpOnly := object{"base_url": "http://service.example"}
	type headers = map[string]api.Secret
	one, two := api.NewSecret("a"), api.NewSecret("b")
	tests := map[string]struct {
		shown             func(settings) any
		also              object // other arguments that the argument needs
		byDefault         any    // nil if omitting the argument is an error
		configured        any
		configuredBecomes any
		environment       string
		environmentGives  any
	}{
		"base_url": {
			address, nil, nil, "https://one.example/v1//", "https://one.example/v1",
			"https://two.example", "https://two.example",
		},
		"api_key":      {key, nil, nil, "\tkey \n", "key", "  of-environment\n", "of-environment"},
		"api_key_file": {key, object{"api_key": nil}, nil, keyFile, "key-of-file", otherKeyFile, "key-of-other-file"},
		"allow_http":   {address, httpOnly, nil, true, "http://service.example", "1", "http://service.example"},
		"request_timeout": {
			func(s settings) any { return s.client.RequestTimeout.String() }, nil, "30s", "45s", "45s", "2m", "2m0s",
		},
		"max_retries": {func(s settings) any { return s.client.MaxRetries }, nil, 4, 0, 0, "100", 100},
		"retry_wait_min": {
			func(s settings) any { return s.client.RetryWaitMin.String() }, nil, "1s", "10ms", "10ms", "50s", "50s",
		},
		"retry_wait_max": {
			func(s settings) any { return s.client.RetryWaitMax.String() }, nil, "30s", "1m", "1m0s", "90s", "1m30s",
		},
		"requests_per_second": {func(s settings) any { return s.client.RequestsPerSecond }, nil, 0.0, 0.01, 0.01, "2.5", 2.5},
		"headers": {
			func(s settings) any { return s.client.Headers }, nil,
			headers{},
			object{"x-tenant": "a"},
			headers{"X-Tenant": one},
			`{"x-tenant":"b","X-Empty":""}`,
			headers{"X-Tenant": two, "X-Empty": api.NewSecret("")},
		},
		"user_agent_suffix": {func(s settings) any { return s.userAgentSuffix }, nil, "", " ci/1 ", "ci/1", "sh/2", "sh/2"},
		"environment": {
			func(s settings) any { return s.environment }, nil, "", "Testing", "Testing", "Customer", "Customer",
		},
		"max_deletions": {
			func(s settings) any { return s.maxDeletions }, nil, (*int)(nil), 0, new(0), "1000000", new(1_000_000),
		},
	}
	empty := object{
		"base_url": "", "api_key": "", "allow_http": false, "headers": object{}, "user_agent_suffix": "", "environment": "",
	}
	// TestProviderConnection and TestCertificatesAreUsed cover the arguments listed here.
	covered := append(slices.Collect(maps.Keys(tests)), "ca_cert_file", "ca_cert_pem", "client_cert_file",
		"client_cert_pem", "client_key_file", "client_key_pem", "proxy_url", "tls_server_name")
	for name := range providerSchema(t).Attributes {
		if !slices.Contains(covered, name) {
			t.Errorf("%s is not tested", name)
		}
	}
	for argument, test := range tests {
		t.Run(argument, func(t *testing.T) {
			want := func(source string, config object, value any) {
				t.Helper()
				required := object{"base_url": "https://service.example", "api_key": "k"}
				all := protocoltest.With(required, config, test.also)
				if argument == "api_key" || argument == "base_url" {
					all[argument] = config[argument]
				}
				read, diags := readSettings(t, all)
				switch {
				case value == nil && (len(diags) != 1 || !diags.HasError()):
					t.Errorf("%s: want one error, got %v", source, diags)
				case value != nil && len(diags) > 0:
					t.Errorf("%s: %v", source, diags)
				case value != nil && !reflect.DeepEqual(test.shown(read), value):
					t.Errorf("%s: %v, want %v", source, test.shown(read), value)
				}
			}
			want("default", object{}, test.byDefault)
			want("configuration", object{argument: test.configured}, test.configuredBecomes)
			t.Setenv("EMBED_"+strings.ToUpper(argument), test.environment)
			want("environment", object{}, test.environmentGives)
			if value, is := empty[argument]; is {
				want("empty configuration over environment", object{argument: value}, test.byDefault)
			}
			if strings.HasPrefix(argument, "api_key") {
				t.Setenv("EMBED_API_KEY", "other")
				t.Setenv("EMBED_API_KEY_FILE", "/no/such")
			}
			want("configuration over environment", object{argument: test.configured}, test.configuredBecomes)
		})
	}
}

func TestProviderSettingsReservedHeaders(t *testing.T) {
	t.Parallel()
	described := providerSchema(t).Attributes["headers"].GetMarkdownDescription()
	if len(reservedHeaders) != 14 {
		t.Errorf("%d headers are reserved, want 14", len(reservedHeaders))
	}
	for name := range reservedHeaders {
		_, diags := readSettings(t, object{
			"base_url": "https://service.example", "api_key": "k", "headers": object{strings.ToLower(name): "a"},
		})
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), "must not contain "+name) {
			t.Errorf("%s: %v", name, diags)
		}
		if !strings.Contains(described, "`"+name+"`") {
			t.Errorf("the description of headers does not mention %s", name)
		}
	}
}

func TestUserAgent(t *testing.T) {
	tests := map[string]struct{ engine, appended, suffix, want string }{
		"plain":             {"1.16.4", "", "", "terraform-provider-embed/1.2.3 (CLI 1.16.4)"},
		"no engine":         {"", "", "", "terraform-provider-embed/1.2.3"},
		"both":              {"1.16.4", " HCP/1 ", "ci/7", "terraform-provider-embed/1.2.3 (CLI 1.16.4) HCP/1 ci/7"},
		"control character": {"1.16.4", "HCP\r\nX: y", "ci/7", "terraform-provider-embed/1.2.3 (CLI 1.16.4) ci/7"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TF_APPEND_USER_AGENT", test.appended)
			if got := userAgent("1.2.3", test.engine, test.suffix); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestProviderConnection changes arguments and variables of a provider that has a client certificate.
func TestProviderConnection(t *testing.T) {
	certificate, key := protocoltest.CertificatePair(t, time.Hour)
	expired, expiredKey := protocoltest.CertificatePair(t, -time.Hour)
	_, otherKey := protocoltest.CertificatePair(t, time.Hour)
	certificateFile, keyFile := protocoltest.File(t, "cert.pem", certificate), protocoltest.File(t, "key.pem", key)
	both := protocoltest.File(t, "both.pem", key+certificate)
	const badProxy = "http://user:hun/ter2@proxy:1"
	const one, two, three = "http://one:3128", "http://two:3128", "http://three:3128"
	type o = object
	none := o{"client_cert_pem": nil, "client_key_pem": nil}
	for name, test := range map[string]struct {
		arguments, variables o
		fails                string // with one error that contains it; empty for no error
		proxy                string
	}{
		"file and text": {arguments: o{"client_cert_pem": nil, "client_cert_file": certificateFile}},
		"one file":      {arguments: protocoltest.With(none, "client_cert_file", both, "client_key_file", both)},
		"environment": {
			arguments: none, variables: o{"EMBED_CLIENT_CERT_FILE": certificateFile, "EMBED_CLIENT_KEY_PEM": key},
		},
		"configuration wins": {variables: o{"EMBED_CLIENT_CERT_FILE": "/no/such"}},
		"no key":             {arguments: o{"client_key_pem": nil}, fails: "Only client_cert_pem is set."},
		"no certificate": {
			arguments: protocoltest.With(none, "client_key_file", keyFile), fails: "Only client_key_file is set.",
		},
		"both forms": {
			arguments: o{"client_cert_file": certificateFile}, fails: "Set only one of client_cert_pem and client_cert_file",
		},
		"both forms in the environment": {
			arguments: none,
			variables: o{"EMBED_CLIENT_CERT_PEM": certificate, "EMBED_CLIENT_CERT_FILE": certificateFile},
			fails:     "or only one of EMBED_CLIENT_CERT_PEM and EMBED_CLIENT_CERT_FILE",
		},
		"another key": {arguments: o{"client_key_pem": otherKey}, fails: "(tls: private key does not match public key)"},
		"expired":     {arguments: o{"client_cert_pem": expired, "client_key_pem": expiredKey}, fails: "expired on 20"},
		"no PEM":      {arguments: o{"client_cert_pem": "hunter2"}, fails: "must contain a certificate and its private key"},
		"no PEM key":  {arguments: o{"client_key_pem": "hunter2"}, fails: "must contain a certificate and its private key"},
		"no such file": {
			arguments: o{"client_cert_pem": nil, "client_cert_file": "/no/such"}, fails: "must name a readable file",
		},
		"authority expired":              {arguments: o{"ca_cert_pem": expired}, fails: "expired on 20"},
		"one authority of two expired":   {arguments: o{"ca_cert_pem": certificate + expired}},
		"authority no PEM":               {arguments: o{"ca_cert_pem": "hunter2"}, fails: "must contain at least one cert"},
		"server name is an address":      {arguments: o{"tls_server_name": "https://hunter2"}, fails: "must be a host name"},
		"server name is an IPv6 address": {arguments: o{"tls_server_name": "::1"}},
		"service without TLS": {
			arguments: o{"base_url": "http://service.example"},
			fails:     "for loopback addresses, and elsewhere with allow_http = true. No call",
		},
		"service with a user name": {
			arguments: o{"base_url": "https://user@service.example"},
			fails:     "a user name or password; the key goes into api_key. No call",
		},
		"proxy": {
			arguments: o{"proxy_url": one}, variables: o{"HTTPS_PROXY": two, "NO_PROXY": "*"}, proxy: one,
		},
		"proxy of another kind":        {arguments: o{"proxy_url": "ftp://hunter2:1"}, fails: "must start with http://"},
		"empty proxy is unset":         {arguments: o{"proxy_url": ""}, variables: o{"HTTPS_PROXY": two}, proxy: two},
		"proxy of the shell":           {variables: o{"HTTPS_PROXY": two, "HTTP_PROXY": three}, proxy: two},
		"proxy of the shell is bad":    {variables: o{"HTTPS_PROXY": badProxy}, fails: "HTTPS_PROXY"},
		"bad, but NO_PROXY exempts it": {variables: o{"HTTPS_PROXY": badProxy, "NO_PROXY": "service.example"}},
		"NO_PROXY exempts the service": {variables: o{"HTTPS_PROXY": two, "NO_PROXY": "service.example"}},
		"proxy of the shell for http": {
			arguments: o{"base_url": "http://service.example", "allow_http": true},
			variables: o{"HTTPS_PROXY": two, "HTTP_PROXY": "three:3128"}, proxy: three,
		},
		"loopback has no proxy": {arguments: o{"base_url": "http://127.0.0.1:8642"}, variables: o{"HTTP_PROXY": three}},
	} {
		t.Run(name, func(t *testing.T) {
			silent := o{"HTTPS_PROXY": "", "HTTP_PROXY": "", "NO_PROXY": ""}
			for variable, value := range protocoltest.With(silent, test.variables) {
				t.Setenv(variable, value.(string))
			}
			read, diags := readSettings(t, protocoltest.With(o{
				"base_url": "https://service.example", "api_key": "k", "client_cert_pem": certificate, "client_key_pem": key,
			}, test.arguments))
			switch {
			case test.fails == "":
				proxy := read.client.ProxyURL.Reveal()
				if len(diags) > 0 || read.client.ClientCertificate == nil || proxy != test.proxy {
					t.Errorf("want a client certificate and the proxy %q, got %v and %q: %v",
						test.proxy, read.client.ClientCertificate, proxy, diags)
				}
			case len(diags) != 1, !strings.Contains(diags[0].Detail(), test.fails),
				strings.Contains(diags[0].Detail(), "hunter2"):
				t.Errorf("want one error with %q, got %v", test.fails, diags)
			}
		})
	}
}
