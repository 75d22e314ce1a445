package api

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// TestRequests compares each request with the contract, byte for byte (interface sections 2, 4 and 5).
func TestRequests(t *testing.T) {
	t.Parallel()
	full := GroupRequest{
		UserGroupID: `a/c m"é`, Name: new("Acme"), Mapping: map[string]string{"s2": "b", "s1": "a"},
		Properties: properties(`{ "z": 1e30, "a": 123456789012345678901234567890, "u": "\u00e9", "n": null, "o": {} }`),
	}
	const fullBody = `{"user_group_id":"a/c m\"é","name":"Acme","mapping":{"s1":"a","s2":"b"},` +
		`"properties":{"z":1e30,"a":123456789012345678901234567890,"u":"\u00e9","n":null,"o":{}}}`
	empty := GroupRequest{UserGroupID: "acme", Name: new(""), Mapping: map[string]string{}, Properties: properties("{ }")}
	const emptyBody, bareBody = `{"user_group_id":"acme","name":"","mapping":{},"properties":{}}`,
		`{"user_group_id":"acme"}`
	bare := GroupRequest{UserGroupID: "acme"}
	all := TokenRequest{NewSecret(plantedToken), `a"c`, "d"}
	const tokenBody = `{"current_token":"` + plantedToken + `"`
	for _, test := range []struct {
		anyCall
		body string
	}{
		{anyCall{"GET", bare, all}, bareBody},
		{anyCall{"GET", full, all}, fullBody},
		{anyCall{"GET", empty, all}, emptyBody},
		{anyCall{"PUT", bare, all}, bareBody},
		{anyCall{"PUT", full, all}, fullBody},
		{anyCall{"PUT", empty, all}, emptyBody},
		{anyCall{"DELETE", full, TokenRequest{UserGroupID: "acme"}}, bareBody},
		{anyCall{"DELETE", full, all}, tokenBody + `,"user_group_id":"a\"c","data_source_provided_id":"d"}`},
		{anyCall{"POST", full, all}, tokenBody + `}`},
	} {
		service := inTurn(ok(successJSON))
		_, _, kind := test.make(newClient(service))
		got := service.seen[0]
		same(t, "the request", []any{kind, got.Method, got.URL, service.bodies, got.ContentLength, got.GetBody == nil},
			[]any{success, test.method, "https://service.example/api/user", []string{test.body}, len(test.body), true})
	}
}

// TestWire: each method must send exactly these headers. PUT, POST and DELETE must have a connection of their own.
// Lookups must share one for each worker, until it has been idle for a second. If it dies, the
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
			time.Sleep(200 * time.Millisecond)
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
			same(t, "the header of "+r.Method, []any{r.Header, r.TransferEncoding}, []any{want, []string{}})
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
			_, _, kind := fourCalls[i%4].make(client)
			same(t, "the kind and connection of "+fourCalls[i%4].method, []any{kind, used}, []any{success, want})
		}
		for range 3 {
			var workers sync.WaitGroup
			for range 10 {
				workers.Go(func() { _, _, _ = get.make(client) })
			}
			workers.Wait()
			synctest.Wait() // until all connections are idle
		}
		time.Sleep(second + second/10)
		_, _, _ = get.make(client)
		same(t, "the connection after a pause", used, 17) // 9 for the other workers, and this one
		dies, requests, client.config.MaxRetries = true, 0, 0
		_, _, kind := get.make(client)
		same(t, "the kind, connection and requests of a GET that dies", []any{kind, used, requests},
			[]any{Cut, 17, 1})
	})
}

