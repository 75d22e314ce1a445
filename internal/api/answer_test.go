package api

import (
	"cmp"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// response reads a status, a header if there is a colon before the first space, and a body.
func response(text string) (status int, react reaction) {
	first, body, _ := strings.Cut(text, " ")
	code, header, _ := strings.Cut(first, ":")
	name, value, _ := strings.Cut(header, "=")
	status, _ = strconv.Atoi(code)
	return status, reply(status, body, name, value)
}

// TestKinds: the kind of a failure, and whether the service is taken for the sender, must follow from the status and
// the form of the body.
func TestKinds(t *testing.T) {
	t.Parallel()
	const notJSON, redirects = "the response is not a JSON object", "redirects are never followed"
	const slash, cached = "set base_url to https://service.example/api/user/", "the Age header shows that"
	for _, test := range []struct {
		kind    Kind
		reason  string // a part of it, or "" for no reason
		foreign bool   // it is not attributed to the service
		answers []string
	}{
		{
			Refused, "did not succeed", false,
			[]string{`200 {"success":0}`, `201 {"success":"0"}`, `200 {"success":0,` + createdJSON[13:]},
		},
		{Broken, "the response has no success, which is 1 or 0", false, []string{
			`200 {"new_user_group":true}`, `200 {"success":null}`, `200 {"Success":1}`, `200 {}`,
			`200 {"success":2}`, `200 {"success":-1}`, `200 {"success":"LEAK"}`, `200 {"success":[1]}`,
		}},
		{Broken, notJSON, false, []string{`200 [{"success":1}]`, `200 null`}},
		{Broken, notJSON, true, []string{
			`200 ` + htmlPage, `200 LEAK`, `200 `, `204 `, `200 {"success":1,}`, `200 ` + successJSON + `x`,
			`200 ` + successJSON[:90],
		}},
		{Unmarked, "new_user_group is neither true nor false", false, []string{
			`200 {"success":1,"user_group":` + group + `}`,
			`200 {"success":1,"new_user_group":"LEAK","user_group":` + group + `}`,
			`200:Retry-After=5 {"success":1,"user_group":` + group + `}`,
		}},
		{Incomplete, "has no user_group", false, []string{`200 {"success":1}`}},
		{Redirected, redirects, false, []string{`301:Location=/login {}`, `301:Location=https://x.example/ {}`}},
		{Redirected, redirects + ", and this one does not say where", true, []string{`304 `, `300:Location=:LEAK `}},
		{Redirected, "it leads to https://service.example/login; ", true, []string{
			`302:Location=/login `, `303:Location=https://u:LEAK@service.example/login?a=LEAK#LEAK `,
			`307:Location=../login `,
		}},
		{Redirected, "it leads to http://service.example:80/api/user; ", true, []string{
			`301:Location=http://service.example:80/api/user `,
		}},
		{Redirected, "it leads to https://service.example:8443/(secret); ", true, []string{
			`301:Location=//service.example:8443/` + plantedKey + ` `,
		}},
		{Redirected, "it leads to https://service.example/api/user; ", true, []string{
			`302:Location=/api/user `, `308:Location=?LEAK `,
		}},
		{Broken, "the response has the status 000, which does not exist", true, []string{`0 `, `0 ` + htmlPage}},
		{Broken, "the response has the status 099, which does not exist", false, []string{`99 ` + createdJSON}},
		{Redirected, slash, true, []string{
			`301:Location=https://service.example/api/user/ `, `307:Location=/api/user/ `, `308:Location=http://x/api/user/ `,
		}},
		{Cached, cached, false, []string{`200:Age=1 ` + successJSON, `400:Age=0.5 {}`, `500:Age=60 {}`}},
		{Refused, "", false, []string{`400 {"success":0}`, `400:Age=0 ` + successJSON, `422 []`}},
		{WrongAddress, "", false, []string{`404:Age=old {}`}},
		{Refused, "", false, []string{`409 {}`, `423 {}`, `425 {"success":0}`}}, // only a deletion waits
		{Refused, "", true, []string{`400 `, `400 ` + htmlPage, `400 bad LEAK`}},
		{Unauthorized, "", false, []string{`401 {"success":0}`, `403 {"success":1}`}},
		{Unauthorized, "", true, []string{`401 ` + htmlPage, `403 `, `403:Content-Type=text/plain `}},
		{Blocked, "", true, []string{`407 ` + htmlPage}},
		{Throttled, "", false, []string{`429 {}`, `429 ` + successJSON}},
		{Throttled, "", false, []string{`403:Retry-After=5 {}`, `400:Retry-After=5 {}`, `409:Retry-After=1 {}`}},
		{Late, "", false, []string{`408 {}`, `408:Retry-After=5 {}`, `502 ` + createdJSON, `504 {}`, `524 {}`}},
		{Broken, "", false, []string{`500 {"success":1}`, `999 {"success":1}`}},
		{Late, "", true, []string{`502 ` + htmlPage}},
		{Unavailable, "", true, []string{`503 `}},
		{Broken, "", true, []string{`101 `}},
	} {
		for _, text := range test.answers {
			status, react := response(text)
			_, failure, kind := get.take(react)
			if kind != test.kind {
				t.Errorf("%s: kind %s, want %s: %v", text, kind, test.kind, failure)
				continue
			}
			isDecided := kinds[kind].decides && !test.foreign && (status != 404 || strings.Contains(text, "success"))
			failIf(t, failure.Said() == "" || failure.Status != status || failure.FromService == test.foreign ||
				failure.Done != kinds[kind].doneByGet || failure.Decided() != isDecided ||
				!strings.Contains(failure.Reason, test.reason) || test.reason == "" && failure.Reason != "",
				"%s: %#v; want foreign %v, reason %q", text, failure, test.foreign, test.reason)
			wantAbsent(t, "the error", failure.Error(), "LEAK", plantedNewToken, "html>")
		}
	}
}

// TestSuccess: what a service writes for a flag, a byte order mark, and a wrong Content-Type must not matter. What a
// call needs must be there. If it is not, the rest is returned.
func TestSuccess(t *testing.T) {
	t.Parallel()
	with := func(old, replacement string) string { return strings.Replace(successJSON, old, replacement, 1) }
	for _, body := range []string{
		successJSON, "\ufeff" + successJSON + "\n", " \n" + with(":1,", ": true ,"), with(":1,", `:"1",`),
		with(":1,", `:"True","x":[{"y":null}],`), with("false", "0"), with("false", `"0"`),
		with("false", `"false"`),
	} {
		answer, failure, _ := get.take(reply(201, body, "Content-Type", "text/html", "Age", "0"))
		failIf(t, failure != nil || *answer.New || answer.Earlier != No ||
			answer.UserGroup.Token.Reveal() != plantedNewToken ||
			answer.UserGroup.TeamID != "1001" || *answer.UserGroup.Name != "Acme" || *answer.UserGroup.ProvidedID != "acme",
			"%s: %+v, %v", body, answer, failure)
	}
	answer, _, _ := get.take(ok(createdJSON))
	same(t, createdJSON, *answer.New, true)
	// A service that says so has not carried out the call, whatever the status. It may be made again, if that helps.
	synctest.Test(t, func(t *testing.T) {
		for _, call := range fourCalls {
			for status, attempts := range map[int]int{200: 1, 400: 1, 404: 1, 500: 2, 502: 2, 503: 2, 504: 2} {
				_, failure, _ := call.make(newClient(inTurn(reply(status, `{"success":0}`), ok(createdJSON))))
				isDone := failure == nil && attempts == 2
				isNot := attempts == 1 && failure != nil && failure.Done == No
				failIf(t, !isDone && !isNot, "%s %d with success 0: %v", call.method, status, failure)
			}
		}
	})
	// Once the service has said true, a mark that is missing stands for false.
	for mark, want := range map[string]Kind{
		``: success, `"new_user_group":null,`: success, `"new_user_group":"",`: success, `"new_user_group":"x",`: Unmarked,
	} {
		client := newClient(inTurn(ok(createdJSON), ok(`{"success":1,`+mark+`"user_group":`+group+`}`)))
		_, _, _ = get.make(client)
		answer, _, kind := get.make(client)
		failIf(t, kind != want || (answer.New != nil) != (want == success), "%s: kind %s, new: %v", mark, kind, answer.New)
	}
	// Only a group that is shown can have existed.
	client := newClient(inTurn(ok(createdJSON), ok(`{"success":1}`)))
	_, _, _ = get.make(client)
	_, failure, kind := get.make(client)
	failIf(t, kind != Incomplete || failure.Done != Maybe, "success alone: kind %s, done %v", kind, failure)
	for body, lacking := range map[string][4]string{
		`}`:                                 {"user_group", "user_group", "user_group", ""},
		`,"token":"x","name":"outside"}`:    {"user_group", "user_group", "user_group", ""},
		`,"user_group":"whatever"}`:         {"user_group", "user_group", "user_group", ""},
		`,"user_group":{"team_id":7}}`:      {"token", "", "token", ""},
		`,"user_group":{"token":["LEAK"]}}`: {"token", "", "token", ""},
		`,"user_group":{"token":"","x":1}}`: {"token", "", "token", ""}, `,"user_group":{"token":"x","y":1}}`: {},
	} {
		for i, call := range fourCalls {
			answer, failure, kind := call.take(ok(`{"success":1,"new_user_group":true` + body))
			lacks, done := Incomplete, Yes
			if call.method == http.MethodPut { // The group may not exist.
				lacks, done = Unconfirmed, Maybe
			}
			if want := lacking[i]; want == "" && failure != nil || want != "" && (kind != lacks ||
				failure.Reason != "the response has no "+want || failure.Done != done || !failure.Decided()) {
				t.Errorf("%s %s: %+v, %v", call.method, body, answer, failure)
			}
			worked := newClient(inTurn(ok(`{"success":1,"new_user_group":true` + body)))
			_, _, _ = call.make(worked)
			failIf(t, worked.hasWorkedWith(call.method) != (kind != Unconfirmed), "%s %s: worked", call.method, body)
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
	shown := func(fields string) string {
		answer, failure, _ := put.take(ok(`{"success":1,"user_group":{` + fields + `}}`))
		failIf(t, failure != nil, "%.200s: %v", fields, failure)
		group := answer.UserGroup
		text := cmp.Or(group.Name, group.ProvidedID, group.EnvironmentTag)
		if text != nil {
			return *text
		}
		return cmp.Or(group.TeamID, group.Properties.raw, "none")
	}
	const exact, big = "9007199254740993", "18446744073709551616"
	nines := strings.Repeat("9", 200_000)
	tests := map[string]string{
		`0`: "0", `-5`: "-5", exact: exact, `"` + exact + `"`: exact, big: big, `"1001"`: "1001", `1001.0`: "1001.0",
		nines: nines, `"a-7"`: "a-7", `"0x42"`: "0x42", `"007"`: "007", `"1e5"`: "1e5", `""`: "none", `true`: "none",
		`[42]`: "none", `null`: "none", `{}`: "none", `{"id":7}`: "none",
	}
	for text, want := range tests {
		same(t, "team_id "+text, shown(`"team_id":`+text), want)
	}
	tests = map[string]string{
		`""`: "", `12345`: "12345", `9007199254740993`: "9007199254740993", `"\u0041\ud83d\ude00"`: "A😀", `null`: "none",
		`true`: "none", `["x"]`: "none", `{"x":"y"}`: "none",
	}
	for text, want := range tests {
		for _, field := range []string{`"name":`, `"provided_id":`, `"api_environment_tag":`} {
			same(t, field+text, shown(field+text), want)
		}
	}
	// PHP writes an empty object as an empty list. Some services keep JSON in a text column.
	const raw = `{"n":123456789012345678901234567890.10,"e":{}}`
	tests = map[string]string{
		raw: raw, `"{\"b\":1e30,\"a\":\"é\"}"`: `{"b":1e30,"a":"é"}`, `[]`: "{}", `"[]"`: "{}", `[ ]`: "{}", `{}`: "{}",
		`null`: "none", `""`: "none", `false`: "none", `5`: "none", `"x"`: "none", `"null"`: "none",
		`["x",{"b":null}]`: "none", `"[1]"`: "none",
		`null,"api_environment_tag":{"name":"Testing"}`:         "Testing",
		`null,"api_environment_tag":{"label":"Testing","x":1}`:  "Testing",
		`null,"api_environment_tag":{"id":3,"value":"Testing"}`: "Testing",
	}
	for text, want := range tests {
		same(t, "properties "+text, shown(`"properties":`+text), want)
	}
}

// TestDeletion: a 2xx response to DELETE without a body must count as a success once the service has shown itself, and
// before that as a deletion that may have been done.
func TestDeletion(t *testing.T) {
	t.Parallel()
	for kind, answers := range map[Kind][]string{
		success:     {`204 `, `200 `, `200 {}`, `200 {"success":1}`},
		Broken:      {`200 []`, `200 null`, `200 OK`, `200 {`, `200 ` + htmlPage},
		Unconfirmed: {`200 {"error":"no"}`, `200 {"message":"deleted"}`, `200 {"success":null}`}, // It is not sent again.
		Refused:     {`200 {"success":0}`, `200 {"success":"0"}`, `200 {"success":false}`, `404 {"success":0}`},
	} {
		for _, text := range answers {
			_, react := response(text)
			client := newClient(inTurn(react, ok(successJSON), react), once)
			first := kind
			if kind == success && text != `200 {"success":1}` {
				first = Unconfirmed
			}
			_, failure, got := remove.make(client)
			failIf(t, got != first, "%s at first: %v", text, failure)
			same(t, "hasWorked after "+text, client.hasWorked(), first == success)
			_, _, _ = get.make(client)
			_, _, got = remove.make(client)
			same(t, "the kind of "+text, got, kind)
		}
	}
	for _, call := range fourCalls[:3] {
		client := newClient(inTurn(ok(successJSON), reply(204, "")), once)
		_, _, _ = call.make(client)
		_, _, kind := call.make(client)
		same(t, call.method+" with 204", kind, Broken)
	}
}

// TestTooMuch: a body that exceeds the limit must not be read, and must not count as unsent.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	most := successJSON + strings.Repeat(" ", maxAnswer-len(successJSON))
	_, _, accepted := post.take(ok(most))
	_, failure, kind := post.take(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(most+" "), iotest.ErrReader(io.ErrNoProgress)) // Nobody may read on.
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(body)}, nil
	})
	same(t, "4 MiB, and one byte more", []Kind{accepted, kind}, []Kind{success, Broken})
	same(t, "the reason", failure.Reason, "the response is larger than 4 MiB")
}

