package emulator

import (
	"bytes"
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// habit is something that a service does to a value if an option asks for it.
type habit[T any] struct {
	has bool
	do  func(T) T
}

// apply applies those of the habits that the service has, in their order.
func apply[T any](value T, habits ...habit[T]) T {
	for _, habit := range habits {
		if habit.has {
			value = habit.do(value)
		}
	}
	return value
}

// storedName returns a name as the service stores it.
func (o *Options) storedName(name string) string {
	return apply(name,
		habit[string]{o.TrimNames, strings.TrimSpace},
		habit[string]{o.UnixLineEnds, strings.NewReplacer("\r\n", "\n").Replace},
		habit[string]{o.DecomposeNames, norm.NFD.String},
		habit[string]{o.LowerNames, strings.ToLower},
		habit[string]{o.EscapeNames, html.EscapeString},
		habit[string]{o.CutNames && o.MaxNameLength > 0, o.cutName},
	)
}

func (o *Options) cutName(name string) string {
	letters := []rune(name)
	return string(letters[:min(len(letters), o.MaxNameLength)])
}

// storedProperties returns properties as the service stores them: as written, unless an option changes a value.
func (o *Options) storedProperties(text json.RawMessage) json.RawMessage {
	changes := o.Doubles || o.DropNulls || o.DropListNulls || o.EmptyLists || o.KeysAsLists || o.NumbersAsText ||
		o.Digits > 0
	if !changes {
		return text
	}
	text, _ = json.Marshal(o.storedValue(decoded(text)))
	return text
}

// decoded returns what a JSON text says, with its numbers as they are written.
func decoded(text json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

func (o *Options) storedValue(value any) any {
	switch value := value.(type) {
	case json.Number:
		return apply[any](value,
			habit[any]{o.NumbersAsText, func(any) any { return value.String() }},
			habit[any]{o.Digits > 0, o.rounded},
			habit[any]{o.Doubles, asDouble})
	case []any:
		for i := range value {
			value[i] = o.storedValue(value[i])
		}
		return apply[any](value, habit[any]{o.DropListNulls, withoutNulls})
	case map[string]any:
		for name, member := range value {
			if value[name] = o.storedValue(member); member == nil && o.DropNulls {
				delete(value, name)
			}
		}
		return apply[any](value,
			habit[any]{o.KeysAsLists && len(value) > 0, asList},
			habit[any]{o.EmptyLists && len(value) == 0, asList})
	}
	return value
}

func (o *Options) rounded(value any) any {
	number, isNumber := value.(json.Number)
	double, err := number.Float64()
	if !isNumber || err != nil {
		return value
	}
	return json.Number(strconv.FormatFloat(double, 'g', o.Digits, 64))
}

func asDouble(value any) any {
	number, isNumber := value.(json.Number)
	double, err := number.Float64()
	if !isNumber || err != nil {
		return value
	}
	return double
}

func withoutNulls(value any) any {
	list, _ := value.([]any)
	return slices.DeleteFunc(list, func(element any) bool { return element == nil })
}

// asList returns an object whose keys are 0, 1, 2 and so on as a list, as PHP does. It returns other objects unchanged.
func asList(value any) any {
	object, _ := value.(map[string]any)
	list := make([]any, 0, len(object))
	for i := range len(object) {
		element, there := object[strconv.Itoa(i)]
		if !there {
			return value
		}
		list = append(list, element)
	}
	return list
}