func TestParseBaseURL(t *testing.T) {
	t.Parallel()
	for want, texts := range map[string][]string{
		"https://x.example/api/user": {
			"https://x.example", "https://x.example//", "HTTPS://x.example/", "https://x.example/../.",
			"https://x.example/api/user",
		},
		"https://x.example/api/user/":          nil,
		"https://x.example/api/api/user":       {"https://x.example/api"},
		"https://x.example/xapi/user/api/user": {"https://x.example/xapi/user"},
		"https://x.example/b/api/user":         {"https://x.example/a/../b///"},
		"https://x.example/b/api/user/":        nil,
		"https://x.example/a%2Fb/api/user":     {"https://x.example/a%2Fb/"},
		"https://[2001:db8::1]:8443/api/user":  {"https://[2001:db8::1]:8443"},
		"http://127.9.9.9/api/user":            {"http://127.9.9.9"},
		"http://localhost:1/api/user":          {"http://localhost:1"},
		"http://[::1]:8/x/api/user":            {"http://[::1]:8/x/"},
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
			"", "x.example", "//x.example", "/base", "https://", "https:///base", "https://:443", "https://[::1",
			"https:x.example", "https://x.example:LEAK", "https://x.example/%zz", "localhost:8080",
			"https://LEAK:pw@x.example:zz", "http://::1:8101",
			" https://x.example", "https://x.example\n", "https://x\x7f.example",
		},
		"must not contain spaces": {"https://x.example\u00a0", "https://x.example/ ", "https://x.example/a\u2003b"},
		"must not contain a user name": {
			"https://user:LEAK@x.example", "https://@x.example", "http://localhost:LEAK@x.example",
		},
		"must not contain a query": {"https://x.example?key=LEAK", "https://x.example/?", "https://x.example/#LEAK"},
		"must start with https://": {"ftp://x.example", "ws://localhost"},
		overHTTP: {
			"http://x.example", "http://0.0.0.0", "http://localhost.x.example", "http://[2001:db8::1]", "http://LocalHost:1",
		},
	} {
		for _, text := range texts {
			_, err := ParseBaseURL(text, false)
			_, allowed := ParseBaseURL(text, true)
			failIf(t, err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "LEAK") ||
				(allowed == nil) != (want == overHTTP),
				"ParseBaseURL(%q) = %v; want %q; with http allowed: %v", text, err, want, allowed)
		}
	}
}

// TestComparisons: only texts that are the same in HTML count as the same. A field that a request or a
// response lacks is no difference. A response takes what it lacks from an earlier one, but not its spelling of the ID.
func TestComparisons(t *testing.T) {
	t.Parallel()
	for shown, sent := range map[string]string{"R&amp;D": "R&D", "&lt;&#39;": "<'", "a&amp;amp;b": "a&amp;amp;b"} {
		failIf(t, !SameText(sent, shown) || !SameText(shown, shown) || SameText(shown[1:], shown) || SameText(sent, ""),
			"SameText(%q, %q)", sent, shown)
		list := func(text string) UserGroup {
			encoded, _ := json.Marshal(map[string]any{"a": []any{text}})
			return UserGroup{Name: &text, Properties: properties(string(encoded))}
		}
		request := GroupRequest{Name: &sent, Properties: list(sent).Properties}
		echo := list(shown).WithoutEcho(request)
		failIf(t, request.Differences(list(shown)).Any() || !request.ShownBy(list(shown)) || echo.Name != nil ||
			!echo.Properties.IsZero() || list(shown).ShowsMore(list(sent)), "%q and %q differ", sent, shown)
	}
	for shown, sent := range map[string]string{
		"a\r\nb": "a\nb", "a": " a ", "a&amp;amp;b": "a&b", "Cafe\u0301": "Caf\u00e9",
		"acme": "Acme", strings.Repeat("x", 255): strings.Repeat("x", 256), "": "a",
	} {
		failIf(t, SameText(sent, shown), "SameText(%q, %q)", sent, shown)
	}
	full := UserGroup{
		TeamID: "7", Token: NewSecret("token"), Name: new("Acme"), ProvidedID: new("acme"),
		Properties: properties(`{"a":1,"b":2}`), EnvironmentTag: new("Customer"),
	}
	sent := GroupRequest{Name: new("Acme"), Properties: properties(`{"b":2.0,"a":1}`)}
	other := GroupRequest{Name: new(""), Properties: properties(`{"b":3,"c":4}`)}
	for i, got := range []Differences{
		sent.Differences(full), sent.Differences(UserGroup{}), GroupRequest{}.Differences(full), other.Differences(full),
	} {
		want := Differences{}
		if i == 3 {
			want = Differences{Name: true, Properties: []string{"a", "b", "c"}}
		}
		failIf(t, !reflect.DeepEqual(got, want), "%d: %+v, want %+v", i, got, want)
	}
	want := full
	want.ProvidedID = nil
	got, kept := (UserGroup{}).Over(full), full.Over(UserGroup{TeamID: "8", Token: NewSecret("other")})
	failIf(t, !reflect.DeepEqual(got, want) || !reflect.DeepEqual(kept, full), "Over: %+v, %+v", got, kept)
}

