package api

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

func (c *Client) log(
	ctx context.Context, call call, number int, response *http.Response, body []byte, failure *Error, took time.Duration,
) {
	fields := map[string]any{
		"method": call.method, "user_group_id": call.id, "attempt": number, "took_ms": took.Milliseconds(),
	}
	if response != nil {
		fields["status"] = response.StatusCode
	}
	if failure != nil {
		fields["failure"] = failure.Said()
		if failure.cause != nil {
			fields["cause"] = c.quoter(call.known, nil).quote(failure.cause.Error())
		}
	}
	tflog.Debug(ctx, "Called the user group service", fields)
	tflog.Trace(ctx, "Bodies of the call, secrets masked", map[string]any{
		"method": call.method, "user_group_id": call.id,
		"request": masked{c, call.known, call.body}, "response": masked{c, call.known, body},
	})
}

// logged has the fields of the interface, and whether the TRACE log shows their texts, numbers and flags. The values of
// all other fields are masked.
var logged = map[string]bool{
	"success": true, "new_user_group": true, "team_id": true, "name": true, "provided_id": true, "user_group_id": true,
	"api_environment_tag": true, "data_source_provided_id": true,
	"token": false, "current_token": false, "mapping": false, "properties": false, "user_group": false,
}

// masked is a body for the log. The masked text is only computed if a logger formats it.
type masked struct {
	client *Client
	known  func() Confidential // of the call
	body   []byte
}

// MarshalText is for loggers that write JSON, and Format for all others. No verb prints the raw bytes.
func (m masked) MarshalText() ([]byte, error) { return []byte(m.String()), nil }
func (m masked) Format(f fmt.State, _ rune)   { _, _ = io.WriteString(f, m.String()) }

func (m masked) String() string {
	read := fieldsOf(m.body)
	if read == nil {
		return fmt.Sprintf("(%d bytes that are not a JSON object)", len(m.body))
	}
	q := m.client.quoter(m.known, m.body)
	shown := q.members(read)
	if group := fieldsOf(read["user_group"]); group != nil {
		shown["user_group"] = q.members(group)
	}
	text, _ := json.Marshal(shown) // cannot fail with what was decoded
	return string(text)
}

// members returns the members of an object with all values masked that may not be logged. Even a name may be a secret.
func (q quoter) members(object fields) map[string]any {
	shown := make(map[string]any, len(object))
	for name, value := range object {
		shown[q.quote(name)] = mask
		if logged[name] && !strings.ContainsAny(string(value[:1]), "{[") {
			shown[name] = q.value(value)
		}
	}
	return shown
}

// value returns a text, a number, a flag or null for the log.
func (q quoter) value(value json.RawMessage) any {
	text := string(value)
	_ = json.Unmarshal(value, &text) // fails for what is no text
	if quoted := q.quote(text); quoted != text {
		return quoted
	}
	return value
}
