package api

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// interpret decides what a response means. It is a success only with a 2xx status, `success` 1, a complete body and
// all fields that the call needs (interface sections 2.3 and 7). If the body is incomplete, cut is the reason. The
// part that arrived still counts, and so does the status.
func (c *call) interpret(response *http.Response, body []byte, cut error) (answer Answer, failure *Error) {
	envelope, group, unreadable := readAnswer(body)
	status, fromService := response.StatusCode, unreadable == nil || len(envelope) > 0 || group != nil
	failure = &Error{Status: status, Method: c.method, FromService: fromService}
	if unreadable != nil && len(body) > 0 {
		failure.Reason = describe(response, unreadable)
	}
	switch {
	case answeredFromCache(response):
		failure.Kind = Cached
		failure.Reason = "the Age header shows that the response comes from a cache"
		return Answer{}, failure
	case status/100 == 2:
		var done bool
		if answer, done = c.succeeded(response, envelope, group, cmp.Or(cut, unreadable), failure); done {
			return answer, nil
		}
	case status/100 == 3:
		failure.Kind = Redirected
		failure.Reason = "redirects are never followed, because following them could send the API key to another address"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failure.Kind = Unauthorized
	case status == http.StatusTooManyRequests:
		failure.Kind = Throttled
	case status == http.StatusProxyAuthRequired:
		failure.Kind, failure.permanent, failure.Obstacle = NotSent, true, ProxyPasswordWanted
	case status == http.StatusBadRequest && !fromService && tlsWanted.Match(body):
		failure.Kind, failure.permanent, failure.Obstacle = NotSent, true, TLSWanted
		failure.Reason = c.client.target() + " expects TLS, but got plain HTTP"
	case status/100 == 4 && status != http.StatusRequestTimeout:
		failure.Kind = Refused
	default:
		failure.Kind = UnknownOutcome
	}
	failure.Message = c.shown(envelope.message(2), maxMessage, tokensIn(body)...)
	failure.RetryAfter = parseRetryAfter(response.Header.Get("Retry-After"), time.Now())
	if !fromService {
		failure.sender = c.sender(response, body)
	}
	failure.Obstacle = cmp.Or(failure.Obstacle, c.obstacle(failure, isHTML(response)))
	return answer, failure
}

// tlsWanted matches the response of Go, nginx and Apache to a request without TLS on a TLS port.
var tlsWanted = regexp.MustCompile(
	`(?i)HTTP request (was sent )?to (an )?HTTPS (server|port)|plain HTTP to an SSL-enabled`)

// answeredFromCache reports whether the response has an Age above zero. Some proxies add Age: 0 to responses that
// they have just fetched.
func answeredFromCache(response *http.Response) bool {
	age, err := strconv.ParseFloat(strings.TrimSpace(response.Header.Get("Age")), 64)
	return err == nil && age > 0
}

// succeeded reads a response with a 2xx status and reports whether it is a success. If not, it sets the kind and the
// reason in failure. A non-nil fault is what is wrong with the form of the body.
func (c *call) succeeded(response *http.Response, envelope, group fields, fault error, failure *Error) (Answer, bool) {
	success, err := envelope.flag("success")
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
	answer, err := c.decode(envelope, group)
	if err := cmp.Or(fault, err); err != nil {
		failure.Reason = unusable(err)
		if c.method == http.MethodGet && answer.New == nil {
			return Answer{}, false // Without new_user_group, it is unknown whether the call created a group.
		}
		failure.Kind = Incomplete
		return answer, false
	}
	return answer, true
}

func unusable(fault error) string { return "the response cannot be used: " + fault.Error() }

// describe returns the reason why a body is not the expected JSON. It does not quote the body, since half a document
// can end in the middle of a token.
func describe(response *http.Response, fault error) string {
	if isHTML(response) {
		return "the service itself responds in JSON"
	}
	return unusable(fault)
}

// decoder converts the members of a success into an Answer. With an error, it returns what it could read.
type decoder func(envelope, group fields) (Answer, error)

func decodeNothing(fields, fields) (Answer, error) { return Answer{}, nil }

func decodeGetOrCreate(envelope, group fields) (Answer, error) {
	answer, err := decodeGroupWithToken(envelope, group)
	isNew, flagErr := envelope.flag("new_user_group")
	if flagErr == nil && isNew == nil {
		flagErr = errors.New("the field new_user_group is missing, so it is unknown whether this call created the group")
	}
	answer.New = isNew
	return answer, cmp.Or(flagErr, err)
}

// decodeGroupWithToken requires the token, because neither a creation nor a rotation can be recorded without it.
func decodeGroupWithToken(envelope, group fields) (Answer, error) {
	answer, err := decodeGroup(envelope, group)
	if err == nil && answer.UserGroup.Token.IsZero() {
		err = errors.New("the field user_group.token is missing")
	}
	return answer, err
}

// decodeGroup reads every readable field and returns the first error.
func decodeGroup(_, group fields) (Answer, error) {
	if group == nil {
		return Answer{}, errors.New("the field user_group is missing or is not an object")
	}
	var decoded UserGroup
	var first error
	note := func(err error) {
		if first == nil && err != nil {
			first = fmt.Errorf("in user_group, %w", err)
		}
	}
	var err error
	decoded.TeamID, err = group.integer("team_id")
	note(err)
	decoded.Token, err = group.secret("token")
	note(err)
	decoded.Name, err = group.text("name")
	note(err)
	decoded.ProvidedID, err = group.text("provided_id")
	note(err)
	decoded.Properties, err = group.object("properties")
	note(err)
	decoded.EnvironmentTag, err = group.text("api_environment_tag")
	note(err)
	return Answer{UserGroup: decoded}, first
}

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func isHTML(response *http.Response) bool {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && mediaType == "text/html"
}

// sender describes a response that does not come from the service, and who sent it.
func (c *call) sender(response *http.Response, body []byte) string {
	said := ""
	if isHTML(response) {
		said = " with an HTML page"
		if title := htmlTitle.FindSubmatch(body); title != nil {
			said += " titled " + strconv.Quote(c.shown(html.UnescapeString(string(title[1])), maxName))
		}
	}
	return said + c.server(response.Header)
}

// server returns the names of the programs that have handled a response, according to its headers.
func (c *call) server(header http.Header) string {
	var names []string
	for _, field := range []string{"Server", "Via"} {
		if value := c.shown(strings.Join(header.Values(field), ", "), maxName); value != "" {
			names = append(names, field+": "+value)
		}
	}
	if names == nil {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}
