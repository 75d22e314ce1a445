package emulator

import (
	"encoding/json"
	"net/http"
	"strconv"
)

type effect string

const (
	nothing effect = ""
	created effect = "created"
	updated effect = "updated"
	rotated effect = "rotated"
	deleted effect = "deleted"
)

// answer is what the service says, before a fault gets hold of it.
type answer struct {
	status  int
	header  http.Header
	effect  effect
	refused string
	isNew   *bool
	group   object
	about   *Group
}

func (a answer) document() []byte {
	if a.refused != "" {
		return object{{"success", json.RawMessage("0")}, {"message", encodeString(a.refused)}}.encode()
	}
	document := object{{"success", json.RawMessage("1")}}
	if a.isNew != nil {
		document = append(document, member{"new_user_group", strconv.AppendBool(nil, *a.isNew)})
	}
	if a.group != nil {
		document = append(document, member{"user_group", a.group.encode()})
	}
	return document.encode()
}

func refuseByStatus(status int, message string) answer {
	return answer{status: status, refused: message}
}

func stringOrNull(s string) json.RawMessage {
	if s == "" {
		return json.RawMessage("null")
	}
	return encodeString(s)
}

func echoOrNull(s *string) json.RawMessage {
	if s == nil {
		return json.RawMessage("null")
	}
	return encodeString(*s)
}

func rawOrNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}
