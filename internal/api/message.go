package api

import (
	"encoding/json"
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
	switch {
	case json.Valid(body):
		var value any
		_ = json.Unmarshal(body, &value)
		return words(value)
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
// member of messageFields, it is a list of faults by field, as Django and Rails write them. No other member is shown,
// because it may repeat what was sent.
func words(value any) string {
	var said []string
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	switch value := value.(type) {
	case string:
		return strings.TrimSpace(value)
	case []any:
		for _, item := range value {
			add(words(item))
		}
	case map[string]any:
		for _, name := range messageFields {
			if member, there := value[name]; there {
				add(words(member))
			}
		}
		if place, _ := value["loc"].([]any); len(said) > 0 && len(place) > 0 { // FastAPI
			return words(place[len(place)-1]) + ": " + strings.Join(said, "; ")
		}
		if len(said) > 0 {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if faults, isList := value[name].([]any); isList && words(faults) != "" {
				add(name + ": " + words(faults))
			}
		}
	}
	return strings.Join(said, "; ")
}

// tokensIn returns all texts in members of a JSON value whose name contains "token". A text with a space is no token, but
// what is wrong with one.
func tokensIn(body []byte) (tokens []Secret) {
	var value any
	_ = json.Unmarshal(body, &value)
	collectTokens(value, false, &tokens)
	return tokens
}

func collectTokens(value any, secret bool, tokens *[]Secret) {
	switch value := value.(type) {
	case string:
		if secret && !strings.Contains(value, " ") {
			*tokens = append(*tokens, NewSecret(value))
		}
	case []any:
		for _, item := range value {
			collectTokens(item, secret, tokens)
		}
	case map[string]any:
		for name, member := range value {
			collectTokens(member, secret || strings.Contains(strings.ToLower(name), "token"), tokens)
		}
	}
}
