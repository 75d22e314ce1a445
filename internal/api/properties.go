package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Properties is a JSON object with the text that it was parsed from. The zero value means that there is none, which is
// not the same as {}. It prints as a mask, because properties may be confidential.
type Properties struct {
	raw     string
	members map[string]any // with each number in plain notation
}

// ParseProperties parses a text that consists of one JSON object. The error is a predicate without a subject ("is …")
// and contains no part of the text, which may be confidential.
func ParseProperties(text string) (Properties, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	members, isObject := value.(map[string]any)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		before := text[:min(int(max(syntax.Offset, 1))-1, len(text))]
		column := utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
		return Properties{}, fmt.Errorf("is not valid JSON: look at line %d, column %d of the text",
			strings.Count(before, "\n")+1, column)
	case err != nil:
		return Properties{}, errors.New("is not complete JSON: the text ends early")
	case !isObject:
		return Properties{}, errors.New("is JSON, but not an object")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Properties{}, errors.New("has text after the JSON object")
	}
	return Properties{text, mapped(members, plain).(map[string]any)}, nil
}

// IsZero reports whether there is no object. The "omitzero" option of encoding/json uses it.
func (p Properties) IsZero() bool { return p.members == nil }

// Text returns the object as Terraform's jsonencode writes it, or an empty text for the zero value.
func (p Properties) Text() string {
	if p.IsZero() {
		return ""
	}
	text, _ := json.Marshal(p.members) // cannot fail with what was decoded
	return string(text)
}

// mapped applies a function to all values in a JSON value, the innermost first.
func mapped(value any, change func(any) any) any {
	switch value := value.(type) {
	case map[string]any:
		object := make(map[string]any, len(value))
		for key, member := range value {
			object[key] = mapped(member, change)
		}
		return change(object)
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = mapped(item, change)
		}
		return change(list)
	default:
		return change(value)
	}
}

// plain returns a number as jsonencode writes it: without an exponent and without superfluous zeros. It leaves alone a
// number that would be longer than any double, and other values.
func plain(value any) any {
	number, isNumber := value.(json.Number)
	_, exponent, hasExponent := strings.Cut(strings.ToLower(number.String()), "e")
	shift, err := strconv.Atoi(exponent)
	const longest = 400
	if !isNumber || len(number) > longest || hasExponent && (err != nil || max(shift, -shift) > longest) {
		return value
	}
	exact, _ := new(big.Rat).SetString(number.String())
	decimals, _ := exact.FloatPrec()
	return json.Number(exact.FloatString(decimals))
}

// compared returns the members in a form that is equal for all that a service may make of them without changing their
// meaning. A number that is not whole is a double in many services. A member that is null may be dropped. PHP writes an
// empty object as an empty list.
func (p Properties) compared() map[string]any {
	members, _ := mapped(p.members, func(value any) any {
		switch value := value.(type) {
		case json.Number:
			if double, err := value.Float64(); err == nil && strings.Contains(value.String(), ".") {
				return double
			}
		case map[string]any:
			maps.DeleteFunc(value, func(_ string, member any) bool { return member == nil })
		case []any:
			if len(value) == 0 {
				return map[string]any{}
			}
		}
		return value
	}).(map[string]any)
	return members
}

// Equal reports whether both have the same JSON value, whatever its notation. The zero value equals only itself.
func (p Properties) Equal(other Properties) bool {
	return p.IsZero() == other.IsZero() && len(p.Differences(other)) == 0
}

// Differences returns the sorted top-level keys whose values differ.
func (p Properties) Differences(other Properties) (keys []string) {
	mine, theirs := p.compared(), other.compared()
	all := maps.Clone(mine)
	maps.Copy(all, theirs)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(mine[key], theirs[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Has reports whether the object has a member with the key.
func (p Properties) Has(key string) bool {
	_, there := p.members[key]
	return there
}

// Beyond reports whether p has a member that other lacks, or has with another value.
func (p Properties) Beyond(other Properties) bool {
	mine := p.compared()
	return slices.ContainsFunc(p.Differences(other), func(key string) bool { return mine[key] != nil })
}

// String implements fmt.Stringer. It masks the text, and so do the methods for all verbs of fmt and for slog.
func (p Properties) String() string             { return "(JSON object)" }
func (p Properties) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }
func (p Properties) LogValue() slog.Value       { return slog.StringValue(p.String()) }

// MarshalJSON implements json.Marshaler. It returns the text that was parsed.
func (p Properties) MarshalJSON() ([]byte, error) {
	if p.IsZero() {
		return nil, errors.New("there is no object to encode") // A service would understand {} as "remove everything".
	}
	return []byte(p.raw), nil
}

// UnmarshalJSON implements json.Unmarshaler for the properties in a response. They can be a string that contains an
// object, and an empty list. Anything else that is not an object counts as missing.
func (p *Properties) UnmarshalJSON(text []byte) error {
	raw := string(text)
	_ = json.Unmarshal(text, &raw)
	if strings.ReplaceAll(raw, " ", "") == "[]" {
		raw = "{}"
	}
	if parsed, err := ParseProperties(raw); err == nil {
		*p = parsed
	}
	return nil
}
