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
// member of messageFields, it is a list of faults by field, as Django and Rails write them. Outside of a message, only
// lists are taken for faults, because any other member may repeat what was sent.
func (r *reader) words(value any, inMessage bool) string {
	var said []string
	add := func(prefix, text string) {
		if text != "" && !slices.Contains(said, prefix+text) {
			said = append(said, prefix+text)
		}
	}
	switch value := value.(type) {
	case string:
		return r.take(value)
	case []any:
		for _, item := range value {
			add("", r.words(item, inMessage))
		}
	case map[string]any:
		for _, name := range messageFields {
			add("", r.words(value[name], true))
			delete(value, name) // Reading it again below would double the work at each level.
		}
		if place, _ := value["loc"].([]any); len(said) > 0 && len(place) > 0 { // FastAPI
			return r.take(fmt.Sprint(place[len(place)-1])) + ": " + strings.Join(said, "; ")
		}
		if len(said) > 0 {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if _, isList := value[name].([]any); isList || inMessage {
				add(r.take(name)+": ", r.words(value[name], inMessage))
			}
		}
	}
	return strings.Join(said, "; ")
}
