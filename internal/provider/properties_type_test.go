package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func propertiesText(text string) propertiesValue {
	return propertiesValue{types.StringValue(text)}
}

func validateProperties(t *testing.T, value propertiesValue) diag.Diagnostics {
	t.Helper()
	var resp xattr.ValidateAttributeResponse
	value.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: path.Root("properties")}, &resp)
	return resp.Diagnostics
}

func TestPropertiesSemanticEquals(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"the same":                 {`{"a":1}`, `{"a":1}`, true},
		"key order, white space":   {`{"a":1,"b":{"c":1,"d":2}}`, "{ \"b\": {\"d\": 2,\n\"c\": 1}, \"a\": 1 }", true},
		"spelling of numbers":      {`{"a":[1,1,1500,1e30,0]}`, `{"a":[1.0,1e0,1.5E+3,1000000000000000000000000000000,-0]}`, true},
		"escapes":                  {`{"é":"<😀>"}`, `{"\u00e9":"\u003c\ud83d\ude00\u003E"}`, true},
		"integers beyond float64":  {`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		"the same, beyond float64": {`{"a":9007199254740993}`, `{"a":9007199254740993.0}`, true},
		"another value":            {`{"a":1}`, `{"a":"1"}`, false},
		"another key":              {`{"a":1}`, `{"A":1}`, false},
		"null and absent":          {`{"a":null}`, `{}`, false},
		"order of an array":        {`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		"invalid, the same":        {`{"a":1,}`, `{"a":1,}`, true},
		"invalid, another":         {`{"a":1,}`, `{"a":1, }`, false},
		"invalid and valid":        {`not JSON`, `{}`, false},
		"arrays are not compared":  {`[1]`, `[ 1 ]`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
				same, diags := propertiesText(pair[0]).StringSemanticEquals(t.Context(), propertiesText(pair[1]))
				if same != test.want || len(diags) > 0 {
					t.Errorf("%s and %s: %t (%v), want %t", pair[0], pair[1], same, diags, test.want)
				}
			}
		})
	}
	if same, _ := propertiesText(`{}`).StringSemanticEquals(t.Context(), types.StringValue(`{}`)); same {
		t.Error("a value of another type is equal")
	}
}

func TestPropertiesSameJSONWithoutAValue(t *testing.T) {
	t.Parallel()
	values := []propertiesValue{{types.StringNull()}, {types.StringUnknown()}, propertiesText(""), propertiesText("null"), propertiesText("{}")}
	for i, a := range values {
		for j, b := range values {
			if a.sameJSON(b) != (i == j) {
				t.Errorf("values %d and %d: %t", i, j, a.sameJSON(b))
			}
		}
	}
}

func TestPropertiesValidation(t *testing.T) {
	t.Parallel()
	const hint = "properties = jsonencode({ ... })"
	tests := map[string]struct {
		text string
		want []string // nil: valid
	}{
		"empty object":      {`{}`, nil},
		"object":            {` { "a" : [ 1.50, 1e30, null, "\u003c" ], "é": {} } `, nil},
		"large integer":     {`{"a":18446744073709551617}`, nil},
		"empty text":        {``, []string{"not JSON", hint}},
		"HCL":               {`tier = "gold"`, []string{"not JSON", hint}},
		"null":              {`null`, []string{"JSON null", "omit the argument", "jsonencode({})"}},
		"array":             {`[]`, []string{"array", hint}},
		"string":            {`"{}"`, []string{"string", hint, "again"}},
		"number":            {`1`, []string{"number", hint}},
		"byte order mark":   {"\ufeff{}", []string{"byte order mark", "UTF-8 without"}},
		"in the middle":     {"{\n  \"a\": 1,\n  b: 2\n}", []string{"Line 3, column 3", hint}},
		"incomplete":        {`{"a":{"b":1}`, []string{"Line 1, column 13", "bracket", hint}},
		"two objects":       {`{}{}`, []string{"Line 1, column 3", "text after the object"}},
		"duplicate":         {`{"a":1,"b":{"c":1,"\u0063":1}}`, []string{"Line 1, column 19", "has already", "remove one"}},
		"exponent":          {`{"a":1e4096}`, []string{"Line 1, column 6", "exponent", "as a string"}},
		"not UTF-8":         {"{\"a\":\"\xff\"}", []string{"Line 1, column 7", "UTF-8"}},
		"half a surrogate":  {`{"a":"\ud800"}`, []string{"Line 1, column 7", "surrogate"}},
		"position in runes": {"{\n\"é😀\":x}", []string{"Line 2, column 6"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			diags := validateProperties(t, propertiesText(test.text))
			if test.want == nil {
				if len(diags) > 0 {
					t.Errorf("refused: %v", diags)
				}
				return
			}
			if len(diags) != 1 || diags[0].Summary() != titlePropertiesInvalid || diags[0].Severity() != diag.SeverityError {
				t.Fatalf("got %v, want one error %q", diags, titlePropertiesInvalid)
			}
			if withPath, ok := diags[0].(diag.DiagnosticWithPath); !ok || !withPath.Path().Equal(path.Root("properties")) {
				t.Error("the error does not point at the attribute")
			}
			for _, want := range test.want {
				if !strings.Contains(diags[0].Detail(), want) {
					t.Errorf("%q does not say %q", diags[0].Detail(), want)
				}
			}
		})
	}
	for _, value := range []propertiesValue{{types.StringNull()}, {types.StringUnknown()}} {
		if diags := validateProperties(t, value); len(diags) > 0 {
			t.Errorf("%s was refused: %v", value, diags)
		}
	}
}

