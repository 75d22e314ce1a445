// Package jsonobject holds a JSON object as the text it was written in, compares such objects by their JSON value, and
// writes them the way Terraform's jsonencode does.
//
// The texts come from a user's configuration and from a remote service, and may hold personal data or secrets: no error
// and no format verb prints any part of a key or a value.
package jsonobject

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object: the text it was written in and the value that this text stands for. It never changes, and
// may be copied and shared between goroutines.
//
// The zero Object is "no object". It is not the empty object {}; IsZero tells them apart.
type Object struct{ raw, canonical string }

// IsZero reports whether o is the zero Object: not an empty object, but none. It makes the "omitzero" option of
// encoding/json leave the member out.
func (o Object) IsZero() bool { return o.raw == "" }

// Canonical returns the object as Terraform's jsonencode writes it: keys in byte order, no white space, strings escaped
// as encoding/json does it with HTML escaping, numbers in plain decimal notation with no superfluous zero. Two objects
// are Equal exactly if their canonical texts are the same. It is empty for the zero Object.
//
// It departs from jsonencode where that would lose or damage something: digits beyond 512 bits of precision are kept,
// negative zero is written 0, and a combining mark that directly follows an escape sequence is escaped as well.
func (o Object) Canonical() string { return o.canonical }

// Equal reports whether a and b are the same JSON value: the order of keys, white space, escapes, and the spelling of
// numbers (1, 1.0, 1e0; 0, -0) do not matter, everything else does. Numbers are compared digit by digit, strings code
// point by code point: composed and decomposed letters differ until Terraform, which normalizes strings, has stored
// them. The zero Object equals only itself.
func Equal(a, b Object) bool { return a.canonical == b.canonical }

// Contradictions tells how seen, the object that came back, departs from sent, the one that was asked for, by top-level
// key: keys that only seen has (remained), keys whose values differ (differ), and keys that only sent has (missing).
// Each slice is sorted, and nil if there is no such key. All are nil exactly if the members are Equal; the zero Object
// counts as one without members.
func Contradictions(sent, seen Object) (remained, differ, missing []string) {
	before, after := sent.members(), seen.members()
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if value, there := after[key]; !there {
			missing = append(missing, key)
		} else if !bytes.Equal(value, before[key]) {
			differ = append(differ, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, there := before[key]; !there {
			remained = append(remained, key)
		}
	}
	return remained, differ, missing
}

// members returns the canonical text of each top-level value.
func (o Object) members() map[string]jsontext.Value {
	var members map[string]jsontext.Value
	_ = json.Unmarshal([]byte(o.canonical), &members) // fails for the zero Object only
	return members
}

// MarshalJSON implements json.Marshaler: it returns the text as it was parsed. Without it an Object would encode as {},
// which a service would take for "remove everything"; so the zero Object, which has no text, is an error.
func (o Object) MarshalJSON() ([]byte, error) {
	if o.IsZero() {
		return nil, errors.New("jsonobject: there is no object to encode")
	}
	return []byte(o.raw), nil
}

// LogValue implements slog.LogValuer: a mask, so that an Object that strays into a log gives nothing away.
func (o Object) LogValue() slog.Value {
	if o.IsZero() {
		return slog.StringValue("(no JSON object)")
	}
	return slog.StringValue("(JSON object)")
}

// Format implements fmt.Formatter: every verb prints the same mask.
func (o Object) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, o.LogValue().String()) }

// Kind says in a few words what is wrong with a text. Only the values declared here occur.
type Kind string

// The kinds of fault. Those up to KindScalar judge the text as a whole, and point at its first character.
const (
	KindNotJSON       Kind = "not JSON" // and not even the beginning of an object or an array
	KindByteOrderMark Kind = "begins with a byte order mark"
	KindNull          Kind = "null instead of an object"
	KindArray         Kind = "an array instead of an object" // whatever follows its bracket
	KindScalar        Kind = "a string, number or boolean instead of an object"

	KindSyntax       Kind = "not valid JSON from here on" // or from the end of the number or escape that begins here
	KindDuplicateKey Kind = "a key that this object has already"
	KindNumber       Kind = "a number of more than 4096 characters, or whose exponent asks for too many zeros"
)

// Error is a text that Parse refuses. It says what is wrong and where, and holds no part of the text.
type Error struct {
	Kind         Kind
	Line, Column int // as an editor shows them, both from 1; Column counts code points
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Kind)
}

// likeTerraform has keys sorted by byte, and escaped what jsonencode escapes.
var likeTerraform = json.JoinOptions(json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true))

