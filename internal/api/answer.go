package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// fields are the members of a JSON object. Its methods accept the type that the contract specifies and any other one
// with an obvious meaning ("1001" for 1001, true for 1), because services differ in such things. A member of another
// type counts as missing, like one that is null.
type fields map[string]json.RawMessage

func fieldsOf(text []byte) (f fields) {
	_ = json.Unmarshal(text, &f)
	return f
}

func (f fields) text(name string) *string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(f[name]))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	switch value := value.(type) {
	case string:
		return &value
	case json.Number:
		return new(value.String())
	default:
		return nil
	}
}

// integer accepts the whole range of int64, without rounding.
func (f fields) integer(name string) *int64 {
	text := f.text(name)
	if text == nil {
		return nil
	}
	number, err := strconv.ParseInt(*text, 10, 64)
	if err != nil { // 1001.0 is 1001, too.
		exact, ok := new(big.Float).SetString(*text)
		if !ok || !exact.IsInt() {
			return nil
		}
		var accuracy big.Accuracy
		if number, accuracy = exact.Int64(); accuracy != big.Exact {
			return nil
		}
	}
	return &number
}

// identifier returns a number or a text, or an empty text. 1001.0 is 1001.
func (f fields) identifier(name string) string {
	if number := f.integer(name); number != nil {
		return strconv.FormatInt(*number, 10)
	}
	if text := f.text(name); text != nil {
		return *text
	}
	return ""
}

func (f fields) flag(name string) *bool {
	if number := f.integer(name); number != nil && (*number == 0 || *number == 1) {
		return new(*number == 1)
	}
	text := string(f[name])
	if yes, err := strconv.ParseBool(strings.Trim(text, `"`)); err == nil {
		return &yes
	}
	return nil
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

// interpret decides what a response means. It is a success only with a 2xx status, `success` 1, and all fields that the
// call needs (interface sections 2.3 and 7).
func (c *Client) interpret(call call, response *http.Response, body []byte) (answer Answer, failure *Error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	read, status := fieldsOf(body), response.StatusCode
	success := read.flag("success")
	if success != nil {
		c.setRecognized()
	}
	failure = &Error{Status: status, json: json.Valid(body), plainText: isMedia(response, "text/plain") && len(body) > 0}
	age, _ := strconv.ParseFloat(strings.TrimSpace(response.Header.Get("Age")), 64)
	switch {
	case age > 0: // Some proxies add Age: 0 to responses that they have just fetched.
		failure.Kind, failure.Reason = Cached, "the Age header shows that the response comes from a cache"
	case status/100 == 2 && success != nil && !*success:
		failure.Kind, failure.Reason = Refused, "it reports that the call did not succeed"
	case status/100 == 2 && (success != nil || call.method == http.MethodDelete && reportsNoError(body, read)):
		fault := c.decode(call, read, success != nil, &answer)
		if fault == nil {
			return answer, nil
		}
		failure.Kind, failure.Reason = Incomplete, "the response cannot be used: "+fault.Error()
		if call.needsNew && answer.New == nil { // It is unknown whether the call created a group.
			answer, failure.Kind = Answer{}, UnknownOutcome
		}
	case status/100 == 2:
		failure.Reason = "the response is not the JSON object that the service documents"
	case status/100 == 3:
		failure.Kind, failure.Reason = Redirected, c.redirect(response)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failure.Kind = Unauthorized
	case status == http.StatusTooManyRequests:
		failure.Kind = Throttled
	case status == http.StatusProxyAuthRequired:
		failure.Kind, failure.permanent = NotSent, true
	case status/100 == 4 && status != http.StatusRequestTimeout:
		failure.Kind = Refused
	}
	failure.Message = c.shown(messageIn(response, body), append(tokensIn(body), call.secret)...)
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"))
	failure.Obstacle = c.obstacle(call, failure)
	return answer, failure
}

// reportsNoError reports whether a body is empty, or an object without an error.
func reportsNoError(body []byte, read fields) bool {
	for name, value := range read {
		empty := slices.Contains([]string{"null", "false", `""`, "[]", "{}", "0"}, string(value))
		if isError := strings.Contains(name, "error") || name == "detail"; isError && !empty {
			return false
		}
	}
	return len(body) == 0 || read != nil
}

// decode reads a success. It returns an error if something that the call needs is missing.
func (c *Client) decode(call call, read fields, explicit bool, answer *Answer) (err error) {
	group := fieldsOf(read["user_group"])
	answer.New = read.flag("new_user_group")
	answer.UserGroup = UserGroup{
		TeamID: group.identifier("team_id"), Name: group.text("name"), ProvidedID: group.text("provided_id"),
		EnvironmentTag: group.tag("api_environment_tag"),
	}
	_ = answer.UserGroup.Properties.UnmarshalJSON(group["properties"])
	if token := group.text("token"); token != nil {
		answer.UserGroup.Token = NewSecret(*token)
	}
	switch {
	case call.method == http.MethodDelete && !explicit && !c.isRecognized():
		return errors.New("it is empty, and no earlier response shows that this is the service")
	case call.method == http.MethodDelete:
		return nil
	case call.needsNew && answer.New == nil:
		return errors.New("the field new_user_group is missing, so it is unknown whether this call created the group")
	case group == nil:
		return errors.New("the field user_group is missing")
	case call.needsToken && answer.UserGroup.Token.IsZero():
		return errors.New("the field user_group.token is missing")
	default:
		return nil
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

func (c *Client) setRecognized() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recognized = true
}

func (c *Client) isRecognized() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recognized
}
