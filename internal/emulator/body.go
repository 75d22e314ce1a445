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

// request is a body, or as much of it as could be parsed. A zero field was missing or invalid.
type request struct {
	Name       *string           `json:"name"`
	ID         string            `json:"user_group_id"`
	Mapping    map[string]string `json:"mapping"`
	Properties json.RawMessage   `json:"properties"`
	Token      string            `json:"current_token"`
	Source     string            `json:"data_source_provided_id"`

	// omit lists the fields to leave out of user_group in the response.
	omit []string
}

// understand parses a body. Even if it returns a refusal, the request has the fields that could be parsed, so that the
// call can be recorded, and struck by a fault, under its ID.
func understand(method string, text []byte) (request, *refusal) {
	var asked request
	_ = json.Unmarshal(text, &asked) // skips what has the wrong type
	fields, err := members(text)
	if err != nil {
		return asked, &refusal{status: http.StatusBadRequest, says: "the body " + err.Error()}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if says := wrong(method, field, fields[field]); says != "" {
			return asked, &refusal{status: http.StatusBadRequest, field: field, says: says}
		}
	}
	return asked, nil
}

// withoutEmpty returns a request without what is empty.
func (r request) withoutEmpty() request {
	if r.Name != nil && *r.Name == "" {
		r.Name = nil
	}
	if len(r.Mapping) == 0 {
		r.Mapping = nil
	}
	if inside, _ := members(r.Properties); len(inside) == 0 {
		r.Properties = nil
	}
	return r
}

// wrong returns what is wrong with a field, or nothing.
func wrong(method, field string, value json.RawMessage) string {
	isObject := field == "mapping" || field == "properties"
	inside, err := members(value)
	isNoString := func(value json.RawMessage) bool { return value[0] != '"' }
	switch {
	case !slices.Contains(fieldsOf[method], field):
		return "does not belong to " + method
	case isObject && err != nil:
		return err.Error()
	case field == "mapping" && slices.ContainsFunc(slices.Collect(maps.Values(inside)), isNoString):
		return "has a value that is not a string"
	case !isObject && isNoString(value):
		return "is not a string"
	case field != "name" && string(value) == `""`:
		return "is empty"
	default:
		return ""
	}
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
			return nil, fmt.Errorf("has the member %q twice", name)
		}
		var value json.RawMessage
		_ = decoder.Decode(&value)
		found[name] = value
	}
	return found, nil
}
