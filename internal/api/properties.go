package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
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

// decimal is the value of a number: its digits, without zeros around them, times a power of ten.
type decimal struct {
	sign, digits string
	exponent     int
}

// decimalOf returns the value of a number. It fails only if the exponent has more than nine digits or so. It takes no
// more room than the number, so that a short text cannot become a large one.
func decimalOf(number json.Number) (decimal, error) {
	text, negative := strings.CutPrefix(strings.ToLower(number.String()), "-")
	mantissa, power, _ := strings.Cut(text, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	digits := strings.TrimRight(significant, "0")
	if digits == "" {
		return decimal{}, nil // Zero has no sign in most services.
	}
	exponent, err := strconv.ParseInt(cmp.Or(power, "0"), 10, 32)
	value := decimal{digits: digits, exponent: int(exponent) - len(fraction) + len(significant) - len(digits)}
	if negative {
		value.sign = "-"
	}
	return value, err
}

// plain returns a number as jsonencode writes it: without an exponent and without superfluous zeros. It leaves alone
// a number that would become much longer, and other values.
func plain(value any) any {
	const growth = 40 // Services write numbers of more than 21 digits with an exponent.
	number, _ := value.(json.Number)
	d, err := decimalOf(number)
	whole := len(d.digits) + d.exponent // how many digits come before the point, or minus the zeros after it
	if err != nil || number == "" || max(whole, len(d.digits)-min(whole, 0)) > len(number)+growth {
		return value
	}
	digits := strings.Repeat("0", max(1-whole, 0)) + d.digits + strings.Repeat("0", max(d.exponent, 0))
	point := max(whole, 1)
	text := d.sign + digits[:point]
	if len(digits) > point {
		text += "." + digits[point:]
	}
	return json.Number(text)
}

// Equal reports whether both are the same JSON object. The order of members and the notation of texts and numbers do
// not matter. Everything else does: a member that is null is there, and [] is not {}. The zero value equals only
// itself. It compares configuration, plan and state, so that every change is sent. To compare with a response, use
// ShownBy or Differences.
func (p Properties) Equal(other Properties) bool {
	exactly := func(value any) any {
		number, isNumber := value.(json.Number)
		exact, err := decimalOf(number)
		if isNumber && err == nil {
			return exact
		}
		return value
	}
	return p.IsZero() == other.IsZero() && reflect.DeepEqual(mapped(p.members, exactly), mapped(other.members, exactly))
}

// ShownBy reports whether a response shows these properties, as far as a service can be expected to. See Differences.
func (p Properties) ShownBy(response Properties) bool {
	return p.IsZero() == response.IsZero() && len(p.Differences(response)) == 0
}

// Differences returns the sorted top-level keys whose values a response shows differently. What services do to values
// without changing what they mean is no difference: a number that is not whole becomes a double, a member that is null
// is dropped, and PHP writes an object as a list if its keys count from 0, and so an empty one.
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
		exact, err := decimalOf(value)
		double, tooLarge := value.Float64()
		switch {
		case err != nil:
			return value
		case exact.exponent < 0 && tooLarge == nil:
			return double
		}
		return exact
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, member any) bool { return member == nil })
		return asList(value)
	}
	return value
}

// asList returns the list of the members if their keys count from 0, or else the object.
func asList(object map[string]any) any {
	list := make([]any, 0, len(object))
	for range object {
		member, there := object[strconv.Itoa(len(list))]
		if !there {
			return object
		}
		list = append(list, member)
	}
	return list
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
// object, and a list, as which PHP writes an object whose keys count from 0. Anything else counts as missing.
func (p *Properties) UnmarshalJSON(text []byte) error {
	raw := string(text)
	_ = json.Unmarshal(text, &raw)
	var list []json.RawMessage
	if json.Unmarshal([]byte(raw), &list) == nil && list != nil {
		object := make(map[string]json.RawMessage, len(list))
		for i, item := range list {
			object[strconv.Itoa(i)] = item
		}
		encoded, _ := json.Marshal(object) // cannot fail with what was decoded
		raw = string(encoded)
	}
	if parsed, err := ParseProperties(raw); err == nil {
		*p = parsed
	}
	return nil
}