// TestMessages: the words of whoever sends a response must be found in the usual places, masked, put on one line and
// truncated.
func TestMessages(t *testing.T) {
	t.Parallel()
	long, many := strings.Repeat("x", 295), strings.Repeat("é", 300)
	for body, want := range map[string]string{
		`{"message":"no"}`: "no", `{"error_message":"y","msg":"x"}`: "x; y", `{"message":" ","error":"real"}`: "real",
		`{"message":5,"error":"real"}`: "5; real", `{"message":{"x":1},"error":"real"}`: "x: 1; real", `["a","b"]`: "a; b",
		`{"success":0,"meldung":"Der Name fehlt","code":17,"ok":false}`:        "code: 17; meldung: Der Name fehlt",
		`{"fehler":{"text":["a","b"]},"name":"LEAK","mapping":{"a":"LEAK"}}`:   "fehler: text: a; b",
		`{"reply":{"user_group":{"name":"LEAK"},"token":"LEAK-1","why":"no"}}`: "reply: why: no",
		`"no"`: "no", `{"error":{"code":7,"message":"no"}}`: "no", `{"errors":["first","second","first"]}`: "first; second",
		`{"title":"Bad","detail":"the name"}`: "the name; Bad", `{"detail":"no","user_group":{"name":"LEAK"}}`: "no",
		`{"mapping":["bad s1","bad s2"],"name":["no"]}`: "mapping: bad s1; bad s2; name: no",
		`{"non_field_errors":["no"],"success":0}`:       "non_field_errors: no",
		`{"errors":{"name":["is blank"],"x":[]}}`:       "name: is blank", `{"errors":{"name":"is blank"}}`: "name: is blank",
		`{"error":{"json":{"name":["is blank"]}}}`:                                   "json: name: is blank",
		`{"detail":[{"loc":["a",0],"msg":"bad"}]}`:                                   "0: bad",
		`{"detail":[{"loc":["a",0]}]}`:                                               "loc: a; 0",
		`{"detail":[{"loc":["body","name"],"msg":"Required","input":{"a":"LEAK"}}]}`: "name: Required",
		`{"name":"LEAK","properties":{"a":"LEAK"},"user_group":{"name":["LEAK"]}}`:   "",
		`{"message":"it is ` + plantedToken + ` now"}`:                               "it is (secret) now",
		`{"message":"is abcd-and-more","token":"abcd","user_token":"abcd-and-more"}`: "is (secret)",
		`{"token":["The token is stale."]}`:                                          "token: The token is stale.",
		`{"message":"a\u001b[31mb\nc\r\td\u0000e\u202ef\u2028g\u200bh"}`:             "a [31mb c d e f g h",
		`{"message":"` + many + `"}`:                                                 many,
		`{"message":"` + many + `x"}`:                                                many + " …",
		`{"message":"` + long + plantedToken + `"}`:                                  long + mask[:5] + " …",
		"text/plain; charset=utf-8|invalid API key\n":                                "invalid API key",
		`application/json|{"message":"no`:                                            "",
		`application/json|{"message":"no"} and more`:                                 "",
		"text/html|<html><TITLE lang=en>\n 403 &ndash; Forbidden</TITLE><title>LEAK": "403 – Forbidden",
		`text/html|<p>LEAK`:                                                          "",
	} {
		media, text, other := strings.Cut(body, "|")
		if !other {
			media, text = "application/json", body
		}
		_, failure, _ := post.take(reply(422, text, "Content-Type", media))
		failIf(t, failure.Message != want || failure.FromService == (other && media[:6] != "text/p"),
			"%.80s: got %q, want %q; from the service: %t", body, failure.Message, want, failure.FromService)
	}
	// Where nothing is refused, a member of another name may be a token that nobody knows.
	_, failure, _ := get.take(ok(`{"success":1,"new_user_group":true,"group":{"key":"LEAK-1"}}`))
	same(t, "the message of a success", failure.Message, "")
	_, failure, _ = get.take(ok(`{"success":0,"reason_code":"E_NAME"}`))
	same(t, "the message of a refusal with 200", failure.Message, "reason_code: E_NAME")
	for want, react := range map[string]reaction{
		`the service responded with status 400 (Bad Request) and the message "\"x\""`: reply(400, `{"message":"\"x\""}`),
		"the response has status 599": reply(599, ""),
		"the connection was cut before a complete response had arrived: unexpected EOF":        cut,
		"the service responded with status 200 (OK); it reports that the call did not succeed": ok(`{"success":0}`),
		`the response has status 200 (OK) and the message "done"; the response is not a JSON object`: reply(200, "done",
			"Content-Type", "text/plain"),
	} {
		_, failure, _ := get.take(react)
		same(t, "what the error says", failure, "GET /api/user: "+want)
	}
}

