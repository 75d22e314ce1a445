package provider

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/settings"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

type object = protocoltest.Object

func providerSchema(t *testing.T) schema.Schema {
	t.Helper()
	var resp provider.SchemaResponse
	New("test")().Schema(t.Context(), provider.SchemaRequest{}, &resp)
	return resp.Schema
}

// TestEveryArgumentIsReadAsInTheEnvironment checks that the schema and package settings have the same arguments, and
// that a configured value has the text that the environment variable would have.
func TestEveryArgumentIsReadAsInTheEnvironment(t *testing.T) {
	t.Parallel()
	type notation struct {
		value any
		text  string
	}
	text := []notation{{"plain", "plain"}, {" ", " "}}
	number := []notation{{0, "0"}, {1_000_000, "1000000"}, {0.01, "0.01"}, {91.25, "91.25"}, {1e300, "1e+300"}, {-1, "-1"}}
	notations := map[string][]notation{
		"base_url": text, "api_key": text, "environment": text, "data_source_provided_id": text, "ca_cert_pem": text,
		"client_cert_pem": text, "client_key_pem": text, "request_timeout": text, "retry_wait_max": text,
		"max_deletions": number, "max_retries": number, "requests_per_second": number,
		"allow_http": {{true, "true"}, {false, "false"}},
		"headers": {
			{object{"b": "2", "a": `"`}, `{"a":"\"","b":"2"}`},
			{object{}, `{}`},
			{object{"a": nil}, `{"a":""}`},
			{object{"a": protocoltest.Unknown}, ""},
		},
		"lookup_fields": {
			{[]string{"name", "mapping"}, "name,mapping"}, {[]string{}, ""}, {[]any{"name", protocoltest.Unknown}, ""},
		},
	}
	arguments := providerSchema(t)
	for name := range arguments.Attributes {
		if !slices.Contains(settings.Names(), name) {
			t.Errorf("%s is in the schema, and nothing reads it", name)
		}
	}
	for _, name := range settings.Names() {
		if arguments.Attributes[name] == nil || notations[name] == nil {
			t.Errorf("%s is not in the schema, or nobody has said how it is written", name)
			continue
		}
		nothing := []notation{{nil, ""}, {"", ""}, {protocoltest.Unknown, ""}}
		for _, want := range append(nothing, notations[name]...) {
			if want.value == "" && notations[name][0].text != "plain" {
				continue // only a text can be empty
			}
			block := protocoltest.Value(arguments.Type().TerraformType(t.Context()), object{name: want.value})
			got, isSet := configured(block)(name)
			if got != want.text || isSet != (want.value != nil) {
				t.Errorf("%s = %v is read as %q, set: %t; want %q", name, want.value, got, isSet, want.text)
			}
		}
	}
}

// TestLookupFieldsAreSentAndDescribed checks that each field that lookup_fields can name is the one that is sent, and
// that the page names it.
func TestLookupFieldsAreSentAndDescribed(t *testing.T) {
	t.Parallel()
	described := providerSchema(t).Attributes["lookup_fields"].GetMarkdownDescription()
	for field, put := range usergroup.LookupFields {
		var request api.GroupRequest
		put(usergroup.Prior{ID: "acme"}, &request)
		if sent, _ := json.Marshal(request); !strings.Contains(string(sent), fmt.Sprintf(",%q:", field)) {
			t.Errorf("%s in usergroup.LookupFields makes lookups send %s", field, sent)
		}
		if !strings.Contains(described, "`"+field+"`") {
			t.Errorf("%s is forgotten in the description of lookup_fields", field)
		}
	}
}
