package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// fields contains the members of a JSON object, except those that are null, since null says no more than a missing
// member. Its methods accept the documented type and any other type whose meaning is obvious ("1001" for 1001, true
// for 1). Errors contain the name of the field and never its value.
type fields map[string]jsontext.Value

// readAnswer returns the members of a response, and those of its user_group. With an error, it returns the members
// up to the fault, because half a response may still contain new_user_group or the token.
func readAnswer(body []byte) (answer, group fields, err error) {
	answer = fields{}
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	err = readObject(decoder, func(name string) error {
		if name == "user_group" && decoder.PeekKind() == '{' {
			group = fields{}
			return readObject(decoder, func(name string) error { return group.read(decoder, name) })
		}
		return answer.read(decoder, name)
	})
	if err == nil {
		if _, end := decoder.ReadToken(); !errors.Is(end, io.EOF) {
			err = errors.New("there is text after the JSON object")
		}
	}
	return answer, group, err
}

// readObject calls member with the name of each member. member must read the value.
func readObject(decoder *jsontext.Decoder, member func(name string) error) error {
	if open, err := decoder.ReadToken(); err != nil || open.Kind() != '{' {
		return errors.New("it is not a JSON object")
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return notValid(err)
		}
		if err := member(name.String()); err != nil {
			return err
		}
	}
	_, err := decoder.ReadToken()
	return notValid(err)
}

func (f fields) read(decoder *jsontext.Decoder, name string) error {
	value, err := decoder.ReadValue()
	if err == nil && value.Kind() != 'n' {
		f[name] = value.Clone()
	}
	return notValid(err)
}

// notValid replaces the library's error, whose text quotes names and values.
func notValid(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New("it contains a duplicate field")
	default:
		return errors.New("it is not valid JSON")
	}
}

func (f fields) text(name string) (*string, error) {
	value, present := f[name]
	switch {
	case !present:
		return nil, nil
	case value.Kind() == '0':
		number := string(value)
		return &number, nil
	case value.Kind() == '"':
		unquoted, err := jsontext.AppendUnquote(nil, value)
		text := string(unquoted)
		if err == nil {
			return &text, nil
		}
	}
	return nil, fmt.Errorf("the field %s is not a string", name)
}

func (f fields) secret(name string) (Secret, error) {
	text, err := f.text(name)
	if err != nil || text == nil {
		return Secret{}, err
	}
	if strings.ContainsFunc(*text, unicode.IsControl) {
		return Secret{}, fmt.Errorf("the field %s contains control characters", name)
	}
	return NewSecret(*text), nil
}

// integer accepts the whole range of int64, without rounding.
func (f fields) integer(name string) (*int64, error) {
	text, err := f.text(name)
	if err != nil {
		return nil, fmt.Errorf("the field %s is not a number", name)
	}
	if text == nil {
		return nil, nil
	}
	number, err := strconv.ParseInt(*text, 10, 64)
	if err != nil {
		// 1001.0 and 1.001e3 are 1001, too. Converting through float64 would turn 9007199254740993.0 into another number.
		object, _ := jsonobject.Parse(`{"":` + *text + `}`)
		plain := strings.TrimSuffix(strings.TrimPrefix(object.Canonical(), `{"":`), "}")
		if number, err = strconv.ParseInt(plain, 10, 64); err != nil {
			return nil, fmt.Errorf("the field %s is not a 64-bit integer", name)
		}
	}
	return &number, nil
}

func (f fields) flag(name string) (*bool, error) {
	value, present := f[name]
	if !present {
		return nil, nil
	}
	if kind := value.Kind(); kind == 't' || kind == 'f' {
		yes := kind == 't'
		return &yes, nil
	}
	number, err := f.integer(name)
	if err != nil || *number != 0 && *number != 1 {
		return nil, fmt.Errorf("the field %s is not 1, 0, true or false", name)
	}
	yes := *number == 1
	return &yes, nil
}

// object also accepts a string that contains an object, since some services keep JSON in a text column, and an empty
// list, which is how PHP writes an empty object.
func (f fields) object(name string) (jsonobject.Object, error) {
	value, present := f[name]
	if !present {
		return jsonobject.Object{}, nil
	}
	if text, err := f.text(name); err == nil && value.Kind() == '"' {
		value = jsontext.Value(*text)
	}
	if string(value) == "[]" {
		value = jsontext.Value("{}")
	}
	object, err := jsonobject.Parse(string(value))
	if err != nil {
		return jsonobject.Object{}, fmt.Errorf("the field %s is not a usable JSON object: %w", name, err)
	}
	return object, nil
}
