package api

import (
	"math"
	"net/http"
	"strings"
	"testing"
)

// testCall returns a call as the Client would make it, for tests of what an answer means.
func testCall(t testing.TB, method string) *call {
	t.Helper()
	c := &call{client: newClient(t, "https://service.example.com"), method: method}
	switch method {
	case http.MethodGet:
		c.decode = decodeGetOrCreate
	case http.MethodPut:
		c.decode = decodeUserGroup
	case http.MethodPost:
		c.decode, c.secrets = decodeWithToken, []Secret{NewSecret(plantedToken)}
	default:
		c.decode, c.secrets = decodeNothing, []Secret{NewSecret(plantedToken)}
	}
	return c
}

func interpretText(t testing.TB, method, body string) (Answer, *Error) {
	t.Helper()
	return testCall(t, method).interpret(&http.Response{StatusCode: http.StatusOK, Header: http.Header{}}, []byte(body))
}

// TestTeamID: exact over all of int64, and never a guess.
func TestTeamID(t *testing.T) {
	t.Parallel()
	good := map[string]int64{
		`0`: 0, `-0`: 0, `1001`: 1001, `-5`: -5, `9007199254740993`: 9007199254740993, `-9007199254740993`: -9007199254740993,
		`9223372036854775807`: math.MaxInt64, `-9223372036854775808`: math.MinInt64,
		`1001.0`: 1001, `1.001e3`: 1001, `1001000e-3`: 1001, `"1001"`: 1001, `"9007199254740993"`: 9007199254740993, `"1001.0"`: 1001,
		// What a float64 cannot hold.
		`9007199254740993.0`: 9007199254740993, `9007199254740993e0`: 9007199254740993, `9223372036854775807.00`: math.MaxInt64,
		`0.9007199254740993e16`: 9007199254740993,
	}
	for text, want := range good {
		answer, failure := interpretText(t, http.MethodPut, `{"success":1,"user_group":{"team_id":`+text+`}}`)
		switch {
		case failure != nil:
			t.Errorf("team_id %s: %v", text, failure)
		case answer.UserGroup.TeamID == nil || *answer.UserGroup.TeamID != want:
			t.Errorf("team_id %s: got %v, want %d", text, answer.UserGroup.TeamID, want)
		}
	}
	bad := []string{
		`9223372036854775808`, `-9223372036854775809`, `1e400`, `1e19`, `1e-400`, `1001.5`, `4503599627370497.3`, `9007199254740993.5`,
		`1001.00000000000000000000000001`, strings.Repeat("9", 100_000), `1` + strings.Repeat("0", 100_000), `0.` + strings.Repeat("0", 100_000) + `1`,
		`1e999999999999999999999`, `"4242abc"`, `""`, `"42 42"`, `"0x4242"`, `"4_242"`, `"4242p1"`, `"Infinity"`, `"NaN"`, `"1,\"a\":2"`, `"1}"`,
		`true`, `[4242]`, `{"id":4242}`, `"4242\u0000"`,
	}
	for _, text := range bad {
		shown := text[:min(len(text), 40)]
		answer, failure := interpretText(t, http.MethodPut, `{"success":1,"user_group":{"team_id":`+text+`}}`)
		if failure == nil {
			t.Errorf("team_id %s: accepted as %d", shown, *answer.UserGroup.TeamID)
			continue
		}
		wantKind(t, failure, UnknownOutcome)
		if !strings.Contains(failure.Reason, "user_group, the field team_id is not") {
			t.Errorf("team_id %s: Reason = %q, which does not name the field", shown, failure.Reason)
		}
		wantAbsent(t, "the reason for "+shown, failure.Reason, "4242", "999999", "000000", "9007199", "4503599")
	}
}

