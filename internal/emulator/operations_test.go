package emulator_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// world is an emulator that has the group acme, and its caller.
type world struct {
	*testing.T
	*emulator.Emulator

	tokens []string
}

// before is the result of stored in a new world.
const before = `acme 7 tok "Acme" {"a":"1","b":"2"} {"p":1,"q":{"x":1}}` + "\n"

func newWorld(t *testing.T, options emulator.Options) *world {
	t.Helper()
	e := emulator.New(options)
	e.Seed(emulator.Group{
		ID: "acme", Name: "Acme", TeamID: 7, Token: "tok",
		Mapping: map[string]string{"a": "1", "b": "2"}, Properties: json.RawMessage(`{"p":1,"q":{"x":1}}`),
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

const (
	stale   = `404 {"success":0,"message":"current_token is not the current token of any user group"}`
	absent  = `404 {"success":0,"message":"there is no user group with this user_group_id"}`
	other   = `409 {"success":0,"message":"current_token does not belong to the user group with this user_group_id"}`
	done    = `200 {"success":1}`
	created = `200 {"success":1,"new_user_group":true,"user_group":{"team_id":1001,"token":"token-1","name":`
	found   = `200 {"success":1,"new_user_group":false,"user_group":{"team_id":7,"token":"tok","name":`
	updated = `200 {"success":1,"user_group":{"team_id":7,"token":"tok","name":`
	rotated = `200 {"success":1,"user_group":{"team_id":7,"token":"token-1","name":`
	asIs    = `"Acme","provided_id":"acme","properties":{"p":1,"q":{"x":1}}`
	tagged  = `,"api_environment_tag":"Customer"}}`
)

// operations are the operations without options. exchanges alternates calls and expected responses. stored is what the
// service stores at the end. token-1 is the first generated token.
var operations = map[string]struct {
	exchanges []string
	stored    string
}{
	"GET": {exchanges: []string{
		`GET {"name":"<é>","user_group_id":"n","mapping":{"s":"d"},"properties":{ "big":9007199254740993,"h":"<" ,"z":null}}`,
		created + `"\u003cé\u003e","provided_id":"n","properties":{"big":9007199254740993,"h":"\u003c","z":null}}}`,
		`GET {"name":"Other","user_group_id":"acme","mapping":{"x":"y"},"properties":{"other":1}}`, found + asIs + "}}",
		`GET {"user_group_id":"acme"}`, found + asIs + "}}",
	}, stored: before + `n 1001 token-1 "<é>" {"s":"d"} { "big":9007199254740993,"h":"<" ,"z":null}` + "\n"},
	"PUT": {exchanges: []string{
		`PUT {"user_group_id":"n","name":"New"}`, absent,
		`PUT {"user_group_id":"acme"}`, updated + asIs + tagged,
		`PUT {"user_group_id":"acme","mapping":{"c":"3"}}`, updated + asIs + tagged,
		`PUT {"user_group_id":"acme","name":""}`, updated + strings.Replace(asIs, `"Acme"`, "null", 1) + tagged,
		`PUT {"user_group_id":"acme","name":"New","properties":{"c":3}}`,
		updated + `"New","provided_id":"acme","properties":{"c":3}` + tagged,
	}, stored: `acme 7 tok "New" {"c":"3"} {"c":3}` + "\n"},
	"POST": {exchanges: []string{
		`POST {"current_token":"tok"}`, rotated + `"Acme","provided_id":"acme"` + tagged,
		`POST {"current_token":"tok"}`, stale,
		`POST {"current_token":"never"}`, stale,
	}, stored: strings.Replace(before, "tok", "token-1", 1)},
	"DELETE by the token, and it is made anew": {exchanges: []string{
		`DELETE {"current_token":"tok"}`, done,
		`DELETE {"current_token":"tok"}`, stale,
		`GET {"user_group_id":"acme"}`, created + `null,"provided_id":"acme","properties":null}}`,
	}, stored: `acme 1001 token-1 "" null ` + "\n"},
	"DELETE by the id": {exchanges: []string{
		`DELETE {"user_group_id":"acme"}`, done,
		`DELETE {"user_group_id":"acme"}`, absent,
	}},
	"DELETE by both": {exchanges: []string{
		`DELETE {"user_group_id":"acme","current_token":"never"}`, stale,
		`DELETE {"user_group_id":"n","current_token":"tok"}`, other,
		`DELETE {"user_group_id":"acme","current_token":"tok","data_source_provided_id":"d"}`, done,
	}},
}

func TestOperations(t *testing.T) {
	for name, test := range operations {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, emulator.Options{})
			for i := 0; i < len(test.exchanges); i += 2 {
				w.is(test.exchanges[i], w.ask(test.exchanges[i]), test.exchanges[i+1])
			}
			w.is("stored", w.stored(), test.stored)
		})
	}
}

