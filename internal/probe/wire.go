package probe

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
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
	proto     string
	server    string
	via       string
	status    int
	body      *bytes.Buffer // of the last response, as far as it was read
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(request *http.Request) (*http.Response, error) {
	w.attempts++
	w.status, w.body = 0, &bytes.Buffer{}
	response, err := w.through.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if (&api.Error{Status: response.StatusCode}).RateLimited() {
		w.throttled++
	}
	w.status, w.proto = response.StatusCode, response.Proto
	w.server, w.via = response.Header.Get("Server"), response.Header.Get("Via")
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(response.Body, w.body), response.Body}
	return response, nil
}

// shape describes the last response by its status, its fields and the value of success. It shows no other value.
func (w *wire) shape() string {
	if w.status == 0 {
		return "no response"
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(w.body.Bytes(), &fields) != nil || fields == nil {
		return strconv.Itoa(w.status) + ", not a JSON object"
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := "…"
		if name == "success" {
			value = string(fields[name])
		}
		members = append(members, strconv.Quote(name)+":"+value)
	}
	return strconv.Itoa(w.status) + " {" + strings.Join(members, ",") + "}"
}

// between returns what the headers of the last response say about its way, and whether something else passed it on.
func (w *wire) between() (said string, passedOn bool) {
	said = w.proto
	if w.server != "" {
		said += ", Server: " + printable(w.server)
	}
	if w.via != "" {
		said += ", Via: " + printable(w.via)
	}
	return said, w.via != ""
}

// printable returns a header without what a terminal could take for a command, cut short.
func printable(text string) string {
	quoted := strconv.QuoteToASCII(text)
	return quoted[1 : min(len(quoted), 41)-1]
}
