package emulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"strconv"
)

// reply is a response to send. Status 0 cuts the connection instead.
type reply struct {
	status int
	header http.Header
	body   []byte
	// missing is the number of bytes that Content-Length announces beyond the body.
	missing int
}

// object is a JSON object that is encoded in this order. Half of a response then has what the contract lists first.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, field := range o {
		value, err := json.Marshal(field.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%q:%s", field.name, value)
	}
	return append(text, '}'), nil
}

func document(status int, content any) reply {
	body, _ := json.Marshal(content)
	return reply{status: status, header: http.Header{"Content-Type": {"application/json"}}, body: body}
}

func (s *service) success(fields ...member) reply {
	return s.document(http.StatusOK, append(object{{"success", 1}}, fields...))
}

// document returns a response whose fields are left out as OmitZero says.
func (s *service) document(status int, content object) reply {
	if s.options.OmitZero {
		content = content.withoutZero()
	}
	return document(status, content)
}

// withoutZero returns the object without members that are false, 0, "" or null, also inside its members.
func (o object) withoutZero() (kept object) {
	for _, field := range o {
		if inside, isObject := field.value.(object); isObject {
			field.value = inside.withoutZero()
		}
		if text, _ := json.Marshal(field.value); !slices.Contains([]string{"false", "0", `""`, "null"}, string(text)) {
			kept = append(kept, field)
		}
	}
	return kept
}

func failure(status int, message string) reply {
	return document(status, object{{"success", 0}, {"message", message}})
}

func page(status int, title, text string) reply {
	const format = "<!DOCTYPE html>\n<html><head><title>%s</title></head><body>%s</body></html>\n"
	body := fmt.Appendf(nil, format, title, html.EscapeString(text))
	return reply{status: status, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: body}
}

// refusing returns the rest of a call that is refused for what its body asks.
func (s *service) refusing(call *Call, why refusal) work {
	return func() reply { return s.refuse(call, why) }
}

// refuse refuses a call for what its body asks.
func (s *service) refuse(call *Call, why refusal) reply {
	switch {
	case why == stale && s.options.StaleTokenStatus != 0:
		why.status = s.options.StaleTokenStatus
	case s.options.Refusals == RefusalsSuccessZero:
		why.status = http.StatusOK
	}
	return s.reject(call, why)
}

// reject refuses a call with the status of the refusal.
func (s *service) reject(call *Call, why refusal) reply {
	call.Refused = why.message()
	if s.options.RepeatsRequests {
		why.says += fmt.Sprintf("; the request was %s, and the token is %s", call.Body,
			s.groups[scoped{call.Environment, call.ID}].Token)
	}
	out := s.refusal(why)
	if why.retryAfter > 0 {
		out.header.Set("Retry-After", strconv.Itoa(why.retryAfter))
	}
	return out
}

// refusal returns the response that refuses a call, in the form of Refusals.
func (s *service) refusal(why refusal) reply {
	title := strconv.Itoa(why.status) + " " + http.StatusText(why.status)
	crashed := why.status >= http.StatusInternalServerError && why.field != ""
	switch {
	case crashed:
		return page(why.status, title, "The program failed.") // It does not know which field it misses.
	case s.options.Refusals == RefusalsPage:
		return page(why.status, title, why.message())
	case s.options.Refusals == RefusalsFields:
		return document(why.status, object{{cmp.Or(why.field, "non_field_errors"), []string{why.says}}})
	default:
		return s.document(why.status, object{{"success", 0}, {"message", why.message()}})
	}
}

// orNull returns the value, or nil, which JSON shows as null, in place of a zero value.
func orNull[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}
