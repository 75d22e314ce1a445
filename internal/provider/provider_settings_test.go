package provider

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// readSettings returns the settings that Configure would read from the configuration, for those that a test cannot
// observe otherwise.
func readSettings(t *testing.T, config protocolObject) (settings, diag.Diagnostics) {
	t.Helper()
	var schema provider.SchemaResponse
	New("test")().Schema(t.Context(), provider.SchemaRequest{}, &schema)
	var model providerModel
	raw := protocolValue(protocolSchema().Provider.ValueType(), config)
	diags := tfsdk.Config{Schema: schema.Schema, Raw: raw}.Get(t.Context(), &model)
	if diags.HasError() || model.anyUnknown() {
		t.Fatalf("the configuration cannot be read: %v", diags)
	}
	read := model.settings(&diags)
	return read, diags
}

func settingsFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProviderSettingsSources(t *testing.T) {
	keyFile := settingsFile(t, "key", "\n  key-of-file \n")
	otherKeyFile := settingsFile(t, "other", "key-of-other-file")
	show := map[string]func(settings) any{
		"base_url":       func(s settings) any { return s.client.BaseURL.String() },
		"api_key":        func(s settings) any { return s.client.APIKey.Reveal() },
		"api_key_file":   func(s settings) any { return s.client.APIKey.Reveal() },
		"allow_http":     func(s settings) any { return s.client.BaseURL.String() },
		"max_retries":    func(s settings) any { return s.client.MaxRetries },
		"retry_wait_min": func(s settings) any { return s.client.RetryWaitMin },
		"retry_wait_max": func(s settings) any { return s.client.RetryWaitMax },
		"headers": func(s settings) any {
			plain := map[string]string{}
			for name, value := range s.client.Headers {
				plain[name] = value.Reveal()
			}
			return plain
		},
		"request_timeout":     func(s settings) any { return s.client.RequestTimeout },
		"requests_per_second": func(s settings) any { return s.client.RequestsPerSecond },
		"user_agent_suffix":   func(s settings) any { return s.userAgentSuffix },
		"environment":         func(s settings) any { return s.environment },
	}
	tests := map[string]struct {
		also              protocolObject // other arguments that the argument needs
		byDefault         any            // nil if omitting the argument is an error
		configured        any
		configuredBecomes any
		environment       string
		environmentGives  any
	}{
		"base_url": {
			protocolObject{"api_key": "k"},
			nil, "https://one.example/v1//", "https://one.example/v1",
			"https://two.example", "https://two.example",
		},
		"api_key":      {nil, nil, "\tkey \n", "key", "  of-environment\n", "of-environment"},
		"api_key_file": {protocolObject{"api_key": nil}, nil, keyFile, "key-of-file", otherKeyFile, "key-of-other-file"},
		"allow_http": {
			protocolObject{"base_url": "http://service.example"},
			nil, true, "http://service.example",
			"1", "http://service.example",
		},
		"request_timeout":     {nil, 30 * time.Second, "45s", 45 * time.Second, "2m", 2 * time.Minute},
		"max_retries":         {nil, 4, 0, 0, "100", 100},
		"retry_wait_min":      {nil, time.Second, "10ms", 10 * time.Millisecond, "50s", 50 * time.Second},
		"retry_wait_max":      {nil, 30 * time.Second, "1m", time.Minute, "90s", 90 * time.Second},
		"requests_per_second": {nil, 0.0, 0.01, 0.01, "2.5", 2.5},
		"headers": {
			nil,
			map[string]string{},
			protocolObject{"x-tenant": "a"},
			map[string]string{"X-Tenant": "a"},
			`{"x-tenant":"b","X-Empty":""}`,
			map[string]string{"X-Tenant": "b", "X-Empty": ""},
		},
		"user_agent_suffix": {nil, "", " ci/1 ", "ci/1", "shell/2", "shell/2"},
		"environment":       {nil, "", "Testing", "Testing", "Customer", "Customer"},
	}
	// provider_connection_test.go and TestProtocolCertificates cover the arguments listed here.
	covered := append(slices.Collect(maps.Keys(tests)), "ca_cert_file", "ca_cert_pem", "client_cert_file",
		"client_cert_pem", "client_key_file", "client_key_pem", "proxy_url", "tls_server_name")
	for _, attribute := range protocolSchema().Provider.Block.Attributes {
		if !slices.Contains(covered, attribute.Name) {
			t.Errorf("%s is not tested", attribute.Name)
		}
	}
	for argument, test := range tests {
		t.Run(argument, func(t *testing.T) {
			want := func(source string, config protocolObject, value any) {
				t.Helper()
				required := protocolObject{"base_url": "https://service.example", "api_key": "k"}
				all := protocolWith(required, config, test.also)
				if argument == "api_key" || argument == "base_url" {
					all[argument] = config[argument]
				}
				read, diags := readSettings(t, all)
				switch {
				case value == nil && !diags.HasError():
					t.Errorf("%s: want an error, got none", source)
				case value != nil && len(diags) > 0:
					t.Errorf("%s: %v", source, diags)
				case value != nil && !reflect.DeepEqual(show[argument](read), value):
					t.Errorf("%s: %v, want %v", source, show[argument](read), value)
				}
			}
			want("default", protocolObject{}, test.byDefault)
			want("configuration", protocolObject{argument: test.configured}, test.configuredBecomes)
			t.Setenv("EMBED_"+strings.ToUpper(argument), test.environment)
			want("environment", protocolObject{}, test.environmentGives)
			want("configuration over environment", protocolObject{argument: test.configured}, test.configuredBecomes)
		})
	}
}

