package jsonobject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mustParse parses a text that the test knows to be acceptable.
func mustParse(tb testing.TB, text string) Object {
	tb.Helper()
	object, err := Parse(text)
	if err != nil {
		tb.Fatalf("Parse(%.200q): %v", text, err)
	}
	return object
}

func nested(depth int) string {
	return `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text         string
		kind         Kind
		line, column int
	}{
		"empty":                      {"", KindNotJSON, 1, 1},
		"white space":                {" \n ", KindNotJSON, 2, 2},
		"words":                      {"tier = gold", KindNotJSON, 1, 1},
		"words, n":                   {"name: x", KindNotJSON, 1, 1},
		"nearly null":                {"nullify", KindNotJSON, 1, 1},
		"YAML":                       {"---\na: 1", KindNotJSON, 1, 1},
		"a date":                     {"2024-01-01", KindNotJSON, 1, 1},
		"two strings":                {`"a" "b"`, KindNotJSON, 1, 1},
		"an open string":             {`"a`, KindNotJSON, 1, 1},
		"not ASCII":                  {"é", KindNotJSON, 1, 1},
		"not UTF-8":                  {"\xff", KindNotJSON, 1, 1},
		"byte order mark":            {"\ufeff{}", KindByteOrderMark, 1, 1},
		"null":                       {" null\n", KindNull, 1, 2},
		"array":                      {"[]", KindArray, 1, 1},
		"array of objects":           {` [{"a":1}]`, KindArray, 1, 2},
		"string":                     {`"a"`, KindScalar, 1, 1},
		"an object as a string":      {`"{\"a\":1}"`, KindScalar, 1, 1},
		"true":                       {"true", KindScalar, 1, 1},
		"number":                     {"-1.5e3 ", KindScalar, 1, 1},
		"HCL":                        {"{\n  tier = 1\n}", KindSyntax, 2, 3},
		"trailing comma":             {`{"a":1,}`, KindSyntax, 1, 8},
		"trailing comma, array":      {`{"a":[1,]}`, KindSyntax, 1, 9},
		"leading comma":              {`{,"a":1}`, KindSyntax, 1, 2},
		"no colon":                   {`{"a" 1}`, KindSyntax, 1, 6},
		"no value":                   {`{"a":}`, KindSyntax, 1, 6},
		"no comma":                   {`{"a":1 "b":2}`, KindSyntax, 1, 8},
		"wrong bracket":              {`{"a":[1}`, KindSyntax, 1, 8},
		"single quotes":              {`{'a':1}`, KindSyntax, 1, 2},
		"comment":                    {"{ // x\n}", KindSyntax, 1, 3},
		"capitals":                   {`{"a":True}`, KindSyntax, 1, 6},
		"half a literal":             {`{"a":nul}`, KindSyntax, 1, 9},
		"NaN":                        {`{"a":NaN}`, KindSyntax, 1, 6},
		"a key that is a number":     {`{1:1}`, KindSyntax, 1, 2},
		"leading zero":               {`{"a":01}`, KindSyntax, 1, 7},
		"plus sign":                  {`{"a":+1}`, KindSyntax, 1, 6},
		"a bare minus":               {`{"a":-}`, KindSyntax, 1, 7},
		"no digit before the point":  {`{"a":.5}`, KindSyntax, 1, 6},
		"no digit after the point":   {`{"a":5.}`, KindSyntax, 1, 8},
		"no exponent":                {`{"a":5e}`, KindSyntax, 1, 8},
		"no exponent after its sign": {`{"a":5e+}`, KindSyntax, 1, 9},
		"hexadecimal":                {`{"a":0x1}`, KindSyntax, 1, 7},
		"tab in a string":            {"{\"a\":\"\t\"}", KindSyntax, 1, 7},
		"line break in a string":     {"{\"a\":\"é\n\"}", KindSyntax, 1, 8},
		"NUL in a string":            {"{\"a\":\"\x00\"}", KindSyntax, 1, 7},
		"NUL outside":                {"{\x00}", KindSyntax, 1, 2},
		"unknown escape":             {`{"a":"\x41"}`, KindSyntax, 1, 8},
		"short escape":               {`{"a":"\u00g1"}`, KindSyntax, 1, 11},
		"escape with an at sign":     {`{"a":"\u00@1"}`, KindSyntax, 1, 11},
		"no-break space outside":     {"{\u00a0}", KindSyntax, 1, 2},
		"open object":                {`{`, KindUnexpectedEnd, 1, 2},
		"open key":                   {`{"a`, KindUnexpectedEnd, 1, 4},
		"end after the key":          {`{"a"`, KindUnexpectedEnd, 1, 5},
		"end after the colon":        {"{\"a\":\n", KindUnexpectedEnd, 2, 1},
		"end after the value":        {`{"a":1`, KindUnexpectedEnd, 1, 7},
		"end after the comma":        {`{"a":1,`, KindUnexpectedEnd, 1, 8},
		"end in a literal":           {`{"a":tr`, KindUnexpectedEnd, 1, 8},
		"end in a number":            {`{"a":-`, KindUnexpectedEnd, 1, 7},
		"end in an escape":           {`{"a":"\`, KindUnexpectedEnd, 1, 8},
		"end in a \\u escape":        {`{"a":"\u00`, KindUnexpectedEnd, 1, 11},
		"end in an array":            {`{"a":[`, KindUnexpectedEnd, 1, 7},
		"two objects":                {"{}\n{}", KindTrailing, 2, 1},
		"a bracket too many":         {`{}}`, KindTrailing, 1, 3},
		"duplicate":                  {"{\"a\":1,\n \"a\":1}", KindDuplicateKey, 2, 2},
		"duplicate, escaped":         {`{"a":1,"\u0061":2}`, KindDuplicateKey, 1, 8},
		"duplicate, deep":            {`{"x":[{"y":{"a":1,"b":2,"a":3}}]}`, KindDuplicateKey, 1, 25},
		"duplicate, empty key":       {`{"":1,"b":1,"":2}`, KindDuplicateKey, 1, 13},
		"two duplicates":             {`{"b":1,"a":1,"b":2,"a":2,"a":3}`, KindDuplicateKey, 1, 14},
		"two duplicates, in order":   {`{"a":1,"a":2,"b":1,"b":2}`, KindDuplicateKey, 1, 8},
		"large exponent":             {`{"a":1e1001}`, KindExponent, 1, 6},
		"small exponent":             {`{"a":1e-1001}`, KindExponent, 1, 6},
		"huge exponent":              {`{"a":1e999999999999999999999}`, KindExponent, 1, 6},
		"exponent of 2^64 + 1":       {`{"a":1e18446744073709551617}`, KindExponent, 1, 6},
		"huge exponent of nothing":   {`{"a":0e-99999999999}`, KindExponent, 1, 6},
		"too many exponents": {
			`{"a":[` + strings.Repeat("1e1000,", MaxExpansion/1000) + `1e1000]}`, KindExponent, 1, 7 + MaxExpansion/1000*7,
		},
		"too many negative exponents": {
			`{"a":[` + strings.Repeat("1e-1000,", MaxExpansion/1000) + `1e-1000]}`, KindExponent, 1, 7 + MaxExpansion/1000*8,
		},
		"deep":              {nested(MaxDepth + 1), KindDepth, 1, 5 + MaxDepth},
		"very deep":         {nested(1 << 20), KindDepth, 1, 5 + MaxDepth},
		"very deep objects": {strings.Repeat(`{"a":`, 1<<20), KindDepth, 1, MaxDepth*5 + 1},
		"not UTF-8, value":  {"{\"a\":\"é\xff\"}", KindUTF8, 1, 8},
		"not UTF-8, key":    {"{\"a\xc3\":1}", KindUTF8, 1, 4},
		"surrogate as UTF8": {"{\"a\":\"\xed\xa0\x80\"}", KindUTF8, 1, 7},
		"overlong":          {"{\"a\":\"\xc0\x80\"}", KindUTF8, 1, 7},
		"high surrogate":    {`{"a":"x\ud800"}`, KindSurrogate, 1, 8},
		"low surrogate":     {`{"a":"\udc00"}`, KindSurrogate, 1, 7},
		"swapped":           {`{"a":"\udc00\ud800"}`, KindSurrogate, 1, 7},
		"high and letter":   {`{"a":"\ud800\u0041"}`, KindSurrogate, 1, 7},
		"high and newline":  {`{"a":"\ud800\n"}`, KindSurrogate, 1, 7},
		"high and end":      {`{"a":"\ud800`, KindSurrogate, 1, 7},
		"high and half":     {`{"a":"\ud800\`, KindSurrogate, 1, 7},
		"surrogate in key":  {`{"\uD800":1}`, KindSurrogate, 1, 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object, err := Parse(test.text)
			var fault *Error
			if !errors.As(err, &fault) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if fault.Kind != test.kind || fault.Line != test.line || fault.Column != test.column {
				t.Errorf("got %v at %d:%d, want %v at %d:%d",
					fault.Kind, fault.Line, fault.Column, test.kind, test.line, test.column)
			}
			if !object.IsZero() {
				t.Error("a refused text left an object")
			}
		})
	}
}

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, canonical string }{
		"empty":               {"{}", "{}"},
		"white space":         {" {\t\r\n} ", "{}"},
		"every kind of value": {`{ "a" : [ null , true , false , "s" , 1 , {} , [] ] }`, `{"a":[null,true,false,"s",1,{},[]]}`},
		"order":               {`{"b":1,"a":2,"":3,"B":4,"é":5,"aa":6}`, `{"":3,"B":4,"a":2,"aa":6,"b":1,"é":5}`},
		"order, nested": {
			`{"z":{"b":[{"d":1,"c":{"f":1,"e":2}},{"y":1,"x":2}],"a":1},"y":{"a":1,"b":{"2":1,"1":2}}}`,
			`{"y":{"a":1,"b":{"1":2,"2":1}},"z":{"a":1,"b":[{"c":{"e":2,"f":1},"d":1},{"x":2,"y":1}]}}`,
		},
		"order, inner only": {`{"a":[0,{"c":1,"b":2},0],"b":{"e":"","d":[]}}`, `{"a":[0,{"b":2,"c":1},0],"b":{"d":[],"e":""}}`},
		// "<" sorts before "A" although its escape, beginning with a backslash, does not.
		"order of escaped keys": {`{"A":1,"<":2,"\u0000":3}`, `{"\u0000":3,"\u003c":2,"A":1}`},
		// In UTF-16, which some languages sort by, the first comes last.
		"order beyond the BMP": {`{"` + "\U0001F600" + `":1,"` + "\uFF5E" + `":2}`, `{"` + "\uFF5E" + `":2,"` + "\U0001F600" + `":1}`},
		"HTML":                 {`{"a":"<a href='x'>&amp;</a>"}`, `{"a":"\u003ca href='x'\u003e\u0026amp;\u003c/a\u003e"}`},
		"escapes":              {`{"a":"\"\\\/\b\f\n\r\t\u001f\u007f"}`, `{"a":"\"\\/\b\f\n\r\t\u001f` + "\x7f" + `"}`},
		"needless escapes":     {`{"\u0061":"\u00E9\u00e9\ud83d\uDE00"}`, `{"a":"éé😀"}`},
		"line separators":      {"{\"a\":\"\u2028\u2029\"}", `{"a":"\u2028\u2029"}`},
		"replacement":          {"{\"a\":\"\ufffd\\ufffd\"}", "{\"a\":\"\ufffd\ufffd\"}"},
		"mark after a letter":  {"{\"a\":\"c\u0327\"}", "{\"a\":\"c\u0327\"}"},
		"marks after escapes":  {"{\"a\":\"<\u0327\U0001D165\u0300x\u0300\"}", `{"a":"\u003c\u0327\ud834\udd65\u0300x` + "\u0300\"}"},
		"deep":                 {nested(MaxDepth), nested(MaxDepth)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			object := mustParse(t, test.text)
			if object.raw != test.text {
				t.Errorf("the text is kept as %q", object.raw)
			}
			if object.Canonical() != test.canonical {
				t.Errorf("Canonical() = %q, want %q", object.Canonical(), test.canonical)
			}
			if fromBytes, err := Parse([]byte(test.text)); err != nil || !Equal(object, fromBytes) {
				t.Errorf("parsed from bytes: %v", err)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	zeros := func(n int) string { return strings.Repeat("0", n) }
	long := strings.Repeat("1234567890", 500)
	tests := map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "-0.00e5": "0", "0e1000": "0", "0E-1000": "0",
		"1": "1", "1.0": "1", "1e0": "1", "10e-1": "1", "0.1e1": "1", "0.001E+3": "1", "1e-0000000000000000000000": "1",
		"-1": "-1", "-1.50": "-1.5", "1.50": "1.5", "15e-1": "1.5", "1E-3": "0.001", "1e+30": "1" + zeros(30),
		"100": "100", "100.00": "100", "1.23e1": "12.3", "1.23e2": "123", "1.23e3": "1230", "12300e-4": "1.23", "0.00123e2": "0.123",
		"9007199254740993": "9007199254740993", "9007199254740993.0": "9007199254740993", "9.007199254740993e15": "9007199254740993",
		"18446744073709551616": "18446744073709551616",
		"0.1":                  "0.1", "0.30000000000000004": "0.30000000000000004",
		"1e1000": "1" + zeros(1000), "1e-1000": "0." + zeros(999) + "1", "1e0001000": "1" + zeros(1000),
		long: long, "0." + long: strings.TrimRight("0."+long, "0"), "1" + zeros(5000) + "e-1000": "1" + zeros(4000),
	}
	for text, want := range tests {
		object := mustParse(t, `{"n":`+text+`}`)
		if got := object.Canonical(); got != `{"n":`+want+`}` {
			t.Errorf("%.40s became %.60s, want %.40s", text, got, want)
		}
	}
}

func TestZero(t *testing.T) {
	t.Parallel()
	var zero Object
	empty := mustParse(t, "{}")
	if !zero.IsZero() || empty.IsZero() {
		t.Error("IsZero does not tell no object from an empty one")
	}
	if !Equal(zero, Object{}) || Equal(zero, empty) || Equal(empty, zero) {
		t.Error("the zero Object must equal itself only")
	}
	if zero.Canonical() != "" || empty.Canonical() != "{}" {
		t.Error("no object and the empty one have each other's text")
	}
	remained, differ, missing := Contradictions(zero, mustParse(t, `{"a":1}`))
	if diff := cmp.Diff([][]string{{"a"}, nil, nil}, [][]string{remained, differ, missing}); diff != "" {
		t.Error(diff)
	}
}

func TestParseCopiesBytes(t *testing.T) {
	t.Parallel()
	text := []byte(`{"a":1}`)
	object, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	copy(text, `{"z":9}`)
	if object.raw != `{"a":1}` || object.Canonical() != `{"a":1}` || object.members[0].key != "a" {
		t.Error("the object changed with the bytes it was parsed from")
	}
}

func TestEncodingJSON(t *testing.T) {
	t.Parallel()
	type body struct {
		Properties Object `json:"properties,omitzero"`
	}
	for in, want := range map[string]string{
		``:                                       `{}`,
		`{ }`:                                    `{"properties":{}}`,
		`{ "b" : 1e30, "a" : 9007199254740993 }`: `{"properties":{"b":1e30,"a":9007199254740993}}`,
	} {
		var b body
		if in != "" {
			b.Properties = mustParse(t, in)
		}
		out, err := json.Marshal(b)
		if err != nil || string(out) != want {
			t.Errorf("%s became %s (%v), want %s", in, out, err, want)
		}
	}
	if out, err := json.Marshal(Object{}); err == nil {
		t.Errorf("the zero Object was encoded as %s: a service would empty the properties", out)
	}
}

func TestNothingPrintsTheText(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	object := mustParse(t, `{"hunter2":"hunter2","x":{"hunter2":1}}`)
	var printed bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&printed, verb+" "+verb+" "+verb+"\n", object, &object, []Object{object})
	}
	slog.New(slog.NewTextHandler(&printed, nil)).Info("text", "object", object)
	slog.New(slog.NewJSONHandler(&printed, nil)).Info("json", "object", object)
	if strings.Contains(printed.String(), secret) || strings.Contains(printed.String(), fmt.Sprintf("%x", secret)) {
		t.Errorf("the text was printed:\n%s", printed.String())
	}
	if got := fmt.Sprint(object); got != "(JSON object, 2 members)" {
		t.Errorf("printed as %q", got)
	}

	for _, text := range []string{
		secret, `"hunter2"x`, `["hunter2"]`, `"hunter2"`, `{hunter2}`, `{"hunter2" "hunter2"}`, `{"hunter2":"hunter2",}`,
		`{"hunter2":hunter2}`, `{"hunter2":1,"hunter2":"hunter2"}`, `{"hunter2":"hunter2`, `{"hunter2":1}hunter2`,
		"{\"hunter2\":\"hunter2\xff\"}", `{"hunter2":"hunter2\ud800hunter2"}`, `{"hunter2":1e99999}`, `{"hunter2\hunter2":1}`,
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("%q was accepted", text)
			continue
		}
		for _, s := range []string{err.Error(), fmt.Sprintf("%+v %#v %q", err, err, err)} {
			if strings.Contains(s, secret) {
				t.Errorf("an error quotes the text: %s", s)
			}
		}
	}
}
