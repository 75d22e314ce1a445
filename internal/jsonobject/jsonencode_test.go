package jsonobject

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
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
	texts := []string{string(text)}
	for seed := range uint64(300) {
		texts = append(texts, writer{rand.New(rand.NewPCG(seed, 1))}.object(4))
	}
	for _, text := range texts {
		if got, want := mustParse(t, text).Canonical(), jsonencode(t, text); got != want {
			t.Fatalf("%.9999q\nCanonical %.9999q\nTerraform %.9999q", text, got, want)
		}
	}
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

// writer writes random JSON in random spellings.
type writer struct{ *rand.Rand }

func (w writer) one(of ...string) string { return of[w.IntN(len(of))] }

func (w writer) space() string { return w.one("", "", "", " ", "\r\n\t") }

// list joins up to six items in random order.
func (w writer) list(item func(i int) string) string {
	items := make([]string, w.IntN(7))
	for i := range items {
		items[i] = w.space() + item(i) + w.space()
	}
	w.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
	return strings.Join(items, ",") + w.space()
}

func (w writer) object(depth int) string {
	return "{" + w.list(func(i int) string {
		// The index makes the keys unique.
		return strings.TrimSuffix(w.string(), `"`) + strconv.Itoa(i) + `"` + w.space() + ":" + w.space() + w.value(depth-1)
	}) + "}"
}

func (w writer) value(depth int) string {
	switch kind := w.IntN(8); {
	case kind == 0:
		return w.one("null", "true", "false")
	case kind <= 2:
		return w.string()
	case kind <= 4 || depth == 0:
		return w.number()
	case kind == 5:
		return "[" + w.list(func(int) string { return w.value(depth - 1) }) + "]"
	default:
		return w.object(depth)
	}
}

func (w writer) string() string {
	alphabet := []rune("abAB<>&\"\\/ \b\f\n\r\t\x00\x1f\x7f\u0080éß€\u2028\u2029\ufeff\ufffd～😀")
	var b strings.Builder
	for range w.IntN(6) {
		r := alphabet[w.IntN(len(alphabet))]
		if r >= ' ' && r != '"' && r != '\\' && w.IntN(3) > 0 {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, w.one(`\u%04x`, `\u%04X`), unit)
		}
	}
	return `"` + b.String() + `"`
}

// number writes a number that fits into the 512 bits of Terraform's numbers. It is never zero, because Terraform
// keeps the sign of a zero.
func (w writer) number() string {
	digits := strconv.Itoa(w.IntN(9) + 1)
	for range w.IntN([]int{3, 20, 140}[w.IntN(3)]) {
		digits += strconv.Itoa(w.IntN(10))
	}
	digits += w.one("", "0", "00")
	point := 1 + w.IntN(len(digits))
	number := w.one("", "-") + w.one(digits, "0.0"+digits, strings.TrimSuffix(digits[:point]+"."+digits[point:], "."))
	return number + w.one("", "", w.one("e", "E", "e+", "e-", "E-00")+strconv.Itoa(w.IntN([]int{6, 1000}[w.IntN(2)])))
}