func TestWrongBodiesAreRefusedByName(t *testing.T) {
	for call, says := range map[string]string{
		`GET `:                             "the body is not a JSON object",
		`PUT null`:                         "the body is not a JSON object",
		`GET {"user_group_id":"acme"} {}`:  "the body is not a JSON object",
		"GET {\"user_group_id\":\"\xff\"}": "the body is not a JSON object",
		`GET {"user_group_id":"acme","user_group_id":"b"}`: `the body has the member "user_group_id" twice`,
		`GET {"name":"n"}`:                                        "the field user_group_id is missing or empty",
		`GET {"user_group_id":""}`:                                "the field user_group_id is empty",
		`DELETE {"user_group_id":null}`:                           "the field user_group_id is not a string",
		`GET {"user_group_id":"acme","name":1}`:                   "the field name is not a string",
		`PUT {"user_group_id":"acme","mapping":null}`:             "the field mapping is not a JSON object",
		`PUT {"user_group_id":"acme","mapping":{"a":null}}`:       "the field mapping has a value that is not a string",
		`PUT {"user_group_id":"acme","mapping":{"a":{},"b":"1"}}`: "the field mapping has a value that is not a string",
		`PUT {"user_group_id":"acme","properties":{"a":1,"a":2}}`: `the field properties has the member "a" twice`,
		`POST {}`:                                             "the field current_token is missing or empty",
		`DELETE {"data_source_provided_id":""}`:               "the field data_source_provided_id is empty",
		`DELETE {"data_source_provided_id":"d"}`:              "the field current_token is missing or empty",
		`GET {"user_group_id":"acme","current_token":"tok"}`:  "the field current_token does not belong to GET",
		`POST {"current_token":"tok","user_group_id":"acme"}`: "the field user_group_id does not belong to POST",
	} {
		w := newWorld(t, emulator.Options{})
		w.is(call, w.ask(call), fmt.Sprintf(`400 {"success":0,"message":%q}`, says))
		w.is(call, w.recorded().Refused, says)
		w.is(call, w.stored(), before)
	}
}

func TestWrongRequestsHaveAStatusOfTheirOwn(t *testing.T) {
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	for name, test := range map[string]struct {
		alter func(*http.Request)
		want  string
	}{
		"path":               {func(r *http.Request) { r.URL.Path = "/api/user/" }, "404 .*/api/user"},
		"escaped slash":      {func(r *http.Request) { r.URL.RawPath = "/api%2Fuser" }, "404 .*/api/user"},
		"method":             {func(r *http.Request) { r.Method = "PATCH" }, "405 .*GET, PUT, POST or DELETE"},
		"no key":             {header("Authorization"), "401 .*Authorization"},
		"wrong key":          {header("Authorization", "Token nope"), "401 .*Authorization"},
		"other scheme":       {header("Authorization", "Bearer "+emulator.DefaultKey), "401 .*Authorization"},
		"two keys":           {header("Authorization", "Token "+emulator.DefaultKey, "Token x"), "401 .*Authorization"},
		"no content type":    {header("Content-Type"), "415 .*Content-Type"},
		"other content type": {header("Content-Type", "text/json"), "415 .*Content-Type"},
		"query":              {func(r *http.Request) { r.URL.RawQuery = "a=1" }, "400 .*query"},
		"chunked":            {func(r *http.Request) { r.ContentLength = -1 }, "411 .*Content-Length"},
		"cut short": {func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(r.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
		}, "200 .*the body ended early"},
	} {
		w := newWorld(t, emulator.Options{Refusals: emulator.RefusalsSuccessZero})
		r := request(t, `GET {"user_group_id":"n"}`)
		test.alter(r)
		w.matches(name, w.answer(r), "^"+test.want)
		w.matches(name, w.recorded().String(), ` "n" `+test.want)
		w.is(name, w.stored(), before)
	}
}

// TestIDsAreQuoted: a request cannot forge a line of the log.
func TestIDsAreQuoted(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.ask("GET {\"user_group_id\":\"a b\\n\\u001b[31m\\u202ex\"}")
	w.is("recorded", w.recorded().String(), `GET "a b\n\x1b[31m\u202ex" 200 created`)
}
