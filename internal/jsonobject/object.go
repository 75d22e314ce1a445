// Package jsonobject parses JSON objects and keeps their text. It compares them by JSON value, and writes them as
// Terraform's jsonencode does.
//
// The texts come from a user's configuration or from a remote service, and may contain personal data or secrets.
// Therefore, no error and no format verb prints any part of a key or a value.
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

// Object is a JSON object with the text that it was parsed from. It is immutable, and can be copied and shared
// between goroutines.
//
// The zero Object means that there is no object. It is not the empty object {}; see IsZero.
type Object struct{ raw, canonical string }

// IsZero reports whether o is the zero Object. The empty object {} is not zero. The "omitzero" option of
// encoding/json uses IsZero.
func (o Object) IsZero() bool { return o.raw == "" }

// Canonical returns the object as Terraform's jsonencode writes it: keys in byte order, no white space, strings
// escaped as by encoding/json with HTML escaping, and numbers in plain decimal notation without superfluous zeros.
// Two objects are Equal if and only if their canonical texts are the same. The canonical text of the zero Object is
// empty.
//
// Canonical differs from jsonencode where jsonencode would lose or damage something. It keeps digits beyond 512 bits
// of precision, writes negative zero as 0, and escapes a combining mark that directly follows an escape sequence.
func (o Object) Canonical() string { return o.canonical }

// Equal reports whether a and b have the same JSON value. The order of keys, white space, escapes, and the spelling
// of numbers (1, 1.0, 1e0; 0, -0) do not matter. Numbers are compared digit by digit, without a loss of precision.
// Strings are compared code point by code point, so composed and decomposed letters differ, even though Terraform
// normalizes the strings that it stores. The zero Object equals only itself.
func Equal(a, b Object) bool { return a.canonical == b.canonical }

// Contradictions compares sent, the object in a request, with seen, the object in a response. It returns the
// top-level keys that only seen has (remained), those whose values differ (differ), and those that only sent has
// (missing). Each slice is sorted, and nil if there is no such key. The zero Object counts as an object without
// members.
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
	_ = json.Unmarshal([]byte(o.canonical), &members) // fails only for the zero Object
	return members
}

// MarshalJSON implements json.Marshaler. It returns the text that was parsed. For the zero Object, it returns an
// error, because a service would understand {} as "remove everything".
func (o Object) MarshalJSON() ([]byte, error) {
	if o.IsZero() {
		return nil, errors.New("jsonobject: there is no object to encode")
	}
	return []byte(o.raw), nil
}

// LogValue implements slog.LogValuer. It returns a mask, so that an Object in a log reveals nothing.
func (o Object) LogValue() slog.Value {
	if o.IsZero() {
		return slog.StringValue("(no JSON object)")
	}
	return slog.StringValue("(JSON object)")
}

// Format implements fmt.Formatter. Every verb prints the mask of LogValue.
func (o Object) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, o.LogValue().String()) }

// Kind describes in a few words what is wrong with a text. The constants below are its only values.
type Kind string

// The kinds of fault. Those up to KindScalar are about the whole text. Their position is its first character that is
// not white space.
const (
	KindNotJSON       Kind = "not JSON" // and does not begin like an object or an array
	KindByteOrderMark Kind = "begins with a byte order mark"
	KindNull          Kind = "null instead of an object"
	KindArray         Kind = "an array instead of an object" // even if it is not valid JSON
	KindScalar        Kind = "a string, number or boolean instead of an object"

	KindSyntax       Kind = "not valid JSON from here on" // or invalid within the number or escape that begins here
	KindDuplicateKey Kind = "a duplicate key"
	KindNumber       Kind = "a number with more than 4096 characters, or with too large an exponent"
)

// Error is the error of Parse. It says what is wrong with the text and where, but contains no part of the text.
type Error struct {
	Kind         Kind
	Line, Column int // both from 1, as in an editor; Column counts code points
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Kind)
}

// likeTerraform sorts keys by byte and escapes what jsonencode escapes.
var likeTerraform = json.JoinOptions(json.Deterministic(true), jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true))

// Parse parses a text that consists of one JSON object. White space around the object is allowed. In addition to what
// the grammar of JSON forbids, Parse refuses duplicate keys (compared unescaped, at any depth), numbers that are too
// long (see KindNumber), invalid UTF-8, and escapes of unpaired surrogates. A Terraform string can contain neither of
// the last two. The error is always an *Error.
func Parse(raw string) (Object, error) {
	if object := strings.TrimLeft(raw, " \t\r\n"); !strings.HasPrefix(object, "{") {
		return Object{}, fault(kindOf(jsontext.Value(object)), raw, len(raw)-len(object))
	}
	var members map[string]any
	if err := json.Unmarshal([]byte(raw), &members, exactNumbers()); err != nil {
		return Object{}, refusal(raw, err)
	}
	canonical, err := json.Marshal(members, likeTerraform)
	if err != nil { // no text is known that can be parsed but not encoded
		return Object{}, fault(KindSyntax, raw, 0)
	}
	return Object{raw: raw, canonical: string(escapeThenMarks.ReplaceAllFunc(canonical, escapeMarks))}, nil
}

// kindOf returns what is wrong with a text that does not begin with a brace.
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

// refusal converts an error of the library. It keeps only the kind and the position, because the error's text quotes
// keys and values.
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

// Plain notation writes exponents out as zeros. Without limits, a dozen bytes could require gigabytes of memory.
const (
	maxNumber = 4096    // characters of a number, both as written and in plain notation
	maxGrowth = 4 << 20 // characters by which all numbers of a text together may grow in plain notation
)

var errNumber = errors.New("a number exceeds maxNumber or maxGrowth")

// exactNumbers returns an option for parsing one text. It converts numbers to plain notation, where the library would
// use float64.
func exactNumbers() json.Options {
	growth := 0
	return json.WithUnmarshalers(json.UnmarshalFromFunc(func(decoder *jsontext.Decoder, value *any) error {
		if decoder.PeekKind() != jsontext.KindNumber {
			return errors.ErrUnsupported // The library parses it.
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

// plainNotation returns a JSON number without an exponent or superfluous zeros, so that all spellings of a number
// become the same. It returns false if the number exceeds maxNumber.
func plainNotation(number string) (string, bool) {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	shift, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil || max(len(number), shift, -shift) > maxNumber {
		return "", false
	}
	integer, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")

	// The absolute value of the number is 0.digits times 10 to the power of point.
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

// escapeThenMarks matches an escape sequence and the combining marks that follow it. It also matches an escape
// sequence without marks, so that no match begins in the middle of a sequence.
var escapeThenMarks = regexp.MustCompile(`\\(?:u[0-9a-f]{4}|.)\pM*`)

// escapeMarks also escapes the marks. When Terraform normalizes the text to store it, it would otherwise combine the
// first mark with the last letter of the escape sequence.
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
