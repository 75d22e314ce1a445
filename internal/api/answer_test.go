package api

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// response reads a status and a body, and htmlPage as a web page.
func response(text string) (status int, react reaction) {
	code, body, _ := strings.Cut(text, " ")
	status, _ = strconv.Atoi(code)
	return status, reply(status, body)
}

// TestKinds: the kind of a failure, and whether the service is taken for the sender, must follow from the status and the
// form of the body.
func TestKinds(t *testing.T) {
	t.Parallel()
	const notJSON, redirects = "not the JSON object that the service documents", "redirects are never followed"
	for _, test := range []struct {
		kind    Kind
		reason  string // a part of it, or "" for no reason
		foreign bool   // it is not attributed to the service
		answers []string
	}{
		{Refused, "did not succeed", false, []string{`200 {"success":0}`, `201 {"success":"0"}`, `200 {"success":0,` + createdJSON[13:]}},
		{UnknownOutcome, notJSON, false, []string{
			`200 {"new_user_group":true}`, `200 {"success":null}`, `200 {"Success":1}`, `200 {}`, `200 [{"success":1}]`, `200 null`,
			`200 {"success":2}`, `200 {"success":-1}`, `200 {"success":"LEAK"}`, `200 {"success":[1]}`,
		}},
		{UnknownOutcome, notJSON, true, []string{
			`200 ` + htmlPage, `200 LEAK`, `200 `, `204 `, `200 {"success":1,}`, `200 ` + successJSON + `x`, `200 ` + successJSON[:90],
		}},
		{UnknownOutcome, "has no new_user_group", false, []string{
			`200 {"success":1,"user_group":` + group + `}`, `200 {"success":1,"new_user_group":"LEAK","user_group":` + group + `}`,
		}},
		{Redirected, redirects, false, []string{`300 {}`}},
		{Redirected, redirects, true, []string{`304 `}},
		{Refused, "", false, []string{`400 {"success":0}`, `400 ` + successJSON, `404 {}`, `409 {}`, `422 []`}},
		{Refused, "", true, []string{`400 `, `400 ` + htmlPage, `400 bad LEAK`}},
		{Unauthorized, "", false, []string{`401 {"success":0}`, `403 {"success":1}`}},
		{Unauthorized, "", true, []string{`401 ` + htmlPage, `403 `}},
		{NotSent, "", true, []string{`407 ` + htmlPage}},
		{Throttled, "", false, []string{`429 {}`, `429 ` + successJSON}},
		{UnknownOutcome, "", false, []string{`408 {}`, `500 {"success":0}`, `502 ` + createdJSON, `999 {"success":1}`}},
		{UnknownOutcome, "", true, []string{`101 `, `502 ` + htmlPage, `503 `}},
	} {
		for _, text := range test.answers {
			status, react := response(text)
			_, failure, kind := get.take(react)
			if kind != test.kind {
				t.Errorf("%s: kind %d, want %d: %v", text, kind, test.kind, failure)
				continue
			}
			lost, decided := kind == UnknownOutcome, (kind == Refused || kind == Unauthorized) && !test.foreign && status != 404
			if failure.Status != status || failure.FromService() == test.foreign || failure.AfterLostAttempt ||
				failure.MayHaveHappened() != lost || failure.Decided() != decided || failure.Temporary() != (lost || status == 429) ||
				failure.RateLimited() != (status == 429 || status == 503) ||
				!strings.Contains(failure.Reason, test.reason) || test.reason == "" && failure.Reason != "" {
				t.Errorf("%s: %#v; want foreign %v, reason %q", text, failure, test.foreign, test.reason)
			}
			wantAbsent(t, "the error", failure.Error(), "LEAK", plantedNewToken, "html>")
		}
	}
	for age, cached := range map[string]bool{"1": true, " 60 ": true, "0.5": true, "": false, "-1": false, "old": false} {
		for _, status := range []int{200, 400, 500} {
			if _, failure, kind := get.take(reply(status, createdJSON, "Age", age)); (kind == Cached) != cached {
				t.Errorf("%d with Age %q: %v", status, age, failure)
			}
		}
	}
	const slash = "set base_url to https://service.example/api/user/"
	for location, reason := range map[string]string{
		"https://service.example/api/user/": slash, "/api/user/": slash, "http://internal/api/user/": slash,
		"/login": redirects, "/api/user": redirects, "": redirects, "https://other.example/": redirects,
	} {
		_, failure, kind := put.take(reply(301, "", "Location", location))
		if kind != Redirected || !strings.Contains(failure.Reason, reason) || failure.Obstacle != NoObstacle {
			t.Errorf("%q: %v", location, failure)
		}
	}
}

