package api

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// interpret decides what an answer means. Only a 2xx status together with `success` 1 and every field the call cannot
// do without is a success (interface sections 2.3 and 7). Of a body that was cut short, cut says why; what had come by
// then counts all the same.
func (c *call) interpret(response *http.Response, body []byte, cut error) (Answer, *Error) {
	told, group, unreadable := readAnswer(body)
	failure := &Error{Status: response.StatusCode}
	switch class := response.StatusCode / 100; {
	case answeredFromCache(response):
		failure.Kind = Cached
		failure.Reason = "a cache between here and the service gave the answer (it carries an Age), not the service"
		return Answer{}, failure
	case class == 2:
		return c.interpretSuccess(response, body, told, group, cmp.Or(cut, unreadable), failure)
	case class == 3:
		failure.Kind = Redirected
		failure.Reason = "it redirects elsewhere, and redirects are never followed, because the key would follow too; check base_url"
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		failure.Kind = Unauthorized
	case response.StatusCode == http.StatusTooManyRequests:
		failure.Kind = Throttled
	case class == 4 && response.StatusCode != http.StatusRequestTimeout:
		failure.Kind = Refused
	default:
		failure.Kind = UnknownOutcome
	}
	failure.Message = c.message(told, body)
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	if unreadable != nil && len(body) > 0 {
		failure.Reason = join(failure.Reason, describe(response, unreadable))
	}
	return Answer{}, failure
}

// answeredFromCache goes by an Age above zero: some proxies write Age: 0 into answers that they have just fetched.
func answeredFromCache(response *http.Response) bool {
	age, err := strconv.ParseFloat(strings.TrimSpace(response.Header.Get("Age")), 64)
	return err == nil && age > 0
}

func (c *call) interpretSuccess(response *http.Response, body []byte, told, group fields, fault error, failure *Error) (Answer, *Error) {
	failure.Kind = UnknownOutcome
	succeeded, err := told.flag("success")
	switch {
	case succeeded == nil && fault != nil:
		failure.Reason = describe(response, fault)
		return Answer{}, failure
	case err != nil:
		failure.Reason = "the answer cannot be used: " + err.Error()
		return Answer{}, failure
	case succeeded == nil:
		failure.Reason = "the answer cannot be used: the field success is missing"
		return Answer{}, failure
	case !*succeeded:
		failure.Kind, failure.Message = Refused, c.message(told, body)
		failure.Reason = "it reports that the call did not succeed"
		return Answer{}, failure
	}
	answer, err := c.decode(told, group)
	if err := cmp.Or(fault, err); err != nil {
		failure.Kind = Incomplete
		failure.Reason = "the answer cannot be used: " + err.Error()
		return answer, failure
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
func describe(response *http.Response, fault error) string {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil && mediaType == "text/html" {
		return "the answer is an HTML page, not JSON, so something other than the user group service may have sent it"
	}
	return "the answer cannot be used: " + fault.Error()
}

// decoder turns a successful answer's members into an Answer. With an error it still returns what it could tell.
type decoder func(told, group fields) (Answer, error)

func decodeNothing(fields, fields) (Answer, error) { return Answer{}, nil }

func decodeGetOrCreate(told, group fields) (Answer, error) {
	answer, err := decodeGroupWithToken(told, group)
	isNew, flagErr := told.flag("new_user_group")
	if flagErr == nil && isNew == nil {
		flagErr = errors.New("the field new_user_group is missing, so the answer does not tell whether a group was just made")
	}
	answer.New = isNew
	return answer, cmp.Or(flagErr, err)
}

// decodeGroupWithToken insists on the token: without it neither a creation nor a rotation can be recorded.
func decodeGroupWithToken(told, group fields) (Answer, error) {
	answer, err := decodeGroup(told, group)
	if err == nil && answer.UserGroup.Token.IsZero() {
		err = errors.New("the field user_group.token is missing")
	}
	return answer, err
}

// decodeGroup reads every field that can be read, and returns the first fault.
func decodeGroup(_, group fields) (Answer, error) {
	if group == nil {
		return Answer{}, errors.New("the field user_group is missing or is not an object")
	}
	var told UserGroup
	var first error
	note := func(err error) {
		if first == nil && err != nil {
			first = fmt.Errorf("in user_group, %w", err)
		}
	}
	var err error
	told.TeamID, err = group.integer("team_id")
	note(err)
	told.Token, err = group.secret("token")
	note(err)
	told.Name, err = group.text("name")
	note(err)
	told.ProvidedID, err = group.text("provided_id")
	note(err)
	told.Properties, err = group.object("properties")
	note(err)
	told.EnvironmentTag, err = group.text("api_environment_tag")
	note(err)
	return Answer{UserGroup: told}, first
}

// messageFields are where services commonly say why they refused, RFC 9457 among them; the contract names none.
var messageFields = []string{"message", "error", "error_message", "error_msg", "errors", "detail", "title", "reason", "msg"}

const maxMessage = 300

// message finds what the service said, masked, on one line and cut short.
func (c *call) message(told fields, body []byte) string {
	said := oneLine(c.conceal(strings.TrimSpace(told.message(2)), body))
	if runes := []rune(said); len(runes) > maxMessage {
		return string(runes[:maxMessage]) + " …"
	}
	return said
}

// message looks into objects and lists as deep as it is told to.
func (f fields) message(depth int) string {
	for _, name := range messageFields {
		if said := messageIn(f[name], depth); said != "" {
			return said
		}
	}
	return ""
}

func messageIn(value jsontext.Value, depth int) string {
	switch kind := value.Kind(); {
	case kind == '"':
		text, _ := jsontext.AppendUnquote(nil, value)
		return strings.TrimSpace(string(text))
	case kind == '{' && depth > 0:
		inner := fields{}
		decoder := jsontext.NewDecoder(bytes.NewReader(value))
		_ = readObject(decoder, func(name string) error { return inner.read(decoder, name) })
		return inner.message(depth - 1)
	case kind == '[' && depth > 0:
		var all []string
		var items []jsontext.Value
		_ = json.Unmarshal(value, &items)
		for _, item := range items {
			if said := messageIn(item, depth-1); said != "" {
				all = append(all, said)
			}
		}
		return strings.Join(all, "; ")
	}
	return ""
}

// conceal masks every secret that is known, those in the body that the text came with among them.
func (c *call) conceal(text string, body []byte) string {
	return c.client.conceal(text, append(tokensIn(body), c.secret)...)
}

// loggedBody renders a body for the TRACE log when, and only when, a logger formats it.
type loggedBody struct {
	call *call
	body []byte
}

// MarshalText implements encoding.TextMarshaler, for loggers that write JSON.
func (b loggedBody) MarshalText() ([]byte, error) { return []byte(b.text()), nil }

// Format implements fmt.Formatter, for all others: no verb prints the bytes.
func (b loggedBody) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, b.text()) }

func (b loggedBody) text() string {
	if len(b.body) == 0 {
		return "(none)"
	}
	secrets := append(tokensIn(b.body), b.call.secret)
	text, _, err := masked(b.body, func(text string) string { return b.call.client.conceal(text, secrets...) })
	if err != nil || !strings.HasPrefix(text, "{") {
		return "(" + strconv.Itoa(len(b.body)) + " bytes that cannot be read as a JSON object)"
	}
	return text
}