// TestParseProperties: an error must say where to look, and never quote the text.
func TestParseProperties(t *testing.T) {
	t.Parallel()
	const early, syntax = "is not complete JSON: the text ends early", "is not valid JSON: look at line 1, column "
	for text, want := range map[string]string{
		"": early, " \n ": early, `{"LEAK":[1,{"b":"c`: early, `LEAK = "gold"`: syntax + "1 of the text",
		"\ufeff{}": syntax + "1 of the text", `{"LEAK":1,}`: syntax + "11 of the text",
		"{\"LEAK\":\"é\t\"}":        syntax + "11 of the text",
		"{\n\"é😀\":LEAK}":           "is not valid JSON: look at line 2, column 6 of the text",
		strings.Repeat("[", 10_001): syntax + "10001 of the text", "null": "is JSON, but not an object",
		"[\"LEAK\"]": "is JSON, but not an object", `"{\"LEAK\":1}"`: "is JSON, but not an object",
		"{} LEAK": "has text after the JSON object", "{}\n{}": "has text after the JSON object",
	} {
		_, err := ParseProperties(text)
		same(t, text, err, want)
	}
}

// TestPropertiesText: the text must be what Terraform's jsonencode writes, whatever the notation.
func TestPropertiesText(t *testing.T) {
	t.Parallel()
	// Terraform keeps the sign of zero, which no service does. No number may become enormous.
	huge := `{"a":[1e350,1.5e-401,1e9999999999999999999,-1E2147483648,1e999999999,1e-999999999,` +
		strings.Repeat("9", 1000) + `]}`
	tests := map[string]string{`{"a":[-0,-0.00e5,0e-400,0e999]}`: `{"a":[0,0,0,0]}`, huge: huge}
	var numbers []string
	for _, digits := range []string{"1", "10", "120", "9007199254740993", strings.Repeat("1234567890", 14)} {
		for _, mantissa := range []string{digits, digits + ".50", digits[:1] + "." + digits, "-0.00" + digits + "0"} {
			for _, exponent := range []string{"", "e0", "E1", "e+2", "E-002", "e5", "E+21", "e-21", "e39", "e-30"} {
				numbers = append(numbers, mantissa+exponent)
			}
		}
	}
	for _, text := range []string{
		" {\t\r\n} ", `{ "a" : [ null , true , false , "s" , 1 , {} , [ ] ] }`,
		`{"z":{"b":[{"d":1,"c":{"f":1,"e":2}}],"a":1},"A":1,"":3,"é":5,"<":6,"\u0000":7,"😀":1,"～":2}`,
		`{"a":"<a href='x'>&amp;</a>","b":"\"\\\/\b\f\n\r\t\u001f\u007f\u00E9\ud83d\uDE00"}`,
		`{"a":[` + strings.Join(numbers, " ,\r\n\t") + `]}`,
	} {
		value, _ := stdlib.JSONDecode(cty.StringVal(text))
		encoded, _ := stdlib.JSONEncode(value)
		tests[text] = encoded.AsString()
	}
	for text, want := range tests {
		same(t, text, properties(text).Text(), want)
	}
}

// TestPropertiesEqual: between configuration, plan and state, every change counts, and no notation does.
func TestPropertiesEqual(t *testing.T) {
	t.Parallel()
	for want, pairs := range map[bool]map[string]string{
		true: {
			`{"a":1,"b":{"c":2,"d":"<"}}`: `{"b":{"d":"\u003C","c":2e0},"\u0061":1.0}`, `{"a":[0,-0]}`: `{"a":[0.0e7,0]}`,
			`{"a":[100,0.5,-120]}`: `{"a":[1e2,5.0E-1,-1.2e+2]}`, `{"a":1e399}`: `{"a":10.00e398}`,
			`{"a":1e99999999999}`: `{"a":1e99999999999}`, `{"a":[null,{"b":null}]}`: `{"a":[null,{"b":null}]}`,
		},
		false: {
			`{"a":[]}`: `{"a":{}}`, `{"a":{"b":[]}}`: `{"a":{"b":{}}}`, `{"a":null}`: `{}`, `{"a":{"b":null}}`: `{"a":{}}`,
			`{"a":["x"]}`: `{"a":{"0":"x"}}`, `{"a":[1,2]}`: `{"a":[2,1]}`, `{"a":1}`: `{"a":"1"}`, `{"a":-1}`: `{"a":1}`,
			`{"a":9007199254740993}`: `{"a":9007199254740992}`, `{"a":10}`: `{"a":1}`, `{"a":0.1}`: `{"a":0.01}`,
			`{"a":0.3333333333333333333333}`: `{"a":0.3333333333333333}`, `{"a":[null]}`: `{"a":[]}`,
			`{"a":1e400}`: `{"a":1e401}`, `{"a":1e999999999}`: `{"a":2e999999999}`,
			`{"a":1e-999999999}`: `{"a":0}`, `{"a":-1E+0999999999}`: `{"a":-2E+0999999999}`,
			`{"a":0}`: `{"a":null}`, `{"a":false}`: `{"a":null}`, `{"a":""}`: `{}`, `{"a":1,"b":1}`: `{"a":1}`,
		},
	} {
		for one, other := range pairs {
			first, second := properties(one), properties(other)
			failIf(t, first.Equal(second) != want || second.Equal(first) != want || !first.Equal(first),
				"%s and %s: want %t", one, other, want)
		}
	}
	var none Properties
	failIf(t, properties("{}").Equal(none) || none.Equal(properties("{}")) || !none.Equal(none), "no object equals one")
}

