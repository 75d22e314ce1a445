package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// interpret decides what a response means. It is a success only with a 2xx status, `success` 1, and all fields that the
// call needs (interface sections 2.3 and 7).
func (c *Client) interpret(call call, response *http.Response, body []byte) (answer Answer, failure *Error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	read, status := fieldsOf(body), response.StatusCode
	failure = &Error{
		Kind: kindOf(status), Status: status, RetryAfter: parseRetryAfter(response.Header.Get("Retry-After")),
		fromService: json.Valid(body) || status/100 != 2 && len(body) > 0 && isMedia(response, "text/plain"),
		permanent:   status == http.StatusProxyAuthRequired,
	}
	age, _ := strconv.ParseFloat(strings.TrimSpace(response.Header.Get("Age")), 64)
	success := read.flag("success")
	switch isDeletion := call.method == http.MethodDelete; {
	case age > 0: // Some proxies add Age: 0 to responses that they have just fetched.
		failure.Kind, failure.Reason = Cached, "the Age header shows that the response comes from a cache"
	case status/100 == 3:
		failure.Reason = c.redirect(response)
	case status/100 != 2: // The status says enough.
	case success != nil && !*success:
		failure.Kind, failure.Reason = Refused, "it reports that the call did not succeed"
	case success == nil && (!isDeletion || !reportsNoError(body, read)):
		failure.Reason = "the response is not the JSON object that the service documents"
	case success == nil && !c.HasWorked():
		failure.Kind, failure.Reason = Incomplete, "the response does not say that the call succeeded, and no earlier one "+
			"has shown that this is the service"
	case isDeletion:
		return Answer{}, nil
	default:
		if answer, failure.Kind, failure.Reason = decode(call, read); failure.Reason == "" {
			return answer, nil
		}
	}
	failure.Message = c.shown(messageIn(response, body), append(tokensIn(body), call.secret)...)
	failure.Obstacle = c.obstacle(call, failure)
	return answer, failure
}

// kindOf returns what a status means if it is not 2xx.
func kindOf(status int) Kind {
	switch {
	case status/100 == 3:
		return Redirected
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Unauthorized
	case status == http.StatusTooManyRequests:
		return Throttled
	case status == http.StatusProxyAuthRequired:
		return NotSent
	case status/100 == 4 && status != http.StatusRequestTimeout:
		return Refused
	default:
		return UnknownOutcome
	}
}

// reportsNoError reports whether a body is empty, or an object without an error.
func reportsNoError(body []byte, read fields) bool {
	for name, value := range read {
		isError := strings.Contains(strings.ToLower(name), "error") || name == "detail"
		if isError && !slices.Contains([]string{"null", "false", `""`, "[]", "{}", "0"}, string(value)) {
			return false
		}
	}
	return len(body) == 0 || read != nil
}

// decode reads a success. If something that the call needs is missing, it returns the kind of the failure and a reason.
func decode(call call, read fields) (answer Answer, _ Kind, reason string) {
	group := fieldsOf(read["user_group"])
	if call.needsNew {
		answer.New = read.flag("new_user_group")
	}
	answer.UserGroup = UserGroup{
		TeamID: group.identifier("team_id"), Name: group.text("name"), ProvidedID: group.text("provided_id"),
		EnvironmentTag: group.tag("api_environment_tag"),
	}
	_ = answer.UserGroup.Properties.UnmarshalJSON(group["properties"])
	if token := group.text("token"); token != nil {
		answer.UserGroup.Token = NewSecret(*token)
	}
	switch {
	case call.needsNew && answer.New == nil:
		return Answer{}, UnknownOutcome, "the response has no new_user_group, so this call may have created the group"
	case group == nil:
		return answer, Incomplete, "the response has no user_group"
	case call.needsToken && answer.UserGroup.Token.IsZero():
		return answer, Incomplete, "the response has no token"
	default:
		return answer, 0, ""
	}
}

// redirect describes a redirect, which may only say that the address ends in a slash.
func (c *Client) redirect(response *http.Response) string {
	target, err := response.Location()
	if wanted := c.config.URL.JoinPath("/"); err == nil && target.Path == wanted.Path {
		return "the address of the service ends in a slash: set base_url to " + wanted.String()
	}
	return "redirects are never followed, because following them could send the API key to another address"
}

func isMedia(response *http.Response, wanted string) bool {
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && media == wanted
}

// fields are the members of a JSON object. Its methods accept the type that the contract specifies and any other one
// with an obvious meaning ("1001" for 1001, true for 1), because services differ in such things. A member of another
// type counts as missing, like one that is null.
type fields map[string]json.RawMessage

func fieldsOf(text []byte) (f fields) {
	_ = json.Unmarshal(text, &f)
	return f
}

// text returns a string or a number.
func (f fields) text(name string) *string {
	text := string(f[name])
	switch {
	case strings.HasPrefix(text, `"`):
		_ = json.Unmarshal(f[name], &text) // cannot fail with what was decoded
		return &text
	case text != "" && strings.Contains("-0123456789", text[:1]):
		return &text
	default:
		return nil
	}
}

// identifier returns a text, a number in plain notation (1001.0 is 1001, without rounding), or an empty text.
func (f fields) identifier(name string) string {
	text := f.text(name)
	switch {
	case text == nil:
		return ""
	case f[name][0] == '"':
		return *text
	default:
		return fmt.Sprint(plain(json.Number(*text)))
	}
}

func (f fields) flag(name string) *bool {
	switch strings.ToLower(strings.Trim(string(f[name]), `"`)) {
	case "1", "1.0", "true":
		return new(true)
	case "0", "0.0", "false":
		return new(false)
	default:
		return nil
	}
}

// tag returns a text, or that of an object which describes it.
func (f fields) tag(name string) *string {
	inner := fieldsOf(f[name])
	for _, member := range []string{"name", "label", "value"} {
		if text := inner.text(member); text != nil {
			return text
		}
	}
	return f.text(name)
}
