package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

var errNotAnObject = errors.New("is not a JSON object")

// member keeps its value as it was written: a number that passes through float64
// would come back as another one.
type member struct {
	name  string
	value json.RawMessage
}

type object []member

func parseObject(text []byte) (object, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, errNotAnObject
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, errNotAnObject
	}
	parsed := object{}
	seen := map[string]bool{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, errNotAnObject
		}
		key, _ := name.(string)
		if seen[key] {
			return nil, fmt.Errorf("has the member %q twice", key)
		}
		seen[key] = true
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, errNotAnObject
		}
		parsed = append(parsed, member{name: key, value: value})
	}
	return parsed, nil
}

func (o object) without(name string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return m.name == name })
}

// encode writes by hand because json.Marshal would compact and escape the raw values.
func (o object) encode() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encodeString(m.name))
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func encodeString(s string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s); err != nil {
		return json.RawMessage(`""`)
	}
	return bytes.TrimSpace(out.Bytes())
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }

func mergeProperties(stored, given json.RawMessage) json.RawMessage {
	base, err := parseObject(stored)
	if err != nil {
		return given
	}
	added, err := parseObject(given)
	if err != nil || len(added) == 0 {
		return stored
	}
	position := make(map[string]int, len(base))
	for i, m := range base {
		position[m.name] = i
	}
	for _, m := range added {
		if i, ok := position[m.name]; ok {
			base[i] = m
		} else {
			base = append(base, m)
		}
	}
	return base.encode()
}
