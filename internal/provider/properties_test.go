package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// exact decodes a JSON text, with numbers as they are written.
func exact(p *Provider, text string) (value any) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	p.Must(decoder.Decode(&value))
	return value
}

// TestPropertiesInAnotherNotationAreUnchanged checks that a JSON object reaches the service with every digit. A
// different notation, in the configuration or at the service, must not count as a change.
func TestPropertiesInAnotherNotationAreUnchanged(t *testing.T) {
	t.Parallel()
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
		if got := string(p.Group(id).Properties); !reflect.DeepEqual(exact(p, got), exact(p, text)) {
			t.Errorf("the service has %s, want %s", got, text)
		}
		p.WantSettled(state, config(other))
		p.Service.Change(id, func(group *emulator.Group) { group.Properties = []byte(other) })
		p.WantState(p.Refreshed(state), "properties", text)
	}
}

// TestWhatServicesMakeOfPropertiesIsNoChange checks what a service may make of properties without changing their
// meaning: numbers that are not whole become doubles, members that are null are dropped, and an empty object becomes a
// list.
func TestWhatServicesMakeOfPropertiesIsNoChange(t *testing.T) {
	t.Parallel()
	for text, row := range map[string]struct {
		kept string
		same bool
	}{
		`{"third":0.33333333333333333333333}`:  {`{"third":0.3333333333333333}`, true},
		`{"third":0.33333333333333}`:           {`{"third":0.3333333333333333}`, false},
		`{"whole":9007199254740993}`:           {`{"whole":9007199254740992}`, false},
		`{"a":1,"b":null,"c":[{"d":null}]}`:    {`{"a":1,"c":[{}]}`, true},
		`{"a":1}`:                              {`{"a":1,"b":null}`, true},
		`{"a":null}`:                           {`{"a":0}`, false},
		`{}`:                                   {`[]`, true},
		`{"deep":{"er":{}},"list":[[],{}]}`:    {`{"deep":{"er":[]},"list":[[],[]]}`, true},
		`{"full":{"a":1}}`:                     {`{"full":[]}`, false},
		`{"null":null,"empty":{},"n":1.50e-1}`: {`{"empty":[],"n":0.15}`, true},
	} {
		p := start(t, emulator.Options{})
		config := Acme("properties", text)
		state := p.Created(Acme("properties", `{"before":true}`))
		body := fmt.Sprintf(`{"success":1,"new_user_group":false,"user_group":{"team_id":%d,"token":%q,"name":"Acme",`+
			`"properties":%s}}`, p.Group("acme").TeamID, state.Token(), row.kept)
		p.Answered(http.MethodPut, body)
		updated, diags := p.Apply(p.Plan(state, config))
		if !row.same {
			diags.WantWarning(notAsPlanned, "These properties differ", "shows something else than was sent")
			continue
		}
		diags.WantNone()
		p.WantState(updated, "properties", text)
		p.Answered(http.MethodGet, body)
		updated = p.Refreshed(updated)
		p.WantState(updated, "properties", text)
		p.WantSettled(updated, config)
	}
}

// What is no difference in a response is one between configuration and state: only the user knows what is meant.
func TestEveryChangeOfPropertiesIsSent(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme("properties", `{"a":[],"b":null,"third":0.3333333333333333}`))
	for _, text := range []string{
		`{"a":{},"b":null,"third":0.3333333333333333}`, `{"a":{},"third":0.3333333333333333}`,
		`{"a":{},"third":0.33333333333333333333}`,
	} {
		state = p.Updated(state, Acme("properties", text))
		p.WantCalls("PUT")
		if got := string(p.Group("acme").Properties); got != text {
			t.Errorf("the service has %s, want %s", got, text)
		}
		p.WantState(p.Refreshed(state), "properties", text)
		p.Service.ResetCounts()
	}
}

// TestInvalidArgumentsAreRefused checks that an invalid argument is one error at its path, which says why and does not
// show the value, and that no unknown value is refused. Engines validate before they configure the provider.
func TestInvalidArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	const hint, marker = "properties = jsonencode({ ... })", "plaintext-marker"
	const days, badProperties = "rotate_token_after_days", "Invalid properties"
	const badDays, badLength = "Invalid Attribute Value", "Invalid Attribute Value Length"
	says := func(texts ...string) []string { return texts }
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
		{days, 0, badDays, says("between 1")},
		{days, 36501, badDays, says("between 1")},
		{days, 1e300, badDays, says("between 1")},
		{"properties", ``, badProperties, says("not complete JSON", hint)},
		{"properties", `tier = ` + marker, badProperties, says("not valid JSON", "line 1, column 2", hint)},
		{"properties", `null`, badProperties, says("not an object", "omit the argument", "jsonencode({})")},
		{"properties", `["` + marker + `"]`, badProperties, says("not an object", hint)},
		{"properties", `"{}"`, badProperties, says("not an object", hint, "encode it once")},
		{"properties", "\ufeff{}", badProperties, says("line 1, column 1")},
		{"properties", "{\n  \"a\": 1,\n  b: 2\n}", badProperties, says("line 3, column 3", hint)},
		{"properties", `{} {"a":"` + marker + `"}`, badProperties, says("text after the JSON object")},
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
	p.Validate(Acme(days, 365.0/4)).WantNone()
	p.Validate(Acme("properties", ` { "a" : [ 1.50, 1e30, null, "\u003c" ], "é": {} } `, days, 1)).WantNone()
	if plan := p.Plan(p.Nothing(), Acme()); plan.Action != "create" {
		t.Errorf("the plan is to %s:\n%s", plan.Action, plan.Diags)
	}

	// Properties that become known only at apply must not cause a call either.
	p = start(t, emulator.Options{})
	diags := second(p.Apply(p.Plan(p.Nothing(), Acme("properties", Unknown)), Acme("properties", marker)))
	if !diags.HasError() || strings.Contains(diags.String(), marker) {
		t.Errorf("properties that are not JSON at apply: want an error without the value, got: %s", diags)
	}
	p.WantCalls("")
}
