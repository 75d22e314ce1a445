package emulator_test

import (
	"cmp"
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
}

// before is the result of stored in a new world.
const before = `acme 7 tok "Acme" {"a":"1","b":"2"} {"p":1,"q":{"x":1}}` + "\n"

func newWorld(t *testing.T, options opts) *world {
	t.Helper()
	w := &world{T: t, Emulator: emulator.New(options)}
	w.Seed(emulator.Group{
		ID: "acme", Name: "Acme", TeamID: 7, Token: "tok",
		Mapping: map[string]string{"a": "1", "b": "2"}, Properties: json.RawMessage(`{"p":1,"q":{"x":1}}`),
	})
	return w
}

// named replaces generated tokens with a predictable name.
func named(text string) string {
	return regexp.MustCompile(`ugt_[A-Z2-7]{26}`).ReplaceAllString(text, "new-token")
}

// stored returns a line for each group of the environment.
func (w *world) stored() (text string) {
	for _, g := range w.Groups() {
		mapping, _ := json.Marshal(g.Mapping)
		text += fmt.Sprintf("%s %d %s %q %s %s\n", g.ID, g.TeamID, g.Token, g.Name, mapping, g.Properties)
	}
	return named(text)
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
	usual := fmt.Sprintf("Content-Type: application/json Content-Length: %d ", answer.Body.Len())
	for name, values := range answer.Header() {
		if header := name + ": " + strings.Join(values, ",") + " "; !strings.Contains(usual, header) {
			text += header
		}
	}
	return named(fmt.Sprint(answer.Code, " ", text, answer.Body))
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
	stale  = `404 {"success":0,"message":"current_token is not the current token of any user group"}`
	absent = `404 {"success":0,"message":"there is no user group with this user_group_id"}`
	done   = `200 {"success":1}`
)

// The fields that responses show of a group (interface section 2.2), in their order.
var (
	inLookup   = []string{"team_id", "token", "name", "provided_id", "properties"}
	inUpdate   = slices.Concat(inLookup, []string{"api_environment_tag"})
	inRotation = slices.DeleteFunc(slices.Clone(inUpdate), func(field string) bool { return field == "properties" })
)

// values has the JSON of what a response shows of a group. A field that it lacks is shown as null.
type values map[string]string

var (
	acme = values{
		"team_id": "7", "token": `"tok"`, "name": `"Acme"`, "provided_id": `"acme"`, "properties": `{"p":1,"q":{"x":1}}`,
		"api_environment_tag": `"Customer"`,
	}
	made = values{"team_id": "1001", "token": `"new-token"`, "provided_id": `"n"`}
)

// in returns the end of a response that shows the fields.
func (v values) in(fields []string) string {
	var members []string
	for _, field := range fields {
		members = append(members, fmt.Sprintf("%q:%s", field, cmp.Or(v[field], "null")))
	}
	return `"user_group":{` + strings.Join(members, ",") + `}}`
}

var (
	found   = `200 {"success":1,"new_user_group":false,` + acme.in(inLookup)
	isNew   = `200 {"success":1,"new_user_group":true,` + made.in(inLookup)
	updated = `200 {"success":1,` + acme.in(inUpdate)
	// rotated is the response to a rotation.
	rotated = strings.Replace(`200 {"success":1,`+acme.in(inRotation), `"tok"`, `"new-token"`, 1)
)