// TestProviderSettingsHideVariables checks that an argument in the configuration hides its environment variable, even
// if the argument is empty. A file also hides the variable with the text, and a text the variable with the file.
func TestProviderSettingsHideVariables(t *testing.T) {
	for variable, value := range map[string]string{
		"BASE_URL": "https://other.example", "API_KEY": "of-environment",
		"API_KEY_FILE": settingsFile(t, "key", "of-environment-file"), "ALLOW_HTTP": "true", "HEADERS": `{"X-Tenant":"a"}`,
		"USER_AGENT_SUFFIX": "shell/2", "ENVIRONMENT": "Testing",
	} {
		t.Setenv("EMBED_"+variable, value)
	}
	silent := protocolObject{"api_key": "k", "headers": protocolObject{}, "user_agent_suffix": "", "environment": ""}
	for name, test := range map[string]struct {
		changes protocolObject
		fails   bool
	}{
		"none":       {},
		"key file":   {changes: protocolObject{"api_key": nil, "api_key_file": settingsFile(t, "key", "key")}},
		"base_url":   {protocolObject{"base_url": ""}, true},
		"api_key":    {protocolObject{"api_key": ""}, true},
		"allow_http": {protocolObject{"base_url": "http://service.example", "allow_http": false}, true},
	} {
		read, diags := readSettings(t, protocolWith(silent, test.changes))
		if test.fails {
			if len(diags) != 1 || !diags.HasError() {
				t.Errorf("%s: want one error, got %v", name, diags)
			}
			continue
		}
		if len(diags) > 0 || len(read.client.Headers) > 0 || read.userAgentSuffix != "" || read.environment != "" ||
			!strings.HasPrefix(read.client.APIKey.Reveal(), "k") {
			t.Errorf("%s: %+v, key %q: %v", name, read, read.client.APIKey.Reveal(), diags)
		}
	}
}