// TestPropertiesShown: a response shows what was sent if no service could mean something else by it. Whole numbers are
// exact.
func TestPropertiesShown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		one, other string
		want       []string // the keys that differ
		beyond     bool     // the first has more than the second, or something else
	}{
		{`{"a":1,"b":{"c":2,"d":"<"}}`, `{"b":{"d":"\u003C","c":2e0},"\u0061":1.0}`, nil, false},
		{`{"a":9007199254740993,"b":1e2}`, `{"a":9007199254740992,"b":100}`, []string{"a"}, true},
		{`{"a":0.1,"b":0.3333333333333333333333}`, `{"a":0.10,"b":0.3333333333333333}`, nil, false},
		{`{"a":0.333}`, `{"a":0.3333}`, []string{"a"}, true},
		{`{"a":1.00000000000000000001}`, `{"a":1}`, []string{"a"}, true}, // Only one of them is whole.
		{`{"a":1,"b":1}`, `{"a":"1","b":true}`, []string{"a", "b"}, true},
		{`{"a":null,"b":{"c":null,"d":[{"e":null}]}}`, `{"b":{"d":[{}]}}`, nil, false},
		{`{"a":{},"b":[{"c":[]}],"d":{"e":null}}`, `{"a":[],"b":[{"c":{}}],"d":[]}`, nil, false},
		{`{"a":{},"b":[null]}`, `{"b":[]}`, []string{"a", "b"}, true},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, []string{"a"}, true},
		{`{"b":1}`, `{"b":1,"a":null,"c":""}`, []string{"c"}, false},
		{`{"b":1}`, `{"c":1,"a":1}`, []string{"a", "b", "c"}, true},
	} {
		one, other, shown := properties(test.one), properties(test.other), test.want == nil
		failIf(t, !slices.Equal(one.Differences(other), test.want) || !slices.Equal(other.Differences(one), test.want) ||
			one.ShownBy(other) != shown || other.ShownBy(one) != shown || one.Beyond(other) != test.beyond,
			"%s and %s: %q differ; Beyond = %t", test.one, test.other, one.Differences(other), one.Beyond(other))
	}
	var none Properties
	empty, null := properties("{}"), properties(`{"a":null}`)
	if empty.ShownBy(none) || none.ShownBy(empty) || !none.ShownBy(none) || empty.Beyond(none) || empty.IsZero() ||
		none.Text() != "" || !null.Has("a") || empty.Has("a") || len(none.Differences(null)) > 0 {
		t.Error("no object and the empty one are not distinguished")
	}
	if text, err := json.Marshal(none); err == nil {
		t.Errorf("no object was encoded as %s, so a service would empty the properties", text)
	}
}

// TestNumbersStaySmall: no number may take much more room than its text, wherever it stands.
func TestNumbersStaySmall(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	for _, number := range []string{"1e399", "1e-399", "1e400000000", "1e-400000000", "1e41", "1e99999999999999999999"} {
		text := `{"a":[` + strings.Repeat(number+",", 3_000) + `1]}`
		object := properties(text)
		most := uint64(40_000 * len(text) / len(number))
		for what, work := range map[string]func(){
			"Text": func() { _ = object.Text() }, "Equal": func() { object.Equal(object) },
			"Differences": func() { object.Differences(object) }, "ParseProperties": func() { properties(text) },
		} {
			got := allocated(work)
			failIf(t, got > most, "%s with %s: %d bytes for a text of %d", what, number, got, len(text))
		}
		failIf(t, len(object.Text()) > 10*len(text), "the text of %s: %d bytes", number, len(object.Text()))
	}
}

// allocated returns how many bytes work allocates.
func allocated(work func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
