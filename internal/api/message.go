package api

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// messageFields are the fields in which services commonly give the reason for a refusal, in order of preference.
// They include those of RFC 9457. The contract names none.
var messageFields = []string{
	"message", "error", "error_message", "error_msg", "errors", "detail", "title", "reason", "msg",
}

// message returns the text of the first of messageFields that has one, or "". It descends into at most depth levels
// of objects and lists.
func (f fields) message(depth int) string {
	for _, name := range messageFields {
		if said := messageIn(f[name], depth); said != "" {
			return said
		}
	}
	return ""
}

func messageIn(value jsontext.Value, depth int) string {
	switch kind := value.Kind(); {
	case kind == '"':
		text, _ := jsontext.AppendUnquote(nil, value)
		return strings.TrimSpace(string(text))
	case kind == '{' && depth > 0:
		inner := fields{}
		decoder := jsontext.NewDecoder(bytes.NewReader(value))
		_ = readObject(decoder, func(name string) error { return inner.read(decoder, name) })
		return inner.message(depth - 1)
	case kind == '[' && depth > 0:
		var all []string
		var items []jsontext.Value
		_ = json.Unmarshal(value, &items)
		for _, item := range items {
			if said := messageIn(item, depth-1); said != "" {
				all = append(all, said)
			}
		}
		return strings.Join(all, "; ")
	}
	return ""
}
