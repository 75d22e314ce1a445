package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// members are the fields of a JSON object whose value is not null: an answer's null says as little as its silence.
// Fields are read in their documented type or in one whose meaning is obvious ("1001" for 1001, true for 1); any
// other is an error that names the field and never the value.
type members map[string]json.RawMessage

func decodeMembers(body []byte) (members, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is not a JSON object")
	}
	fields := members{}
	for decoder.More() {
		key, err := decoder.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err == nil && isName {
			err = decoder.Decode(&value)
		}
		if err != nil || !isName {
			return nil, errors.New("it is not complete JSON")
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("it holds the field %s twice", printable(name))
		}
		if string(value) != "null" {
			fields[name] = value
		}
	}
	if _, err := decoder.Token(); err != nil {
		return nil, errors.New("it is not complete JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows after the JSON object")
	}
	return fields, nil
}

// printable keeps a field name that a hostile answer made up from disturbing the terminal.
func printable(name string) string {
	const enough = 40
	if len(name) > enough {
		name = strings.ToValidUTF8(name[:enough], "")
	}
	return strconv.QuoteToGraphic(name)
}

func (m members) text(name string) (*string, error) {
	raw, present := m[name]
	if !present {
		return nil, nil
	}
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		number := string(raw)
		return &number, nil
	}
	var text string
	if !utf8.Valid(raw) || json.Unmarshal(raw, &text) != nil {
		return nil, fmt.Errorf("the field %s is not a string", name)
	}
	return &text, nil
}

func (m members) secret(name string) (Secret, error) {
	text, err := m.text(name)
	if err != nil || text == nil {
		return Secret{}, err
	}
	if strings.ContainsFunc(*text, unicode.IsControl) {
		return Secret{}, fmt.Errorf("the field %s contains control characters", name)
	}
	return NewSecret(*text), nil
}

// integer reads all of int64 exactly.
func (m members) integer(name string) (*int64, error) {
	text, err := m.text(name)
	if err != nil || text == nil {
		return nil, wrongType(err, name, "a number")
	}
	number, err := strconv.ParseInt(*text, 10, 64)
	if err != nil {
		// 1001.0 and 1.001e3 are 1001 too; beyond 2^53 a float could only guess.
		const exact = 1 << 53
		float, floatErr := strconv.ParseFloat(*text, 64)
		if floatErr != nil || float != math.Trunc(float) || math.Abs(float) > exact || strings.ContainsAny(*text, "xXpP_nN") {
			return nil, fmt.Errorf("the field %s is not a whole number of at most 64 bits", name)
		}
		number = int64(float)
	}
	return &number, nil
}

func (m members) flag(name string) (*bool, error) {
	raw, present := m[name]
	if !present {
		return nil, nil
	}
	if text := string(raw); text == "true" || text == "false" {
		yes := text == "true"
		return &yes, nil
	}
	number, err := m.integer(name)
	if err != nil {
		return nil, fmt.Errorf("the field %s is neither a number nor true or false", name)
	}
	yes := *number == 1
	return &yes, nil
}

// object also takes an object that was written into a string, as services do that keep JSON in a text column.
func (m members) object(name string) (jsonobject.Object, error) {
	raw, present := m[name]
	if !present {
		return jsonobject.Object{}, nil
	}
	if raw[0] == '"' {
		text, err := m.text(name)
		if err != nil {
			return jsonobject.Object{}, wrongType(err, name, "a JSON object")
		}
		raw = json.RawMessage(*text)
	}
	object, err := jsonobject.Parse(raw)
	if err != nil {
		return jsonobject.Object{}, fmt.Errorf("the field %s is not a JSON object that can be handled: %w", name, err)
	}
	return object, nil
}

func wrongType(err error, name, expected string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the field %s is not %s", name, expected)
}

// secretFields hold tokens, in requests and in answers.
var secretFields = []string{"token", "current_token"}

// secrets returns the tokens in this object and in the user_group inside it.
func (m members) secrets() []Secret {
	var secrets []Secret
	inner, _ := decodeMembers(m["user_group"])
	for _, fields := range []members{m, inner} {
		for _, name := range secretFields {
			if secret, err := fields.secret(name); err == nil {
				secrets = append(secrets, secret)
			}
		}
	}
	return secrets
}

// masked writes the object with tokens masked and with properties, which can hold personal data, left out.
func (m members) masked() string {
	written := make([]string, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := string(m[name])
		if name == "user_group" {
			if inner, err := decodeMembers(m[name]); err == nil {
				// Nothing deeper is known to the contract, so nothing deeper is looked into or shown.
				delete(inner, "user_group")
				value = inner.masked()
			}
		}
		if slices.Contains(secretFields, name) || name == "properties" {
			value = strconv.Quote(mask)
		}
		written = append(written, strconv.Quote(name)+":"+value)
	}
	return "{" + strings.Join(written, ",") + "}"
}