// TestSuccess: what a service writes for a flag, a byte order mark, and a wrong Content-Type must not matter. What a call
// needs must be there. If it is not, the rest is returned.
func TestSuccess(t *testing.T) {
	t.Parallel()
	with := func(old, replacement string) string { return strings.Replace(successJSON, old, replacement, 1) }
	for _, body := range []string{
		successJSON, "\ufeff" + successJSON + "\n", " \n" + with(":1,", ": true ,"), with(":1,", `:"1",`), with(":1,", ":1.0,"),
		with(":1,", `:"True","x":[{"y":null}],`), with("false", "0"), with("false", `"0"`), with("false", `"false"`),
	} {
		answer, failure, _ := get.take(reply(201, body, "Content-Type", "text/html", "Age", "0"))
		if failure != nil || *answer.New || answer.AfterLostAttempt || answer.UserGroup.Token.Reveal() != plantedNewToken ||
			answer.UserGroup.TeamID != "1001" || *answer.UserGroup.Name != "Acme" || *answer.UserGroup.ProvidedID != "acme" {
			t.Errorf("%s: %+v, %v", body, answer, failure)
		}
	}
	if answer, failure, _ := get.take(ok(createdJSON)); failure != nil || !*answer.New {
		t.Errorf("%+v, %v", answer, failure)
	}
	for body, lacking := range map[string][4]string{
		`}`:                                  {"user_group", "user_group", "user_group", ""},
		`,"user_group":"whatever"}`:          {"user_group", "user_group", "user_group", ""},
		`,"user_group":{"team_id":7}}`:       {"token", "", "token", ""},
		`,"user_group":{"token":["LEAK"]}}`:  {"token", "", "token", ""},
		`,"user_group":{"token":"","x":1}}`:  {"token", "", "token", ""},
		`,"user_group":{"token":"x","y":1}}`: {},
	} {
		for i, call := range fourCalls {
			answer, failure, kind := call.take(ok(`{"success":1,"new_user_group":true` + body))
			if want := lacking[i]; want == "" && failure != nil || want != "" && (kind != Incomplete ||
				failure.Reason != "the response has no "+want || !failure.MayHaveHappened() || !failure.Decided()) {
				t.Errorf("%s %s: %+v, %v", call.method, body, answer, failure)
			}
			if hasTeam := answer.UserGroup.TeamID != ""; (answer.New != nil) != (i == 0) ||
				hasTeam != (i < 3 && strings.Contains(body, "team_id")) {
				t.Errorf("%s %s: %+v", call.method, body, answer)
			}
		}
	}
}

