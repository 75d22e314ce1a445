package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Properties is a JSON object with the text that it was parsed from. The zero value means that there is none, which is
// not the same as {}. It prints as a mask, because properties may be confidential.
type Properties struct {
	raw     string
	members map[string]any
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
	return Properties{text, members}, nil
}

// IsZero reports whether there is no object. The "omitzero" option of encoding/json uses it.
func (p Properties) IsZero() bool { return p.members == nil }

// Text returns the object as Terraform's jsonencode writes it, or an empty text for the zero value.
func (p Properties) Text() string {
	if p.IsZero() {
		return ""
	}
	text, _ := json.Marshal(mapped(p.members, plain)) // cannot fail with what was decoded
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

// beyond matches exponents that are so large that math/big can take the number for infinity or zero.
var beyond = regexp.MustCompile(`[eE][-+]?0*[1-9]\d{8}`)

// valueOf returns the value of a number as Terraform reads it, or nil for anything else, and for what is beyond.
func valueOf(value any) *big.Float {
	const precision = 512 // bits
	number, _ := value.(json.Number)
	if beyond.MatchString(number.String()) {
		return nil
	}
	parsed, _, err := big.ParseFloat(number.String(), 10, precision, big.ToNearestEven)
	if err != nil {
		return nil
	}
	return parsed.Add(parsed, new(big.Float)) // Zero has no sign in most services.
}

// exact is the value of a number, in a notation that equal ones share and whose length does not depend on the value.
type exact string

func exactly(value any) any {
	if number := valueOf(value); number != nil {
		return exact(number.Text('p', 0))
	}
	return value
}

// plain returns a number as jsonencode writes it, unless that is much longer, and other values as they are.
func plain(value any) any {
	const most = 1100 // binary places, which a double has
	number := valueOf(value)
	if number == nil || max(number.MantExp(nil), -number.MantExp(nil)) > most {
		return value
	}
	return json.Number(number.Text('f', -1))
}

// Equal reports whether both are the same JSON object. The order of members and the notation of texts and numbers do
// not matter. Everything else does: a member that is null is there, and [] is not {}. The zero value equals only
// itself. It compares configuration, plan and state, so that every change is sent. To compare with a response, use
// ShownBy or Differences.
func (p Properties) Equal(other Properties) bool {
	return p.IsZero() == other.IsZero() && reflect.DeepEqual(mapped(p.members, exactly), mapped(other.members, exactly))
}

// ShownBy reports whether a response shows these properties, as far as a service can be expected to. See Differences.
func (p Properties) ShownBy(response Properties) bool {
	return p.IsZero() == response.IsZero() && len(p.Differences(response)) == 0
}

// Differences returns the sorted top-level keys whose values a response shows differently. What services do to values
// without changing what they mean is no difference: a number that is not whole becomes a double, a member that is null
// is dropped, a text is escaped for HTML, and PHP writes an empty object as an empty list.
func (p Properties) Differences(response Properties) (keys []string) {
	all := map[string]any{}
	maps.Copy(all, p.members)
	maps.Copy(all, response.members)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(mapped(p.members[key], asServicesShow), mapped(response.members[key], asServicesShow)) {
			keys = append(keys, key)
		}
	}
	return keys
}

// asServicesShow returns a value in a form that is equal for all that services make of it. See Differences.
func asServicesShow(value any) any {
	switch value := value.(type) {
	case json.Number:
		if number := valueOf(value); number != nil && !number.IsInt() {
			double, _ := number.Float64()
			return double
		}
		return exactly(value)
	case string:
		return html.UnescapeString(value)
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, member any) bool { return member == nil })
	case []any:
		if len(value) == 0 {
			return map[string]any{}
		}
	}
	return value
}

// Has reports whether the object has a member with the key.
func (p Properties) Has(key string) bool {
	_, there := p.members[key]
	return there
}

// Beyond reports whether p has a member that other lacks, or shows differently. Both are responses.
func (p Properties) Beyond(other Properties) bool {
	return slices.ContainsFunc(p.Differences(other), func(key string) bool { return p.members[key] != nil })
}

// String implements fmt.Stringer. It masks the text, and so do the methods for all verbs of fmt and for slog.
func (p Properties) String() string             { return "(JSON object)" }
func (p Properties) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }
func (p Properties) LogValue() slog.Value       { return slog.StringValue(p.String()) }

// MarshalJSON implements json.Marshaler. It returns the text that was parsed. The zero value has none, so encoding it
// fails: a service would understand {} as "remove everything".
func (p Properties) MarshalJSON() ([]byte, error) { return []byte(p.raw), nil }

// UnmarshalJSON implements json.Unmarshaler for the properties in a response. They can be a string that contains an
// object, and an empty list, as which PHP writes an empty object. Anything else counts as missing.
func (p *Properties) UnmarshalJSON(text []byte) error {
	raw := string(text)
	_ = json.Unmarshal(text, &raw)
	if strings.Join(strings.Fields(raw), "") == "[]" {
		raw = "{}"
	}
	if parsed, err := ParseProperties(raw); err == nil {
		*p = parsed
	}
	return nil
}
