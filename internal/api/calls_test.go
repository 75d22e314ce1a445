package api

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRequestsOnTheWire holds what is sent, byte for byte, against the contract (interface sections 2, 4 and 5).
func TestRequestsOnTheWire(t *testing.T) {
	t.Parallel()
	const properties = `{ "z": 1e30, "a": 123456789012345678901234567890,
		"f": 1.0, "h": "<b>R&D</b>", "u": "\u00e9", "n": null, "o": {} }`
	full := GroupRequest{
		UserGroupID: `a/c m"é`, Name: ptr("R&D <Acme>"), Mapping: map[string]string{"s2": "b&c", "s1": "a"},
		Properties: mustObject(t, properties),
	}
	const fullBody = `{"user_group_id":"a/c m\"é","name":"R&D <Acme>","mapping":{"s1":"a","s2":"b&c"},` +
		`"properties":{"z":1e30,"a":123456789012345678901234567890,"f":1.0,"h":"<b>R&D</b>","u":"\u00e9","n":null,"o":{}}}`
	empty := GroupRequest{UserGroupID: "acme", Name: ptr(""), Mapping: map[string]string{}, Properties: mustObject(t, "{}")}
	const emptyBody = `{"user_group_id":"acme","name":"","mapping":{},"properties":{}}`
	get := func(request GroupRequest) func(context.Context, *Client) error {
		return func(ctx context.Context, c *Client) error { _, err := c.GetOrCreate(ctx, request); return err }
	}
	put := func(request GroupRequest) func(context.Context, *Client) error {
		return func(ctx context.Context, c *Client) error { _, err := c.Update(ctx, request); return err }
	}
	remove := func(request DeleteRequest) func(context.Context, *Client) error {
		return func(ctx context.Context, c *Client) error { return c.Delete(ctx, request) }
	}
	tests := map[string]struct {
		call   func(context.Context, *Client) error
		method string
		body   string
	}{
		"get, id only":        {get(GroupRequest{UserGroupID: "acme"}), http.MethodGet, `{"user_group_id":"acme"}`},
		"get, everything":     {get(full), http.MethodGet, fullBody},
		"get, empty values":   {get(empty), http.MethodGet, emptyBody},
		"put, id only":        {put(GroupRequest{UserGroupID: "acme"}), http.MethodPut, `{"user_group_id":"acme"}`},
		"put, everything":     {put(full), http.MethodPut, fullBody},
		"put, empty values":   {put(empty), http.MethodPut, emptyBody},
		"delete, id only":     {remove(DeleteRequest{UserGroupID: "acme"}), http.MethodDelete, `{"user_group_id":"acme"}`},
		"delete, token only":  {remove(DeleteRequest{CurrentToken: NewSecret("t&1")}), http.MethodDelete, `{"current_token":"t&1"}`},
		"delete, data source": {remove(DeleteRequest{UserGroupID: "a", DataSourceProvidedID: "d"}), http.MethodDelete, `{"user_group_id":"a","data_source_provided_id":"d"}`},
		"delete, everything": {
			remove(DeleteRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "acme", DataSourceProvidedID: "ds"}), http.MethodDelete,
			`{"current_token":"` + plantedToken + `","user_group_id":"acme","data_source_provided_id":"ds"}`,
		},
		"rotate": {
			func(ctx context.Context, c *Client) error { _, err := c.Rotate(ctx, NewSecret(`t"<1>&`)); return err },
			http.MethodPost, `{"current_token":"t\"<1>&"}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for basePath, uri := range map[string]string{
				"": "/api/user", "/": "/api/user", "/base/v1": "/base/v1/api/user", "/base/v1//": "/base/v1/api/user",
				"/with%2Fslash": "/with%2Fslash/api/user",
			} {
				server := serve(t, always(http.StatusOK, contentJSON, successJSON))
				if err := test.call(t.Context(), newClient(t, server.URL+basePath)); err != nil {
					t.Fatal(err)
				}
				wantRequests(t, server.count(), 1)
				got := server.seen()[0]
				if got.method != test.method || got.uri != uri {
					t.Errorf("got %s %s, want %s %s", got.method, got.uri, test.method, uri)
				}
				if diff := cmp.Diff(test.body, got.body); diff != "" {
					t.Errorf("body (-want +got):\n%s", diff)
				}
				if got.length != int64(len(test.body)) || len(got.transferEncoding) > 0 {
					t.Errorf("Content-Length %d, Transfer-Encoding %v; want %d and none", got.length, got.transferEncoding, len(test.body))
				}
			}
		})
	}
}

// TestHeaders expects exactly these headers, on each method.
func TestHeaders(t *testing.T) {
	t.Parallel()
	for _, call := range fourCalls {
		t.Run(call.name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(http.StatusOK, contentJSON, successJSON))
			client := newClient(t, server.URL, func(c *Config) {
				c.UserAgent = "terraform-provider-embed/1.2.3"
				c.Headers = map[string]Secret{
					"X-Tenant": NewSecret("blue"), "x-lower": NewSecret("kept"),
					"authorization": NewSecret("Basic stolen"), "CONTENT-TYPE": NewSecret("text/plain"), "user-agent": NewSecret("other"),
					"accept": NewSecret("text/html"), "accept-encoding": NewSecret("br"), "content-length": NewSecret("3"), "Transfer-Encoding": NewSecret("chunked"),
				}
			})
			if _, err := call.make(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			got := server.seen()[0]
			want := http.Header{
				"Accept":          {"application/json"},
				"Accept-Encoding": {"gzip"},
				"Authorization":   {"Token " + plantedKey},
				"Content-Length":  {strconv.Itoa(len(got.body))},
				"Content-Type":    {"application/json"},
				"User-Agent":      {"terraform-provider-embed/1.2.3"},
				"X-Lower":         {"kept"},
				"X-Tenant":        {"blue"},
			}
			if diff := cmp.Diff(want, got.header); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnswers reads every documented field of each call's answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		call anyCall
		body string
		want Answer
	}{
		"created":       {fourCalls[0], createdJSON, Answer{Created: true}},
		"existed":       {fourCalls[0], successJSON, Answer{}},
		"updated":       {fourCalls[1], `{"success":1,"user_group":` + fullGroupRaw + `}`, Answer{UserGroup: UserGroup{EnvironmentTag: ptr("Customer")}}},
		"rotated":       {fourCalls[2], `{"success":1,"user_group":` + fullGroupRaw + `}`, Answer{UserGroup: UserGroup{EnvironmentTag: ptr("Customer")}}},
		"unknown field": {fourCalls[1], `{"success":1,"user_group":{"team_id":1001,"token":"` + plantedNewToken + `","name":"Acme","provided_id":"acme","x":[{}]},"y":1}`, Answer{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := serve(t, always(http.StatusOK, contentJSON, test.body))
			got, err := test.call.make(t.Context(), newClient(t, server.URL))
			if err != nil {
				t.Fatal(err)
			}
			if got.Created != test.want.Created || got.Lost {
				t.Errorf("Created = %v, Lost = %v; want %v, false", got.Created, got.Lost, test.want.Created)
			}
			group := got.UserGroup
			if group.TeamID == nil || *group.TeamID != 1001 || group.Name == nil || *group.Name != "Acme" ||
				group.ProvidedID == nil || *group.ProvidedID != "acme" || group.Token.Reveal() != plantedNewToken {
				t.Errorf("user group is not what was answered: %+v", group)
			}
			if diff := cmp.Diff(test.want.UserGroup.EnvironmentTag, group.EnvironmentTag); diff != "" {
				t.Errorf("environment tag (-want +got):\n%s", diff)
			}
			if told := strings.Contains(test.body, `"properties"`); group.Properties.IsZero() == told {
				t.Errorf("properties are told: %v, but IsZero is %v", told, group.Properties.IsZero())
			}
		})
	}
	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		server := serve(t, always(http.StatusOK, contentJSON, `{"success":1}`))
		if _, err := fourCalls[3].make(t.Context(), newClient(t, server.URL)); err != nil {
			t.Error(err)
		}
	})
}

// TestUnsendableRequest: what cannot be written as JSON, or into a header, never gets as far as the network.
func TestUnsendableRequest(t *testing.T) {
	t.Parallel()
	server := serve(t, always(http.StatusOK, contentJSON, successJSON))
	client := newClient(t, server.URL, func(c *Config) { c.APIKey = NewSecret("two\nlines") })
	_, err := client.GetOrCreate(t.Context(), GroupRequest{UserGroupID: "acme"})
	failure := failureOf(t, err)
	wantKind(t, failure, NotSent)
	wantRequests(t, server.count(), 0)
	wantAbsent(t, "the error", failure.Error(), "two\nlines", "lines")

	_, err = client.do(t.Context(), call{method: http.MethodPut, decode: decodeNothing}, func() {})
	wantKind(t, failureOf(t, err), NotSent)
}
