package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRequests compares each request with the contract, byte for byte (interface sections 2, 4 and 5).
func TestRequests(t *testing.T) {
	t.Parallel()
	full := GroupRequest{
		UserGroupID: `a/c m"é`, Name: new("Acme"), Mapping: map[string]string{"s2": "b", "s1": "a"}, NameIfRequired: "x",
		Properties: properties(t, `{ "z": 1e30, "a": 123456789012345678901234567890, "u": "\u00e9", "n": null, "o": {} }`),
	}
	const fullBody = `{"user_group_id":"a/c m\"é","name":"Acme","mapping":{"s1":"a","s2":"b"},` +
		`"properties":{"z":1e30,"a":123456789012345678901234567890,"u":"\u00e9","n":null,"o":{}}}`
	empty := GroupRequest{UserGroupID: "acme", Name: new(""), Mapping: map[string]string{}, Properties: properties(t, "{ }")}
	const emptyBody = `{"user_group_id":"acme","name":"","mapping":{},"properties":{}}`
	bare := GroupRequest{UserGroupID: "acme", NameIfRequired: "Acme"}
	all := TokenRequest{NewSecret(plantedToken), `a"c`, "d", false}
	for _, test := range []struct {
		anyCall
		body string
	}{
		{anyCall{"GET", bare, all}, `{"user_group_id":"acme"}`},
		{anyCall{"GET", full, all}, fullBody},
		{anyCall{"GET", empty, all}, emptyBody},
		{anyCall{"PUT", bare, all}, `{"user_group_id":"acme"}`},
		{anyCall{"PUT", full, all}, fullBody},
		{anyCall{"PUT", empty, all}, emptyBody},
		{anyCall{"POST", full, all}, `{"current_token":"` + plantedToken + `"}`},
		{anyCall{"DELETE", full, TokenRequest{UserGroupID: "acme"}}, `{"user_group_id":"acme"}`},
		{
			anyCall{"DELETE", full, all},
			`{"current_token":"` + plantedToken + `","user_group_id":"a\"c","data_source_provided_id":"d"}`,
		},
	} {
		service := inTurn(ok(successJSON))
		_, failure, _ := test.make(newClient(service))
		got, body := service.seen[0], service.bodies[0]
		if failure != nil || len(service.seen) != 1 || got.Method != test.method || body != test.body ||
			got.URL.String() != "https://service.example/api/user" {
			t.Errorf("got  %s %s %s\nwant %s %s (%v)", got.Method, got.URL, body, test.method, test.body, failure)
		}
		if got.ContentLength != int64(len(body)) || got.GetBody != nil {
			t.Errorf("Content-Length %d; replayable: %t", got.ContentLength, got.GetBody != nil)
		}
	}
}

