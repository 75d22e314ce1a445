package probe

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// wire records what package api does not tell: the attempts of each call, and what the responses look like. A probe
// makes one call at a time.
type wire struct {
	through   http.RoundTripper
	attempts  int
	throttled int
	statuses  []int  // of the attempts of the last call that no rate limit has refused; 0 without a response
	slash     string // the address to which the last response redirects, if that only adds a slash
	proto     string // of the last response, as the following fields
	header    http.Header
	body      *bytes.Buffer // as far as it was read
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	w.attempts++
	w.slash, w.body = "", &bytes.Buffer{}
	response, err := w.through.RoundTrip(request)
	if err != nil {
		w.statuses = append(w.statuses, 0)
		return nil, err
	}
	if isThrottled(response) {
		w.throttled++
	} else {
		w.statuses = append(w.statuses, response.StatusCode)
	}
	if target, err := response.Location(); err == nil && target.Path == request.URL.Path+"/" {
		w.slash = request.URL.String() + "/"
	}
	w.proto, w.header = response.Proto, response.Header
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(response.Body, w.body), response.Body}
	return response, nil
}

var (
	limitStatuses = []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}
	busyStatuses  = []int{http.StatusConflict, http.StatusLocked, http.StatusTooEarly}
)

func isBusy(status int) bool { return slices.Contains(busyStatuses, status) }

// isThrottled reports whether a response asks for fewer calls.
func isThrottled(response *http.Response) bool {
	saysWhen := response.StatusCode/100 == 4 && response.Header.Get("Retry-After") != ""
	return slices.Contains(limitStatuses, response.StatusCode) || saysWhen && !isBusy(response.StatusCode)
}

// busy returns the status with which an attempt of the last call was refused because something else was under way. It
// returns 0 if none was.
func (w *wire) busy() int {
	at := slices.IndexFunc(w.statuses, isBusy)
	if at < 0 {
		return 0
	}
	return w.statuses[at]
}

// has reports whether the last response has a member of this name.
func (w *wire) has(member string) bool {
	return strings.Contains(w.body.String(), strconv.Quote(member))
}

// crashed reports whether every response to the last call has status 500.
func (w *wire) crashed() bool {
	isOther := func(status int) bool { return status != http.StatusInternalServerError }
	return len(w.statuses) > 0 && !slices.ContainsFunc(w.statuses, isOther)
}

// between returns what the last response says about its way, and whether something else passed it on.
func (w *wire) between() (said string, passedOn bool) {
	said = w.proto
	for _, name := range []string{"Server", "Via"} {
		if value := w.header.Get(name); value != "" {
			said += ", " + name + ": " + printable(value)
		}
	}
	return said, w.header.Get("Via") != ""
}

// printable returns a text without what a terminal or a CI runner could take for a command, cut short.
func printable(text string) string {
	quoted := strings.ReplaceAll(strconv.QuoteToASCII(text), `\"`, `"`)
	return api.Inert(quoted[1:min(len(quoted)-1, 61)]) + pick(len(quoted) > 62, "…", "")
}
