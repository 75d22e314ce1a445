package api

import (
	"bytes"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
	"testing"
)

// TestInterpretation: the kind of a failure, and whether the service is taken for the sender, must follow from the
// status and the body.
func TestInterpretation(t *testing.T) {
	t.Parallel()
	noSuccess := `{"new_user_group":true,"user_group":` + group + `}`
	for _, test := range []struct {
		kind    Kind
		reason  string // a part of it, or "" for no reason
		foreign bool   // it is not attributed to the service
		answers []string
	}{
		{Refused, "did not succeed", false, []string{
			`200 {"success":0}`, `200 {"success":false,"error":"no"}`, `201 {"success":"0"}`,
			`200 {"success":0,` + noSuccess[1:],
			`200 {"success":0,"user_group":{"LEAK":1,"LEAK":1}}`,
		}},
		{UnknownOutcome, "the field success is missing", false, []string{
			`200 ` + noSuccess, `200 {"success":null}`, `200 {"Success":1}`, `200 {}`,
		}},
		{UnknownOutcome, "the field success is not 1, 0", false, []string{
			`200 {"success":2}`, `200 {"success":-1}`, `200 {"success":0.5}`, `200 {"success":"LEAK"}`, `200 {"success":[1]}`,
			`200 {"success":{"value":1}}`,
		}},
		{Incomplete, "the field user_group is missing", false, []string{`200 {"success":1,"new_user_group":true}`}},
		{UnknownOutcome, "the service itself responds in JSON", true, []string{`200 ` + htmlPage, `502 ` + htmlPage}},
		{UnknownOutcome, "not a JSON object", true, []string{`200 LEAK`, `200 `, `204 `, `200 [{"success":1}]`, `200 null`}},
		{UnknownOutcome, "not valid JSON", true, []string{`200 {"success":NaN}`, `200 {`}},
		{UnknownOutcome, "a duplicate field", false, []string{
			`200 {"success":1,"success":0}`, `200 {"success":1,"LEAK":1,"LEAK":1}`,
		}},
		{UnknownOutcome, "the field new_user_group is missing, so it is unknown whether", false, []string{
			`200 {"success":1,"user_group":` + group + `}`,
			`200 {"success":1,"new_user_group":null,"user_group":` + group + `}`,
		}},
		{UnknownOutcome, "the field new_user_group is not 1, 0", false, []string{
			`200 {"success":1,"new_user_group":"LEAK","user_group":` + group + `}`,
		}},
		{Incomplete, "there is text after", false, []string{`200 ` + successJSON + `x`, `200 ` + successJSON + successJSON}},
		{UnknownOutcome, "not valid JSON", false, []string{
			`200 {"success":1,}`, `200 {"success":1,"user_group":` + group + `,`,
		}},
		{Redirected, "redirects", false, []string{`300 {}`}},
		{Redirected, "redirects", true, []string{`304 `}},
		{Refused, "", false, []string{`400 {"success":0}`, `400 ` + successJSON, `404 {}`, `409 {}`, `422 {}`}},
		{Refused, "", true, []string{`400 `}},
		{Refused, "the service itself responds in JSON", true, []string{`400 ` + htmlPage}},
		{Refused, "not a JSON object", true, []string{`400 bad LEAK`}},
		{Unauthorized, "", false, []string{`401 {"success":0}`, `403 {"success":1}`}},
		{Unauthorized, "the service itself responds in JSON", true, []string{`401 ` + htmlPage, `403 ` + htmlPage}},
		{NotSent, "the service itself responds in JSON", true, []string{`407 ` + htmlPage}},
		{Throttled, "", false, []string{`429 {}`, `429 ` + successJSON}},
		{UnknownOutcome, "", false, []string{`408 {}`, `500 {"success":0}`, `502 ` + createdJSON, `999 {"success":1}`}},
		{UnknownOutcome, "", true, []string{`101 `, `501 `, `503 `}},
	} {
		for _, text := range test.answers {
			code, body, _ := strings.Cut(text, " ")
			status, _ := strconv.Atoi(code)
			_, failure := interpret(t, get, reply(status, body))
			if failure == nil {
				t.Errorf("%s: it is a success", text)
				continue
			}
			happened := test.kind == UnknownOutcome || test.kind == Incomplete
			if failure.Kind != test.kind || failure.Status != status || failure.FromService == test.foreign ||
				failure.AfterLostAttempt || failure.MayHaveHappened() != happened ||
				failure.RateLimited() != (status == 429 || status == 503) ||
				!strings.Contains(failure.Reason, test.reason) || test.reason == "" && failure.Reason != "" {
				t.Errorf("%s: %#v\nwant kind %d, foreign %v, reason %q", text, failure, test.kind, test.foreign, test.reason)
			}
			wantAbsent(t, "the error", failure.Error(), "LEAK", plantedNewToken, "html>")
		}
	}
	if _, failure := interpret(t, get, reply(200, successJSON, "Content-Type", "text/html")); failure != nil {
		t.Errorf("JSON with the Content-Type of HTML: %v", failure)
	}
}

