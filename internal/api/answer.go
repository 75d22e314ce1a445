package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// interpret decides what an answer means. Only a 2xx status together with `success` 1 and every field the call cannot
// do without is a success (interface sections 2.3 and 7). Of a body that was cut short, cut says why; what had come by
// then counts all the same, and a known status is not undone by it.
func (c *call) interpret(response *http.Response, body []byte, cut error) (answer Answer, failure *Error) {
	told, group, unreadable := readAnswer(body)
	status, fromService := response.StatusCode, unreadable == nil || len(told) > 0 || group != nil
	failure = &Error{Status: status, Method: c.method, FromService: fromService}
	if unreadable != nil && len(body) > 0 {
		failure.Reason = describe(response, unreadable)
	}
	switch {
	case answeredFromCache(response):
		failure.Kind = Cached
		failure.Reason = "a cache gave the answer (it carries an Age), not the service"
		return Answer{}, failure
	case status/100 == 2:
		var done bool
		if answer, done = c.succeeded(response, told, group, cmp.Or(cut, unreadable), failure); done {
			return answer, nil
		}
	case status/100 == 3:
		failure.Kind = Redirected
		failure.Reason = "it redirects elsewhere, and redirects are never followed, because the key would follow too"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failure.Kind = Unauthorized
	case status == http.StatusTooManyRequests:
		failure.Kind = Throttled
	case status == http.StatusProxyAuthRequired:
		failure.Kind, failure.permanent = NotSent, true
	case status == http.StatusBadRequest && !fromService && tlsWanted.Match(body):
		failure.Kind, failure.permanent = NotSent, true
		failure.Reason = c.client.target() + " speaks TLS, and was addressed without it"
	case status/100 == 4 && status != http.StatusRequestTimeout:
		failure.Kind = Refused
	default:
		failure.Kind = UnknownOutcome
	}
	failure.Message = c.shown(told.message(2), maxMessage, tokensIn(body)...)
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	if !fromService {
		failure.sender = c.sender(response, body)
	}
	failure.Hint = signs{failure, c.client, isHTML(response)}.hint()
	return answer, failure
}

// answeredFromCache goes by an Age above zero: some proxies write Age: 0 into answers that they have just fetched.
func answeredFromCache(response *http.Response) bool {
	age, err := strconv.ParseFloat(strings.TrimSpace(response.Header.Get("Age")), 64)
	return err == nil && age > 0
}

// succeeded reads an answer with a 2xx status, of which fault is what is wrong with its form. If it is no success, it
// says in failure why.
func (c *call) succeeded(response *http.Response, told, group fields, fault error, failure *Error) (Answer, bool) {
	failure.Kind, failure.Reason = UnknownOutcome, ""
	success, err := told.flag("success")
	switch {
	case err != nil:
		failure.Reason = unusable(err)
		return Answer{}, false
	case success == nil && fault != nil:
		failure.Reason = describe(response, fault)
		return Answer{}, false
	case success == nil:
		failure.Reason = unusable(errors.New("the field success is missing"))
		return Answer{}, false
	case !*success:
		failure.Kind, failure.Reason = Refused, "it reports that the call did not succeed"
		return Answer{}, false
	}
	answer, err := c.decode(told, group)
	if err := cmp.Or(fault, err); err != nil {
		failure.Reason = unusable(err)
		if c.method == http.MethodGet && answer.New == nil {
			return Answer{}, false // A lookup or a creation that succeeded may have created a group or not.
		}
		failure.Kind = Incomplete
		return answer, false
	}
	return answer, true
}

func unusable(fault error) string { return "the answer cannot be used: " + fault.Error() }

// describe says what came instead of JSON without quoting it: half a document can end in the middle of a token.
func describe(response *http.Response, fault error) string {
	if isHTML(response) {
		return "the service would have answered in JSON"
	}
	return unusable(fault)
}

// decoder turns a successful answer's members into an Answer. With an error it still returns what it could tell.
type decoder func(told, group fields) (Answer, error)

func decodeNothing(fields, fields) (Answer, error) { return Answer{}, nil }

func decodeGetOrCreate(told, group fields) (Answer, error) {
	answer, err := decodeGroupWithToken(told, group)
	isNew, flagErr := told.flag("new_user_group")
	if flagErr == nil && isNew == nil {
		flagErr = errors.New("the field new_user_group is missing, so whether the group was just made is not told")
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
