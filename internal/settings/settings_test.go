package settings

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) { os.Exit(protocoltest.Run(m)) }

// printed returns the setting that comes from an argument, or an error text if nobody has said which one that is.
func printed(s Settings, argument string) string {
	address, certificate, limit := "", "", int64(-1)
	if s.Client.URL != nil {
		address = s.Client.URL.String()
	}
	if s.Client.ClientCertificate != nil && s.Client.ClientCertificate.Leaf != nil {
		certificate = "mine"
	}
	if s.MaxDeletions != nil {
		limit = *s.MaxDeletions
	}
	all := map[string]any{
		"base_url": address, "allow_http": address, "api_key": s.Client.APIKey.Reveal(),
		"request_timeout": s.Client.RequestTimeout, "max_retries": s.Client.MaxRetries,
		"retry_wait_max": s.Client.RetryWaitMax, "requests_per_second": s.Client.RequestsPerSecond,
		"headers":     fmt.Sprint(len(s.Client.Headers), s.Client.Headers["X-Tenant"].Reveal()),
		"environment": s.Groups.Environment, "data_source_provided_id": s.Groups.DataSourceProvidedID,
		"lookup_fields": s.Groups.LookupFields, "max_deletions": limit, "ca_cert_pem": s.Client.RootCAs != nil,
		"client_cert_pem": certificate, "client_key_pem": certificate,
	}
	value, there := all[argument]
	if !there {
		return "not printed"
	}
	return fmt.Sprint(value)
}

// sourced is an argument with two texts for it, what becomes of them, and texts that are refused.
type sourced struct {
	byDefault           string // also if the argument is empty in the configuration
	configured, gives   string
	variable, variable2 string // the text of the environment variable, and what it gives
	bad                 []string
}

// TestArguments checks, for each argument, where its value comes from, that it reaches the settings, and what is
// refused. An argument in the configuration hides its environment variable, even if it is empty. An argument that
// somebody has added without a row here is named.
func TestArguments(t *testing.T) {
	mine, key := protocoltest.CertificatePair(t, time.Hour)
	const plain, operation = "http://service.example", "https://two.example/v1/api/user/"
	required := map[string]string{
		"base_url": plain, "allow_http": "true", "api_key": "k", "client_cert_pem": mine, "client_key_pem": key,
	}
	everythingGoes := []string(nil)
	tests := map[string]sourced{
		"base_url": {
			"", "https://one.example/v1//", "https://one.example/v1/api/user", operation, operation,
			[]string{"marker", "https://marker:x@a", "https://a?marker", "ftp://marker"},
		},
		"allow_http": {"", "true", plain + "/api/user", "1", plain + "/api/user", []string{"marker", "yes"}},
		"api_key":    {"", "\tkey \n", "key", "  other\n", "other", []string{"marker\x00", "  ", "mar\u200bker"}},
		"request_timeout": {
			"30s", "45s", "45s", "2m", "2m0s", []string{"marker", "30", "0s", "-1s"},
		},
		"max_retries":    {"4", "0", "0", "100", "100", []string{"marker", "-1", "101", "1.5", "1e1"}},
		"retry_wait_max": {"30s", "1m", "1m0s", "90s", "1m30s", []string{"marker", "0s"}},
		"requests_per_second": {
			"0", "0.01", "0.01", "2.5", "2.5", []string{"marker", "0", "0.009", "NaN", "-1"},
		},
		"headers": {
			"0", `{"x-tenant":"a"}`, "1a", `{"x-tenant":"b"}`, "1b",
			[]string{"marker", `{"Host":"marker"}`, `{"X-Key: marker":""}`, `{"a":"marker\n"}`, `{"a":1}`, `{"b":"1","B":"2"}`},
		},
		"environment":             {"", "Testing", "Testing", "Customer", "Customer", []string{"marker", "testing"}},
		"data_source_provided_id": {"", "db-1", "db-1", "db-2", "db-2", everythingGoes},
		"lookup_fields": {
			"[]", "name", "[name]", "name, mapping ,properties", "[name mapping properties]",
			[]string{"marker", "name,", "name mapping", `["name"]`},
		},
		"max_deletions":   {"-1", "0", "0", "1000000", "1000000", []string{"marker", "-1", "1000001", "0.5"}},
		"ca_cert_pem":     {"false", mine, "true", mine, "true", []string{"marker", key}},
		"client_cert_pem": {"", mine, "mine", mine, "mine", []string{"marker", key}},
		"client_key_pem":  {"", key, "mine", key, "mine", []string{"marker", mine}},
	}
	for name := range tests {
		if !slices.Contains(Names(), name) {
			t.Errorf("there is no argument %s", name)
		}
	}
	for _, argument := range Names() {
		t.Run(argument, func(t *testing.T) {
			test, tested := tests[argument]
			if !tested {
				t.Fatal("nobody has said what this argument becomes, and what is refused")
			}
			isRequired := required[argument] != ""
			// read reads the required arguments and this one, which is nil if the configuration does not set it.
			read := func(text *string) (Settings, []Fault) {
				return Read(func(name string) (string, bool) {
					if name == argument {
						if text == nil {
							return "", false
						}
						return *text, true
					}
					text, isSet := required[name]
					return text, isSet
				})
			}
			want := func(source string, text *string, shown string, faulty bool) {
				t.Helper()
				got, faults := read(text)
				if printed(got, argument) != shown || (len(faults) == 1) != faulty || len(faults) > 1 {
					t.Errorf("%s: want %q, got %q and the faults %v", source, shown, printed(got, argument), faults)
				}
			}
			want("default", nil, test.byDefault, isRequired)
			want("configuration", &test.configured, test.gives, false)
			t.Setenv(Variable(argument), test.variable)
			want("environment", nil, test.variable2, false)
			want("empty configuration over environment", new(""), test.byDefault, isRequired)
			t.Setenv(Variable(argument), "hunter2")
			want("configuration over environment", &test.configured, test.gives, false)

			for _, bad := range test.bad {
				_, faults := read(&bad)
				faults = slices.DeleteFunc(faults, func(fault Fault) bool {
					return argument == "allow_http" && fault.Argument == "base_url" // It needs allow_http.
				})
				if len(faults) != 1 || strings.Contains(faults[0].Why, "marker") {
					t.Errorf("%q: want one fault that does not show the value, got %v", bad, faults)
				}
			}
			if test.bad == nil && argument != "data_source_provided_id" {
				t.Error("no text is refused")
			}
		})
	}
}

