package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// What is wrong with the configuration is said in one error that names the argument, before any call.

func TestAccBadProviderArguments(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	file := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(path)
	}
	bad := []struct{ does, line, names string }{
		{"no address", `base_url = ""`, "base_url"},
		{"relative address", `base_url = "dashboards/api"`, "base_url"},
		{"no host", `base_url = "https:///api"`, "base_url"},
		{"another scheme", `base_url = "ftp://dashboards.example.com"`, "base_url"},
		{"http beyond loopback", `base_url = "http://dashboards.example.com"`, "base_url"},
		{"user info", `base_url = "https://me:pass@dashboards.example.com"`, "base_url"},
		{"query", `base_url = "https://dashboards.example.com?a=b"`, "base_url"},
		{"fragment", `base_url = "https://dashboards.example.com#a"`, "base_url"},
		{"no key", `api_key = ""`, "api_key"},
		{"blank key", `api_key = "  "`, "api_key"},
		{"key of two lines", `api_key = "first\nsecond"`, "api_key"},
		{"key with a control character", `api_key = "emulator\u0007key"`, "api_key"},
		{"two keys", `api_key_file = "key.txt"`, "api_key_file"},
		{"no such key file", "api_key = null\n  api_key_file = \"no-such-file\"", "api_key_file"},
		{"empty key file", "api_key = null\n  api_key_file = " + quoted(file("empty", "\n")), "api_key_file"},
		{"key file of two lines", "api_key = null\n  api_key_file = " + quoted(file("two", "one\ntwo\n")), "api_key_file"},
		{"time-out without a unit", `request_timeout = "30"`, "request_timeout"},
		{"negative time-out", `request_timeout = "-30s"`, "request_timeout"},
		{"negative retries", `max_retries = -1`, "max_retries"},
		{"too many retries", `max_retries = 101`, "max_retries"},
		{"half a retry", `max_retries = 0.5`, "max_retries (or the environment variable EMBED_MAX_RETRIES) must be a whole number"},
		{"no wait", `retry_wait_min = "0s"`, "retry_wait_min"},
		{"wait in words", `retry_wait_max = "long"`, "retry_wait_max"},
		{"waits crossed", `retry_wait_min = "1h"`, "retry_wait_min"},
		{"no requests", `requests_per_second = 0`, "requests_per_second"},
		{"negative requests", `requests_per_second = -2`, "requests_per_second"},
		{"reserved header", `headers = { authorization = "Token x" }`, "headers"},
		{"bad header name", `headers = { "a b" = "c" }`, "headers"},
		{"bad header value", `headers = { "X-Header" = "a\nb" }`, "headers"},
		{"null header", `headers = { "X-Header" = null }`, "headers"},
		{"no such certificates", `ca_cert_file = "no-such-file"`, "ca_cert_file"},
		{"no certificate", "ca_cert_file = " + quoted(file("ca", "not PEM")), "ca_cert_file"},
		{"suffix of two lines", `user_agent_suffix = "a\nb"`, "user_agent_suffix"},
		{"no such environment", `environment = "Production"`, "environment"},
		{"no flag", `allow_http = "maybe"`, "allow_http"},
	}
	var steps []step
	for _, b := range bad {
		block := w.provider(b.line)
		if strings.HasPrefix(b.line, "api_key = null") {
			block = strings.Replace(w.provider(b.line), `api_key = "`+emulator.DefaultKey+`"`+"\n", "", 1)
		}
		steps = append(steps, step{does: b.does, config: block + acmeWith(`name = "Acme"`), calls: none, fails: []string{b.names}})
	}
	// The last step shows that nothing else was wrong.
	steps = append(steps, step{
		does: "all of them right", calls: "GET",
		config: strings.Replace(w.provider(`allow_http = true`, `request_timeout = "45s"`, `max_retries = 0`, `requests_per_second = 50.5`,
			`headers = { "X-Tenant" = "t1" }`, `user_agent_suffix = "pipeline/7"`, `api_key_file = `+quoted(file("key", " "+emulator.DefaultKey+"\n"))),
			`api_key = "`+emulator.DefaultKey+`"`+"\n", "", 1) + acmeWith(`name = "Acme"`),
		then: func() error {
			header := w.Calls()[0].Header
			if err := equal("X-Tenant", header.Get("X-Tenant"), "t1"); err != nil {
				return err
			}
			return equal("suffix", strings.HasSuffix(header.Get("User-Agent"), " pipeline/7"), true)
		},
	})
	w.run(steps...)
}