func TestPropertiesNeverShowTheText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	// Every way to go wrong, at every place of a text that has the secret in keys and in values.
	valid := `{"hunter2":{"hunter2":["hunter2",null,1e5]},"b":"hunter2"}`
	texts := []string{
		secret, "hunter2: hunter2", `"hunter2"`, `["hunter2"]`, `"hunter2" hunter2`, valid + secret, valid + valid,
		`{"hunter2":1,"hunter2":"hunter2"}`, `{"hunter2":[{"hunter2":1,"x":2,"\u0068unter2":3}]}`,
		`{"hunter2":"hunter2\ud800"}`, `{"hunter2":1e99999,"b":"hunter2"}`,
	}
	for i := range valid {
		texts = append(texts, valid[:i])
		for _, intruder := range []string{"hunter2", "\xff", "\x00", "}", "]", ",", `"`, `\`, `\q`, `\ud800`, "é"} {
			texts = append(texts, valid[:i]+intruder+valid[i:])
		}
	}
	refused := 0
	for _, text := range texts {
		value := propertiesText(text)
		diags := validateProperties(t, value)
		refused += len(diags)
		shown := fmt.Sprintf("%v %+v %#v %s %q %s", value, value, value, value, value, value.String())
		for _, d := range diags {
			shown += d.Summary() + d.Detail() + fmt.Sprintf("%v %+v %#v", d, d, d)
		}
		if strings.Contains(shown, secret) {
			t.Fatalf("%q is quoted: %s", text, shown)
		}
	}
	if refused < 500 {
		t.Errorf("only %d texts were refused: this test has lost its point", refused)
	}
}

// The framework finds the interfaces of a custom type by assertion, and does without if one is missed.
func TestPropertiesInTheFramework(t *testing.T) {
	t.Parallel()
	type model struct {
		Properties propertiesValue `tfsdk:"properties"`
	}
	object := schema.Schema{Attributes: map[string]schema.Attribute{
		"properties": schema.StringAttribute{Optional: true, CustomType: propertiesType{}},
	}}
	objectType := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"properties": tftypes.String}}
	tests := map[string]struct {
		in    tftypes.Value
		want  propertiesValue
		fails bool
	}{
		"valid":   {tftypes.NewValue(tftypes.String, `{ "a": 1e0 }`), propertiesText(`{ "a": 1e0 }`), false},
		"null":    {tftypes.NewValue(tftypes.String, nil), propertiesValue{types.StringNull()}, false},
		"unknown": {tftypes.NewValue(tftypes.String, tftypes.UnknownValue), propertiesValue{types.StringUnknown()}, false},
		"invalid": {tftypes.NewValue(tftypes.String, `[]`), propertiesValue{}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := tfsdk.Config{Schema: object, Raw: tftypes.NewValue(objectType, map[string]tftypes.Value{"properties": test.in})}
			var got model
			if diags := config.Get(t.Context(), &got); diags.HasError() != test.fails {
				t.Fatalf("got %v", diags)
			}
			if test.fails {
				return
			}
			if !got.Properties.Equal(test.want) {
				t.Errorf("read as %s, want %s", got.Properties, test.want)
			}
			state := tfsdk.State{Schema: object, Raw: tftypes.NewValue(objectType, nil)}
			if diags := state.Set(t.Context(), got); diags.HasError() || !state.Raw.Equal(config.Raw) {
				t.Errorf("written back: %v", diags)
			}
		})
	}
}

func TestPropertiesTypeAndValue(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	if !(propertiesType{}).Equal(propertiesType{}) || (propertiesType{}).Equal(basetypes.StringType{}) {
		t.Error("propertiesType must equal itself, and not a plain string")
	}
	if !(propertiesType{}).ValueType(ctx).Type(ctx).Equal(propertiesType{}) {
		t.Error("the value is of another type")
	}
	value := propertiesText(`{"a":1}`)
	if !value.Equal(propertiesText(`{"a":1}`)) || value.Equal(propertiesText(`{"a":1.0}`)) || value.Equal(types.StringValue(`{"a":1}`)) {
		t.Error("Equal must compare the texts of two values of this type")
	}
	if _, err := (propertiesType{}).ValueFromTerraform(ctx, tftypes.NewValue(tftypes.Bool, true)); err == nil {
		t.Error("a boolean became properties")
	}
	if got := fmt.Sprint(propertiesValue{types.StringNull()}, propertiesValue{types.StringUnknown()}); got != "<null> <unknown>" {
		t.Errorf("null and unknown print as %q", got)
	}
}
