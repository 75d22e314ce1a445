package provider

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) { os.Exit(protocoltest.Run(m)) }

type object = protocoltest.Object

func providerSchema(t *testing.T) schema.Schema {
	t.Helper()
	var resp provider.SchemaResponse
	New("test")().Schema(t.Context(), provider.SchemaRequest{}, &resp)
	return resp.Schema
}

// readSettings returns the settings that Configure reads from the configuration.
func readSettings(t *testing.T, config object) (settings, []fault) {
	t.Helper()
	arguments := providerSchema(t)
	var model providerModel
	raw := protocoltest.Value(arguments.Type().TerraformType(t.Context()), config)
	if diags := (tfsdk.Config{Schema: arguments, Raw: raw}).Get(t.Context(), &model); diags.HasError() {
		t.Fatalf("the configuration cannot be read: %v", diags)
	}
	return model.settings("test", "")
}

// printed returns the settings, each after the argument that it comes from.
func printed(s settings) string {
	address, certificate := "", ""
	if s.client.URL != nil {
		address = s.client.URL.String()
	}
	if s.client.ClientCertificate != nil && s.client.ClientCertificate.Leaf != nil {
		certificate = "mine"
	}
	limit := int64(-1)
	if s.maxDeletions != nil {
		limit = *s.maxDeletions
	}
	return fmt.Sprintf(`base_url=%s;allow_http=%s;api_key=%s;request_timeout=%v;max_retries=%d;retry_wait_max=%v;`+
		`requests_per_second=%v;headers=%v%s;environment=%s;data_source_provided_id=%s;max_deletions=%d;ca_cert_pem=%t;`+
		`client_cert_pem=%s;client_key_pem=%s;`,
		address, address, s.client.APIKey.Reveal(), s.client.RequestTimeout, s.client.MaxRetries, s.client.RetryWaitMax,
		s.client.RequestsPerSecond, len(s.client.Headers), s.client.Headers["X-Tenant"].Reveal(), s.groups.Environment,
		s.groups.DataSourceProvidedID, limit, s.client.RootCAs != nil, certificate, certificate)
}

// TestSettingsSources checks where the value of each argument comes from. An argument in the configuration hides its
// environment variable, even if it is empty. TestBadProviderArgumentIsOneErrorWithoutACall in internal/protocoltest has
// the values that are refused.
func TestSettingsSources(t *testing.T) {
	mine, key := protocoltest.CertificatePair(t, time.Hour)
	const plain, operation = "http://service.example", "https://two.example/v1/api/user/"
	required := object{
		"base_url": plain, "allow_http": true, "api_key": "k", "client_cert_pem": mine, "client_key_pem": key,
	}
	tests := map[string]struct {
		byDefault  string // also if the argument is empty in the configuration
		configured any
		becomes    string
		variable   string
		gives      string
	}{
		"base_url":                {"", "https://one.example/v1//", "https://one.example/v1/api/user", operation, operation},
		"allow_http":              {"", true, plain + "/api/user", "1", plain + "/api/user"},
		"api_key":                 {"", "\tkey \n", "key", "  other\n", "other"},
		"request_timeout":         {"30s", "45s", "45s", "2m", "2m0s"},
		"max_retries":             {"4", 0, "0", "100", "100"},
		"retry_wait_max":          {"30s", "1m", "1m0s", "90s", "1m30s"},
		"requests_per_second":     {"0", 0.01, "0.01", "2.5", "2.5"},
		"headers":                 {"0", object{"x-tenant": "a"}, "1a", `{"x-tenant":"b"}`, "1b"},
		"environment":             {"", "Testing", "Testing", "Customer", "Customer"},
		"data_source_provided_id": {"", "db-1", "db-1", "db-2", "db-2"},
		"max_deletions":           {"-1", 0, "0", "1000000", "1000000"},
		"ca_cert_pem":             {"false", mine, "true", mine, "true"},
		"client_cert_pem":         {"", mine, "mine", mine, "mine"},
		"client_key_pem":          {"", key, "mine", key, "mine"},
	}
	if attributes := providerSchema(t).Attributes; len(attributes) != len(tests) {
		t.Errorf("the provider has the arguments %v", slices.Collect(maps.Keys(attributes)))
	}
	for argument, test := range tests {
		t.Run(argument, func(t *testing.T) {
			faulty := 0
			if required[argument] != nil {
				faulty = 1
			}
			want := func(source string, value any, shown string, faulty int) {
				t.Helper()
				read, faults := readSettings(t, protocoltest.With(required, argument, value))
				if !strings.Contains(printed(read), argument+"="+shown+";") || len(faults) != faulty {
					t.Errorf("%s: want %q, got %s and the faults %v", source, shown, printed(read), faults)
				}
			}
			want("default", nil, test.byDefault, faulty)
			want("configuration", test.configured, test.becomes, 0)
			t.Setenv(variable(argument), test.variable)
			want("environment", nil, test.gives, 0)
			if _, isText := test.configured.(string); isText {
				want("empty configuration over environment", "", test.byDefault, faulty)
			}
			t.Setenv(variable(argument), "hunter2")
			want("configuration over environment", test.configured, test.becomes, 0)
		})
	}
}

func TestUserAgent(t *testing.T) {
	const agent = "terraform-provider-embed/1.2.3"
	for appended, want := range map[string]string{"": agent, " HCP/1 ": agent + " HCP/1", "HCP\r\nX: y": agent} {
		t.Setenv("TF_APPEND_USER_AGENT", appended)
		if got := userAgent("1.2.3", ""); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The commands beside the provider read the same variables, and name all that are missing or invalid.
func TestClientFromEnvironment(t *testing.T) {
	t.Setenv("EMBED_MAX_RETRIES", "hunter2")
	const want = "EMBED_BASE_URL is required\nEMBED_API_KEY is required\n" +
		"EMBED_MAX_RETRIES must be a whole number between 0 and 100"
	if _, _, err := ClientFromEnvironment("probe"); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	for name, value := range map[string]string{"MAX_RETRIES": "1", "BASE_URL": "https://a", "API_KEY": "k"} {
		t.Setenv("EMBED_"+name, value)
	}
	t.Setenv("EMBED_DATA_SOURCE_PROVIDED_ID", "db")
	if config, source, err := ClientFromEnvironment("probe"); err != nil || config.MaxRetries != 1 || source != "db" {
		t.Errorf("got %v, %q, %v", config, source, err)
	}
}
