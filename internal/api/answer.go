package api

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// interpret decides what an answer means. Only a 2xx status together with `success` 1 and every field the call cannot
// do without is a success (interface sections 2.3 and 7).
func (c *call) interpret(response *http.Response, body []byte) (Answer, *Error) {
	failure := &Error{Status: response.StatusCode}
	fields, notJSON := decodeMembers(body)
	if notJSON == nil {
		failure.Message = c.message(fields)
	}
	switch class := response.StatusCode / 100; {
	case len(body) > maxAnswer:
		failure.Kind = UnknownOutcome
		failure.Reason = fmt.Sprintf("the answer is larger than %d MiB", maxAnswer>>20)
		return Answer{}, failure
	case class == 2:
		return c.interpretSuccess(response, fields, notJSON, failure)
	case class == 3:
		failure.Kind = Redirected
		failure.Reason = "it redirects elsewhere, and redirects are never followed, because the key would follow too; check base_url"
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		failure.Kind = Unauthorised
	case response.StatusCode == http.StatusTooManyRequests:
		failure.Kind = Throttled
	case class == 4 && response.StatusCode != http.StatusRequestTimeout:
		failure.Kind = Refused
	default:
		failure.Kind = UnknownOutcome
	}
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	if notJSON != nil && len(body) > 0 {
		failure.Reason = join(failure.Reason, describe(response, notJSON))
	}
	return Answer{}, failure
}

func (c *call) interpretSuccess(response *http.Response, fields members, notJSON error, failure *Error) (Answer, *Error) {
	failure.Kind = UnknownOutcome
	if notJSON != nil {
		failure.Reason = describe(response, notJSON)
		return Answer{}, failure
	}
	succeeded, err := fields.flag("success")
	if err == nil && succeeded == nil {
		err = fmt.Errorf("the field success is missing")
	}
	if err != nil {
		failure.Reason = "the answer cannot be used: " + err.Error()
		return Answer{}, failure
	}
	if !*succeeded {
		failure.Kind = Refused
		failure.Reason = "it reports that the call did not succeed"
		return Answer{}, failure
	}
	answer, err := c.decode(fields)
	if err != nil {
		failure.Reason = "the answer cannot be used: " + err.Error()
		failure.Created, failure.existed = answer.Created, answer.existed
		return Answer{}, failure
	}
	return answer, nil
}

func join(first, second string) string {
	if first == "" {
		return second
	}
	return first + "; " + second
}

// describe says what came instead of JSON without quoting it: half a document can end in the middle of a token.
func describe(response *http.Response, notJSON error) string {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil && mediaType == "text/html" {
		return "the answer is an HTML page, not JSON, so something other than the user group service may have sent it"
	}
	return "the answer cannot be used: " + notJSON.Error()
}

// messageFields are where services commonly say why they refused; the contract names none.
var messageFields = []string{"message", "error", "error_message", "detail", "reason", "msg"}

const maxMessage = 300

// message finds what the service said, masked, on one line and cut short.
func (c *call) message(fields members) string {
	for _, name := range messageFields {
		text, err := fields.text(name)
		if err != nil || text == nil || strings.TrimSpace(*text) == "" {
			continue
		}
		said := oneLine(c.conceal(*text, fields))
		if runes := []rune(said); len(runes) > maxMessage {
			return string(runes[:maxMessage]) + " …"
		}
		return said
	}
	return ""
}

// decoder turns a successful answer's members into an Answer. With an error it still returns what it could tell.
type decoder func(members) (Answer, error)

func decodeNothing(members) (Answer, error) { return Answer{}, nil }

func decodeGetOrCreate(fields members) (Answer, error) {
	created, err := fields.flag("new_user_group")
	if err != nil {
		return Answer{}, err
	}
	if created == nil {
		return Answer{}, fmt.Errorf("the field new_user_group is missing, so the answer does not tell whether a group was just made")
	}
	answer, err := decodeWithToken(fields)
	answer.Created, answer.existed = *created, !*created
	return answer, err
}

// decodeWithToken insists on the token: without it neither a creation nor a rotation can be recorded.
func decodeWithToken(fields members) (Answer, error) {
	answer, err := decodeUserGroup(fields)
	if err == nil && answer.UserGroup.Token.IsZero() {
		err = fmt.Errorf("the field user_group.token is missing")
	}
	return answer, err
}

func decodeUserGroup(fields members) (Answer, error) {
	raw, present := fields["user_group"]
	if !present {
		return Answer{}, fmt.Errorf("the field user_group is missing")
	}
	inner, err := decodeMembers(raw)
	if err != nil {
		return Answer{}, fmt.Errorf("the field user_group cannot be read: %w", err)
	}
	var group UserGroup
	read := func(name string, into func(string) error) {
		if err == nil {
			if err = into(name); err != nil {
				err = fmt.Errorf("in user_group, %w", err)
			}
		}
	}
	read("team_id", func(name string) (err error) { group.TeamID, err = inner.integer(name); return })
	read("token", func(name string) (err error) { group.Token, err = inner.secret(name); return })
	read("name", func(name string) (err error) { group.Name, err = inner.text(name); return })
	read("provided_id", func(name string) (err error) { group.ProvidedID, err = inner.text(name); return })
	read("properties", func(name string) (err error) { group.Properties, err = inner.object(name); return })
	read("api_environment_tag", func(name string) (err error) { group.EnvironmentTag, err = inner.text(name); return })
	return Answer{UserGroup: group}, err
}

// conceal masks every secret that is known, those in the given object among them, in a text that came with it.
func (c *call) conceal(text string, fields members) string {
	return c.client.conceal(text, slices.Concat(c.secrets, fields.secrets())...)
}

// readable renders a body for the TRACE log when, and only when, a logger formats it.
func (c *call) readable(body []byte) readableBody { return readableBody{call: c, body: body} }

type readableBody struct {
	call *call
	body []byte
}

// MarshalText implements encoding.TextMarshaler, for loggers that write JSON.
func (b readableBody) MarshalText() ([]byte, error) { return []byte(b.text()), nil }

// Format implements fmt.Formatter, for all others: no verb prints the bytes.
func (b readableBody) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.text()) }

func (b readableBody) text() string {
	if len(b.body) == 0 {
		return "(none)"
	}
	fields, err := decodeMembers(b.body)
	if err != nil {
		return "(" + strconv.Itoa(len(b.body)) + " bytes that cannot be read as a JSON object)"
	}
	secrets := slices.Concat(b.call.secrets, fields.secrets())
	return fields.masked(func(text string) string { return b.call.client.conceal(text, secrets...) })
}