// TestIncomplete: every readable field of a response that is truncated or has an unusable field must be returned.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	whole := strings.Replace(createdJSON, `"name"`, `"properties":{"a":1},"name"`, 1)
	until := func(what string, more int) string { return whole[:strings.Index(whole, what)+more] }
	with := func(old, broken string) string { return strings.Replace(whole, old, broken, 1) }
	for name, test := range map[string]struct {
		body              string
		fault             string // a part of the reason
		isNew             bool
		team, name, token bool
	}{
		"cut with its length":  {until(`"name"`, 0), "not valid JSON", true, true, false, true},
		"cut within the token": {until(plantedNewToken, 5), "not valid JSON", true, true, false, false},
		"cut before the group": {until(`"user_group":{`, 0), "not valid JSON", true, false, false, false},
		"cut, and existed":     {with("true", "false")[:70], "not valid JSON", false, true, false, false},
		"broken team_id":       {with("1001", `"LEAK"`), "the field team_id", true, false, true, true},
		"broken properties":    {with(`{"a":1}`, `["LEAK"]`), "the field properties", true, true, true, true},
		"broken name":          {with(`"Acme"`, `["LEAK"]`), "the field name", true, true, false, true},
		"broken token":         {with(`"`+plantedNewToken+`"`, `["LEAK"]`), "the field token", true, true, true, false},
		"no token":             {with(`"token"`, `"tok"`), "user_group.token is missing", true, true, true, false},
		"a field twice":        {with(`"name"`, `"name":"LEAK","name"`), "a duplicate field", true, true, true, true},
	} {
		answer, failure := interpret(t, get, reply(200, test.body))
		wantFault(t, name, failure, test.fault, "LEAK", plantedNewToken[:5])
		group := answer.UserGroup
		if answer.New == nil || *answer.New != test.isNew ||
			(group.TeamID != nil) != test.team || (group.Name != nil) != test.name || !group.Token.IsZero() != test.token {
			t.Errorf("%s: %+v, %v", name, group, failure)
		}
	}
	// If the connection is cut, what has arrived counts, and so does a status that refuses the call.
	answer, err := get.make(t.Context(), inTurn(part(200, until("}}", 1))).client(t))
	failure := wantKind(t, err, Incomplete)
	if !strings.Contains(failure.Reason, "the connection was cut") || answer.UserGroup.Token.IsZero() {
		t.Errorf("cut connection: %+v, %#v", answer, failure)
	}
	_, err = get.make(t.Context(), inTurn(part(400, `{"message":"no", "user_group":{"tok`)).client(t))
	if failure = wantKind(t, err, Refused); failure.Message != "no" || !failure.FromService {
		t.Errorf("truncated refusal: %#v", failure)
	}
}

// read interprets the response to an update with the given fields in its user_group.
func read(t testing.TB, fields string) (UserGroup, *Error) {
	t.Helper()
	answer, failure := interpret(t, put, reply(200, `{"success":1,"user_group":{`+fields+`}}`))
	return answer.UserGroup, failure
}

// wantFault fails unless failure is Incomplete, contains fault and contains none of the absent texts.
func wantFault(t testing.TB, what string, failure *Error, fault string, absent ...string) {
	t.Helper()
	if failure == nil || failure.Kind != Incomplete || !strings.Contains(failure.Reason, fault) {
		t.Errorf("%.60s: %v, want %q", what, failure, fault)
		return
	}
	wantAbsent(t, what, failure.Error(), absent...)
}

