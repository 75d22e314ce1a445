package api

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"unicode"
)

// ParseBaseURL reads the address of the service: absolute, https (http on loopback, or anywhere with allowHTTP), with
// an optional path and without user info, query or fragment. Trailing slashes are dropped. The error is a sentence
// without a subject ("must …") that never repeats the address, which may hold a credential.
func ParseBaseURL(text string, allowHTTP bool) (*url.URL, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return nil, errors.New("must not contain spaces or control characters")
	}
	notAbsolute := errors.New("must be an absolute address such as https://dashboards.example.com")
	base, err := url.Parse(text)
	if err != nil || !base.IsAbs() || base.Opaque != "" || base.Hostname() == "" {
		return nil, notAbsolute
	}
	if base.User != nil {
		return nil, errors.New("must not contain a user name or password; the key goes into api_key")
	}
	if base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || strings.Contains(text, "#") {
		return nil, errors.New("must not contain a query (?) or a fragment (#)")
	}
	switch {
	case base.Scheme == "https":
	case base.Scheme != "http":
		return nil, errors.New("must start with https://")
	case !allowHTTP && !isLoopback(base.Hostname()):
		return nil, errors.New("must start with https://, because over http the key and every token could be read on the way; " +
			"http is accepted for loopback addresses, and elsewhere with allow_http = true")
	}
	// JoinPath leaves one trailing slash. There is nothing after the path, so the end of the text is the end of the path.
	base, err = url.Parse(strings.TrimRight(base.JoinPath().String(), "/"))
	if err != nil {
		return nil, notAbsolute
	}
	return base, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
