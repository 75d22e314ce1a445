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