// TestFields: a value with an obvious meaning must be accepted, however it is written. team_id must be exact over the
// whole range of int64.
func TestFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		`0`: 0, `-0`: 0, `-5`: -5, `9007199254740993`: 9007199254740993, `-9007199254740993`: -9007199254740993,
		`9223372036854775807`: math.MaxInt64, `-9223372036854775808`: math.MinInt64,
		`1001.0`: 1001, `1.001e3`: 1001, `1001000e-3`: 1001, `"1001"`: 1001, `"1001.0"`: 1001,
		// A float64 cannot represent these.
		`9007199254740993.0`: 9007199254740993, `9223372036854775807.00`: math.MaxInt64,
		`0.9007199254740993e16`: 9007199254740993,
	} {
		got, failure := read(t, `"team_id":`+text)
		if failure != nil || got.TeamID == nil || *got.TeamID != want {
			t.Errorf("team_id %s: got %v, %v; want %d", text, got.TeamID, failure, want)
		}
	}
	for text, want := range map[string]string{
		`""`: "", `12345`: "12345", `9007199254740993`: "9007199254740993", `"\u0041\ud83d\ude00\ufffd"`: "A😀\ufffd",
	} {
		got, failure := read(t, `"name":`+text+`,"provided_id":`+text+`,"api_environment_tag":`+text+`,"token":`+text)
		if failure != nil || *got.Name != want || *got.ProvidedID != want || *got.EnvironmentTag != want ||
			got.Token.Reveal() != want {
			t.Errorf("%s: %+v, %v", text, got, failure)
		}
	}
	// PHP writes an empty object as an empty list. Some services keep JSON in a text column.
	const raw = `{"n":123456789012345678901234567890.10,"h":"<&>","e":{}}`
	for text, want := range map[string]string{
		raw: raw, `"{\"b\":1e30,\"a\":\"é\"}"`: `{"b":1e30,"a":"é"}`, `[]`: "{}", `"[]"`: "{}",
	} {
		got, failure := read(t, `"properties":`+text)
		if encoded, err := got.Properties.MarshalJSON(); failure != nil || err != nil || string(encoded) != want {
			t.Errorf("properties %s: %s, %v, %v", text, encoded, failure, err)
		}
	}
	for text, want := range map[string]bool{
		"true": true, "false": false, "1": true, "0": false, `"1"`: true, `"0"`: false, "1.0": true, `"1.0"`: true,
	} {
		body := `{"success":1,"new_user_group":` + text + `,"user_group":` + group + `}`
		answer, failure := interpret(t, get, reply(200, body))
		if failure != nil || *answer.New != want {
			t.Errorf("new_user_group %s: %v (%v), want %v", text, answer.New, failure, want)
		}
		if _, failure := interpret(t, remove, reply(200, `{"success":`+text+`}`)); (failure == nil) != want {
			t.Errorf("success %s: %v", text, failure)
		}
	}
}

// TestWrongFields: any other value must be an error that contains the name of the field and never the value.
func TestWrongFields(t *testing.T) {
	t.Parallel()
	for says, values := range map[string][]string{
		"team_id is not a": {
			`9223372036854775808`, `-9223372036854775809`, `1e400`, `1e19`, `1e-400`, `4242.5`, `9007199254740993.5`,
			`4242.00000000000000000000000001`, strings.Repeat("9", 100_000), `1` + strings.Repeat("0", 100_000),
			`1e9999999999999999`, `"4242abc"`, `""`, `"42 42"`, `"0x4242"`, `"4_242"`, `"Infinity"`, `"NaN"`, `"1,\"a\":2"`,
			`"1}"`, `true`, `[4242]`,
		},
		"name is not a string":                {`true`, `["LEAK"]`, `{"x":"LEAK"}`},
		"provided_id is not a string":         {`false`, `["LEAK"]`, `{"x":"LEAK"}`},
		"api_environment_tag is not a string": {`true`, `["LEAK"]`, `{"x":"LEAK"}`},
		"token is not a string":               {`true`, `["LEAK"]`, `{"x":"LEAK"}`},
		"token contains control characters": {
			`"LEAK\u0000"`, `"LEAK\n"`, `"\u001b[31mLEAK"`, `"LEAK\u007f"`, `"LEAK\u0085"`,
		},
		"properties is not a usable JSON object": {
			`true`, `5`, `["LEAK"]`, `""`, `"LEAK"`, `"[\"LEAK\"]"`, `"null"`, `{"LEAK":1e999999999}`,
			`"{\"LEAK\":1,\"LEAK\":2}"`,
		},
	} {
		for _, value := range values {
			field, _, _ := strings.Cut(says, " ")
			_, failure := read(t, `"`+field+`":`+value)
			what := field + " " + value[:min(len(value), 40)]
			wantFault(t, what, failure, "in user_group, the field "+says, "LEAK", "4242", "999999", "000000", "9007199")
		}
	}
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for _, field := range []string{
		"\"x\":\"LEAK\xff\"", `"x":"LEAK\ud800"`, `"x":` + deep, `"user_group":` + deep, `"user_group":["LEAK"]`,
		`"user_group":"LEAK"`, `"user_group":null`,
	} {
		_, failure := interpret(t, put, reply(200, `{"success":1,`+field+`}`))
		wantFault(t, field, failure, "", "LEAK")
	}
	// A creation or a rotation cannot be recorded without a token. A deletion needs nothing but success.
	for _, call := range fourCalls {
		_, failure := interpret(t, call, reply(200, `{"success":1,"new_user_group":false,"user_group":{"team_id":1}}`))
		if call.method == "GET" || call.method == "POST" {
			wantFault(t, call.method, failure, "user_group.token is missing")
		} else if failure != nil {
			t.Errorf("%s without a token: %v", call.method, failure)
		}
	}
	if _, failure := interpret(t, remove, reply(200, `{"success":1,"user_group":"whatever"}`)); failure != nil {
		t.Error(failure)
	}
}

