package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func propertiesText(text string) propertiesValue { return propertiesValue{types.StringValue(text)} }

// TestPropertiesWrittenDifferently checks that a JSON object reaches the service exactly as written. A different
// notation, in the configuration or at the service, must not count as a change.
func TestPropertiesWrittenDifferently(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	for text, other := range map[string]string{
		`{}`:              "\n{ }\n",
		`{"b":1,"a":2}`:   `{ "a": 2, "b": 1 }`,
		`{"a":[1,[],{}]}`: `{"a":[1.0,[ ],{ }]}`,
		`{"exact":9007199254740993,"large":1e30,"small":1.5E-7,"minus":-0.10}`: `{"minus":-1e-1,"exact":9007199254740993.0,` +
			`"large":1000000000000000000000000000000,"small":0.00000015}`,
		`{"größe":"ÄÖ 顧客 😀","":"empty key"}`: `{"":"empty key","gr\u00f6\u00dfe":"\u00c4\u00d6 \u9867\u5ba2 \ud83d\ude00"}`,
		`{"html":"<b>Tom & 'Jerry'</b>"}`:    `{"html":"\u003cb\u003eTom \u0026 'Jerry'\u003c\/b\u003e"}`,
		`{"template":"${not} %{one}"}`:       `{"template" : "${not} %{one}"}`,
		`{"null":null,"list":[null]}`:        `{"list":[null],"null":null}`,
	} {
		id := fmt.Sprintf("%x", text)
		config := func(text string) protocolObject { return protocolAcme("user_group_id", id, "properties", text) }
		state := p.created(config(text))
		if got := string(p.group(id).Properties); got != text {
			t.Errorf("the service has %s, want %s", got, text)
		}
		p.wantSettled(state, config(other))
		p.service.Change(id, func(group *emulator.Group) { group.Properties = []byte(other) })
		p.wantState(p.refreshed(state), "properties", text)
	}
}

func TestPropertiesThatDiffer(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	for a, b := range map[string]string{
		`{"a":9007199254740993}`: `{"a":9007199254740992}`, `{"a":1}`: `{"a":"1"}`, `{"b":1}`: `{"B":1}`,
		`{"a":null}`: `{}`, `{"a":[1,2]}`: `{"a":[2,1]}`,
	} {
		id := fmt.Sprintf("%x", a)
		state := p.created(protocolAcme("user_group_id", id, "properties", a))
		if plan := p.plan(state, protocolAcme("user_group_id", id, "properties", b)); plan.get("properties") != b {
			t.Errorf("%s counts as equal to %s", b, a)
		}
	}
	values := []propertiesValue{
		{types.StringNull()}, {types.StringUnknown()}, propertiesText(""), propertiesText("null"), propertiesText("{}"),
	}
	for i, a := range values {
		for j, b := range values {
			if a.sameJSON(b) != (i == j) {
				t.Errorf("values %d and %d: sameJSON returns %t", i, j, a.sameJSON(b))
			}
		}
	}
	if !(propertiesType{}).Equal(propertiesType{}) || (propertiesType{}).Equal(basetypes.StringType{}) {
		t.Error("propertiesType must equal itself, and must not equal a plain string")
	}
}

func TestPropertiesValidation(t *testing.T) {
	t.Parallel()
	const hint = "properties = jsonencode({ ... })"
	p := protocolBare(t)
	for text, says := range map[string][]string{
		``:                          {"not JSON", hint},
		`tier = "gold"`:             {"not JSON", hint},
		`null`:                      {"JSON null", "omit the argument", "jsonencode({})"},
		`[]`:                        {"array", hint},
		`"{}"`:                      {"string", hint, "again"},
		`1`:                         {"number", hint},
		"\ufeff{}":                  {"byte order mark", "UTF-8 without"},
		"{\n  \"a\": 1,\n  b: 2\n}": {"Line 3, column 3", hint},
		`{"a":{"b":1}`:              {"Line 1, column 13", "bracket", hint},
		`{}{}`:                      {"Line 1, column 3", "text after the object"},
		`{"a":1,"\u0061":1}`:        {"Line 1, column 8", "has already", "remove one"},
		`{"a":1e4096}`:              {"Line 1, column 6", "exponent", "as a string"},
		`{"a":"\ud800"}`:            {"Line 1, column 7", "surrogate"},
		"{\n\"é😀\":x}":              {"Line 2, column 6"},
	} {
		p.validate(protocolAcme("properties", text)).wantErrorAt("properties", titlePropertiesInvalid, says...)
	}
	p.validate(protocolAcme("properties", ` { "a" : [ 1.50, 1e30, null, "\u003c" ], "é": {} } `)).wantNone()
}

func TestPropertiesNeverShowTheText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	// The texts have every kind of fault at every position. The secret is in keys and in values.
	valid := `{"hunter2":{"hunter2":["hunter2",null,1e5]},"b":"hunter2"}`
	texts := []string{
		secret, "hunter2: hunter2", `"hunter2"`, `["hunter2"]`, `"hunter2" hunter2`, valid + secret, valid + valid,
		`{"hunter2":1,"hunter2":"hunter2"}`, `{"hunter2":[{"hunter2":1,"x":2,"\u0068unter2":3}]}`,
		`{"hunter2":"hunter2\ud800"}`, `{"hunter2":1e99999,"b":"hunter2"}`,
	}
	for i := range valid {
		texts = append(texts, valid[:i])
		for _, intruder := range []string{"hunter2", "\x00", "\n", "}", "[", "]", ",", `"`, `\`, `\q`, `\ud800`, "é"} {
			texts = append(texts, valid[:i]+intruder+valid[i:])
		}
	}
	refused := 0
	for _, text := range texts {
		value := propertiesText(text)
		shown := fmt.Sprintf("%v %+v %#v %s %q %s", value, value, value, value, value, value.String())
		if _, err := propertiesObject(value); err != nil {
			refused++
			shown += propertiesFault(err)
		}
		if strings.Contains(shown, secret) {
			t.Fatalf("the secret in %q is shown: %s", text, shown)
		}
	}
	if refused < 500 {
		t.Errorf("only %d texts were refused, so this test proves too little", refused)
	}
}
