package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzAnswer: whatever a service answers, it is either an answer or a failure, nothing panics, and neither the failure
// nor the log gives a secret away that was known before.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		successJSON, createdJSON, `{"success":1,"user_group":` + fullGroupRaw + `}`, `{"success":0,"message":"` + plantedToken + `"}`,
		`{"message":` + escapedJSON(plantedKey) + `,"x":` + escapedJSON(plantedToken) + `}`,
		`{"` + plantedToken + `":1,"` + plantedToken + `":1}`, `{"success":1,"user_group":"{\"token\":\"` + plantedToken + `\"}"}`,
		`{"success":1,"user_group":{"team_id":"` + plantedToken + `"}}`, `{"success":"` + plantedKey + `"}`,
		`{"success":1,"user_group":{"token":"` + plantedToken + `\n"}}`, `{"success":1,"user_group":{"properties":"` + plantedToken + `"}}`,
		`{"success":1,"user_group":{"team_id":1e400}}`, "{\"a\":\"\xff\"}", htmlPage, "", "null", "[", `{"success":1`,
	} {
		for method := range fourCalls {
			f.Add([]byte(body), uint16(http.StatusOK), uint8(method))
		}
		f.Add([]byte(body), uint16(http.StatusBadRequest), uint8(2))
		f.Add([]byte(body), uint16(http.StatusInternalServerError), uint8(0))
	}
	f.Fuzz(func(t *testing.T, body []byte, status uint16, method uint8) {
		c := testCall(t, fourCalls[int(method)%len(fourCalls)].method)
		c.secrets = []Secret{NewSecret(plantedToken)}
		response := &http.Response{StatusCode: int(status) % 1000, Header: http.Header{"Content-Type": {contentJSON}}}
		answer, failure := c.interpret(response, body)
		shown := fmt.Sprint(c.readable(body))
		wantAbsent(t, "the log", shown, plantedKey, plantedToken)
		if failure == nil {
			if response.StatusCode/100 != 2 {
				t.Errorf("status %d is a success", response.StatusCode)
			}
			if c.method != http.MethodDelete && c.method != http.MethodPut && answer.UserGroup.Token.IsZero() {
				t.Error("a success without a token")
			}
			return
		}
		failure.Method = c.method
		if !answer.UserGroup.Token.IsZero() || answer.Created {
			t.Errorf("an answer came with a failure: %+v", answer)
		}
		wantAbsent(t, "the failure", failure.Error()+failure.Message+failure.Reason, plantedKey, plantedToken)
		if len([]rune(failure.Message)) > maxMessage+2 || oneLine(failure.Message) != failure.Message || oneLine(failure.Reason) != failure.Reason {
			t.Errorf("the failure disturbs the terminal: %q, %q", failure.Message, failure.Reason)
		}
		if failure.Kind < UnknownOutcome || failure.Kind > NotSent || failure.Status != response.StatusCode {
			t.Errorf("Kind %d, status %d", failure.Kind, failure.Status)
		}
	})
}

// FuzzRetryAfter: a wait is neither negative nor absurd, and what the client makes of it keeps to its maximum.
func FuzzRetryAfter(f *testing.F) {
	for _, header := range []string{
		"", "0", "120", "-1", "1.5", "18446744073709551616", "9223372036854775807", "soon", "Fri, 31 Dec 9999 23:59:59 GMT",
		"Sun, 01 Mar 2026 12:00:30 GMT", "Sunday, 01-Mar-26 12:01:00 GMT", "Sun Mar  1 12:00:01 2026", "Mon, 01 Jan 0001 00:00:00 GMT",
	} {
		f.Add(header, int64(1_772_366_400))
	}
	f.Add("Fri, 31 Dec 9999 23:59:59 GMT", int64(-62_135_596_800))
	client := newClient(f, "https://service.example.com", func(c *Config) { c.RetryWaitMin, c.RetryWaitMax = time.Second, time.Minute })
	f.Fuzz(func(t *testing.T, header string, now int64) {
		wait := parseRetryAfter(header, time.Unix(now, 0))
		if wait < 0 || wait > maxRetryAfter {
			t.Errorf("parseRetryAfter(%q) = %s", header, wait)
		}
		if got := client.wait(0, &Error{RetryAfter: wait}); got <= 0 || got > time.Minute {
			t.Errorf("the client waits %s for %q", got, header)
		}
	})
}

// FuzzBaseURL: what is accepted is an address of the form that the documentation promises, and stays itself when it is
// read again.
func FuzzBaseURL(f *testing.F) {
	for _, text := range []string{
		"https://dash.example.com", "https://dash.example.com/base/v1//", "HTTPS://Dash.example.com:8443/a%2Fb/../c", "http://127.0.0.1:8080/",
		"http://[::1]:1/x", "http://localhost", "http://example.com", "https://user:secret@example.com", "https://example.com?x", "https://example.com/#",
		"https://[fe80::1%25eth0]/", "https://example.com:/", "https://b%C3%BCcher.example", "https://example.com/%2e%2e/%", "//x", "https:x", "https://x//y/./z",
	} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, allowHTTP bool) {
		base, err := ParseBaseURL(text, allowHTTP)
		if err != nil {
			if base != nil || !strings.HasPrefix(err.Error(), "must ") {
				t.Errorf("ParseBaseURL(%q) = %v, %v", text, base, err)
			}
			return
		}
		if base.Scheme != "https" && (base.Scheme != "http" || !allowHTTP && !isLoopback(base.Hostname())) {
			t.Errorf("ParseBaseURL(%q) accepted the scheme of %s", text, base)
		}
		if base.User != nil || base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || base.Opaque != "" || base.Hostname() == "" {
			t.Errorf("ParseBaseURL(%q) = %#v", text, base)
		}
		if strings.HasSuffix(base.String(), "/") || strings.ContainsAny(base.String(), "?#@ \n") && !strings.Contains(base.Path, "@") {
			t.Errorf("ParseBaseURL(%q) = %s", text, base)
		}
		again, err := ParseBaseURL(base.String(), allowHTTP)
		if err != nil || again.String() != base.String() || again.Host != base.Host || again.Path != base.Path {
			t.Errorf("ParseBaseURL(%q) = %s, which is read as %v, %v", text, base, again, err)
		}
		// The address of the calls is that of the service and nobody else's.
		called, err := url.Parse(base.JoinPath(path).String())
		if err != nil || called.Host != base.Host || !strings.HasSuffix(called.Path, "/"+path) {
			t.Errorf("ParseBaseURL(%q) = %s, called as %v, %v", text, base, called, err)
		}
	})
}