// TestAge: a response from a cache must not count as one from the service, whatever it contains.
func TestAge(t *testing.T) {
	t.Parallel()
	for age, cached := range map[string]bool{
		"1": true, " 60 ": true, "0.5": true, "0": false, "": false, "-1": false, "old": false,
	} {
		_, failure := interpret(t, get, reply(200, createdJSON, "Age", age))
		if cached != (failure != nil) || cached && failure.Kind != Cached {
			t.Errorf("Age %q: %v", age, failure)
		}
	}
}

// TestMessage: the service's message must be found in the usual fields, masked, put on one line and truncated.
func TestMessage(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 295)
	for body, want := range map[string]string{
		`"message":"no"`:                                   "no",
		`"error":"no"`:                                     "no",
		`"error_message":"y","msg":"x"`:                    "y",
		`"error_msg":"no"`:                                 "no",
		`"reason":"no"`:                                    "no",
		`"message":" ","error":"real"`:                     "real",
		`"message":5,"error":"real"`:                       "real",
		`"message":{"x":1},"error":"real"`:                 "real",
		`"error":{"code":7,"message":"no"}`:                "no",
		`"errors":["first","second"]`:                      "first; second",
		`"errors":[{"detail":"1"},{"x":1}]`:                "1",
		`"title":"Bad","detail":"the name"`:                "the name",
		`"error":{"error":{"error":{"error":"too deep"}}}`: "",
		`"message":"it is ` + plantedToken + ` now"`:       "it is (secret) now",
		`"message":"is abcd-and-more","token":"abcd","user_token":"abcd-and-more"`: "is (secret)",
		`"message":"a\u001b[31mb\nc\r\td\u0000e\u0085f\u007f"`:                     "a [31mb c d e f",
		`"message":"a\u202eb\u2028c\u200bd"`:                                       "a b c d",
		`"message":"` + strings.Repeat("é", 300) + `"`:                             strings.Repeat("é", 300),
		`"message":"` + strings.Repeat("é", 10_000) + `"`:                          strings.Repeat("é", 300) + " …",
		`"errors":[[["too deep"]]],"reason":"real"`:                                "real",
		`"message":"` + long + plantedToken + `"`:                                  long + mask[:5] + " …",
	} {
		_, failure := interpret(t, post, reply(400, "{"+body+"}"))
		if failure.Message != want {
			t.Errorf("%.80s: got %q, want %q", body, failure.Message, want)
		}
	}
}

// TestTooMuch: a body that exceeds the limit must not be read to its end.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	most := `{"x":"` + strings.Repeat("x", maxAnswer-len(successJSON)-len(`"x":"",`)) + `",` + successJSON[1:]
	if _, err := post.make(t.Context(), inTurn(ok(most)).client(t)); err != nil {
		t.Errorf("%d bytes: %v", len(most), err)
	}
	endless := func(conn net.Conn, _ received) bool {
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"+successJSON)
		for err == nil {
			_, err = conn.Write(bytes.Repeat([]byte(" "), 1<<16))
		}
		return false
	}
	_, err := post.make(t.Context(), inTurn(endless).client(t))
	if failure := wantKind(t, err, Incomplete); !strings.Contains(failure.Reason, "larger than 4 MiB") {
		t.Errorf("an endless response: %v", failure)
	}
}
