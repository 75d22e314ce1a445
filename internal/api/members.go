package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
			return nil, fmt.Errorf("it holds %s twice", printable(name))
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

// printable names a field if the contract does: any other name is as little ours to print as a value is.
func printable(name string) string {
	documented := []string{
		"success", "new_user_group", "user_group", "team_id", "token", "name", "provided_id", "properties", "api_environment_tag",
	}
	if slices.Contains(documented, name) {
		return "the field " + name
	}
	return "a field"
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
	// encoding/json would replace what is not Unicode, and the damaged text would pass for the real one.
	_, err := jsonobject.Parse(`{"":` + string(raw) + `}`)
	var text string
	if err != nil || json.Unmarshal(raw, &text) != nil {
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
		// 1001.0 and 1.001e3 are 1001 too. A float64 in between would turn 9007199254740993.0 into another number.
		object, _ := jsonobject.Parse(`{"":` + *text + `}`)
		plain := strings.TrimSuffix(strings.TrimPrefix(object.Canonical(), `{"":`), "}")
		if number, err = strconv.ParseInt(plain, 10, 64); err != nil {
			return nil, fmt.Errorf("the field %s is not a whole number of at most 64 bits", name)
		}
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
	if err != nil || *number != 0 && *number != 1 {
		return nil, fmt.Errorf("the field %s is neither 1 or true nor 0 or false", name)
	}
	yes := *number == 1
	return &yes, nil
}

// object also takes an object that was written into a string, as services do that keep JSON in a text column, and an
// empty list, which is how PHP writes an empty object.
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
	if string(raw) == "[]" {
		raw = json.RawMessage("{}")
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
