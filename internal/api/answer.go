package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// interpret decides what a response means. It is a success only with a 2xx status, `success` 1, and all fields that the
// call needs (interface sections 2.3 and 7).
func (c *Client) interpret(call call, response *http.Response, body []byte) (Answer, *Error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	answer, kind, reason := c.read(call, response, body)
	if kind == none {
		return answer, nil
	}
	failure := &Error{
		Kind: kind, Reason: reason, Status: response.StatusCode, FromService: isFromService(response, body),
		RetryAfter: parseRetryAfter(response.Header.Get("Retry-After")),
	}
	success := fieldsOf(body).flag("success")
	failure.saysNo = !*cmp.Or(success, new(true))
	isRefusal := response.StatusCode/100 == 4 && kinds[kind].decides
	switch {
	case isRefusal && failure.RetryAfter > 0:
		failure.Kind = Throttled
	case absent[response.StatusCode] && success == nil && !c.hasWorked():
		failure.Kind = WrongAddress
	}
	isSaid := response.StatusCode/100 != 2 || kind == Refused
	failure.Message = c.quoter(call.known, body).messageIn(response, body, isSaid)
	failure.advice = c.adviceOn(call.method, failure)
	return answer, failure
}

// absent are the statuses of an address at which there is no service.
var absent = map[int]bool{http.StatusNotFound: true, http.StatusMethodNotAllowed: true}

// isFromService reports whether a response looks like one of the service: see Error.FromService.
func isFromService(response *http.Response, body []byte) bool {
	isText := response.StatusCode/100 != 2 && len(body) > 0 && isMedia(response, "text/plain")
	return isText || json.Valid(body)
}

// read reads a response. If it is not a success, it returns the kind of the failure and a reason.
func (c *Client) read(call call, response *http.Response, body []byte) (Answer, Kind, string) {
	// Some proxies add Age: 0 to responses that they have just fetched.
	if age, _ := strconv.ParseFloat(strings.TrimSpace(response.Header.Get("Age")), 64); age > 0 {
		return Answer{}, Cached, "the Age header shows that the response comes from a cache"
	}
	kind := kindOf(call.method, response.StatusCode)
	if kind == Redirected {
		return Answer{}, kind, c.redirect(call, response)
	}
	if response.StatusCode/100 != 2 { // The status says enough.
		return Answer{}, kind, faultOf(response.StatusCode)
	}
	fields := fieldsOf(body)
	success := fields.flag("success")
	if success == nil {
		return c.readUnsaid(call, fields, body)
	}
	if !*success {
		return Answer{}, Refused, "it reports that the call did not succeed"
	}
	if call.method == http.MethodDelete {
		c.learned.confirm()
		return Answer{}, none, ""
	}
	return c.readGroup(call, fields)
}

// lacks begins the reason if a success has not all that the contract wants.
const lacks = "the response has no "

// readUnsaid reads a response that does not say whether the call succeeded. Frameworks respond so to a deletion,
// without a word. It proves nothing if this service says so itself, or if it says something else.
func (c *Client) readUnsaid(call call, read fields, body []byte) (Answer, Kind, string) {
	const unsaid = lacks + "success, which is 1 or 0"
	isDeletion := call.method == http.MethodDelete
	isSilent := isDeletion && len(body) == 0
	switch {
	case read == nil && !isSilent:
		return Answer{}, Broken, "the response is not a JSON object"
	case !isDeletion:
		return Answer{}, Broken, unsaid
	case len(read) > 0:
		return Answer{}, Unconfirmed, unsaid
	case !c.hasWorked():
		return Answer{}, Unconfirmed, "the response does not say that the call succeeded, and no earlier one has shown " +
			"that this is the service"
	case c.learned.isConfirming():
		return Answer{}, Unconfirmed, "the response does not say that the call succeeded, as an earlier one did"
	default:
		return Answer{}, none, ""
	}
}

// readGroup reads a success that contains a group.
func (c *Client) readGroup(call call, read fields) (answer Answer, _ Kind, reason string) {
	group := fieldsOf(read["user_group"])
	answer.UserGroup = group.userGroup()
	isMarked := true
	if call.needsNew {
		answer.New, isMarked = c.isNew(read)
	}
	switch {
	case group == nil && call.method == http.MethodPut: // So it may be for a group that does not exist.
		return answer, Unconfirmed, lacks + "user_group"
	case group == nil:
		return answer, Incomplete, lacks + "user_group"
	case call.needsToken && answer.UserGroup.Token.IsZero():
		return answer, Incomplete, lacks + "token"
	case !isMarked:
		return answer, Unmarked, "new_user_group is neither true nor false, so this call may have created the group"
	default:
		return answer, none, ""
	}
}

// isNew reads new_user_group. isMarked is false if nothing says whether the group is new.
func (c *Client) isNew(read fields) (isNew *bool, isMarked bool) {
	isNew = read.flag("new_user_group")
	isMissing := slices.Contains([]string{"", "null", `""`}, string(read["new_user_group"]))
	isShown := fieldsOf(read["user_group"]) != nil
	if isMissing && isShown && c.MarksNew() {
		isNew = new(false)
	}
	return isNew, isNew != nil
}

func isMedia(response *http.Response, wanted string) bool {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")) // "" without one
	return media == wanted
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
	case strings.IndexAny(text, "-0123456789") == 0:
		return &text
	default:
		return nil
	}
}

// token returns the token of a group.
func (f fields) token() Secret { return NewSecret(*cmp.Or(f.text("token"), new(""))) }

func (f fields) flag(name string) *bool {
	return flags[strings.ToLower(strings.Trim(string(f[name]), `"`))]
}

var flags = map[string]*bool{"1": new(true), "true": new(true), "0": new(false), "false": new(false)}

// tag returns a text, or that of an object which describes it.
func (f fields) tag(name string) *string {
	inner := fieldsOf(f[name])
	return cmp.Or(inner.text("name"), inner.text("label"), inner.text("value"), f.text(name))
}
