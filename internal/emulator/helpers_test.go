package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// world is an emulator that has the group acme, and its caller.
type world struct {
	*testing.T
	*emulator.Emulator

	tokens []string
}

// before is the result of stored in a new world.
const before = `acme 7 tok "Acme" {"a":"1","b":"2"} {"p": 1, "q":{"x":1}}` + "\n"

func newWorld(t *testing.T, options emulator.Options) *world {
	t.Helper()
	return around(t, emulator.New(options))
}

func around(t *testing.T, e *emulator.Emulator) *world {
	t.Helper()
	t.Cleanup(e.Close)
	e.Seed(emulator.Group{
		ID: "acme", Name: "Acme", TeamID: 7, Token: "tok",
		Mapping: map[string]string{"a": "1", "b": "2"}, Properties: json.RawMessage(`{"p": 1, "q":{"x":1}}`),
	})
	return &world{T: t, Emulator: e}
}

var madeUp = regexp.MustCompile(`ugt_[A-Z2-7]{26}`)

// named replaces generated tokens with predictable names. token-1 is the first one seen.
func (w *world) named(text string) string {
	return madeUp.ReplaceAllStringFunc(text, func(token string) string {
		if !slices.Contains(w.tokens, token) {
			w.tokens = append(w.tokens, token)
		}
		return fmt.Sprint("token-", slices.Index(w.tokens, token)+1)
	})
}

// stored returns a line for each group of the environment.
func (w *world) stored() (text string) {
	for _, g := range w.Groups() {
		mapping, _ := json.Marshal(g.Mapping)
		text += fmt.Sprintf("%s %d %s %q %s %s\n", g.ID, g.TeamID, g.Token, g.Name, mapping, g.Properties)
	}
	return w.named(text)
}

// recorded returns the last call.
func (w *world) recorded() emulator.Call { return w.Calls()[len(w.Calls())-1] }

// request returns the request for a call such as `GET {"user_group_id":"acme"}`.
func request(t *testing.T, call string) *http.Request {
	t.Helper()
	method, body, _ := strings.Cut(call, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, "/api/user", strings.NewReader(body))
	r.Header.Set("Authorization", "Token "+emulator.DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (w *world) ask(call string) string { return w.answer(request(w.T, call)) }

// answer returns "cut" or the status, the unusual headers and the body of the response.
func (w *world) answer(r *http.Request) (text string) {
	defer func() {
		switch cut := recover(); cut {
		case nil:
		case http.ErrAbortHandler:
			text = "cut"
		default:
			panic(cut)
		}
	}()
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	header := answer.Header()
	if header.Get("Content-Type") == "application/json" {
		header.Del("Content-Type")
	}
	if header.Get("Content-Length") == fmt.Sprint(answer.Body.Len()) {
		header.Del("Content-Length")
	}
	for name, values := range header {
		text += name + ": " + strings.Join(values, ",") + " "
	}
	return w.named(fmt.Sprint(answer.Code, " ", text, answer.Body))
}

func (w *world) is(what, got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("%.200s\ngot  %s\nwant %s", what, got, want)
	}
}

func (w *world) matches(what, got, pattern string) {
	w.Helper()
	if !regexp.MustCompile(pattern).MatchString(got) {
		w.Errorf("%.200s\ngot  %s\nwant %s", what, got, pattern)
	}
}