// TestWire: each method must send exactly these headers. PUT, POST and DELETE must have a connection of their own.
// Lookups must share one for each worker, until it has been idle almost as long as servers keep it. If it dies, the
// transport must not replay them: this would be a second creation that goes unnoticed.
func TestWire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		type key struct{}
		var connections, used, requests int
		var dies bool
		server := &http.Server{ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			connections++
			return context.WithValue(ctx, key{}, connections)
		}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(700 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			used, _ = r.Context().Value(key{}).(int)
			if requests++; dies {
				panic(http.ErrAbortHandler)
			}
			body, _ := io.ReadAll(r.Body)
			want := http.Header{
				"Accept": {"application/json"}, "Accept-Encoding": {"gzip"}, "Authorization": {"Token " + plantedKey},
				"Cache-Control": {"no-store"}, "Content-Length": {strconv.Itoa(len(body))}, "Content-Type": {"application/json"},
				"User-Agent": {"test/1"}, "X-Lower": {"kept"}, "X-Secret": {plantedHeader}, "X-Tenant": {"blue"},
			}
			if r.Method != http.MethodGet {
				want["Connection"] = []string{"close"}
			}
			if diff := cmp.Diff(want, r.Header); diff != "" || len(r.TransferEncoding) > 0 {
				t.Errorf("%s: headers (-want +got):\n%s", r.Method, diff)
			}
			_, _ = io.WriteString(w, successJSON)
		})}
		client := hosts{"127.0.0.1:80": serve(t, nil, server)}.client(t, func(c *Config) {
			c.URL, _ = ParseBaseURL("http://127.0.0.1", false)
			for name, value := range map[string]string{
				"X-Tenant": "blue", "x-lower": "kept", "authorization": "Basic stolen", "CONTENT-TYPE": "text/plain",
				"user-agent": "other", "accept": "text/html", "accept-encoding": "br", "content-length": "3",
				"Transfer-Encoding": "chunked", "cache-control": "max-age=9",
			} {
				c.Headers[name] = NewSecret(value)
			}
		})
		for i, want := range []int{1, 2, 3, 4, 1, 5, 6, 7, 1} {
			if _, failure, _ := fourCalls[i%4].make(client); used != want || failure != nil {
				t.Errorf("call %d, %s: connection %d, want %d; %v", i, fourCalls[i%4].method, used, want, failure)
			}
		}
		for range 3 {
			var workers sync.WaitGroup
			for range 10 {
				workers.Go(func() { _, _, _ = get.make(client) })
			}
			workers.Wait()
			synctest.Wait() // until all connections are idle
		}
		time.Sleep(5 * second)
		if _, _, _ = get.make(client); used != 17 { // 9 for the other workers, and this one
			t.Errorf("after a pause: connection %d", used)
		}
		dies, requests, client.config.MaxRetries = true, 0, 0
		if _, failure, kind := get.make(client); kind != UnknownOutcome || used != 17 || requests != 1 {
			t.Errorf("%v; connection %d, %d requests", failure, used, requests)
		}
	})
}

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"https://x.example/api/user": {
			"https://x.example", "https://x.example//", "HTTPS://x.example/", "https://x.example/../.", "https://x.example/api/user",
		},
		"https://x.example/api/user/":          {"https://x.example/api/user/"},
		"https://x.example/api/api/user":       {"https://x.example/api"},
		"https://x.example/xapi/user/api/user": {"https://x.example/xapi/user"},
		"https://x.example/b/api/user":         {"https://x.example/a/../b///", "https://x.example/b/api/user"},
		"https://x.example/b/api/user/":        {"https://x.example/b/api/user/"},
		"https://x.example/a%2Fb/api/user":     {"https://x.example/a%2Fb/"},
		"https://[2001:db8::1]:8443/api/user":  {"https://[2001:db8::1]:8443"},
		"http://127.9.9.9/api/user":            {"http://127.9.9.9"},
		"http://[::1]:8080/x/api/user":         {"http://[::1]:8080/x/"},
		"http://LocalHost:1/api/user":          {"http://LocalHost:1"},
	} {
		for _, text := range append(texts, want) { // Parsing an accepted address again changes nothing.
			if got, err := ParseBaseURL(text, false); err != nil || got.String() != want || got.Path[0] != '/' {
				t.Errorf("ParseBaseURL(%q) = %v, %v; want %s", text, got, err, want)
			}
		}
	}
	const overHTTP = "must start with https://, because over http"
	for want, texts := range map[string][]string{
		"must be an absolute address": {
			"", "x.example", "//x.example", "/base", "https://", "https:///base", "https://:443", "https://[::1", "https:x.example",
			"https://x.example:LEAK", "https://x.example/%zz", "localhost:8080", "https://LEAK:pw@x.example:zz", "http://::1:8101",
		},
		"must not contain spaces":      {" https://x.example", "https://x.example\n", "https://x.example\u00a0"},
		"must not contain a user name": {"https://user:LEAK@x.example", "https://@x.example", "http://localhost:LEAK@x.example"},
		"must not contain a query":     {"https://x.example?key=LEAK", "https://x.example/?", "https://x.example/#LEAK"},
		"must start with https://":     {"ftp://x.example", "ws://localhost"},
		overHTTP:                       {"http://x.example", "http://0.0.0.0", "http://localhost.x.example", "http://[2001:db8::1]"},
	} {
		for _, text := range texts {
			_, err := ParseBaseURL(text, false)
			_, allowed := ParseBaseURL(text, true)
			if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "LEAK") ||
				(allowed == nil) != (want == overHTTP) {
				t.Errorf("ParseBaseURL(%q) = %v; want %q; with http allowed: %v", text, err, want, allowed)
			}
		}
	}
}

// TestComparisons: only what a service does to a name by itself counts as the same name. A field that a request or a
// response lacks is no difference. A response takes what it lacks from an earlier one, but not its spelling of the ID.
func TestComparisons(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 50)
	for shown, sent := range map[string]string{
		"R&amp;D": "R&D", "Cafe\u0301": "Caf\u00e9", "a\r\nb": " a\nb ", long: long + "tail",
	} {
		if !SameName(sent, shown) || SameName(shown[1:], shown) || SameName(sent, shown[:2]) || SameName(sent, "") {
			t.Errorf("SameName(%q, %q)", sent, shown)
		}
	}
	full := UserGroup{
		TeamID: "7", Token: NewSecret("token"), Name: new("Acme"), ProvidedID: new("acme"),
		Properties: properties(t, `{"a":1,"b":2}`), EnvironmentTag: new("Customer"),
	}
	sent := GroupRequest{Name: new("Acme"), Properties: properties(t, `{"b":2.0,"a":1}`)}
	other := GroupRequest{Name: new(""), Properties: properties(t, `{"b":3,"c":4}`)}
	for i, got := range []Differences{
		sent.Differences(full), sent.Differences(UserGroup{}), GroupRequest{}.Differences(full), other.Differences(full),
	} {
		want := Differences{}
		if i == 3 {
			want = Differences{true, []string{"a", "b", "c"}}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
	}
	want := full
	want.ProvidedID = nil
	if got := (UserGroup{}).Over(full); !reflect.DeepEqual(got, want) {
		t.Errorf("an empty response over a full one is %+v", got)
	}
	if got := full.Over(UserGroup{TeamID: "8", Token: NewSecret("other")}); !reflect.DeepEqual(got, full) {
		t.Errorf("a full response over another one is %+v", got)
	}
}
