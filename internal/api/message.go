package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// messageFields are the fields in which services commonly give the reason for a refusal, in order of preference.
// They include those of RFC 9457. The contract names none.
var messageFields = []string{
	"message", "msg", "detail", "error_message", "error_msg", "error_description", "errors", "error", "title", "reason",
}

// deepest is how deep messages are looked for, and mostClauses how many of them are shown.
const deepest, mostClauses = 8, 10

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// messageIn returns the words of whoever has sent a response, or "" if there are none. Of a refusal, these may be those
// of any member that is no field of the interface. Other responses may have a token there that nobody knows.
func (q quoter) messageIn(response *http.Response, body []byte, isRefusal bool) string {
	switch value := decoded(body); {
	case value != nil:
		said := clauses(value, false, deepest)
		if len(said) == 0 && isRefusal {
			said = clauses(mapped(value, withoutFields), true, deepest)
		}
		return q.joined(said)
	case isMedia(response, "text/plain"):
		return q.quote(string(body))
	case isMedia(response, "text/html"):
		if title := htmlTitle.FindSubmatch(body[:min(len(body), maxSearched)]); title != nil {
			return q.quote(html.UnescapeString(string(title[1])))
		}
	}
	return ""
}

// withoutFields returns an object without the fields of the interface, which may repeat what was sent.
func withoutFields(value any) any {
	object, _ := value.(map[string]any)
	maps.DeleteFunc(object, func(name string, _ any) bool {
		_, isField := logged[name]
		return isField
	})
	return value
}

// decoded returns a JSON value, or nil if the text is not one.
func decoded(text []byte) (value any) {
	if !json.Valid(text) {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value) // cannot fail with what is valid
	return value
}

// joined returns the first clauses that differ, as one text.
func (q quoter) joined(said []string) string {
	var different []string
	for _, clause := range said {
		clause = strings.TrimSpace(clause)
		if len(different) < mostClauses && clause != "" && !slices.Contains(different, clause) {
			different = append(different, clause)
		}
	}
	for i, clause := range different {
		different[i] = q.quote(clause)
	}
	return shortened(strings.Join(different, "; "))
}

// clauses returns what a JSON value says: a text, the texts of a list, or the messages in an object. If an object has
// none, it is a list of faults by field, as Django and Rails write it. Outside of a message, only lists are taken for
// faults, because any other member may repeat what was sent.
func clauses(value any, inMessage bool, depth int) (said []string) {
	if depth == 0 {
		return nil
	}
	switch value := value.(type) {
	case string:
		return []string{value}
	case json.Number:
		return []string{value.String()}
	case []any:
		for _, item := range value {
			said = append(said, clauses(item, inMessage, depth-1)...)
		}
	case map[string]any:
		if said = messages(value, depth-1); len(said) > 0 {
			return said
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if _, isList := value[name].([]any); isList || inMessage {
				said = append(said, prefixed(name, clauses(value[name], inMessage, depth-1))...)
			}
		}
	}
	return said
}

// messages returns what the members of messageFields say. FastAPI adds which field that is about.
func messages(object map[string]any, depth int) (said []string) {
	for _, name := range messageFields {
		said = append(said, clauses(object[name], true, depth)...)
		delete(object, name) // so that it is read once
	}
	if place, _ := object["loc"].([]any); len(place) > 0 {
		return prefixed(fmt.Sprint(place[len(place)-1]), said)
	}
	return said
}

func prefixed(name string, said []string) []string {
	if len(said) == 0 {
		return nil
	}
	return []string{name + ": " + strings.Join(said, "; ")}
}
