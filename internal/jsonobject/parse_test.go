package jsonobject

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
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
	{`"\ud800"`, KindNotJSON, 1, 1},
	{"\ufeff{}", KindByteOrderMark, 1, 1},
	{" null\n", KindNull, 1, 2},
	{"[]", KindArray, 1, 1},
	{"\r\n [{", KindArray, 2, 2},
	{`"{\"a\":1}"`, KindScalar, 1, 1},
	{"\ttrue", KindScalar, 1, 2},
	{"-1.5e3 ", KindScalar, 1, 1},

	{"{\n  tier: 1\n}", KindSyntax, 2, 4},
	{"{\n\"é😀\":x}", KindSyntax, 2, 6},
	{`{"a":1,}`, KindSyntax, 1, 7},
	{`{"a":01}`, KindSyntax, 1, 7},
	{"{\"a\":\"é\t\"}", KindSyntax, 1, 8},
	{`{"a":"\x41"}`, KindSyntax, 1, 7},
	{"{\"a\":\n", KindSyntax, 2, 1},
	{`{"a":[1,{"b":"c`, KindSyntax, 1, 16},
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

	{`{"a": 1e4096}`, KindNumber, 1, 7},
	{`{"a":["b",  -1e-4094]}`, KindNumber, 1, 13},
	{"{\"a\":\n1E+999999999999999999999}", KindNumber, 2, 1},
	{`{"a":1e-18446744073709551617}`, KindNumber, 1, 6},
	{`{"a":0e4097}`, KindNumber, 1, 6},
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

// asTerraform are texts whose canonical form is what Terraform's jsonencode writes.
var asTerraform = []string{
	" {\t\r\n} ",
	`{ "a" : [ null , true , false , "s" , 1 , {} , [ ] ] }`,
	`{"z":{"b":[{"d":1,"c":{"f":1,"e":2}},{"y":1,"x":2}],"a":1},"y":{"a":1,"b":{"2":1,"1":2}}}`,
	`{"b":1,"a":2,"":3,"B":4,"é":5,"aa":6}`,
	// Keys are sorted before they are escaped. The backslash in the escape of "<" would sort after "A".
	`{"A":1,"<":2,"\u0000":3}`,
	// Keys are sorted by UTF-8 bytes. Languages that sort by UTF-16 keep the order of the input here.
	`{"a":{"😀":1,"～":2}}`,
	`{"😀":1,"～":2}`,
	`{"a":"<a href='x'>&amp;</a>"}`,
	`{"<a>":"\"\\\/\b\f\n\r\t\u001f\u007f"}`,
	`{"\u0061":"\u00E9\u00e9\ud83d\uDE00"}`,
	"{\"a\":\"\u2028\u2029\ufffd\\ufffd\"}",
}

// unlikeTerraform are texts that jsonencode would damage, or that it cannot write, with their canonical form.
var unlikeTerraform = map[string]string{
	"{\"\\f\u0301\":\"<\u0327\U0001D165\u0300x\u0300\"}": `{"\f\u0301":"\u003c\u0327\ud834\udd65\u0300x` + "\u0300\"}",
	// After an escaped backslash, a letter is not part of an escape sequence.
	`{"a":"\\n` + "\u0301" + `\\u0041` + "\u0301\"}": `{"a":"\\n` + "\u0301" + `\\u0041` + "\u0301\"}",
	`{"a":[-0,-0.00e5,0e4096,0E-4096]}`:              `{"a":[0,0,0,0]}`,
	`{"a":1e4095}`:                                   `{"a":1` + strings.Repeat("0", 4095) + `}`,
	`{"a":-1e-4093}`:                                 `{"a":-0.` + strings.Repeat("0", 4092) + `1}`,
	`{"a":1` + strings.Repeat("0", 4000) + `e-4000}`: `{"a":1}`,
	`{"a":` + strings.Repeat("9", maxNumber) + `}`:   `{"a":` + strings.Repeat("9", maxNumber) + `}`,

	fmt.Sprintf(`{"a":[%s1e%d]}`, strings.Repeat("1e4000,", zeros), last): `{"a":[` +
		strings.Repeat("1"+strings.Repeat("0", 4000)+",", zeros) + "1" + strings.Repeat("0", last) + `]}`,

	strings.Repeat(`{"a":`, 9_999) + "{ }" + strings.Repeat("}", 9_999): strings.Repeat(`{"a":`, 9_999) +
		"{}" + strings.Repeat("}", 9_999),
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	var every strings.Builder
	// Beyond the first two planes, neither side treats any character specially.
	for r := range rune(0x20000) {
		// Terraform never writes what its normalization changes, so there is nothing to compare.
		if s := "a" + string(r) + string(r) + "a"; utf8.ValidRune(r) && cty.NormalizeString(s) == s {
			every.WriteString(s)
		}
	}
	text, _ := json.Marshal(map[string]string{"a": every.String()})
	tests := maps.Clone(unlikeTerraform)
	for _, text := range append(asTerraform, string(text), `{"n":[`+strings.Join(numbers(), " ,\r\n\t")+`]}`) {
		tests[text] = jsonencode(t, text)
	}
	for text, want := range tests {
		if got := mustParse(t, text).Canonical(); got != want {
			t.Errorf("%.9999q became\n%.9999q, want\n%.9999q", text, got, want)
		}
	}
}

