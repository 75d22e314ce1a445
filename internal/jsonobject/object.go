// Package jsonobject holds a JSON object as the text it was written in, compares such objects by their JSON value, and
// writes them the way Terraform's jsonencode does.
//
// The texts it is given come from a user's configuration and from a remote service, and may hold personal data or
// secrets. Therefore:
//
//   - no error and no format verb prints any part of a key or a value: see [Error] and [Object.Format];
//   - numbers are never converted to a binary type, so no digit is lost;
//   - what is accepted is bounded ([MaxDepth], [MaxExponent], [MaxExpansion]), so that the work is proportional to the
//     length of the text (times a logarithm, for sorting keys), and so is the length of what is written.
//
// Strings are compared code point by code point. Terraform itself keeps strings in Unicode normalization form C, which
// is no concern of JSON's: an object with a decomposed string differs here from the one with the composed string, and
// becomes equal to it once Terraform has stored it.
package jsonobject

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Bounds on what Parse accepts.
const (
	// MaxDepth is how many objects and arrays may stand within one another, the outermost included. It keeps the
	// recursion, here and in every tool the text is handed to, far from any stack's end.
	MaxDepth = 500

	// MaxExponent is how far from zero the exponent of a number may be. Plain notation repeats an exponent as zeros:
	// without a bound, a dozen bytes would ask for gigabytes. All that a float64 can hold (1e308, 5e-324) is well inside.
	MaxExponent = 1000

	// MaxExpansion is how many zeros all exponents of one text may add up to. It bounds what a text of very many
	// numbers, each of them within MaxExponent, grows to. A text must be contrived, or megabytes long, to get there.
	MaxExpansion = 4 << 20
)

// errNone is what encoding the zero Object ends in.
var errNone = errors.New("jsonobject: there is no object to encode")

// Object is a JSON object: the text it was written in and the value that this text stands for. It never changes, and
// may be copied and shared between goroutines.
//
// The zero Object is "no object". It is not the empty object {}; IsZero tells them apart.
type Object struct {
	raw       string
	canonical string
	members   []member // sorted by key
}

// member is one top-level member of an object.
type member struct {
	key        string
	start, end int // where the value stands in the canonical text
}

// Parse reads text, which must be one JSON object with nothing but white space around it. Beyond what JSON's grammar
// forbids it refuses duplicate keys (compared unescaped, at any depth), invalid UTF-8 and escapes of unpaired
// surrogates (neither can be held by a Terraform string), and whatever exceeds the bounds of this package.
//
// The error is always an *Error.
func Parse[T ~string | ~[]byte](text T) (Object, error) {
	raw := string(text)
	object, fault := parse(raw)
	if fault != nil {
		return Object{}, fault.locate(raw)
	}
	return object, nil
}

// IsZero reports whether o is the zero Object: not an empty object, but none. It makes the "omitzero" option of
// encoding/json leave the member out.
func (o Object) IsZero() bool { return o.raw == "" }

// Canonical returns the object as Terraform's jsonencode writes it: keys in byte order, no white space, strings escaped
// as encoding/json does it with HTML escaping, numbers in plain decimal notation with no superfluous zero. Two objects
// are Equal exactly if their canonical texts are the same. It is empty for the zero Object.
//
// It departs from jsonencode where that would lose or damage something: digits beyond 512 bits of precision are kept,
// negative zero is written 0, and a combining mark that directly follows an escape sequence is escaped as well, since
// Terraform's normalization would otherwise melt it into the last letter of that sequence.
func (o Object) Canonical() string { return o.canonical }

// value returns the canonical text of a member's value.
func (o Object) value(m member) string { return o.canonical[m.start:m.end] }

// Format implements fmt.Formatter: every verb prints the number of members and nothing else, so that an Object that
// strays into a message or a log gives nothing away.
func (o Object) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, o.mask()) }

// LogValue implements slog.LogValuer, for the same reason as Format.
func (o Object) LogValue() slog.Value { return slog.StringValue(o.mask()) }

func (o Object) mask() string {
	if o.IsZero() {
		return "(no JSON object)"
	}
	return fmt.Sprintf("(JSON object, %d members)", len(o.members))
}

// MarshalJSON implements json.Marshaler: it returns the text as it was parsed. Without it an Object would encode as {},
// which a service would take for "remove everything". encoding/json strips the white space; every digit stays.
func (o Object) MarshalJSON() ([]byte, error) {
	if o.IsZero() {
		return nil, errNone
	}
	return []byte(o.raw), nil
}

var (
	_ fmt.Formatter  = Object{}
	_ slog.LogValuer = Object{}
	_ json.Marshaler = Object{}
)
