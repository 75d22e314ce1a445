package api

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Errors of ParseBaseURL that callers may want to complete.
var (
	ErrCredentials = errors.New("must not contain a user name or password")
	ErrPlainHTTP   = errors.New("must start with https://, because over http the key and every token could be read on " +
		"the way; http is accepted for loopback addresses")
)

// ParseBaseURL parses the address of the service. It must be absolute and use https, or http if the host is loopback
// or allowHTTP is set. It may have a path, but no user info, query or fragment. Trailing slashes are removed. The
// error is a predicate without a subject ("must …") and never contains the address, which may include a credential.
func ParseBaseURL(text string, allowHTTP bool) (*url.URL, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }) {
		return nil, errors.New("must not contain spaces or control characters")
	}
	if _, rest, _ := strings.Cut(text, "://"); !strings.ContainsAny(rest, "[@") {
		if host, _, _ := strings.Cut(rest, "/"); strings.Count(host, ":") > 1 {
			return nil, errors.New("must have brackets around an IPv6 address, as in http://[::1]:8101")
		}
	}
	notAbsolute := errors.New("must be an absolute address such as https://dashboards.example.com")
	base, err := url.Parse(text)
	if err != nil || !base.IsAbs() || base.Opaque != "" || base.Hostname() == "" {
		return nil, notAbsolute
	}
	if base.User != nil {
		return nil, ErrCredentials
	}
	if base.RawQuery != "" || base.ForceQuery || base.Fragment != "" || strings.Contains(text, "#") {
		return nil, errors.New("must not contain a query (?) or a fragment (#)")
	}
	switch {
	case base.Scheme == "https":
	case base.Scheme != "http":
		return nil, errors.New("must start with https://")
	case !allowHTTP && !isLoopback(base.Hostname()):
		return nil, ErrPlainHTTP
	}
	// JoinPath keeps one trailing slash. Nothing follows the path, so trimming the text trims the path.
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

// ParseProxyURL parses the address of a proxy, which may include a user name and a password. Without a scheme, it is
// an http proxy, as in the usual environment variables. Errors have the same form as those of ParseBaseURL.
func ParseProxyURL(text string) (Secret, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	proxy, err := url.Parse(text)
	// An unescaped password can end the host early, so that the rest looks like a path, a query or a fragment.
	if err != nil || proxy.Hostname() == "" || strings.Trim(proxy.Path, "/") != "" || strings.ContainsAny(text, "?#") {
		return Secret{}, errors.New("must be the address of a proxy such as http://proxy.example.com:3128, without " +
			"a path; special characters in a user name or password must be percent-encoded")
	}
	if !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, proxy.Scheme) {
		return Secret{}, errors.New("must start with http://, https:// or socks5://")
	}
	return NewSecret(text), nil
}
