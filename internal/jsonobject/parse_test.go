package jsonobject

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func mustParse(tb testing.TB, text string) Object {
	tb.Helper()
	object, err := Parse(text)
	if err != nil {
		tb.Fatalf("Parse(%.200q): %v", text, err)
	}
	return object
}

var refused = []struct {
	text         string
	kind         Kind
	line, column int
}{
	{"", KindNotJSON, 1, 1},
	{" \n ", KindNotJSON, 2, 2},
	{`tier = "gold"`, KindNotJSON, 1, 1},
	{`"a" "b"`, KindNotJSON, 1, 1},
	{`"\ud800"`, KindNotJSON, 1, 1},
	{"\xff", KindNotJSON, 1, 1},
	{"\ufeff{}", KindByteOrderMark, 1, 1},
	{" null\n", KindNull, 1, 2},
	{"[]", KindArray, 1, 1},
	{"\r\n [{", KindArray, 2, 2},
	{`"{\"a\":1}"`, KindScalar, 1, 1},
	{"\ttrue", KindScalar, 1, 2},
	{"-1.5e3 ", KindScalar, 1, 1},

	{"{\n  tier: 1\n}", KindSyntax, 2, 4},
	{"{\n\"é😀\":x}", KindSyntax, 2, 6},
	{`{'a':1}`, KindSyntax, 1, 2},
	{`{"a":1,}`, KindSyntax, 1, 7},
	{`{"a":1 "b":2}`, KindSyntax, 1, 8},
	{`{"a":01}`, KindSyntax, 1, 7},
	{"{\"a\":\"é\t\"}", KindSyntax, 1, 8},
	{`{"a":"\x41"}`, KindSyntax, 1, 7},
	{"{\"a\":\n", KindSyntax, 2, 1},
	{`{"a":[1,{"b":"c`, KindSyntax, 1, 16},
	{`{"a":-`, KindSyntax, 1, 6},
	{"{}\n{}", KindSyntax, 2, 1},
	{"{\"a\":\"\xff\"}", KindSyntax, 1, 7},
	{"{\"a\xc3\":1}", KindSyntax, 1, 4},
	{`{"a":"\ud800\u0041"}`, KindSyntax, 1, 7},
	{`{"\udc00\ud800":1}`, KindSyntax, 1, 3},
	{strings.Repeat(`{"a":`, 10_001), KindSyntax, 1, 50_001},

	{"{\"a\":1,\n \"a\":1}", KindDuplicateKey, 2, 2},
	{`{"a":1,"\u0061":2}`, KindDuplicateKey, 1, 8},
	{`{"é":1,"😀":1,"\u00e9":2}`, KindDuplicateKey, 1, 14},
	{`{"x":[{"y":{"a":1,"b":2,"a":3}}]}`, KindDuplicateKey, 1, 25},
	{`{"":1,"b":null,"":2}`, KindDuplicateKey, 1, 16},
	{`{"b":{},"a":{},"b":{},"a":{}}`, KindDuplicateKey, 1, 16},

	{`{"a": 1e4096}`, KindNumber, 1, 7},
	{`{"a":["b",  -1e-4094]}`, KindNumber, 1, 13},
	{"{\"a\":\n1E+999999999999999999999}", KindNumber, 2, 1},
	{`{"a":1e-18446744073709551617}`, KindNumber, 1, 6},
	{`{"a":0e4097}`, KindNumber, 1, 6},
	{`{"a":0e-4097}`, KindNumber, 1, 6},
	{`{"a":{"b":` + strings.Repeat("9", maxNumber+1) + `}}`, KindNumber, 1, 11},
	{`{"a":0.` + strings.Repeat("0", maxNumber) + `}`, KindNumber, 1, 6},
	{fmt.Sprintf(`{"a":[%s1e%d]}`, strings.Repeat("1e4000,", zeros), last+1), KindNumber, 1, 7 + 7*zeros},
}

// zeros is how often a text can contain 1e4000, which grows by 3,995 characters in plain notation, and last is the
// exponent of one more number, which grows by the rest of what is allowed.
const zeros, last = maxGrowth / 3995, maxGrowth%3995 + 5

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range refused {
		object, err := Parse(test.text)
		want := fmt.Sprintf("line %d, column %d: %s", test.line, test.column, test.kind)
		if err == nil || err.Error() != want || !object.IsZero() {
			t.Errorf("%.60q: %v, want %s", test.text, err, want)
		}
	}
	if bound := strconv.Itoa(maxNumber); !strings.Contains(fmt.Sprint(KindNumber), bound) {
		t.Errorf("the text of KindNumber does not contain the limit of %s", bound)
	}
}

