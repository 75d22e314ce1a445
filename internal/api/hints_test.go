package api

import (
	"strings"
	"testing"
)

// TestHints: the hint must follow from the response, and from the methods that have worked before.
func TestHints(t *testing.T) {
	t.Parallel()
	const refusal = `{"success":0,"message":"no"}`
	const (
		mayDrop = "Something between Terraform and the service may drop or refuse the body of "
		drops   = "PUT or POST calls have worked, so something between Terraform and the service drops or refuses " +
			"the body of "
		notService    = "does not come from the service. Check base_url"
		notThere      = "no call has reached the service there yet"
		keyMayBeRight = "the API key may be right"
	)
	tests := []struct {
		method string
		status int
		body   string
		worked string // methods by which a call has succeeded, or "asked" if a client certificate was requested
		hint   string // a part of it, or "" for no hint
	}{
		// Something in between drops or refuses bodies.
		{"GET", 400, htmlPage, "", mayDrop + "GET"},
		{"GET", 405, htmlPage, "", mayDrop + "GET"},
		{"GET", 411, htmlPage, "", mayDrop + "GET"},
		{"DELETE", 413, "", "GET", mayDrop + "DELETE"},
		{"DELETE", 415, "no", "GET", mayDrop + "DELETE"},
		{"GET", 400, htmlPage, "PUT", drops + "GET"},
		{"DELETE", 405, htmlPage, "POST", drops + "DELETE"},
		{"GET", 403, htmlPage, "PUT", drops + "GET"}, // as CloudFront does
		{"GET", 400, refusal, "", "drops the body of GET requests"},
		{"DELETE", 422, refusal, "GET", "drops the body of DELETE requests"},
		{"GET", 400, refusal, "GET", ""},
		{"PUT", 400, refusal, "", ""},
		{"GET", 400, htmlPage, "GET PUT", notService},
		{"PUT", 400, htmlPage, "", notService},
		{"POST", 413, htmlPage, "", notService},
		// Something in front of the service refuses the call.
		{"GET", 401, htmlPage, "", keyMayBeRight},
		{"GET", 403, "", "GET", keyMayBeRight},
		{"GET", 401, refusal, "", ""},
		{"GET", 403, `{"detail":"no"}`, "", ""},
		{"GET", 407, htmlPage, "", "proxy_url"},
		{"GET", 200, htmlPage, "", notService},
		{"GET", 200, `{"x":1}`, "", ""},
		{"GET", 400, htmlPage, "asked", "asks for a client certificate"},
		{"GET", 403, htmlPage, "asked GET", keyMayBeRight},
		{"GET", 403, "", "asked", "asks for a client certificate"},
		{"GET", 401, htmlPage, "asked", keyMayBeRight},
		{"GET", 403, refusal, "asked", ""},
		// The address may be wrong.
		{"GET", 404, htmlPage, "", notThere},
		{"PUT", 404, "", "", notThere},
		{"GET", 404, `{"detail":"no such page"}`, "", notThere},
		{"PUT", 404, refusal, "", ""},
		{"GET", 404, htmlPage, "DELETE", notService},
		// The kind says enough.
		{"GET", 429, htmlPage, "", ""},
		{"GET", 307, htmlPage, "", ""},
		{"GET", 502, htmlPage, "", ""},
	}
	for _, test := range tests {
		c := testCall(t, test.method)
		for method := range strings.FieldsSeq(test.worked) {
			c.client.worked.Store(method, true)
		}
		c.client.certificateWanted.Store(strings.Contains(test.worked, "asked"))
		_, failure := c.interpret(responseTo(test.status, test.body), []byte(test.body), nil)
		if !strings.Contains(failure.Hint, test.hint) || test.hint == "" && failure.Hint != "" {
			t.Errorf("%s %d %q after %q: %q, want %q", test.method, test.status, test.body, test.worked, failure.Hint, test.hint)
		}
	}
	// The client itself records what has worked.
	client := inTurn(ok(successJSON), page(400)).client(t)
	if _, err := fourCalls[1].make(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t.Context(), client); !strings.Contains(failureOf(t, err).Hint, "have worked") {
		t.Errorf("Hint = %q", failureOf(t, err).Hint)
	}
}

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
