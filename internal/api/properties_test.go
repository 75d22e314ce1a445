package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// TestParseProperties: an error must say where to look, and never quote the text.
func TestParseProperties(t *testing.T) {
	t.Parallel()
	const early, syntax = "is not complete JSON: the text ends early", "is not valid JSON: look at line 1, column "
	for text, want := range map[string]string{
		"": early, " \n ": early, `{"LEAK":[1,{"b":"c`: early, `LEAK = "gold"`: syntax + "1 of the text",
		"\ufeff{}": syntax + "1 of the text", `{"LEAK":1,}`: syntax + "11 of the text", "{\"LEAK\":\"é\t\"}": syntax + "11 of the text",
		"{\n\"é😀\":LEAK}":           "is not valid JSON: look at line 2, column 6 of the text",
		strings.Repeat("[", 10_001): syntax + "10001 of the text", "null": "is JSON, but not an object",
		"[\"LEAK\"]": "is JSON, but not an object", `"{\"LEAK\":1}"`: "is JSON, but not an object",
		"{} LEAK": "has text after the JSON object", "{}\n{}": "has text after the JSON object",
	} {
		if object, err := ParseProperties(text); err == nil || err.Error() != want || !object.IsZero() {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// TestPropertiesText: the text must be what Terraform's jsonencode writes, whatever the notation.
func TestPropertiesText(t *testing.T) {
	t.Parallel()
	// Terraform keeps the sign of zero, which no service does. No number may become enormous.
	huge := `{"a":[1e401,1e-401,1e9999999999999999999,` + strings.Repeat("9", 1000) + `]}`
	tests := map[string]string{`{"a":[-0,-0.00e5,0e-400]}`: `{"a":[0,0,0]}`, huge: huge}
	var numbers []string
	for _, digits := range []string{"1", "10", "120", "9007199254740993", strings.Repeat("1234567890", 14)} {
		for _, mantissa := range []string{digits, digits + ".50", digits[:1] + "." + digits, "-0.00" + digits + "0"} {
			for _, exponent := range []string{"", "e0", "E1", "e+2", "E-002", "e5", "E+150", "e-150", "e308"} {
				numbers = append(numbers, mantissa+exponent)
			}
		}
	}
	for _, text := range []string{
		" {\t\r\n} ", `{ "a" : [ null , true , false , "s" , 1 , {} , [ ] ] }`,
		`{"z":{"b":[{"d":1,"c":{"f":1,"e":2}}],"a":1},"A":1,"":3,"é":5,"<":6,"\u0000":7,"😀":1,"～":2}`,
		`{"a":"<a href='x'>&amp;</a>","b":"\"\\\/\b\f\n\r\t\u001f\u007f\u00E9\ud83d\uDE00"}`,
		`{"a":[` + strings.Join(numbers, " ,\r\n\t") + `]}`,
	} {
		value, _ := stdlib.JSONDecode(cty.StringVal(text))
		encoded, _ := stdlib.JSONEncode(value)
		tests[text] = encoded.AsString()
	}
	for text, want := range tests {
		if got := properties(t, text).Text(); got != want {
			t.Errorf("%.9999q became\n%.9999q, want\n%.9999q", text, got, want)
		}
	}
}

// TestPropertiesEqual: two objects are equal if no service could mean something else by them. Whole numbers are exact.
func TestPropertiesEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		one, other string
		want       []string // the keys that differ
		beyond     bool     // the first has more than the second, or something else
	}{
		{`{"a":1,"b":{"c":2,"d":"<"}}`, `{"b":{"d":"\u003C","c":2e0},"\u0061":1.0}`, nil, false},
		{`{"a":9007199254740993,"b":1e2}`, `{"a":9007199254740992,"b":100}`, []string{"a"}, true},
		{`{"a":0.1,"b":0.3333333333333333333333}`, `{"a":0.10,"b":0.3333333333333333}`, nil, false},
		{`{"a":0.333}`, `{"a":0.3333}`, []string{"a"}, true},
		{`{"a":1.00000000000000000001}`, `{"a":1}`, []string{"a"}, true}, // Only one of them is whole.
		{`{"a":1,"b":1}`, `{"a":"1","b":true}`, []string{"a", "b"}, true},
		{`{"a":null,"b":{"c":null,"d":[{"e":null}]}}`, `{"b":{"d":[{}]}}`, nil, false},
		{`{"a":{},"b":[{"c":[]}],"d":{"e":null}}`, `{"a":[],"b":[{"c":{}}],"d":[]}`, nil, false},
		{`{"a":{},"b":[null]}`, `{"b":[]}`, []string{"a", "b"}, true},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, []string{"a"}, true},
		{`{"b":1}`, `{"b":1,"a":null,"c":""}`, []string{"c"}, false},
		{`{"b":1}`, `{"c":1,"a":1}`, []string{"a", "b", "c"}, true},
	} {
		one, other, equal := properties(t, test.one), properties(t, test.other), test.want == nil
		if !slices.Equal(one.Differences(other), test.want) || !slices.Equal(other.Differences(one), test.want) ||
			one.Equal(other) != equal || other.Equal(one) != equal || one.Beyond(other) != test.beyond {
			t.Errorf("%s and %s: %q differ; Beyond = %t", test.one, test.other, one.Differences(other), one.Beyond(other))
		}
	}
	var none Properties
	empty, null := properties(t, "{}"), properties(t, `{"a":null}`)
	if empty.Equal(none) || !none.Equal(none) || empty.Beyond(none) || empty.IsZero() || none.Text() != "" ||
		!null.Has("a") || empty.Has("a") {
		t.Error("no object and the empty one are not distinguished")
	}
	if text, err := json.Marshal(none); err == nil {
		t.Errorf("no object was encoded as %s, so a service would empty the properties", text)
	}
}
