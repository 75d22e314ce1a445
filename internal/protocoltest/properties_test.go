package protocoltest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestPropertiesInAnotherNotationAreUnchanged checks that a JSON object reaches the service exactly as written. A
// different notation, in the configuration or at the service, must not count as a change.
func TestPropertiesInAnotherNotationAreUnchanged(t *testing.T) {
	p := start(t, emulator.Options{})
	for text, other := range map[string]string{
		`{}`:             "\n{ }\n",
		`{"b":1,"a":[]}`: `{ "a": [ ], "b": 1.0 }`,
		`{"exact":9007199254740993,"large":1e30,"small":1.5E-7,"minus":-0.10}`: `{"minus":-1e-1,"exact":9007199254740993.0,` +
			`"large":1000000000000000000000000000000,"small":0.00000015}`,
		`{"größe":"ÄÖ 顧客 😀","":"empty key"}`: `{"":"empty key","gr\u00f6\u00dfe":"\u00c4\u00d6 \u9867\u5ba2 \ud83d\ude00"}`,
		`{"html":"<b>${not} & %{one}</b>"}`:  `{"html":"\u003cb\u003e${not} \u0026 %{one}\u003c\/b\u003e"}`,
	} {
		id := fmt.Sprintf("%x", text)
		config := func(text string) Object { return Acme("user_group_id", id, "properties", text) }
		state := p.Created(config(text))
		if got := string(p.Group(id).Properties); got != text {
			t.Errorf("the service has %s, want %s", got, text)
		}
		p.WantSettled(state, config(other))
		p.Service.Change(id, func(group *emulator.Group) { group.Properties = []byte(other) })
		p.WantState(p.Refreshed(state), "properties", text)
	}
}

// TestInvalidPropertiesAreRefused checks that the error for text that is not a JSON object says where and why, and does
// not show the text.
func TestInvalidPropertiesAreRefused(t *testing.T) {
	t.Parallel()
	const hint, marker = "properties = jsonencode({ ... })", "plaintext-marker"
	p := bare(t)
	for text, says := range map[string][]string{
		``:                          {"not JSON", hint},
		`tier = ` + marker:          {"not JSON", hint},
		`null`:                      {"JSON null", "omit the argument", "jsonencode({})"},
		`["` + marker + `"]`:        {"array", hint},
		`"{}"`:                      {"string, number", hint, "again"},
		"\ufeff{}":                  {"byte order mark", "UTF-8 without"},
		"{\n  \"a\": 1,\n  b: 2\n}": {"Line 3, column 3", "bracket", "text after the object", "surrogate", hint},
		`{"a":1,"\u0061":1}`:        {"Line 1, column 8", "a duplicate key", "remove one"},
		`{"a":1e4096}`:              {"Line 1, column 6", "exponent", "as a string"},
	} {
		diags := p.Validate(Acme("properties", text))
		diags.WantErrorAt("properties", "Invalid properties", says...)
		if strings.Contains(diags.String(), marker) {
			t.Errorf("the diagnostics show the value:\n%s", diags)
		}
	}
	p.Validate(Acme("properties", ` { "a" : [ 1.50, 1e30, null, "\u003c" ], "é": {} } `)).WantNone()
}