var accepted = []struct{ text, canonical string }{
	{" {\t\r\n} ", "{}"},
	{`{ "a" : [ null , true , false , "s" , 1 , {} , [ ] ] }`, `{"a":[null,true,false,"s",1,{},[]]}`},
	{
		`{"z":{"b":[{"d":1,"c":{"f":1,"e":2}},{"y":1,"x":2}],"a":1},"y":{"a":1,"b":{"2":1,"1":2}}}`,
		`{"y":{"a":1,"b":{"1":2,"2":1}},"z":{"a":1,"b":[{"c":{"e":2,"f":1},"d":1},{"x":2,"y":1}]}}`,
	},
	{`{"b":1,"a":2,"":3,"B":4,"é":5,"aa":6}`, `{"":3,"B":4,"a":2,"aa":6,"b":1,"é":5}`},
	// Keys are sorted before they are escaped. The backslash in the escape of "<" would sort after "A".
	{`{"A":1,"<":2,"\u0000":3}`, `{"\u0000":3,"\u003c":2,"A":1}`},
	// Keys are sorted by UTF-8 bytes. Languages that sort by UTF-16 keep the order of the input here.
	{`{"a":{"😀":1,"～":2}}`, `{"a":{"～":2,"😀":1}}`},
	{`{"😀":1,"～":2}`, `{"～":2,"😀":1}`},
	{`{"a":"<a href='x'>&amp;</a>"}`, `{"a":"\u003ca href='x'\u003e\u0026amp;\u003c/a\u003e"}`},
	{`{"<a>":"\"\\\/\b\f\n\r\t\u001f\u007f"}`, `{"\u003ca\u003e":"\"\\/\b\f\n\r\t\u001f` + "\x7f" + `"}`},
	{`{"\u0061":"\u00E9\u00e9\ud83d\uDE00"}`, `{"a":"éé😀"}`},
	{"{\"a\":\"\u2028\u2029\ufffd\\ufffd\"}", `{"a":"\u2028\u2029` + "\ufffd\ufffd\"}"},
	{"{\"\\f\u0301\":\"<\u0327\U0001D165\u0300x\u0300\"}", `{"\f\u0301":"\u003c\u0327\ud834\udd65\u0300x` + "\u0300\"}"},
	// After an escaped backslash, a letter is not part of an escape sequence.
	{`{"a":"\\n` + "\u0301" + `\\u0041` + "\u0301\"}", `{"a":"\\n` + "\u0301" + `\\u0041` + "\u0301\"}"},
	{
		strings.Repeat(`{"a":`, 9_999) + "{ }" + strings.Repeat("}", 9_999),
		strings.Repeat(`{"a":`, 9_999) + "{}" + strings.Repeat("}", 9_999),
	},
	{
		fmt.Sprintf(`{"a":[%s1e%d]}`, strings.Repeat("1e4000,", zeros), last),
		`{"a":[` + strings.Repeat("1"+strings.Repeat("0", 4000)+",", zeros) + "1" + strings.Repeat("0", last) + `]}`,
	},
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, test := range accepted {
		if got := mustParse(t, test.text).Canonical(); got != test.canonical {
			t.Errorf("%.200q became %.200q, want %.200q", test.text, got, test.canonical)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	nought := func(n int) string { return strings.Repeat("0", n) }
	tests := map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "-0.00e5": "0", "0e4096": "0", "0E-4096": "0",
		"1": "1", "1.0": "1", "1e0": "1", "10e-1": "1", "0.1e1": "1", "0.001E+3": "1", "1e-00000000000000000000": "1",
		"-1": "-1", "-1.50": "-1.5", "15e-1": "1.5", "1E-3": "0.001", "1e+30": "1" + nought(30), "-1e2": "-100",
		"100": "100", "100.00": "100", "12.34e1": "123.4", "1.23e2": "123", "1.23e3": "1230", "12300e-4": "1.23",
		"0.00123e2": "0.123", "9.007199254740993e15": "9007199254740993", "18446744073709551616": "18446744073709551616",
		"1e4095": "1" + nought(4095), "-1e-4093": "-0." + nought(4092) + "1", "1" + nought(4000) + "e-4000": "1",
		strings.Repeat("9", maxNumber): strings.Repeat("9", maxNumber),
	}
	for text, want := range tests {
		if got := mustParse(t, `{"n":`+text+`}`).Canonical(); got != `{"n":`+want+`}` {
			t.Errorf("%.40s became %.60s, want %.40s", text, got, want)
		}
	}
}

func TestParseIsNotQuadratic(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"`+strings.Repeat("k", 100)+`":`, 9_000)
	many := strings.Repeat(`{"b":2e1,"a":1},`, 10_000)
	marks := strings.Repeat(`<\u0041`, 20_000) + strings.Repeat("\u0301", 100_000)
	start := time.Now()
	mustParse(t, deep+`[`+many+`"`+marks+`"]`+strings.Repeat("}", 9_000))
	// This takes a fraction of a second. Getting the path to each number from the decoder would take five minutes.
	if took := time.Since(start); took > time.Minute {
		t.Errorf("parsing took %s", took)
	}
}

func FuzzParse(f *testing.F) {
	for _, test := range refused {
		f.Add(test.text[:min(len(test.text), 100)])
	}
	for _, test := range accepted {
		f.Add(test.text[:min(len(test.text), 100)])
	}
	kinds := []Kind{
		KindNotJSON, KindByteOrderMark, KindNull, KindArray, KindScalar, KindSyntax, KindDuplicateKey, KindNumber,
	}
	f.Fuzz(func(t *testing.T, text string) {
		valid := json.Valid([]byte(text))
		object, err := Parse(text)
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || !slices.Contains(kinds, fault.Kind) {
				t.Fatalf("Parse returned an unexpected error: %v", err)
			}
			if fault.Kind == KindSyntax && valid && utf8.ValidString(text) && !strings.Contains(strings.ToLower(text), `\ud`) {
				t.Errorf("encoding/json accepts this text, but Parse returned %v", err)
			}
			return
		}
		if !valid {
			t.Fatal("Parse accepts this text, but encoding/json does not")
		}
		canonical := object.Canonical()
		if len(canonical) > 6*len(text)+maxGrowth {
			t.Errorf("a text of %d bytes has a canonical text of %d bytes", len(text), len(canonical))
		}
		if again := mustParse(t, canonical); again.Canonical() != canonical {
			t.Errorf("the canonical text %q has the canonical text %q", canonical, again.Canonical())
		}
	})
}
