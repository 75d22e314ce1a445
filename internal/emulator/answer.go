package emulator

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
)

// omitted lists the fields of user_group that the response to an operation lacks.
var omitted = map[string][]string{
	http.MethodGet:  {"api_environment_tag"},
	http.MethodPost: {"properties"},
}

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
	return reply{status: status, body: body}
}

func success(fields ...member) reply {
	return document(http.StatusOK, append(object{{"success", 1}}, fields...))
}

func failure(status int, message string) reply {
	return document(status, object{{"success", 0}, {"message", message}})
}

func page(status int, title, text string) reply {
	body := "<!DOCTYPE html>\n<html><head><title>" + title + "</title></head><body>" + html.EscapeString(text) + "</body></html>\n"
	return reply{status: status, header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, body: []byte(body)}
}

// refuse refuses a call for what its body asks, as [Options.Refusals] says.
func (s *service) refuse(call *Call, why refusal) reply {
	if s.options.Refusals == RefusalsSuccessZero {
		why.status = http.StatusOK
	}
	return s.reject(call, why)
}

// reject refuses a call with the status of the refusal.
func (s *service) reject(call *Call, why refusal) reply {
	call.Refused = why.message()
	if why.status >= http.StatusInternalServerError && why.field != "" {
		return page(why.status, "Server Error", "The program failed.") // It does not know which field it misses.
	}
	return failure(why.status, call.Refused)
}

// userGroup returns what a response shows of a group.
func (s *service) userGroup(group Group, asked request) member {
	name, id, properties := orNull(group.Name), any(group.ID), group.Properties
	if s.options.Answers == AnswersEcho {
		name, id, properties = asked.Name, asked.ID, asked.Properties
	}
	shown := object{
		{"team_id", group.TeamID},
		{"token", group.Token},
		{"name", name},
		{"provided_id", id},
		{"properties", properties},
		{"api_environment_tag", orNull(group.Environment)},
	}
	return member{"user_group", slices.DeleteFunc(shown, func(field member) bool {
		return slices.Contains(s.options.Omit, field.name) || slices.Contains(asked.omit, field.name)
	})}
}

// orNull returns the value, or nil, which JSON shows as null, in place of a zero value.
func orNull[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}