// TestFields: a value with an obvious meaning must be accepted, however it is written, and any other one must count as
// missing. team_id must be exact over the whole range of int64.
func TestFields(t *testing.T) {
	t.Parallel()
	read := func(fields string) UserGroup {
		answer, failure, _ := put.take(ok(`{"success":1,"user_group":{` + fields + `}}`))
		if failure != nil {
			t.Errorf("%.80s: %v", fields, failure)
		}
		return answer.UserGroup
	}
	for text, want := range map[string]int64{
		`0`: 0, `-0`: 0, `-5`: -5, `9007199254740993`: 1<<53 + 1, `"9007199254740993"`: 1<<53 + 1,
		`9223372036854775807`: math.MaxInt64, `-9223372036854775808`: math.MinInt64,
		`1001.0`: 1001, `1.001e3`: 1001, `1001000e-3`: 1001, `"1001"`: 1001, `"1001.0"`: 1001,
		`9007199254740993.0`: 1<<53 + 1, `9223372036854775807.00`: math.MaxInt64, // A float64 cannot represent these.
	} {
		if got := read(`"team_id":` + text); got.TeamID != strconv.FormatInt(want, 10) {
			t.Errorf("team_id %s: got %s, want %d", text, got.TeamID, want)
		}
	}
	for text, want := range map[string]string{ // Other numbers and texts identify a group as well as they are written.
		`"b1f0"`: "b1f0", `4242.5`: "4242.5", `9223372036854775808`: "9223372036854775808", `1e400`: "1e400",
		`1e9999999999999999`: "1e9999999999999999", `""`: "", `true`: "", `[4242]`: "", `null`: "", `{}`: "",
	} {
		if got := read(`"team_id":` + text); got.TeamID != want {
			t.Errorf("team_id %s: got %q, want %q", text, got.TeamID, want)
		}
	}
	const none = "none"
	for text, want := range map[string]string{
		`""`: "", `12345`: "12345", `9007199254740993`: "9007199254740993", `"\u0041\ud83d\ude00"`: "A😀", `null`: none,
		`true`: none, `["x"]`: none, `{"x":"y"}`: none,
	} {
		got := read(`"name":` + text + `,"provided_id":` + text + `,"api_environment_tag":` + text)
		for _, field := range []*string{got.Name, got.ProvidedID, got.EnvironmentTag} {
			if (field == nil) != (want == none) || field != nil && *field != want {
				t.Errorf("%s: %+v", text, got)
			}
		}
	}
	for _, tag := range []string{`{"name":"Testing"}`, `{"label":"Testing","x":1}`, `{"id":3,"value":"Testing"}`} {
		if got := read(`"api_environment_tag":` + tag).EnvironmentTag; got == nil || *got != "Testing" {
			t.Errorf("api_environment_tag %s: %v", tag, got)
		}
	}
	// PHP writes an empty object as an empty list. Some services keep JSON in a text column.
	const raw = `{"n":123456789012345678901234567890.10,"e":{}}`
	for text, want := range map[string]string{
		raw: raw, `"{\"b\":1e30,\"a\":\"é\"}"`: `{"b":1e30,"a":"é"}`, `[]`: "{}", `"[]"`: "{}", `[ ]`: "{}", `{}`: "{}",
		`null`: "", `""`: "", `false`: "", `5`: "", `["x"]`: "", `"x"`: "", `"null"`: "", `"[1]"`: "",
	} {
		if got := read(`"properties":` + text).Properties; got.raw != want || got.IsZero() != (want == "") {
			t.Errorf("properties %s: %s", text, got.raw)
		}
	}
}

// TestDeletion: a 2xx response to DELETE without a body, or with an object that reports no error, must count as a success
// once the service has shown itself, and before that as a deletion that may have been done.
func TestDeletion(t *testing.T) {
	t.Parallel()
	for kind, answers := range map[Kind][]string{
		success:        {`204 `, `200 `, `200 {}`, `202 {"message":"deleted"}`, `200 {"error":null,"errors":[]}`, `200 {"success":1}`},
		UnknownOutcome: {`200 {"error":"no"}`, `200 {"Errors":{"x":1}}`, `200 {"detail":"x"}`, `200 []`, `200 null`, `200 OK`, `200 {`, `200 ` + htmlPage},
		Refused:        {`200 {"success":0}`, `200 {"success":"0"}`, `200 {"success":false}`, `404 {}`},
	} {
		for _, text := range answers {
			_, react := response(text)
			client := newClient(inTurn(react, ok(successJSON), react), once)
			first, isEmpty := kind, strings.HasSuffix(text, " ")
			if kind == success && text != `200 {"success":1}` {
				first = Incomplete
			}
			_, failure, got := remove.make(client)
			if got != first || got == Incomplete && (failure.Obstacle == Foreign) != isEmpty {
				t.Errorf("%s at first: %v", text, failure)
			}
			_, _, _ = get.make(client)
			if _, failure, got = remove.make(client); got != kind {
				t.Errorf("%s: %v", text, failure)
			}
		}
	}
	for _, call := range fourCalls[:3] {
		client := newClient(inTurn(ok(successJSON), reply(204, "")), once)
		_, _, _ = call.make(client)
		if _, _, kind := call.make(client); kind != UnknownOutcome {
			t.Errorf("%s with 204: kind %d", call.method, kind)
		}
	}
}

// endless is a body without an end.
type endless struct{ read int }

func (e *endless) Close() error { return nil }
func (e *endless) Read(buffer []byte) (n int, _ error) {
	e.read += len(buffer)
	return len(buffer), nil
}

// TestTooMuch: a body that exceeds the limit must not be read to its end, and must not count as unsent.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	most := `{"x":"` + strings.Repeat("x", maxAnswer-len(successJSON)-len(`"x":"",`)) + `",` + successJSON[1:]
	if _, failure, _ := post.take(ok(most)); failure != nil {
		t.Errorf("%d bytes: %v", len(most), failure)
	}
	var body endless
	_, failure, kind := post.take(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: &body}, nil
	})
	if kind != UnknownOutcome || !strings.Contains(failure.Reason, "larger than 4 MiB") || body.read > 2*maxAnswer {
		t.Errorf("an endless response: %v after %d bytes", failure, body.read)
	}
}
