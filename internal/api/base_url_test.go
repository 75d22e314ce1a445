package api

import (
	"strings"
	"testing"
	"time"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	accepted := map[string]string{
		"https://dash.example.com":               "https://dash.example.com",
		"https://dash.example.com/":              "https://dash.example.com",
		"https://dash.example.com//":             "https://dash.example.com",
		"https://dash.example.com/base":          "https://dash.example.com/base",
		"https://dash.example.com/base/v1///":    "https://dash.example.com/base/v1",
		"https://dash.example.com/a//b":          "https://dash.example.com/a/b",
		"https://dash.example.com/a%2Fb/":        "https://dash.example.com/a%2Fb",
		"https://dash.example.com/a/../b":        "https://dash.example.com/b",
		"https://dash.example.com/../..":         "https://dash.example.com",
		"HTTPS://dash.example.com":               "https://dash.example.com",
		"https://dash.example.com:8443/x":        "https://dash.example.com:8443/x",
		"https://[2001:db8::1]:8443":             "https://[2001:db8::1]:8443",
		"https://192.0.2.1":                      "https://192.0.2.1",
		"http://127.0.0.1:8080":                  "http://127.0.0.1:8080",
		"http://127.9.9.9":                       "http://127.9.9.9",
		"http://[::1]:8080/x/":                   "http://[::1]:8080/x",
		"http://[::ffff:127.0.0.1]":              "http://[::ffff:127.0.0.1]",
		"http://localhost":                       "http://localhost",
		"http://LocalHost:1":                     "http://LocalHost:1",
		"https://dash.example.com/api/user/next": "https://dash.example.com/api/user/next",
	}
	for text, want := range accepted {
		got, err := ParseBaseURL(text, false)
		if err != nil || got.String() != want {
			t.Errorf("ParseBaseURL(%q) = %v, %v; want %s", text, got, err, want)
		}
	}
	refused := map[string]string{
		"":                                    "must be an absolute address",
		"dash.example.com":                    "must be an absolute address",
		"//dash.example.com":                  "must be an absolute address",
		"/base":                               "must be an absolute address",
		"https:":                              "must be an absolute address",
		"https://":                            "must be an absolute address",
		"https:///base":                       "must be an absolute address",
		"https://:443":                        "must be an absolute address",
		"https:dash.example.com":              "must be an absolute address",
		"https://dash.example.com:port":       "must be an absolute address",
		"https://dash.example.com/%zz":        "must be an absolute address",
		"https://[::1":                        "must be an absolute address",
		"localhost:8080":                      "must be an absolute address",
		" https://dash.example.com":           "must not contain spaces",
		"https://dash.example.com\n":          "must not contain spaces",
		"https://dash.example.com/a b":        "must not contain spaces",
		"https://dash.example.com\u00a0":      "must not contain spaces",
		"https://dash.example.com/\x00":       "must not contain spaces",
		"https://user@dash.example.com":       "must not contain a user name",
		"https://user:LEAK@dash.example.com":  "must not contain a user name",
		"https://@dash.example.com":           "must not contain a user name",
		"http://localhost:LEAK@evil.example":  "must not contain a user name",
		"https://dash.example.com?key=LEAK":   "must not contain a query",
		"https://dash.example.com/?":          "must not contain a query",
		"https://dash.example.com/#LEAK":      "must not contain a query",
		"https://dash.example.com/#":          "must not contain a query",
		"ftp://dash.example.com":              "must start with https",
		"ws://localhost":                      "must start with https",
		"unix://localhost/run":                "must start with https",
		"http://dash.example.com":             "allow_http",
		"http://192.168.0.1":                  "allow_http",
		"http://0.0.0.0":                      "allow_http",
		"http://127.0.0.1.example.com":        "allow_http",
		"http://localhost.example.com":        "allow_http",
		"http://example.com/localhost":        "allow_http",
		"http://[2001:db8::1]":                "allow_http",
		"http://2130706433":                   "allow_http",
		"https://LEAK:pw@dash.example.com:zz": "must be an absolute address",
	}
	for text, want := range refused {
		got, err := ParseBaseURL(text, false)
		if err == nil {
			t.Errorf("ParseBaseURL(%q) accepted it as %s", text, got)
			continue
		}
		if !strings.HasPrefix(err.Error(), "must ") || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseBaseURL(%q): %v; want %q", text, err, want)
		}
		wantAbsent(t, "the error", err.Error(), "LEAK", "pw@")
		_, insecure := ParseBaseURL(text, true)
		if want == "allow_http" && insecure != nil {
			t.Errorf("ParseBaseURL(%q) with allow_http: %v", text, insecure)
		}
		if want != "allow_http" && (insecure == nil || insecure.Error() != err.Error()) {
			t.Errorf("ParseBaseURL(%q) with allow_http: %v, without: %v", text, insecure, err)
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"": 0, " ": 0, "0": 0, "1": time.Second, " 120 ": 2 * time.Minute, "007": 7 * time.Second,
		"-1": 0, "+5": 0, "1.5": 0, "1e3": 0, "0x10": 0, "soon": 0, "5 seconds": 0, "1,2": 0,
		"31536000": maxRetryAfter, "31536001": maxRetryAfter, "9223372036854775807": maxRetryAfter, "9223372037": maxRetryAfter,
		"18446744073709551615": maxRetryAfter, "18446744073709551616": maxRetryAfter, strings.Repeat("9", 500): maxRetryAfter,
		"Sun, 01 Mar 2026 12:00:30 GMT":   30 * time.Second,
		" Sun, 01 Mar 2026 12:00:30 GMT ": 30 * time.Second,
		"Sunday, 01-Mar-26 12:01:00 GMT":  time.Minute,
		"Sun Mar  1 12:00:01 2026":        time.Second,
		"Sun, 01 Mar 2026 12:00:00 GMT":   0,
		"Sun, 01 Mar 2026 11:59:59 GMT":   0,
		"Mon, 01 Jan 0001 00:00:00 GMT":   0,
		"Fri, 31 Dec 9999 23:59:59 GMT":   maxRetryAfter,
		"Sun, 32 Mar 2026 12:00:30 GMT":   0,
		"2026-03-01T12:00:30Z":            0,
	}
	for header, want := range tests {
		if got := parseRetryAfter(header, now); got != want {
			t.Errorf("parseRetryAfter(%.40q) = %s, want %s", header, got, want)
		}
	}
}
