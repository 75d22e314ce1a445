package jsonobject

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// jsonencode is what Terraform makes of jsonencode(jsondecode(text)).
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
	for seed := range uint64(1000) {
		random := rand.New(rand.NewPCG(seed, 1))
		text := rewrite(random, randomObject(random, 4))
		object := mustParse(t, text)
		if want := jsonencode(t, text); object.Canonical() != want {
			t.Fatalf("%q\nhere      %q\nTerraform %q", text, object.Canonical(), want)
		}
	}
}

func TestCanonicalOfEveryCharacter(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	// Beyond the first two planes there is nothing that either side treats in a way of its own.
	for r := range rune(0x20000) {
		// What Terraform's normalization changes has no spelling there to compare with.
		if s := string(r); utf8.ValidRune(r) && cty.NormalizeString("a"+s+s+"a") == "a"+s+s+"a" {
			fmt.Fprintf(&b, "a%sa", referenceString(s)[1:len(referenceString(s))-1])
		}
	}
	text := `{"a":"` + b.String() + `"}`
	if got := mustParse(t, text).Canonical(); got != jsonencode(t, text) {
		t.Error("differs from what Terraform writes")
	}
}

// A combining mark after an escape sequence is where jsonencode itself ends in a text that is not JSON any more.
func TestCanonicalSurvivesNormalization(t *testing.T) {
	t.Parallel()
	before := []string{"<", ">", "&", "\n", "\f", "\b", "\t", "\r", "\"", "\\", "\u2028", "\x00", "\x1a", "\x1f", "/", "é", ""}
	for mark := rune(0x300); mark < 0x370; mark++ {
		for _, first := range before {
			for _, marks := range []string{string(mark), "\u0315" + string(mark), "\U0001D165" + string(mark), "\u034f" + string(mark)} {
				object := mustParse(t, "{"+referenceString("x"+first+marks)+":1,"+`"a":`+referenceString(first+marks)+"}")
				stored, err := Parse(cty.NormalizeString(object.Canonical()))
				if err != nil {
					t.Fatalf("%+q cannot be read back: %v", first+marks, err)
				}
				if Equal(object, stored) {
					continue
				}
				// Normalization may change the string, but only as it would change the string on its own.
				if want := cty.NormalizeString("x" + first + marks); cty.NormalizeString(stored.members[1].key) != want {
					t.Errorf("%+q became %+q", "x"+first+marks, stored.members[1].key)
				}
			}
		}
	}
}

func randomObject(random *rand.Rand, depth int) *tree {
	object := &tree{token: json.Delim('{')}
	for range random.IntN(6) {
		key := randomString(random)
		if !slices.Contains(object.keys, key) {
			object.keys = append(object.keys, key)
			object.children = append(object.children, randomValue(random, depth-1))
		}
	}
	return object
}

func randomValue(random *rand.Rand, depth int) *tree {
	switch kind := random.IntN(8); {
	case kind == 0:
		return &tree{}
	case kind == 1:
		return &tree{token: random.IntN(2) == 0}
	case kind <= 3:
		return &tree{token: randomString(random)}
	case kind <= 5 || depth == 0:
		return &tree{token: randomNumber(random)}
	case kind == 6:
		return randomObject(random, depth)
	default:
		array := &tree{token: json.Delim('[')}
		for range random.IntN(5) {
			array.children = append(array.children, randomValue(random, depth-1))
		}
		return array
	}
}

func randomString(random *rand.Rand) string {
	alphabet := []rune("abAB<>&\"\\/ \b\f\n\r\t\x00\x1f\x7f\u0080éß€\u2028\u2029\ufeff\ufffd😀")
	var b strings.Builder
	for range random.IntN(6) {
		b.WriteRune(alphabet[random.IntN(len(alphabet))])
	}
	return b.String()
}

// randomNumber stays within the 512 bits that Terraform computes with, and off zero, whose sign Terraform keeps.
func randomNumber(random *rand.Rand) json.Number {
	digits := strconv.Itoa(random.IntN(9) + 1)
	for range random.IntN([]int{3, 20, 149}[random.IntN(3)]) {
		digits += strconv.Itoa(random.IntN(10))
	}
	switch random.IntN(4) {
	case 0:
		digits = "-" + digits
	case 2:
		digits = "0." + digits
	}
	if random.IntN(3) == 0 {
		digits += "e" + strconv.Itoa(random.IntN(2*MaxExponent)-MaxExponent)
	}
	return json.Number(digits)
}
