package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// parseRetryAfter reads a Retry-After header in either of its forms, seconds or an HTTP date, and returns how long
// from now it asks to wait. Zero means that it asks for nothing: absent, unreadable or in the past.
func parseRetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	// A number too large for a Duration, or for any integer, is still a wish to wait; the caller caps it.
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}

// maxRetryAfter bounds what a header can say before the client's own, configured cap applies.
const maxRetryAfter = 365 * 24 * time.Hour
