package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// parseRetryAfter reads a Retry-After header in either of its forms, seconds or an HTTP date, and returns the wait
// from now, at most maxRetryAfter. It returns 0 for a header that is missing, unreadable or in the past.
func parseRetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	// A number that overflows is still a request to wait.
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}

// maxRetryAfter limits what a header can ask for, before RetryWaitMax caps it further.
const maxRetryAfter = 365 * 24 * time.Hour
