package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// FuzzAnswer: any response must be either a success or a failure. Nothing may panic, and neither the failure nor the
// log may contain a secret that the client knows.
func FuzzAnswer(f *testing.F) {
	const key, token = plantedKey, plantedToken
	for _, body := range []string{
		successJSON, createdJSON, `{"success":0,"message":"` + token + `"}`, `{"` + token + `":1,"` + token + `":1}`,
		`{"message":` + escapedJSON(key) + `,"x":` + escapedJSON(token) + `}`, `{"success":"` + key + `"}`,
		`{"success":1,"user_group":"{\"token\":\"` + token + `\"}"}`,
		`{"success":1,"user_group":{"team_id":"` + token + `"}}`,
		`{"success":1,"user_group":{"token":"` + token + `\n"}}`, `{"success":1,"user_group":{"properties":"` + token + `"}}`,
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
		c.secret = NewSecret(token)
		answer, failure := c.interpret(response(int(status)%1000, "Content-Type", "text/html"), body, nil)
		wantAbsent(t, "the log", fmt.Sprint(loggedBody{c, body}), key, token)
		if failure == nil {
			if tokenDue := c.method == http.MethodGet || c.method == http.MethodPost; status%1000/100 != 2 ||
				tokenDue && answer.UserGroup.Token.IsZero() {
				t.Errorf("a success with status %d: %+v", status, answer)
			}
			return
		}
		if failure.Kind != Incomplete && (!answer.UserGroup.Token.IsZero() || answer.New != nil) {
			t.Errorf("the failure comes with a response: %+v", answer)
		}
		said := failure.Error()
		wantAbsent(t, "the failure", said, key, token)
		if len([]rune(failure.Message)) > maxMessage+2 || oneLine(said) != said || failure.Kind > NotSent {
			t.Errorf("kind %d: %q", failure.Kind, said)
		}
	})
}

// FuzzBaseURL: an accepted address must have the documented form and stay the same when it is parsed again. Calls
// must go to the same host.
func FuzzBaseURL(f *testing.F) {
	for _, text := range []string{
		"https://dash.example.com/base/v1//", "HTTPS://Dash.example.com:8443/a%2Fb/../c", "http://127.0.0.1:8080/",
		"http://[::1]:1/x", "http://example.com", "https://user:secret@example.com", "https://example.com/#",
		"https://example.com:/",
		"https://[fe80::1%25eth0]/", "https://b%C3%BCcher.example", "https://example.com/%2e%2e/%", "//x", "https://x//y/./z",
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
		plain := url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.Path, RawPath: base.RawPath}
		if base.Hostname() == "" || *base != plain || strings.HasSuffix(base.String(), "/") {
			t.Errorf("ParseBaseURL(%q) = %#v", text, base)
		}
		again, err := ParseBaseURL(base.String(), allowHTTP)
		if err != nil || again.String() != base.String() || again.Host != base.Host || again.Path != base.Path {
			t.Errorf("ParseBaseURL(%q) = %s, which is parsed as %v, %v", text, base, again, err)
		}
		called, err := url.Parse(base.JoinPath(path).String())
		if err != nil || called.Host != base.Host || !strings.HasSuffix(called.Path, "/"+path) {
			t.Errorf("ParseBaseURL(%q) = %s, whose calls go to %v, %v", text, base, called, err)
		}
	})
}
