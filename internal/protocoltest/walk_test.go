package protocoltest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

var (
	anyToken = regexp.MustCompile(`ugt_\w+`)
	// random matches tokens, fingerprints, team_ids, instances, times and the IDs of checks.
	random = regexp.MustCompile(`ugt_\w+|\b([0-9a-f]{12}|1\d\d\d|[A-Z2-7]{26}|20\d\d-[-:0-9TZ]+|[a-z2-7]{20})\b`)
)

// signature contains everything that the outcome of further runs depends on, with random values numbered.
func (w *walk) signature() string {
	var private map[string][]byte
	if len(w.state.Private) > 0 && !w.state.Value.IsNull() {
		w.Must(json.Unmarshal(w.state.Private, &private))
	}
	there := func(team int64) bool {
		return slices.ContainsFunc(w.groups, func(group emulator.Group) bool { return group.TeamID == team })
	}
	text, err := json.Marshal([]any{
		w.state.Members(), string(private["memory"]), w.config, w.groups, string(w.old), w.misled,
		slices.ContainsFunc(w.managed, there), slices.ContainsFunc(w.empty, there),
	})
	w.Must(err)
	numbers, tokens := map[string]int{}, map[string]string{}
	for _, token := range anyToken.FindAllString(string(text), -1) {
		tokens[Fingerprint(token)] = token
	}
	return random.ReplaceAllStringFunc(string(text), func(value string) string {
		if strings.Contains(value, "-") { // It is a time.
			return ""
		}
		value = cmp.Or(tokens[value], value)
		if numbers[value] == 0 {
			numbers[value] = len(numbers) + 1
		}
		return fmt.Sprint("#", numbers[value])
	})
}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call.
func (w *walk) RoundTrip(r *http.Request) (*http.Response, error) {
	// Without a connection, the client would conclude that nothing was sent.
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	body, err := io.ReadAll(r.Body)
	w.Must(err)
	r.Body = io.NopCloser(bytes.NewReader(body))
	befalls := ""
	if !bytes.Contains(body, []byte("terraform-provider-embed-check-")) {
		can := w.mishaps(r.Method)
		if len(w.possible) == w.unlucky {
			befalls = can[w.mishap]
		}
		w.possible = append(w.possible, len(can))
	}
	w.tell("  %s %s: %s", r.Method, body, befalls)
	switch befalls {
	case "another actor rotates":
		w.Service.RotateBehind("acme")
	case "another actor deletes":
		w.Service.Remove("acme")
	case "another actor replaces":
		// The new group looks like the old one, but it has no mapping.
		group, _ := w.Service.Group("acme")
		w.Service.Seed(emulator.Group{ID: "acme", Name: group.Name, Properties: group.Properties})
	case "another actor creates":
		w.Service.Seed(emulator.Group{ID: "acme", Name: "Another"})
	}
	answer := httptest.NewRecorder()
	answer.Header().Set("Content-Type", "application/json")
	switch befalls {
	case "lost before the work", "status 500":
		answer.WriteHeader(http.StatusInternalServerError)
		_, _ = answer.WriteString(`{"success":0}`)
	case "an old response":
		w.misled = true
		_, _ = answer.Write(w.old)
	default:
		w.work(answer, r)
	}
	switch befalls {
	case "lost before the work", "lost after the work":
		return nil, errors.New("the connection was cut")
	case "no token":
		answer.Body = bytes.NewBuffer(bytes.Replace(answer.Body.Bytes(), []byte(`"token"`), []byte(`"tok"`), 1))
	}
	return answer.Result(), nil
}

// mishaps returns what can befall an attempt.
func (w *walk) mishaps(method string) []string {
	all := []string{"lost before the work", "lost after the work", "status 500"}
	if method != http.MethodDelete {
		all = append(all, "no token")
	}
	if method == http.MethodGet && w.old != nil {
		all = append(all, "an old response")
	}
	if _, exists := w.Service.Group("acme"); exists {
		return append(all, "another actor rotates", "another actor deletes", "another actor replaces")
	}
	return append(all, "another actor creates")
}

// work lets the service carry out the request.
func (w *walk) work(answer *httptest.ResponseRecorder, r *http.Request) {
	w.Service.ServeHTTP(answer, r)
	calls := w.Service.Calls()
	if call := calls[len(calls)-1]; call.Created && !bytes.Contains(call.Body, []byte(`"mapping"`)) {
		w.empty = append(slices.Clip(w.empty), call.TeamID)
	}
	if r.Method == http.MethodGet && answer.Code == http.StatusOK {
		w.old = answer.Body.Bytes()
	}
}
