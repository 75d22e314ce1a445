package api

import (
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

// messageIn returns the words of whoever has sent a response, or "" if there are none.
func messageIn(response *http.Response, body []byte) string {
	var value any
	switch {
	case json.Unmarshal(body, &value) == nil:
		return words(value, false)
	case isMedia(response, "text/plain"):
		return string(body)
	case isMedia(response, "text/html"):
		if title := htmlTitle.FindSubmatch(body); title != nil {
			return html.UnescapeString(string(title[1]))
		}
	}
	return ""
}

// words returns what a JSON value says: a text, the texts of a list, or the messages in an object. If an object has no
// member of messageFields, it is a list of faults by field, as Django and Rails write them. Outside of a message, only
// lists are taken for faults, because any other member may repeat what was sent.
func words(value any, inMessage bool) string {
	var said []string
	add := func(prefix, text string) {
		if text != "" && !slices.Contains(said, prefix+text) {
			said = append(said, prefix+text)
		}
	}
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case []any:
		for _, item := range value {
			add("", words(item, inMessage))
		}
	case map[string]any:
		for _, name := range messageFields {
			add("", words(value[name], true))
		}
		if place, _ := value["loc"].([]any); len(said) > 0 && len(place) > 0 { // FastAPI
			return fmt.Sprint(place[len(place)-1]) + ": " + strings.Join(said, "; ")
		}
		if len(said) > 0 {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if _, isList := value[name].([]any); isList || inMessage {
				add(name+": ", words(value[name], inMessage))
			}
		}
	}
	return strings.Join(said, "; ")
}

// tokensIn returns all texts in members of a JSON value whose name contains "token". A text with a space is no token,
// but what is wrong with one.
func tokensIn(body []byte) (tokens []Secret) {
	var collect func(value any, isToken bool)
	collect = func(value any, isToken bool) {
		switch value := value.(type) {
		case string:
			if isToken && !strings.Contains(value, " ") {
				tokens = append(tokens, NewSecret(value))
			}
		case []any:
			for _, item := range value {
				collect(item, isToken)
			}
		case map[string]any:
			for name, member := range value {
				collect(member, isToken || strings.Contains(strings.ToLower(name), "token"))
			}
		}
	}
	var value any
	_ = json.Unmarshal(body, &value)
	collect(value, false)
	return tokens
}
