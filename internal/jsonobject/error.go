package jsonobject

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind says what is wrong with a text. Only the values declared here occur.
type Kind int

// The kinds of fault. Those up to KindScalar judge the text as a whole, and point at its first character.
const (
	// KindNotJSON: the text is not JSON and does not even begin as an object or an array. An empty text is one of these.
	KindNotJSON Kind = iota + 1
	// KindByteOrderMark: the text begins with a byte order mark, as some editors write it; JSON has none.
	KindByteOrderMark
	// KindNull: the text is the JSON null.
	KindNull
	// KindArray: the text begins as a JSON array. What follows was not looked at.
	KindArray
	// KindScalar: the text is a JSON string, number or boolean.
	KindScalar

	// KindSyntax: a character that JSON does not allow in this place.
	KindSyntax
	// KindUnexpectedEnd: the text ends before the object does.
	KindUnexpectedEnd
	// KindTrailing: something follows the object.
	KindTrailing
	// KindDuplicateKey: an object has this key already.
	KindDuplicateKey
	// KindExponent: the exponent of a number exceeds MaxExponent, or all of them together MaxExpansion.
	KindExponent
	// KindDepth: objects and arrays are nested deeper than MaxDepth.
	KindDepth
	// KindUTF8: bytes that are not UTF-8.
	KindUTF8
	// KindSurrogate: an escape stands for one half of a surrogate pair, without the other half.
	KindSurrogate
)

// String describes the fault in a few words that complete "the text is refused: ".
func (k Kind) String() string {
	switch k {
	case KindNotJSON:
		return "not JSON"
	case KindByteOrderMark:
		return "begins with a byte order mark"
	case KindNull:
		return "null instead of an object"
	case KindArray:
		return "an array instead of an object"
	case KindScalar:
		return "a string, number or boolean instead of an object"
	case KindSyntax:
		return "a character that JSON does not allow here"
	case KindUnexpectedEnd:
		return "ends before the object is complete"
	case KindTrailing:
		return "more text after the end of the object"
	case KindDuplicateKey:
		return "a key that this object has already"
	case KindExponent:
		return "a number with an exponent that is too large or too small"
	case KindDepth:
		return fmt.Sprintf("objects or arrays nested more than %d deep", MaxDepth)
	case KindUTF8:
		return "bytes that are not UTF-8"
	case KindSurrogate:
		return "an escape of half a surrogate pair"
	default:
		return fmt.Sprintf("Kind(%d)", int(k))
	}
}

// Error is a text that Parse refuses. It says what is wrong and where, and holds no part of the text.
type Error struct {
	Kind Kind

	// Offset is the position of the fault in bytes, from 0.
	Offset int

	// Line and Column are the same position as an editor shows it, both from 1. Column counts code points.
	Line, Column int
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Kind)
}

// locate computes the line and the column, which only a refused text has to pay for.
func (e *Error) locate(text string) *Error {
	before := text[:e.Offset]
	e.Line = strings.Count(before, "\n") + 1
	e.Column = utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return e
}