// TestOperations plays calls without options. exchanges alternates calls and expected responses. stored is what the
// service stores at the end.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		exchanges []string
		stored    string
	}{
		{[]string{
			`GET {"name":"é","user_group_id":"n","mapping":{"s":"d"},"properties":{ "big":9007199254740993,"z":null}}`,
			strings.NewReplacer(`"name":null`, `"name":"é"`, `"properties":null`,
				`"properties":{"big":9007199254740993,"z":null}`).Replace(isNew),
			`GET {"name":"Other","user_group_id":"acme","mapping":{"x":"y"},"properties":{"other":1}}`, found,
			lookUp, found,
		}, before + `n 1001 new-token "é" {"s":"d"} { "big":9007199254740993,"z":null}` + "\n"},
		{[]string{
			`PUT {"user_group_id":"n","name":"New"}`, absent,
			empty, updated,
			`PUT {"user_group_id":"acme","mapping":{"c":"3"}}`, updated,
			`PUT {"user_group_id":"acme","name":""}`, strings.Replace(updated, `"Acme"`, "null", 1),
			`PUT {"user_group_id":"acme","name":"New","properties":{}}`,
			strings.NewReplacer("Acme", "New", `{"p":1,"q":{"x":1}}`, "{}").Replace(updated),
		}, `acme 7 tok "New" {"c":"3"} {}` + "\n"},
		{[]string{
			rotate, rotated,
			rotate, stale,
			unknown, stale,
		}, strings.Replace(before, "tok", "new-token", 1)},
		{[]string{
			`DELETE {"user_group_id":"acme","current_token":"never"}`, stale,
			`DELETE {"user_group_id":"n","current_token":"tok"}`,
			`409 {"success":0,"message":"current_token does not belong to the user group with this user_group_id"}`,
			`DELETE {"user_group_id":"acme","current_token":"tok","data_source_provided_id":"d"}`, done,
			remove, stale,
			lookUp, strings.Replace(isNew, `"n"`, `"acme"`, 1),
			`DELETE {"user_group_id":"acme"}`, done,
			`DELETE {"user_group_id":"acme"}`, absent,
		}, ""},
	} {
		w := newWorld(t, opts{})
		for i := 0; i < len(test.exchanges); i += 2 {
			w.is(test.exchanges[i], w.ask(test.exchanges[i]), test.exchanges[i+1])
		}
		w.is("stored", w.stored(), test.stored)
	}
}

func TestWrongBodiesAreRefusedByName(t *testing.T) {
	t.Parallel()
	for call, says := range map[string]string{
		`GET `:                             "the body is not a JSON object",
		lookUp + ` {}`:                     "the body is not a JSON object",
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
		`POST {}`:                                "the field current_token is missing or empty",
		`DELETE {"data_source_provided_id":"d"}`: "the field current_token is missing or empty",
		`POST {"current_token":"tok","user_group_id":"acme"}`: "the field user_group_id does not belong to POST",
	} {
		w := newWorld(t, opts{})
		w.is(call, w.ask(call), fmt.Sprintf(`400 {"success":0,"message":%q}`, says))
		w.is(call, w.recorded().Refused, says)
		w.is(call, w.stored(), before)
	}
}

func TestWrongRequestsHaveAStatusOfTheirOwn(t *testing.T) {
	t.Parallel()
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
		"two keys":           {header("Authorization", "Token "+emulator.DefaultKey, "Token x"), "401 .*Authorization"},
		"other content type": {header("Content-Type", "text/json"), "415 .*Content-Type"},
		"query":              {func(r *http.Request) { r.URL.RawQuery = "a=1" }, "400 .*query"},
		"chunked":            {func(r *http.Request) { r.ContentLength = -1 }, "411 .*Content-Length"},
		"cut short": {func(r *http.Request) {
			r.Body = io.NopCloser(io.MultiReader(r.Body, iotest.ErrReader(io.ErrUnexpectedEOF)))
		}, "200 .*the body ended early"},
	} {
		w := newWorld(t, opts{Refusals: emulator.RefusalsSuccessZero})
		r := request(t, create)
		test.alter(r)
		w.matches(name, w.answer(r), "^"+test.want)
		w.matches(name, w.recorded().String(), ` "n" `+test.want)
		w.is(name, w.stored(), before)
	}
}

// TestIDsAreQuoted: a request cannot forge a line of the log.
func TestIDsAreQuoted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opts{})
	w.ask("GET {\"user_group_id\":\"a b\\n\\u001b[31m\\u202ex\"}")
	w.is("recorded", w.recorded().String(), `GET "a b\n\x1b[31m\u202ex" 200 created`)
}
