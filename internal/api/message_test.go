package api

import (
	"net/http"
	"strings"
	"testing"
)

// TestMessages: the words of whoever sends a response must be found in the usual places, masked, put on one line and
// truncated.
func TestMessages(t *testing.T) {
	t.Parallel()
	long, many := strings.Repeat("x", 295), strings.Repeat("é", 300)
	for body, want := range map[string]string{
		`{"message":"no"}`:                             "no",
		`{"error_message":"y","msg":"x"}`:              "x; y",
		`{"message":" ","error":"real"}`:               "real",
		`{"message":5,"error":"real"}`:                 "real",
		`{"message":{"x":1},"error":"real"}`:           "real",
		`{"error":{"code":7,"message":"no"}}`:          "no",
		`{"errors":["first","second","first"]}`:        "first; second",
		`{"title":"Bad","detail":"the name"}`:          "the name; Bad",
		`{"detail":"no","user_group":{"name":"LEAK"}}`: "no",
		`["a","b"]`: "a; b",
		`"no"`:      "no",
		`{"mapping":["bad s1","bad s2"],"name":["no"]}`:                              "mapping: bad s1; bad s2; name: no",
		`{"non_field_errors":["no"],"success":0}`:                                    "non_field_errors: no",
		`{"errors":{"name":["is blank"],"x":[]}}`:                                    "name: is blank",
		`{"errors":{"name":"is blank"}}`:                                             "name: is blank",
		`{"error":{"json":{"name":["is blank"]}}}`:                                   "json: name: is blank",
		`{"detail":[{"loc":["body","name"],"msg":"Required","input":{"a":"LEAK"}}]}`: "name: Required",
		`{"detail":[{"loc":["body","list",0],"msg":"bad"}]}`:                         "0: bad",
		`{"name":"LEAK","properties":{"a":"LEAK"},"user_group":{"name":["LEAK"]}}`:   "",
		`{"message":"it is ` + plantedToken + ` now"}`:                               "it is (secret) now",
		`{"message":"is abcd-and-more","token":"abcd","user_token":"abcd-and-more"}`: "is (secret)",
		`{"token":["The token is stale."]}`:                                          "token: The token is stale.",
		`{"message":"a\u001b[31mb\nc\r\td\u0000e\u202ef\u2028g\u200bh"}`:             "a [31mb c d e f g h",
		`{"message":"` + many + `"}`:                                                 many,
		`{"message":"` + many + `x"}`:                                                many + " …",
		`{"message":"` + long + plantedToken + `"}`:                                  long + mask[:5] + " …",
		"text/plain; charset=utf-8|invalid API key\n":                                "invalid API key",
		"text/html|<html><TITLE lang=en>\n 403 &ndash; Forbidden</TITLE><title>LEAK": "403 – Forbidden",
		`text/html|<html><p>LEAK`:                                                    "",
		`application/json|{"message":"no`:                                            "",
	} {
		media, text, other := strings.Cut(body, "|")
		if !other {
			media, text = "application/json", body
		}
		_, failure, _ := post.take(reply(422, text, "Content-Type", media))
		if failure.Message != want || failure.FromService() == (other && media[:6] != "text/p") {
			t.Errorf("%.80s: got %q, want %q; from the service: %t", body, failure.Message, want, failure.FromService())
		}
	}
	for want, react := range map[string]reaction{
		`the service responded with status 400 (Bad Request) and the message "\"x\""`: reply(400, `{"message":"\"x\""}`),
		"the response has status 599": reply(599, ""),
		"the service responded with status 200 (OK); it reports that the call did not succeed": ok(`{"success":0}`),
		"the connection was cut before a complete response had arrived":                        cut,
	} {
		if _, failure, _ := get.take(react); failure.Error() != "GET /api/user: "+want {
			t.Errorf("got  %s\nwant %s", failure, want)
		}
	}
}

// TestObstacles: the obstacle must follow from the response, and from the methods that have worked before.
func TestObstacles(t *testing.T) {
	t.Parallel()
	const page, refusal = " " + htmlPage, ` {"success":0,"message":"no"}`
	for want, tests := range map[Obstacle][]struct {
		call   anyCall
		answer string
		worked string // methods by which a call has succeeded
	}{
		BodyDropped: {
			{get, "400" + page, ""}, {get, "411" + page, "PUT"}, {get, "422" + refusal, ""}, {get, "403" + page, "PUT"}, // CloudFront
			{remove, "413 ", "GET"}, {remove, "405" + page, "GET"}, {remove, "400" + refusal, "GET"},
		},
		Foreign: {
			{get, "400" + page, "GET"}, {put, "400" + page, ""}, {get, "401" + page, ""}, {get, "403 ", "GET"}, {get, "200" + page, ""},
			{put, "404" + page, "DELETE"},
		},
		Proxy:        {{get, "407" + page, ""}},
		WrongAddress: {{get, "404" + page, ""}, {put, "405" + refusal, ""}},
		NoObstacle: {
			{get, "400" + refusal, "GET"}, {put, "400" + refusal, ""}, {remove, "403" + refusal, "GET"}, {get, `200 {"x":1}`, ""},
			{get, "401" + refusal, ""}, {put, "404" + refusal, "GET"}, {get, "429" + page, ""}, {get, "307" + page, ""}, {get, "502" + page, ""},
		},
	} {
		for _, test := range tests {
			_, react := response(test.answer)
			client := newClient(inTurn(ok(successJSON), react), once)
			for _, call := range fourCalls {
				if call.method == test.worked {
					_, _, _ = call.make(client)
				}
			}
			if test.worked == "" {
				client.config.Transport = inTurn(react)
			}
			_, failure, _ := test.call.make(client)
			if failure.Obstacle != want {
				t.Errorf("%s %s after %q: %d, want %d", test.call.method, test.answer, test.worked, failure.Obstacle, want)
			}
			if client.HasWorked() != (test.worked != "") || client.HasWorked(http.MethodDelete) != (test.worked == "DELETE") {
				t.Errorf("%q: HasWorked", test.worked)
			}
		}
	}
}
