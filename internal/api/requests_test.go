package api

import (
	"net/http"
	"reflect"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRequests compares each request with the contract, byte for byte (interface sections 2, 4 and 5).
func TestRequests(t *testing.T) {
	t.Parallel()
	full := GroupRequest{
		UserGroupID: `a/c m"é`, Name: ptr("R&D <Acme>"), Mapping: map[string]string{"s2": "b&c", "s1": "a"},
		Properties: mustObject(t, `{ "z": 1e30, "a": 123456789012345678901234567890,
			"f": 1.0, "h": "<b>", "u": "\u00e9", "n": null, "o": {} }`),
	}
	const fullBody = `{"user_group_id":"a/c m\"é","name":"R&D <Acme>","mapping":{"s1":"a","s2":"b&c"},` +
		`"properties":{"z":1e30,"a":123456789012345678901234567890,"f":1.0,"h":"<b>","u":"\u00e9","n":null,"o":{}}}`
	empty := GroupRequest{
		UserGroupID: "acme", Name: ptr(""), Mapping: map[string]string{}, Properties: mustObject(t, "{}"),
	}
	const emptyBody = `{"user_group_id":"acme","name":"","mapping":{},"properties":{}}`
	token := NewSecret(plantedToken)
	for _, test := range []struct {
		call anyCall
		body string
	}{
		{lookingUp(GroupRequest{UserGroupID: "acme"}), `{"user_group_id":"acme"}`},
		{lookingUp(full), fullBody},
		{lookingUp(empty), emptyBody},
		{updating(GroupRequest{UserGroupID: "acme"}), `{"user_group_id":"acme"}`},
		{updating(full), fullBody},
		{updating(empty), emptyBody},
		{rotating(TokenRequest{CurrentToken: token, UserGroupID: "x"}), `{"current_token":"` + plantedToken + `"}`},
		{deleting(TokenRequest{}), `{}`},
		{deleting(TokenRequest{UserGroupID: "acme"}), `{"user_group_id":"acme"}`},
		{
			deleting(TokenRequest{CurrentToken: token, UserGroupID: `a"c`, DataSourceProvidedID: "d"}),
			`{"current_token":"` + plantedToken + `","user_group_id":"a\"c","data_source_provided_id":"d"}`,
		},
	} {
		for basePath, uri := range map[string]string{
			"": "/api/user", "/base/v1//": "/base/v1/api/user", "/with%2Fslash": "/with%2Fslash/api/user",
		} {
			service := inTurn(ok(successJSON))
			client := service.client(t, func(c *Config) { c.BaseURL, _ = ParseBaseURL("http://127.0.0.1"+basePath, false) })
			if _, err := test.call.make(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			service.want(t, 1)
			got := service.seen()[0]
			if got.Method != test.call.method || got.RequestURI != uri || got.body != test.body {
				t.Errorf("got  %s %s %s\nwant %s %s %s", got.Method, got.RequestURI, got.body, test.call.method, uri, test.body)
			}
			if got.ContentLength != int64(len(test.body)) || len(got.TransferEncoding) > 0 {
				t.Errorf("Content-Length %d, Transfer-Encoding %v", got.ContentLength, got.TransferEncoding)
			}
		}
	}
}

// TestHeaders: each method must send exactly these headers.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		service := inTurn(ok(successJSON))
		client := service.client(t, func(c *Config) {
			c.Headers = map[string]Secret{}
			for name, value := range map[string]string{
				"X-Tenant": "blue", "x-lower": "kept", "authorization": "Basic stolen", "CONTENT-TYPE": "text/plain",
				"user-agent": "other", "accept": "text/html", "accept-encoding": "br", "content-length": "3",
				"Transfer-Encoding": "chunked", "cache-control": "max-age=9",
			} {
				c.Headers[name] = NewSecret(value)
			}
		})
		if _, err := call.make(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		got := service.seen()[0]
		want := http.Header{
			"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "Authorization": {"Token " + plantedKey},
			"Cache-Control": {"no-store"}, "Content-Length": {strconv.Itoa(len(got.body))}, "Content-Type": {"application/json"},
			"User-Agent": {"terraform-provider-embed/test"}, "X-Lower": {"kept"}, "X-Tenant": {"blue"},
		}
		if call.method == http.MethodDelete {
			want["Connection"] = []string{"close"}
		}
		if diff := cmp.Diff(want, got.Header); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", call.method, diff)
		}
	}
}

// TestUnsendableRequest: a request that cannot be encoded as JSON or put into a header must not reach the network.
func TestUnsendableRequest(t *testing.T) {
	t.Parallel()
	service := inTurn(ok(successJSON))
	_, err := get.make(t.Context(), service.client(t, func(c *Config) { c.APIKey = NewSecret("two\nlines") }))
	_ = wantKind(t, err, NotSent)
	wantAbsent(t, "the error", err.Error(), "two\nlines", "lines")
	_, err = service.client(t).Update(t.Context(), GroupRequest{UserGroupID: "\xff"})
	_ = wantKind(t, err, NotSent)
	wantAbsent(t, "the error", err.Error(), "jsontext")
	service.want(t, 0)
}

// TestDifferences compares requests with responses. TestHistories in internal/usergroup has fields that one of them
// lacks.
func TestDifferences(t *testing.T) {
	t.Parallel()
	sent := GroupRequest{Name: ptr("Acme"), Properties: mustObject(t, `{"a":1,"b":2}`)}
	for _, test := range []struct {
		name, properties string
		want             Differences
	}{
		{"Acme", `{"b":2.0,"a":1}`, Differences{}},
		{"X", `{"a":1,"b":2}`, Differences{Name: true}},
		{"Acme", `{"a":1,"b":2,"c":3}`, Differences{Remained: []string{"c"}}},
		{"Acme", `{"a":1,"b":3}`, Differences{Changed: []string{"b"}}},
		{"Acme", `{"a":1}`, Differences{Missing: []string{"b"}}},
	} {
		got := sent.Differences(UserGroup{Name: &test.name, Properties: mustObject(t, test.properties)})
		if diff := cmp.Diff(test.want, got); diff != "" || got.Any() != !cmp.Equal(got, Differences{}) {
			t.Errorf("%s %s: Any = %t (-want +got):\n%s", test.name, test.properties, got.Any(), diff)
		}
	}
}

// TestOver: a response takes what it lacks from an earlier one, but not its spelling of the ID, which is about another
// call.
func TestOver(t *testing.T) {
	t.Parallel()
	full := UserGroup{
		TeamID: ptr(int64(7)), Token: NewSecret("token"), Name: ptr("Acme"), ProvidedID: ptr("acme"),
		Properties: mustObject(t, `{"tier":"gold"}`), EnvironmentTag: ptr("Customer"),
	}
	want := full
	want.ProvidedID = nil
	if got := (UserGroup{}).Over(full); !reflect.DeepEqual(got, want) {
		t.Errorf("an empty response over a full one is %+v", got)
	}
	other := UserGroup{TeamID: ptr(int64(8)), Token: NewSecret("other"), Name: ptr("Other")}
	if got := full.Over(other); !reflect.DeepEqual(got, full) {
		t.Errorf("a full response over another one is %+v", got)
	}
}