// Parse reads a text, which must be one JSON object with nothing but white space around it. Beyond what JSON's grammar
// forbids it refuses duplicate keys (compared unescaped, at any depth), invalid UTF-8 and escapes of unpaired
// surrogates (neither can be held by a Terraform string), and numbers that are too long. The error is always an *Error.
func Parse(raw string) (Object, error) {
	if object := strings.TrimLeft(raw, " \t\r\n"); !strings.HasPrefix(object, "{") {
		return Object{}, fault(kindOf(jsontext.Value(object)), raw, len(raw)-len(object))
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(raw), &members, exactNumbers()); err != nil {
		return Object{}, refusal(raw, err)
	}
	canonical, err := json.Marshal(members, likeTerraform)
	if err != nil { // nothing is known that can be read and not written
		return Object{}, fault(KindSyntax, raw, 0)
	}
	return Object{raw: raw, canonical: string(escapeThenMarks.ReplaceAllFunc(canonical, escapeMarks))}, nil
}

// kindOf tells what a text is that does not begin as an object.
func kindOf(text jsontext.Value) Kind {
	switch {
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return KindByteOrderMark
	case text.Kind() == jsontext.KindBeginArray:
		return KindArray
	case !text.IsValid():
		return KindNotJSON
	case text.Kind() == jsontext.KindNull:
		return KindNull
	default:
		return KindScalar
	}
}

// refusal keeps no more of the library's error than what happened where: its text quotes keys and values.
func refusal(text string, err error) *Error {
	kind, offset := KindSyntax, int64(0)
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = syntactic.ByteOffset
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		kind = KindDuplicateKey
	} else if errors.Is(err, errNumber) {
		kind = KindNumber
	}
	return fault(kind, text, int(offset))
}

func fault(kind Kind, text string, offset int) *Error {
	before := text[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &Error{kind, strings.Count(before, "\n") + 1, utf8.RuneCountInString(line) + 1}
}

// Plain notation repeats an exponent as zeros: without bounds, a dozen bytes would ask for gigabytes.
const (
	maxNumber = 4096    // characters of a number, both as it stands and in plain notation
	maxGrowth = 4 << 20 // characters that all numbers of a text together may grow by in plain notation
)

var errNumber = errors.New("a number exceeds maxNumber or maxGrowth")

// exactNumbers has the numbers of one text read as plain notation, where the library would make each a float64.
func exactNumbers() json.Options {
	growth := 0
	return json.WithUnmarshalers(json.UnmarshalFromFunc(func(decoder *jsontext.Decoder, value *any) error {
		if decoder.PeekKind() != jsontext.KindNumber {
			return errors.ErrUnsupported // that is, for the library to read
		}
		number, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		plain, ok := plainNotation(string(number))
		if growth += len(plain) - len(number); !ok || growth > maxGrowth {
			return &jsontext.SyntacticError{ByteOffset: decoder.InputOffset() - int64(len(number)), Err: errNumber}
		}
		*value = jsontext.Value(plain)
		return nil
	}))
}

// plainNotation writes a JSON number without an exponent and without a superfluous zero, so that all spellings of a
// number become one, and false if it exceeds maxNumber.
func plainNotation(number string) (string, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || max(len(number), shift, -shift) > maxNumber {
		return "", false
	}
	integer, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")

	// The number is 0.digits, with the point moved to the right by point.
	digits := strings.TrimLeft(integer+fraction, "0")
	point := len(digits) - len(fraction) + shift
	digits = strings.TrimRight(digits, "0")
	switch {
	case digits == "":
		return "0", true
	case point <= 0:
		digits = "0." + strings.Repeat("0", -point) + digits
	case point < len(digits):
		digits = digits[:point] + "." + digits[point:]
	default:
		digits += strings.Repeat("0", point-len(digits))
	}
	if number[0] == '-' {
		digits = "-" + digits
	}
	return digits, len(digits) <= maxNumber
}

// escapeThenMarks matches an escape sequence with the combining marks that follow it. Those without marks match too, so
// that no match begins in the middle of one.
var escapeThenMarks = regexp.MustCompile(`\\(?:u[0-9a-f]{4}|.)\pM*`)

// escapeMarks escapes the marks as well: Terraform normalizes the text that it stores, and would melt the first of them
// into the last letter of the escape sequence.
func escapeMarks(match []byte) (escaped []byte) {
	for _, unit := range utf16.Encode([]rune(string(match))) {
		if unit < utf8.RuneSelf {
			escaped = append(escaped, byte(unit))
		} else {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
	}
	return escaped
}
