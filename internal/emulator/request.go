package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

const (
	fieldName       = "name"
	fieldID         = "user_group_id"
	fieldMapping    = "mapping"
	fieldProperties = "properties"
	fieldToken      = "current_token"
	fieldDataSource = "data_source_provided_id"
)

var fieldsOf = map[string][]string{
	http.MethodGet:    {fieldName, fieldID, fieldMapping, fieldProperties},
	http.MethodPut:    {fieldName, fieldID, fieldMapping, fieldProperties},
	http.MethodPost:   {fieldToken},
	http.MethodDelete: {fieldToken, fieldID, fieldDataSource},
}

var (
	errNull      = errors.New("is null")
	errEmpty     = errors.New("is empty")
	errNotString = errors.New("is not a string")
)

// request is a body that was understood. A nil field was not given.
type request struct {
	name *string
	id   *string
	// stored is the id as the service keeps it.
	stored     *string
	token      *string
	mapping    map[string]string
	properties json.RawMessage
}

func parseRequest(method string, body []byte) (request, error) {
	fields, err := parseObject(body)
	if err != nil {
		return request{}, fmt.Errorf("the body %w", err)
	}
	var parsed request
	for _, field := range fields {
		if !slices.Contains(fieldsOf[method], field.name) {
			return request{}, fmt.Errorf("%s has no field %q", method, field.name)
		}
		if err := parsed.set(field); err != nil {
			return request{}, fmt.Errorf("the field %s %w", field.name, err)
		}
	}
	return parsed, nil
}

func (r *request) set(field member) (err error) {
	if isNull(field.value) {
		return errNull
	}
	switch field.name {
	case fieldName:
		r.name, err = parseString(field.value)
	case fieldID:
		r.id, err = parseIdentifier(field.value)
	case fieldToken:
		r.token, err = parseIdentifier(field.value)
	case fieldDataSource:
		_, err = parseIdentifier(field.value)
	case fieldMapping:
		r.mapping, err = parseMapping(field.value)
	case fieldProperties:
		_, err = parseObject(field.value)
		r.properties = field.value
	}
	return err
}

func parseString(value json.RawMessage) (*string, error) {
	if isNull(value) {
		return nil, errNull
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, errNotString
	}
	return &s, nil
}

func parseIdentifier(value json.RawMessage) (*string, error) {
	s, err := parseString(value)
	if err == nil && *s == "" {
		return nil, errEmpty
	}
	return s, err
}

func parseMapping(value json.RawMessage) (map[string]string, error) {
	members, err := parseObject(value)
	if err != nil {
		return nil, err
	}
	mapping := make(map[string]string, len(members))
	for _, m := range members {
		source, err := parseString(m.value)
		if err != nil {
			return nil, fmt.Errorf("has a value that %w", err)
		}
		mapping[m.name] = *source
	}
	return mapping, nil
}

// peekIdentifiers reads what a body seems to be about, so that a call that is
// refused can be recorded and struck by a fault all the same.
func peekIdentifiers(body []byte) (id, token string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return "", ""
	}
	_ = json.Unmarshal(fields[fieldID], &id)
	_ = json.Unmarshal(fields[fieldToken], &token)
	return id, token
}