func TestProviderSettingsReservedHeaders(t *testing.T) {
	t.Parallel()
	var described string
	for _, attribute := range protocolSchema().Provider.Block.Attributes {
		if attribute.Name == "headers" {
			described = attribute.Description
		}
	}
	if len(reservedHeaders) != 14 {
		t.Errorf("%d headers are reserved, want 14", len(reservedHeaders))
	}
	for name := range reservedHeaders {
		_, diags := readSettings(t, protocolObject{
			"base_url": "https://service.example", "api_key": "k", "headers": protocolObject{strings.ToLower(name): "a"},
		})
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), "must not contain "+name) {
			t.Errorf("%s: %v", name, diags)
		}
		if !strings.Contains(described, "`"+name+"`") {
			t.Errorf("the description of headers does not mention %s", name)
		}
	}
}

// TestProviderSettingsBaseURLAdvice checks that the error for an address names the argument that solves the problem.
func TestProviderSettingsBaseURLAdvice(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://service.example":        "for loopback addresses, and elsewhere with allow_http = true. No call",
		"https://user@service.example":  "a user name or password; the key goes into api_key. No call",
		"https://service.example?key=a": "must not contain a query (?) or a fragment (#). No call",
	} {
		_, diags := readSettings(t, protocolObject{"base_url": address, "api_key": "k"})
		if len(diags) != 1 || !strings.Contains(diags[0].Detail(), want) {
			t.Errorf("%s: %v, want %q", address, diags, want)
		}
	}
}

// TestProtocolBadProviderArguments checks that each bad value causes exactly one error, before any call. The error
// names the argument and, unless arguments conflict, its environment variable. It does not show the value.
func TestProtocolBadProviderArguments(t *testing.T) {
	const marker = "marker-4711"
	const invalid, missing = "A provider argument is invalid", "A provider argument is missing"
	const conflict = "Provider arguments conflict"
	empty := settingsFile(t, "empty", " \n")
	twoLines := settingsFile(t, "two", marker+"\n"+marker)
	noPEM := settingsFile(t, "pem", marker)
	tests := []struct {
		argument    string
		configured  any
		environment string // empty to test the configuration only
		title       string // of the error, empty for none
	}{
		{"base_url", "", "", missing},
		{"base_url", marker + ".example", marker + ".example", invalid},
		{"base_url", "http://" + marker + ".example", "http://" + marker + ".example", invalid},
		{"base_url", "https://user:" + marker + "@service.example", "https://user:" + marker + "@service.example", invalid},
		{"base_url", "https://service.example?key=" + marker, "https://service.example?key=" + marker, invalid},
		{"api_key", "", "", missing},
		{"api_key", "  ", "  ", missing},
		{"api_key", marker + "\n" + marker, marker + "\n" + marker, invalid},
		{"api_key", marker + "\x00", "", invalid},
		{"api_key", marker + "\t" + marker, "", invalid},
		{"api_key_file", "/no/such/" + marker, "/no/such/" + marker, invalid},
		{"api_key_file", filepath.Dir(empty), filepath.Dir(empty), invalid},
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
		{"retry_wait_min", "0", "0", invalid},
		{"retry_wait_max", marker, marker, invalid},
		{"retry_wait_max", "1us", "1us", conflict},
		{"requests_per_second", 0.0, "0", invalid},
		{"requests_per_second", -1.5, "-1.5", invalid},
		{"requests_per_second", nil, "NaN", invalid},
		{"requests_per_second", nil, marker, invalid},
		{"headers", protocolObject{"CONTENT-TYPE": marker}, `{"CONTENT-TYPE":"` + marker + `"}`, invalid},
		{"headers", protocolObject{"a b": marker}, `{"a b":"` + marker + `"}`, invalid},
		{"headers", protocolObject{"": marker}, `{"":"` + marker + `"}`, invalid},
		{"headers", protocolObject{"X-Tenant": marker + "\r\nX: y"}, `{"X-Tenant":"` + marker + `\r\nX: y"}`, invalid},
		{"headers", protocolObject{"X-Tenant": nil}, `{"X-Tenant":null}`, invalid},
		{"headers", protocolObject{"X-Tenant": "a", "x-tenant": "b"}, `{"X-Tenant":"a","x-tenant":"b"}`, invalid},
		{"headers", nil, `["` + marker + `"]`, invalid},
		{"headers", nil, `{"X-Tenant":1}`, invalid},
		{"headers", nil, `{"X-Tenant":"a","X-Tenant":"b"}`, invalid},
		{"headers", nil, marker, invalid},
		{"ca_cert_file", "/no/such/" + marker, "/no/such/" + marker, invalid},
		{"ca_cert_file", noPEM, noPEM, invalid},
		{"ca_cert_file", empty, empty, invalid},
		{"user_agent_suffix", marker + "\n", "", ""}, // surrounding white space is dropped
		{"user_agent_suffix", "a\n" + marker, "a\n" + marker, invalid},
		{"environment", marker, marker, invalid},
		{"environment", "customer", "customer", invalid},
	}
	for _, test := range tests {
		t.Run(test.argument+" "+strings.NewReplacer("/", "|", "\x00", "0").Replace(test.environment), func(t *testing.T) {
			p := protocolBare(t)
			p.serve(emulator.Options{})
			check := func(source string, diags protocolDiags) {
				t.Helper()
				if test.title == "" {
					diags.wantNone()
					return
				}
				if len(diags.list) != 1 || !diags.hasError() || strings.Contains(diags.String(), marker) {
					t.Fatalf("%s: want one error without the value, got:\n%s", source, diags)
				}
				one := diags.list[0]
				if one.Attribute == nil || !strings.Contains(one.Attribute.String(), `"`+test.argument+`"`) {
					t.Errorf("%s: the error is at %v", source, one.Attribute)
				}
				// The validator of the framework has another title for a configured requests_per_second.
				if source == "environment" || test.argument != "requests_per_second" {
					says := []string{test.argument, "No call was made"}
					if test.title != conflict {
						says = append(says, "EMBED_"+strings.ToUpper(test.argument))
					}
					diags.wantError(test.title, says...)
				}
			}
			arguments := p.arguments()
			if test.argument == "api_key_file" {
				delete(arguments, "api_key")
			}
			if test.configured != nil {
				check("configuration", p.configure(protocolWith(arguments, protocolObject{test.argument: test.configured})))
			}
			if test.environment != "" {
				t.Setenv("EMBED_"+strings.ToUpper(test.argument), test.environment)
				delete(arguments, test.argument)
				check("environment", p.configure(arguments))
			}
			p.wantCalls("")
		})
	}
}