func TestAccBadAttributes(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.secrets = append(w.secrets, "s3cret")
	with := func(lines ...string) string {
		return "resource \"embed_user_group\" \"acme\" {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
	}
	bad := []struct {
		does, config string
		says         []string
	}{
		{"empty id", with(`user_group_id = ""`, `name = "Acme"`), []string{"Invalid user_group_id", "must not be empty"}},
		{"space before", with(`user_group_id = " acme"`, `name = "Acme"`), []string{"Invalid user_group_id", "must not begin or end with a space"}},
		{"space after", with(`user_group_id = "acme\u00a0"`, `name = "Acme"`), []string{"Invalid user_group_id", "must not begin or end with a space"}},
		{"tab within", with(`user_group_id = "ac\tme"`, `name = "Acme"`), []string{"Invalid user_group_id", "control characters"}},
		{"line break within", with(`user_group_id = "ac\nme"`, `name = "Acme"`), []string{"Invalid user_group_id", "control characters"}},
		{"no id", with(`name = "Acme"`), []string{`"user_group_id" is required`}},
		{"null id", with(`user_group_id = null`, `name = "Acme"`), []string{"user_group_id"}},
		{"no name", acmeWith(), []string{`"name" is required`}},
		{"empty name", acmeWith(`name = ""`), []string{"Attribute name", "at least 1"}},
		{"null in the mapping", acmeWith(`name = "Acme"`, `mapping = { main = null }`), []string{"Null Map Value"}},
		{"mapping of lists", acmeWith(`name = "Acme"`, `mapping = { main = ["a"] }`), []string{"mapping"}},
		{"empty data source", acmeWith(`name = "Acme"`, `data_source_provided_id = ""`), []string{"data_source_provided_id"}},
		{"flag in words", acmeWith(`name = "Acme"`, `store_token = "perhaps"`), []string{"store_token"}},
		{"token set", acmeWith(`name = "Acme"`, `token = "mine"`), []string{"Read-Only Attribute"}},
		{"unknown argument", acmeWith(`name = "Acme"`, `tag = "x"`), []string{`"tag"`}},
		{"properties that are no JSON", acmeWith(`name = "Acme"`, `properties = "tier=s3cret"`), []string{"Invalid properties", "jsonencode"}},
		{"properties as JSON null", acmeWith(`name = "Acme"`, `properties = jsonencode(null)`), []string{"Invalid properties", "JSON null"}},
		{"properties as a list", acmeWith(`name = "Acme"`, `properties = jsonencode(["s3cret"])`), []string{"Invalid properties", "JSON array"}},
		{"properties as a text", acmeWith(`name = "Acme"`, `properties = jsonencode("s3cret")`), []string{"Invalid properties", "JSON object"}},
		{"properties encoded twice", acmeWith(`name = "Acme"`, `properties = jsonencode(jsonencode({ a = 1 }))`), []string{"Invalid properties", "JSON object"}},
		{"properties, empty text", acmeWith(`name = "Acme"`, `properties = ""`), []string{"Invalid properties"}},
		{"properties as an object", acmeWith(`name = "Acme"`, `properties = { a = 1 }`), []string{"properties"}},
		{"a key twice", acmeWith(`name = "Acme"`, `properties = "{\"a\":1,\"a\":2}"`), []string{"Invalid properties", "Line 1, column 8"}},
		{"half an object", acmeWith(`name = "Acme"`, `properties = "{\"a\":"`), []string{"Invalid properties"}},
		{"absurd number", acmeWith(`name = "Acme"`, `properties = "{\"a\":1e999999999}"`), []string{"Invalid properties", "exponent"}},
	}
	var steps []step
	for _, b := range bad {
		steps = append(steps, step{does: b.does, config: b.config, calls: none, fails: b.says})
	}
	w.run(steps...)
}

// A fault that only shows at apply, since the value was unknown before, makes no call for its group either.
func TestAccBadAttributesAtApply(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`, `properties = embed_user_group.source.token_fingerprint`) + `
		resource "embed_user_group" "source" {
		  user_group_id = "source"
		  name          = "Source"
		}`
	w.run(
		step{does: "create", config: config, calls: "GET", fails: []string{"Invalid properties"}, then: w.absent("acme")},
		step{does: "without", config: acmeWith(`name = "Acme"`)},
	)
}
