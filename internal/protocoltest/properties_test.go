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

// TestInvalidArgumentsAreRefused checks that an invalid argument is one error at its path, which says why and does not
// show the value, and that no unknown value is refused. Engines validate before they configure the provider.
func TestInvalidArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	const hint, marker = "properties = jsonencode({ ... })", "plaintext-marker"
	const badLength, badNumber, badProperties = "Invalid Attribute Value Length", "Invalid number", "Invalid properties"
	const days = "rotate_token_after_days"
	says := func(texts ...string) []string { return texts }
	whole := says("a whole number between 1 and 36500", "No call was made")
	p := bare(t)
	for _, test := range []struct {
		attribute string
		value     any
		title     string
		says      []string
	}{
		{"user_group_id", nil, "Missing Configuration for Required Attribute", nil},
		{"name", "", badLength, nil},
		{"mapping", Object{"a": nil}, "Null Map Value", nil},
		{"data_source_provided_id", "", badLength, nil},
		{days, 0, badNumber, whole},
		{days, -1, badNumber, whole},
		{days, 1.5, badNumber, whole},
		{days, 36501, badNumber, whole},
		{days, 1e300, badNumber, whole},
		{"properties", ``, badProperties, says("not JSON", hint)},
		{"properties", `tier = ` + marker, badProperties, says("not JSON", hint)},
		{"properties", `null`, badProperties, says("JSON null", "omit the argument", "jsonencode({})")},
		{"properties", `["` + marker + `"]`, badProperties, says("array", hint)},
		{"properties", `"{}"`, badProperties, says("string, number", hint, "again")},
		{"properties", "\ufeff{}", badProperties, says("byte order mark", "UTF-8 without")},
		{
			"properties", "{\n  \"a\": 1,\n  b: 2\n}", badProperties,
			says("Line 3, column 3", "bracket", "text after the object", "surrogate", hint),
		},
		{"properties", `{"a":1,"\u0061":1}`, badProperties, says("Line 1, column 8", "a duplicate key", "remove one")},
		{"properties", `{"a":1e4096}`, badProperties, says("Line 1, column 6", "exponent", "as a string")},
	} {
		diags := p.Validate(Acme(test.attribute, test.value))
		diags.WantErrorAt(test.attribute, test.title, test.says...)
		if strings.Contains(diags.String(), marker) {
			t.Errorf("the diagnostics show the value:\n%s", diags)
		}
	}
	for attribute := range Acme(days, 1) {
		p.Validate(Acme(attribute, Unknown)).WantNone()
	}
	p.Validate(Acme("mapping", Object{"a": Unknown}, days, 36500)).WantNone()
	p.Validate(Acme("properties", ` { "a" : [ 1.50, 1e30, null, "\u003c" ], "é": {} } `, days, 1)).WantNone()
	if plan := p.Plan(p.Nothing(), Acme()); plan.Action != "create" {
		t.Errorf("the plan is to %s:\n%s", plan.Action, plan.Diags)
	}

	// Properties that become known only at apply must not cause a call either.
	p = another(t, emulator.Options{})
	diags := second(p.Apply(p.Plan(p.Nothing(), Acme("properties", Unknown)), Acme("properties", marker)))
	if !diags.HasError() || strings.Contains(diags.String(), marker) {
		t.Errorf("properties that are not JSON at apply: want an error without the value, got: %s", diags)
	}
	p.WantCalls("")
}
