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

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// messageIn returns the words of whoever has sent a response, masked, or "" if there are none.
func (m masks) messageIn(response *http.Response, body []byte) string {
	value := decoded(body)
	switch {
	case value != nil:
		return onOneLine((&reader{m, maxWords}).words(value, false))
	case isMedia(response, "text/plain"):
		return m.shown(string(body))
	case isMedia(response, "text/html"):
		if title := htmlTitle.FindSubmatch(body); title != nil {
			return m.shown(html.UnescapeString(string(title[1])))
		}
	}
	return ""
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

// reader reads the words in a response, and masks them. It stops after maxWords, so that no work grows with the square
// of a response.
type reader struct {
	masks
	left int // how many bytes it may still read
}

// take returns a text, masked, or nothing if enough was read.
func (r *reader) take(text string) string {
	if r.left <= 0 {
		return ""
	}
	taken := strings.TrimSpace(r.conceal(text))
	r.left -= len(taken) + len("; ")
	return taken
}

// words returns what a JSON value says: a text, the texts of a list, or the messages in an object. If an object has no
// member of messageFields, it is a list of faults by field.
func (r *reader) words(value any, inMessage bool) string {
	switch value := value.(type) {
	case string:
		return r.take(value)
	case []any:
		var said clauses
		for _, item := range value {
			said.add("", r.words(item, inMessage))
		}
		return said.text()
	case map[string]any:
		if message := r.message(value); message != "" {
			return message
		}
		return r.faults(value, inMessage)
	}
	return ""
}

// message returns what the members of messageFields say, and removes them from the object. Reading them again would
// double the work at each level.
func (r *reader) message(object map[string]any) string {
	var said clauses
	for _, name := range messageFields {
		said.add("", r.words(object[name], true))
		delete(object, name)
	}
	place, _ := object["loc"].([]any) // FastAPI
	if len(said) == 0 || len(place) == 0 {
		return said.text()
	}
	return r.take(fmt.Sprint(place[len(place)-1])) + ": " + said.text()
}

// faults returns what is wrong with each field, as Django and Rails write it. Outside of a message, only lists are
// taken for faults, because any other member may repeat what was sent.
func (r *reader) faults(object map[string]any, inMessage bool) string {
	var said clauses
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, isList := object[name].([]any); isList || inMessage {
			said.add(r.take(name)+": ", r.words(object[name], inMessage))
		}
	}
	return said.text()
}

// clauses are different texts that are joined to one.
type clauses []string

func (c *clauses) add(prefix, text string) {
	if text != "" && !slices.Contains(*c, prefix+text) {
		*c = append(*c, prefix+text)
	}
}

func (c *clauses) text() string { return strings.Join(*c, "; ") }
