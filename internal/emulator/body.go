package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"unicode/utf8"
)

// fieldsOf lists the fields that each operation accepts.
var fieldsOf = map[string][]string{
	http.MethodGet:    {"name", "user_group_id", "mapping", "properties"},
	http.MethodPut:    {"name", "user_group_id", "mapping", "properties"},
	http.MethodPost:   {"current_token"},
	http.MethodDelete: {"current_token", "user_group_id", "data_source_provided_id"},
}

// omitted lists the fields of user_group that the response to an operation lacks.
var omitted = map[string][]string{
	http.MethodGet:  {"api_environment_tag"},
	http.MethodPost: {"properties"},
}

// request is a parsed body, or as much of it as could be parsed. A nil field was missing or invalid.
type request struct {
	name, id, token *string
	mapping         map[string]string
	properties      json.RawMessage
	// omit lists the fields to leave out of user_group in the response.
	omit []string
}

// understand parses a body. If it returns an error, the request still has the fields that could be parsed, so that a
// refused call can be recorded, and struck by a fault, under its ID.
func understand(method string, text []byte) (asked request, err error) {
	fields, err := members(text)
	if err != nil {
		err = fmt.Errorf("the body %w", err)
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		wrong := asked.set(field, fields[field])
		switch {
		case err != nil:
		case !slices.Contains(fieldsOf[method], field):
			err = fmt.Errorf("%s has no field %q", method, field)
		case wrong != nil:
			err = fmt.Errorf("the field %s %w", field, wrong)
		}
	}
	return asked, err
}

func (asked *request) set(field string, value json.RawMessage) (err error) {
	switch field {
	case "name":
		asked.name, err = parseText(value)
	case "user_group_id":
		asked.id, err = parseIdentifier(value)
	case "current_token":
		asked.token, err = parseIdentifier(value)
	case "data_source_provided_id":
		_, err = parseIdentifier(value)
	case "mapping":
		asked.mapping, err = parseMapping(value)
	case "properties":
		asked.properties = value
		_, err = members(value)
	}
	return err
}

func parseText(value json.RawMessage) (*string, error) {
	var text *string
	if err := json.Unmarshal(value, &text); err != nil || text == nil {
		return nil, errors.New("is not a string")
	}
	return text, nil
}

func parseIdentifier(value json.RawMessage) (*string, error) {
	text, err := parseText(value)
	if err == nil && *text == "" {
		return nil, errors.New("is empty")
	}
	return text, err
}

func parseMapping(value json.RawMessage) (map[string]string, error) {
	sources, err := members(value)
	mapping := make(map[string]string, len(sources))
	for schema, value := range sources {
		source, wrong := parseText(value)
		if wrong != nil {
			return nil, errors.New("has a value that is not a string")
		}
		mapping[schema] = *source
	}
	return mapping, err
}

// members returns the members of a JSON object with their values as written. Decoding numbers to float64 could change
// them.
func members(text []byte) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, _ := decoder.Token(); start != json.Delim('{') || !json.Valid(text) || !utf8.Valid(text) {
		return nil, errors.New("is not a JSON object")
	}
	found := map[string]json.RawMessage{}
	for decoder.More() {
		token, _ := decoder.Token()
		name, _ := token.(string)
		if _, twice := found[name]; twice {
			return found, fmt.Errorf("has the member %q twice", name)
		}
		var value json.RawMessage
		_ = decoder.Decode(&value)
		found[name] = value
	}
	return found, nil
}

// merged returns the first object with the members of the other one added or replaced, encoded anew.
func merged(one, other json.RawMessage) json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, text := range []json.RawMessage{one, other} {
		found, _ := members(text)
		maps.Copy(all, found)
	}
	return marshal(all)
}

// object is a JSON object that is encoded in the given order with unchanged values. json.Marshal would compact and
// escape the values.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

func (o object) encode() []byte {
	text := []byte("{")
	for i, field := range o {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, '"'), field.name...), '"', ':')
		text = append(text, field.value...)
	}
	return append(text, '}')
}

// marshal encodes a value that JSON can represent.
func marshal(value any) json.RawMessage {
	text, _ := json.Marshal(value)
	return text
}

func orNull(text string) json.RawMessage {
	if text == "" {
		return json.RawMessage("null")
	}
	return marshal(text)
}

func success(fields ...member) reply {
	return reply{status: http.StatusOK, body: append(object{{"success", json.RawMessage("1")}}, fields...).encode()}
}

func failure(status int, message string) reply {
	return reply{status: status, body: object{{"success", json.RawMessage("0")}, {"message", marshal(message)}}.encode()}
}