// TestAdvice: what to do must follow from the response, and from the methods that have worked before.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const page, refusal = " " + htmlPage, ` {"success":0,"message":"no"}`
	const noKey = " If the service itself responds so, check api_key."
	const tooMany = " If it refuses many calls at once, set requests_per_second."
	const noContent = " If the service itself responds so to an update, it has to return the group: running again " +
		"cannot help."
	const key, wrong, again = "Check api_key", "If every call fails so, check base_url,", "Run again."
	for want, tests := range map[string][]struct {
		call   anyCall
		answer string
		worked *anyCall // what has succeeded before
	}{
		adviceRefused: {
			{put, "400" + refusal, nil},
			{put, "404" + refusal, &get},
			{put, "404" + refusal, nil},
			{put, "409" + refusal, nil},
			{put, `404 {"detail":"no"}`, &get},
			{post, "200" + refusal, nil},
		},
		adviceRefused + hintLookup:            {{get, "400" + refusal, &get}},
		adviceRefused + hintBody + hintLookup: {{get, "422" + refusal, nil}},
		adviceRefused + hintBody:              {{remove, "400" + refusal, &get}},
		adviceSilent: {
			{put, `400 {"success":0}`, nil},
			{put, `409 {}`, nil},
			{put, `200 {"success":0}`, nil},
		},
		adviceLacking: {
			{get, `200 {"x":1}`, nil},
			{put, `200 {"user_group":{"token":"x"}}`, nil},
			{put, `200 {"success":1}`, nil},
			{get, `200 {"success":1,"new_user_group":true,"token":"x"}`, nil},
			{get, `200 {"success":1}`, nil},
		},
		adviceForeign: {
			{put, "400" + page, nil},
			{get, "400" + page, &get},
			{get, "200" + page, nil},
			{put, "404" + page, &remove},
			{get, "400" + page, nil},
			{get, "411" + page, &put},
			{remove, "413 ", &get},
			{remove, "405" + page, &get},
		},
		adviceForeign + noKey:     {{get, "401" + page, nil}, {get, "401" + page, &get}},
		adviceForeign + noContent: {{put, "204 ", &get}, {remove, "204 ", nil}},
		adviceForeign + tooMany:   {{get, "403 ", &get}, {put, "403" + page, nil}, {get, "403" + page, &put}},
		adviceProxy:               {{get, "407" + page, nil}},
		wrong:                     {{get, "404" + page, nil}, {put, `405 {"detail":"no"}`, nil}},
		key:                       {{remove, "403" + refusal, &get}, {get, "401" + refusal, nil}},
		"The service is limiting the rate of calls. Run again later.": {{get, "429" + page, nil}},
		"If the service has another address":                          {{get, "307" + page, nil}},

		again:              {{put, "500" + refusal, &get}, {post, `200 []`, nil}, {put, "500" + page, nil}},
		again + hintLookup: {{get, "500" + refusal, nil}, {get, `500 {}`, &get}},
		"Run again. If the service often takes this long": {{get, "502" + page, nil}},
	} {
		for _, test := range tests {
			_, react := response(test.answer)
			client := newClient(inTurn(ok(successJSON), react), once)
			if test.worked == nil {
				client.config.Transport = inTurn(react)
			} else {
				_, _, _ = test.worked.make(client)
			}
			_, failure, _ := test.call.make(client)
			what := test.call.method + " " + test.answer
			isWhole := strings.HasPrefix(want, adviceForeign) || strings.Contains(want, hintLookup) || want == again
			failIf(t, !strings.HasPrefix(failure.Advice(), want) || isWhole && failure.Advice() != want,
				"%s: %q, want %q", what, failure.Advice(), want)
			same(t, what+": WrongAddress", failure.Kind == WrongAddress, want == wrong)
			worked := []bool{client.hasWorked(), client.hasWorkedWith(http.MethodDelete)}
			if want != adviceLacking {
				same(t, what+": hasWorked", worked, []bool{test.worked != nil, test.worked == &remove})
			}
		}
	}
}