// jsonencode returns Terraform's jsonencode(jsondecode(text)).
func jsonencode(t *testing.T, text string) string {
	t.Helper()
	value, err := stdlib.JSONDecode(cty.StringVal(text))
	if err != nil {
		t.Fatalf("jsondecode: %v", err)
	}
	encoded, err := stdlib.JSONEncode(value)
	if err != nil {
		t.Fatalf("jsonencode: %v", err)
	}
	return encoded.AsString()
}

// numbers returns spellings of numbers that fit into the 512 bits of Terraform's numbers. None is zero, because
// Terraform keeps the sign of a zero.
func numbers() (all []string) {
	long := strings.Repeat("1234567890", 14)
	for _, digits := range []string{"1", "7", "10", "12", "100", "120", "9007199254740993", long} {
		for _, mantissa := range []string{
			digits, digits + ".0", digits + ".50", digits[:1] + "." + digits, "0." + digits, "0.00" + digits + "0",
		} {
			for _, exponent := range []string{"", "e0", "E1", "e+2", "e-1", "E-002", "e5", "e-5", "E+150", "e-150", "e999"} {
				all = append(all, mantissa+exponent, "-"+mantissa+exponent)
			}
		}
	}
	return all
}

// TestCanonicalSurvivesNormalization: Terraform must not turn the text into invalid JSON when it normalizes it. That
// happens to jsonencode's own text if a combining mark follows an escape sequence.
func TestCanonicalSurvivesNormalization(t *testing.T) {
	t.Parallel()
	var marks, others strings.Builder
	for r := range unicode.MaxRune + 1 {
		if unicode.IsMark(r) {
			marks.WriteRune(r)
		} else if utf8.ValidRune(r) {
			others.WriteString("c" + string(r) + "\n")
		}
	}
	for line := range strings.Lines(cty.NormalizeString(others.String())) {
		if line[0] != 'c' && line != "\n" {
			t.Errorf("normalization combines a character that is not a mark with the one before it: %+q", line)
		}
	}
	for before := range strings.SplitSeq("<.>.&.\n.\f.\b.\t.\r.\".\\.\u2028.\x00.\x1a.é.", ".") {
		var strs []string
		for _, mark := range marks.String() {
			strs = append(strs, before+string(mark), before+"\U0001D165"+string(mark))
		}
		text, _ := json.Marshal(map[string][]string{"a": strs})
		stored, err := Parse(cty.NormalizeString(mustParse(t, string(text)).Canonical()))
		if err != nil {
			t.Fatalf("after %q: the text that Terraform stores cannot be parsed: %v", before, err)
		}
		var got map[string][]string
		if err := json.Unmarshal([]byte(stored.raw), &got); err != nil {
			t.Fatal(err)
		}
		for i, s := range strs {
			// Normalization may change the string only as it would change the string by itself.
			if cty.NormalizeString(got["a"][i]) != cty.NormalizeString(s) {
				t.Errorf("%+q became %+q", s, got["a"][i])
			}
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
	for _, text := range slices.AppendSeq(asTerraform, maps.Keys(unlikeTerraform)) {
		f.Add(text[:min(len(text), 100)])
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
