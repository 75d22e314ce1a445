package api

import (
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"https://dash.example.com": {
			"https://dash.example.com//", "HTTPS://dash.example.com", "https://dash.example.com/../.",
		},
		"https://dash.example.com/base":   {"https://dash.example.com/a/../base///"},
		"https://dash.example.com/a/b":    {"https://dash.example.com/a//b"},
		"https://dash.example.com/a%2Fb":  {"https://dash.example.com/a%2Fb//"},
		"https://dash.example.com:":       {"https://dash.example.com:/"},
		"https://dash.example.com:8443/x": nil,
		"https://[2001:db8::1]:8443":      nil,
		"https://192.0.2.1":               nil,
		"http://127.9.9.9":                nil,
		"http://[::1]:8080/x":             {"http://[::1]:8080/x/"},
		"http://[::ffff:127.0.0.1]":       nil,
		"http://LocalHost:1":              nil,
		"https://[fe80::1%25eth0]":        {"https://[fe80::1%25eth0]/"},
	} {
		for _, text := range append(texts, want) { // Parsing an accepted address again changes nothing.
			if got, err := ParseBaseURL(text, false); err != nil || got.String() != want {
				t.Errorf("ParseBaseURL(%q) = %v, %v; want %s", text, got, err, want)
			}
		}
	}
	const overHTTP = "must start with https://, because over http"
	for want, texts := range map[string][]string{
		"must be an absolute address": {
			"", "dash.example.com", "//dash.example.com", "/base", "https://", "https:///base", "https://:443", "https://[::1",
			"https:dash.example.com", "https://dash.example.com:LEAK", "https://dash.example.com/%zz", "localhost:8080",
			"https://LEAK:pw@dash.example.com:zz",
		},
		"must not contain spaces": {
			" https://dash.example.com", "https://dash.example.com\n", "https://dash.example.com\u00a0",
		},
		"must not contain a user name": {
			"https://user:LEAK@dash.example.com", "https://@dash.example.com", "http://localhost:LEAK@evil.example",
		},
		"must not contain a query": {
			"https://dash.example.com?key=LEAK", "https://dash.example.com/?", "https://dash.example.com/#LEAK",
			"https://dash.example.com/#",
		},
		"must start with https://": {"ftp://dash.example.com", "ws://localhost"},
		"must have brackets around an IPv6 address, as in http://[::1]:8101": {"http://::1:8101", "https://2001:db8::1/x"},
		overHTTP: {
			"http://dash.example.com", "http://192.168.0.1", "http://0.0.0.0", "http://127.0.0.1.example.com",
			"http://localhost.example.com", "http://example.com/localhost", "http://[2001:db8::1]",
		},
	} {
		for _, text := range texts {
			got, err := ParseBaseURL(text, false)
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("ParseBaseURL(%q) = %v, %v; want %q", text, got, err, want)
				continue
			}
			wantAbsent(t, "the error", err.Error(), "LEAK", "pw@")
			_, allowed := ParseBaseURL(text, true)
			if (allowed == nil) != (want == overHTTP) || allowed != nil && allowed.Error() != err.Error() {
				t.Errorf("ParseBaseURL(%q) over HTTP: %v, without: %v", text, allowed, err)
			}
		}
	}
}

func TestParseProxyURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"proxy.example:3128": "http://proxy.example:3128", "user:p%40ss@proxy": "http://user:p%40ss@proxy",
		"https://proxy/": "https://proxy/", "socks5://[::1]:1080": "socks5://[::1]:1080",
		"socks5h://proxy": "socks5h://proxy",
	} {
		if got, err := ParseProxyURL(text); err != nil || got.Reveal() != want {
			t.Errorf("ParseProxyURL(%q) = %q, %v; want %q", text, got.Reveal(), err, want)
		}
	}
	for want, texts := range map[string][]string{
		"must be the address of a proxy": {
			"http://", "http://proxy:LEAK", "http://user:LEAK#x@proxy", "http://user:123/LEAK@proxy",
			"http://user:12?LEAK@proxy", "http://proxy /", "http://proxy/%zzLEAK", "proxy\n",
		},
		"must start with http://": {"ftp://LEAK@proxy", "file://proxy"},
	} {
		for _, text := range texts {
			got, err := ParseProxyURL(text)
			if err == nil || !strings.HasPrefix(err.Error(), want) || !got.IsZero() {
				t.Errorf("ParseProxyURL(%q) = %q, %v; want %q", text, got.Reveal(), err, want)
				continue
			}
			wantAbsent(t, "the error", err.Error(), "LEAK")
		}
	}
}