// TestWrongTypes: a field of another type is an error that names the field and never the value.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	tests := map[string][]string{
		"name":                {`true`, `["LEAK"]`, `{"x":"LEAK"}`, "\"LEAK\xff\"", `"LEAK\ud800"`, `"\udc00LEAK"`},
		"provided_id":         {`false`, `["LEAK"]`, `{"x":"LEAK"}`, "\"LEAK\xc3\"", `"LEAK\udfff\ud800"`},
		"api_environment_tag": {`true`, `["LEAK"]`, `{"x":"LEAK"}`, "\"LEAK\xff\"", `"\uD83DLEAK"`},
		"token":               {`true`, `["LEAK"]`, `{"x":"LEAK"}`, "\"LEAK\xff\"", `"LEAK\u0000"`, `"LEAK\n"`, `"\u001b[31mLEAK"`, `"LEAK\u007f"`, `"LEAK\u0085"`, `"LEAK\ud800"`},
		"properties": {
			`true`, `5`, `["LEAK"]`, `""`, `"LEAK"`, `"LEAK\ud800"`, `"[\"LEAK\"]"`, `"null"`, `{"LEAK":1,"LEAK":2}`, `{"LEAK":1e999999999}`,
			"{\"LEAK\":\"\xff\"}", `{"LEAK":"\ud800"}`, `"{\"LEAK\":1,\"LEAK\":2}"`,
		},
	}
	for field, values := range tests {
		for _, value := range values {
			answer, failure := interpretText(t, http.MethodPut, `{"success":1,"user_group":{"`+field+`":`+value+`}}`)
			shown := value[:min(len(value), 40)]
			if failure == nil {
				t.Errorf("%s %s: accepted as %+v", field, shown, answer)
				continue
			}
			wantKind(t, failure, UnknownOutcome)
			if !strings.Contains(failure.Reason, "in user_group, the field "+field+" ") {
				t.Errorf("%s %s: Reason = %q, which does not name the field", field, shown, failure.Reason)
			}
			wantAbsent(t, "the reason", failure.Reason, "LEAK")
		}
	}
	for _, body := range []string{
		`{"success":1,"user_group":["LEAK"]}`, `{"success":1,"user_group":"LEAK"}`, `{"success":1,"user_group":5}`,
		`{"success":1,"user_group":true}`, `{"success":1,"user_group":null}`, `{"success":1}`,
		`{"success":1,"user_group":{"LEAK":1,"LEAK":2}}`,
	} {
		for _, method := range []string{http.MethodPut, http.MethodPost} {
			_, failure := interpretText(t, method, body)
			if failure == nil || failure.Kind != UnknownOutcome || !strings.Contains(failure.Reason, "the field user_group ") {
				t.Errorf("%s %s: %v", method, body, failure)
				continue
			}
			wantAbsent(t, "the reason", failure.Reason, "LEAK")
		}
	}
	for _, body := range []string{deep, `{"success":1,"x":` + deep + `}`, strings.Repeat(`{"a":`, 100_000), `{"success":1,"user_group":` + deep + `}`} {
		if _, failure := interpretText(t, http.MethodPut, body); failure == nil || failure.Kind != UnknownOutcome {
			t.Errorf("100,000 levels: %v", failure)
		}
	}
}

// TestObviousMeanings: what has one meaning only is read, however it is written, and a null is silence.
func TestObviousMeanings(t *testing.T) {
	t.Parallel()
	answer, failure := interpretText(t, http.MethodPut,
		`{"success":1,"user_group":{"team_id":null,"token":null,"name":null,"provided_id":null,"properties":null,"api_environment_tag":null}}`)
	if failure != nil {
		t.Fatal(failure)
	}
	group := answer.UserGroup
	if group.TeamID != nil || !group.Token.IsZero() || group.Name != nil || group.ProvidedID != nil || !group.Properties.IsZero() || group.EnvironmentTag != nil {
		t.Errorf("nulls were read as values: %+v", group)
	}

	answer, failure = interpretText(t, http.MethodPut,
		" \r\n\t"+`{"success":1,"user_group":{"token":12345,"name":"","provided_id":9007199254740993,"properties":"{\"b\":1e30,\"a\":\"é\"}"}}`+"\n")
	if failure != nil {
		t.Fatal(failure)
	}
	group = answer.UserGroup
	if group.Token.Reveal() != "12345" || group.Name == nil || *group.Name != "" || group.ProvidedID == nil || *group.ProvidedID != "9007199254740993" {
		t.Errorf("got %+v, token %q", group, group.Token.Reveal())
	}
	if got, err := group.Properties.MarshalJSON(); err != nil || string(got) != `{"b":1e30,"a":"é"}` {
		t.Errorf("properties = %s, error %v", got, err)
	}

	const raw = `{"n":123456789012345678901234567890.10,"h":"<&>","e":{}}`
	answer, failure = interpretText(t, http.MethodPut, `{"success":1,"user_group":{"properties":`+raw+`,"name":"\u0041\ud83d\ude00\ufffd"}}`)
	if failure != nil {
		t.Fatal(failure)
	}
	if got, err := answer.UserGroup.Properties.MarshalJSON(); err != nil || string(got) != raw {
		t.Errorf("properties = %s, error %v", got, err)
	}
	if got := *answer.UserGroup.Name; got != "A😀\ufffd" {
		t.Errorf("name = %q", got)
	}

	// PHP writes an empty object so.
	for _, text := range []string{`[]`, `"[]"`} {
		answer, failure = interpretText(t, http.MethodPut, `{"success":1,"user_group":{"properties":`+text+`}}`)
		if failure != nil || answer.UserGroup.Properties.Canonical() != "{}" {
			t.Errorf("properties %s: %q, %v", text, answer.UserGroup.Properties.Canonical(), failure)
		}
	}
}

