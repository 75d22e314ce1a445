package api

import (
	"strings"
	"testing"
)

// TestSaid: the text must begin with what was received, and from whom.
func TestSaid(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70)
	for _, test := range []struct {
		status int
		header []string
		body   string
		want   string
	}{
		{400, nil, `{"message":"\"x\""}`, `the service responded with status 400 (Bad Request) and the message "\"x\""`},
		{502, []string{"Server", "nginx/1.25"}, "", "status 502 (Bad Gateway) came back (Server: nginx/1.25)"},
		{599, nil, "", "status 599 came back"},
		{
			403,
			[]string{"Content-Type", "text/html", "Server", "nginx\x1b[31m", "Via", "1.1 a", "Via", "1.1 " + plantedKey},
			"<html><TITLE lang=en>\n  403 &ndash; Forbidden \u202e " + plantedKey + "</TITLE>",
			`status 403 (Forbidden) came back with an HTML page titled "403 – Forbidden (secret)" ` +
				"(Server: nginx [31m, Via: 1.1 a, 1.1 (secret)); the service would have responded in JSON",
		},
		{
			200,
			[]string{"Content-Type", "text/html", "Server", long},
			"<title>" + long + "</title>",
			`status 200 (OK) came back with an HTML page titled "` + long[:60] + ` …" (Server: ` + long[:60] + " …); " +
				"the service would have responded in JSON",
		},
	} {
		_, failure := testCall(t, "GET").interpret(response(test.status, test.header...), []byte(test.body), nil)
		if got := failure.Said(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