// TestEverySettingComesFromAnArgument names a setting that no argument sets.
func TestEverySettingComesFromAnArgument(t *testing.T) {
	t.Parallel()
	mine, key := protocoltest.CertificatePair(t, time.Hour)
	texts := map[string]string{
		"base_url": "https://a", "api_key": "k", "environment": "Testing", "data_source_provided_id": "db",
		"lookup_fields": "name", "max_deletions": "1", "headers": `{"a":"b"}`, "ca_cert_pem": mine, "client_cert_pem": mine,
		"client_key_pem": key, "requests_per_second": "1",
	}
	read, faults := Read(func(name string) (string, bool) { text, isSet := texts[name]; return text, isSet })
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	elsewhere := []string{"Transport", "UserAgent", "Random"} // set by who makes the client, or by tests
	for _, group := range []any{read.Client, read.Groups, read} {
		fields := reflect.TypeOf(group)
		for i := range fields.NumField() {
			name := fields.Field(i).Name
			if reflect.ValueOf(group).Field(i).IsZero() != slices.Contains(elsewhere, name) {
				t.Errorf("%s.%s is set by no argument, or by one after all", fields.Name(), name)
			}
		}
	}
}

// Check finds what is wrong with an argument alone, and says nothing about what is missing.
func TestCheck(t *testing.T) {
	t.Setenv("EMBED_MAX_RETRIES", "hunter2")
	for argument, text := range map[string]string{
		"": "", "base_url": "http://plain.example", "api_key": "", "client_cert_pem": "without a key",
	} {
		found := Check(only(argument, text))
		if len(found) > 0 {
			t.Errorf("%s: %v", argument, found)
		}
	}
	anything := []string{"api_key", "data_source_provided_id", "client_cert_pem", "client_key_pem"}
	for _, argument := range Names() {
		found := Check(only(argument, "a b"))
		if (len(found) == 0) != slices.Contains(anything, argument) {
			t.Errorf("%s: the faults are %v", argument, found)
		}
	}
}

// only is a configuration that sets one argument.
func only(argument, text string) Source {
	return func(name string) (string, bool) {
		if name != argument {
			return "", false
		}
		return text, true
	}
}

func TestUserAgent(t *testing.T) { //nolint:paralleltest // it sets the environment
	const agent = "terraform-provider-embed/1.2.3"
	for appended, want := range map[string]string{"": agent, " HCP/1 ": agent + " HCP/1", "HCP\r\nX: y": agent} {
		t.Setenv("TF_APPEND_USER_AGENT", appended)
		if got := UserAgent("1.2.3", ""); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The commands beside the provider read the same variables, and name all that are missing or invalid.
func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"EMBED_MAX_RETRIES": "hunter2"}
	getenv := func(name string) string { return environment[name] }
	const want = "EMBED_BASE_URL is required\nEMBED_API_KEY is required\n" +
		"EMBED_MAX_RETRIES must be a whole number between 0 and 100"
	if _, err := FromEnvironment("probe", getenv); err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	environment = map[string]string{
		"EMBED_MAX_RETRIES": "1", "EMBED_BASE_URL": "https://a", "EMBED_API_KEY": "k", "EMBED_DATA_SOURCE_PROVIDED_ID": "db",
	}
	read, err := FromEnvironment("probe", getenv)
	if err != nil || read.Client.MaxRetries != 1 || read.Groups.DataSourceProvidedID != "db" ||
		read.Client.UserAgent != "terraform-provider-embed/probe" {
		t.Errorf("got %v, %v", read, err)
	}
}

// TestUnreadableProxyIsAFault: a proxy variable that cannot be parsed must be a fault before any call, which does not
// show the value.
func TestUnreadableProxyIsAFault(t *testing.T) { //nolint:paralleltest // it sets the environment
	required := map[string]string{"base_url": "https://dashboards.example.com", "api_key": "key"}
	read := func(proxy string) []Fault {
		t.Setenv("HTTPS_PROXY", proxy)
		_, faults := Read(func(name string) (string, bool) {
			text, isSet := required[name]
			return text, isSet
		})
		return faults
	}
	if faults := read("http://user:hunter2@proxy.example:8080"); len(faults) > 0 {
		t.Errorf("a proxy with a password: %v", faults)
	}
	faults := read("http://user:hunter2%zz@proxy.example:8080")
	if len(faults) != 1 || faults[0].Argument != "base_url" || !strings.Contains(faults[0].Why, "HTTPS_PROXY") ||
		strings.Contains(faults[0].Why, "hunter2") {
		t.Errorf("want one fault that names the variable and not its value, got %v", faults)
	}
}