// TestNewUserGroup: whether a group was just made is what everything above hangs on, so it is never guessed; but when an
// answer is unusable for another reason, what it did tell is kept.
func TestNewUserGroup(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"true": true, "false": false, "1": true, "0": false, `"1"`: true, `"0"`: false, "1.0": true} {
		answer, failure := interpretText(t, http.MethodGet, `{"success":1,"new_user_group":`+text+`,"user_group":`+groupJSON+`}`)
		if failure != nil || answer.Created != want {
			t.Errorf("new_user_group %s: Created = %v (%v), want %v", text, answer.Created, failure, want)
		}
	}
	for _, text := range []string{`"yes"`, `"true"`, `2`, `-1`, `0.5`, `"LEAK"`, `[true]`, `{}`, `null`} {
		_, failure := interpretText(t, http.MethodGet, `{"success":1,"new_user_group":`+text+`,"user_group":`+groupJSON+`}`)
		if failure == nil || failure.Kind != UnknownOutcome || failure.Created || !strings.Contains(failure.Reason, "the field new_user_group ") {
			t.Errorf("new_user_group %s: %v", text, failure)
			continue
		}
		wantAbsent(t, "the reason", failure.Reason, "LEAK", "yes")
	}
	if _, failure := interpretText(t, http.MethodGet, `{"success":1,"user_group":`+groupJSON+`}`); failure == nil || !strings.Contains(failure.Reason, "new_user_group is missing") {
		t.Errorf("new_user_group missing: %v", failure)
	}
	for _, group := range []string{`{"team_id":1}`, `{"token":null}`, `{"token":""}`, `{"token":"x","team_id":"y"}`, `[]`, `null`} {
		for created, want := range map[string]bool{"true": true, "false": false} {
			_, failure := interpretText(t, http.MethodGet, `{"success":1,"new_user_group":`+created+`,"user_group":`+group+`}`)
			if failure == nil || failure.Created != want {
				t.Errorf("user_group %s, new_user_group %s: %+v", group, created, failure)
			}
		}
	}
}

// TestTokenRequired: a creation and a rotation without a token cannot be recorded; an update can do without.
func TestTokenRequired(t *testing.T) {
	t.Parallel()
	const body = `{"success":1,"new_user_group":false,"user_group":{"team_id":1}}`
	for method, required := range map[string]bool{http.MethodGet: true, http.MethodPost: true, http.MethodPut: false} {
		_, failure := interpretText(t, method, body)
		if (failure != nil) != required {
			t.Errorf("%s without a token: %v", method, failure)
		}
		if failure != nil && !strings.Contains(failure.Reason, "user_group.token is missing") {
			t.Errorf("Reason = %q", failure.Reason)
		}
	}
	if _, failure := interpretText(t, http.MethodDelete, `{"success":1,"user_group":"whatever"}`); failure != nil {
		t.Errorf("delete needs nothing but success: %v", failure)
	}
}

// TestMessage: what the service says is masked, on one line, and cut short.
func TestMessage(t *testing.T) {
	t.Parallel()
	message := func(text string) string {
		c := testCall(t, http.MethodPost)
		_, failure := c.interpret(&http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}}, []byte(text))
		return failure.Message
	}
	tests := map[string][2]string{
		"the key":              {`{"message":"Token ` + plantedKey + ` is bad"}`, "Token (secret) is bad"},
		"the token sent":       {`{"message":"` + plantedToken + `,` + plantedToken + `"}`, "(secret),(secret)"},
		"escaped":              {`{"message":"\u006fld-token-5b21c0de"}`, "(secret)"},
		"a token told":         {`{"message":"it is ` + plantedNewToken + ` now","token":"` + plantedNewToken + `"}`, "it is (secret) now"},
		"in the group":         {`{"message":"it is ` + plantedNewToken + `","user_group":{"token":"` + plantedNewToken + `"}}`, "it is (secret)"},
		"in a list":            {`{"message":"it is ` + plantedNewToken + `","user_group":[{"token":"` + plantedNewToken + `"}]}`, "it is (secret)"},
		"deep down":            {`{"message":"it is ` + plantedNewToken + `","data":{"user_group":{"userGroupToken":"` + plantedNewToken + `"}}}`, "it is (secret)"},
		"control characters":   {`{"message":"a\u001b[31mb\nc\r\td\u0000e\u0085f\u007f"}`, "a [31mb c  d e f "},
		"invisible characters": {`{"message":"a\u202eb\u2028c\u200bd"}`, "a b c d"},
	}
	for name, test := range tests {
		if got := message(test[0]); got != test[1] {
			t.Errorf("%s: got %q, want %q", name, got, test[1])
		}
	}
	long := message(`{"message":"` + strings.Repeat("é", 10_000) + `"}`)
	if want := strings.Repeat("é", 300) + " …"; long != want {
		t.Errorf("a long message has %d bytes, want %d", len(long), len(want))
	}
	// A secret that the cut goes through must not leave its first half.
	if got := message(`{"message":"` + strings.Repeat("x", 295) + plantedToken + `"}`); strings.Contains(got, plantedToken[:4]) {
		t.Errorf("a part of a secret is left at the cut: %q", got[280:])
	}
	// A secret that another one begins with must not leave the rest of the longer one.
	c := testCall(t, http.MethodPost)
	c.secrets = []Secret{NewSecret("abcd"), NewSecret("abcd-and-more")}
	_, failure := c.interpret(&http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}}, []byte(`{"message":"is abcd-and-more"}`))
	if failure.Message != "is (secret)" {
		t.Errorf("got %q, want the longer secret masked whole", failure.Message)
	}
}