// TestProtocolAllBadArgumentsAtOnce checks that one run reports all bad arguments.
func TestProtocolAllBadArgumentsAtOnce(t *testing.T) {
	p := protocolBare(t)
	diags := p.configure(protocolObject{
		"request_timeout": "x", "retry_wait_min": "x", "headers": protocolObject{"Host": "x"},
	})
	if len(diags.list) != 5 {
		t.Errorf("want errors for base_url, api_key and three more arguments, got:\n%s", diags)
	}
}

func TestUserAgent(t *testing.T) {
	tests := map[string]struct{ engine, appended, suffix, want string }{
		"plain":             {"1.16.4", "", "", "terraform-provider-embed/1.2.3 (Terraform 1.16.4)"},
		"no engine":         {"", "", "", "terraform-provider-embed/1.2.3"},
		"suffix":            {"1.16.4", "", "ci/7", "terraform-provider-embed/1.2.3 (Terraform 1.16.4) ci/7"},
		"appended":          {"1.16.4", " HCP/1 ", "", "terraform-provider-embed/1.2.3 (Terraform 1.16.4) HCP/1"},
		"both":              {"1.16.4", "HCP/1", "ci/7", "terraform-provider-embed/1.2.3 (Terraform 1.16.4) HCP/1 ci/7"},
		"control character": {"1.16.4", "HCP\r\nX: y", "ci/7", "terraform-provider-embed/1.2.3 (Terraform 1.16.4) ci/7"},
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
