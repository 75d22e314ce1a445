package jsonobject

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

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

func TestCanonicalIsWhatTerraformWrites(t *testing.T) {
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
	texts := []string{string(text), `{"n":[` + strings.Join(numbers(), " ,\r\n\t") + `]}`}
	for _, test := range accepted {
		// Canonical differs on purpose where a mark follows an escape sequence. Terraform cannot read the longest texts.
		if !strings.ContainsFunc(test.text, unicode.IsMark) && len(test.text) < 1000 {
			texts = append(texts, test.text)
		}
	}
	for _, text := range texts {
		if got, want := mustParse(t, text).Canonical(), jsonencode(t, text); got != want {
			t.Errorf("%.9999q\nCanonical %.9999q\nTerraform %.9999q", text, got, want)
		}
	}
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
