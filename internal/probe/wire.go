package probe

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// wire records what package api does not tell: the attempts of each call. A probe makes one call at a time.
type wire struct {
	through   http.RoundTripper
	attempts  int
	throttled int
	statuses  []int  // of the attempts of the last call that no rate limit has refused; 0 without a response
	slash     string // the address to which the last response redirects, if that only adds a slash
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	w.attempts++
	w.slash = ""
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

// wasBusy reports whether an attempt of the last call was refused because something else was under way.
func (w *wire) wasBusy() bool { return slices.ContainsFunc(w.statuses, isBusy) }

// crashed reports whether every response to the last call has status 500.
func (w *wire) crashed() bool {
	isOther := func(status int) bool { return status != http.StatusInternalServerError }
	return len(w.statuses) > 0 && !slices.ContainsFunc(w.statuses, isOther)
}

// printable returns a text without what a terminal or a CI runner could take for a command, cut short.
func printable(text string) string {
	quoted := strings.ReplaceAll(strconv.QuoteToASCII(text), `\"`, `"`)
	return api.Inert(quoted[1:min(len(quoted)-1, 61)]) + pick(len(quoted) > 62, "…", "")
}
