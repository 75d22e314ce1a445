package emulator_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

var wrongBodies = []struct{ name, method, body, naming string }{
	{"no body", "GET", ``, "body"},
	{"array", "GET", `[]`, "body"},
	{"null body", "PUT", `null`, "body"},
	{"trailing", "GET", `{"user_group_id":"acme"} {}`, "body"},
	{"not UTF-8", "GET", "{\"user_group_id\":\"\xff\"}", "body"},
	{"twice", "GET", `{"user_group_id":"acme","user_group_id":"b"}`, "user_group_id"},
	{"no id", "GET", `{"name":"n"}`, "user_group_id"},
	{"no id", "PUT", `{"name":"n"}`, "user_group_id"},
	{"empty id", "GET", `{"user_group_id":""}`, "user_group_id"},
	{"null id", "DELETE", `{"user_group_id":null}`, "user_group_id"},
	{"number id", "GET", `{"user_group_id":5}`, "user_group_id"},
	{"null name", "PUT", `{"user_group_id":"acme","name":null}`, "name"},
	{"number name", "GET", `{"user_group_id":"acme","name":1}`, "name"},
	{"null mapping", "PUT", `{"user_group_id":"acme","mapping":null}`, "mapping is null"},
	{"array mapping", "GET", `{"user_group_id":"acme","mapping":[]}`, "mapping"},
	{"number in mapping", "PUT", `{"user_group_id":"acme","mapping":{"a":1}}`, "mapping"},
	{"null in mapping", "PUT", `{"user_group_id":"acme","mapping":{"a":null}}`, "mapping"},
	{"key twice in mapping", "PUT", `{"user_group_id":"acme","mapping":{"a":"1","a":"2"}}`, "mapping"},
	{"null properties", "GET", `{"user_group_id":"acme","properties":null}`, "properties is null"},
	{"properties as text", "PUT", `{"user_group_id":"acme","properties":"{}"}`, "properties"},
	{"key twice in properties", "PUT", `{"user_group_id":"acme","properties":{"a":1,"a":2}}`, "properties"},
	{"no token", "POST", `{}`, "current_token"},
	{"null token", "POST", `{"current_token":null}`, "current_token"},
	{"empty token", "DELETE", `{"current_token":""}`, "current_token"},
	{"null data source", "DELETE", `{"current_token":"tok","data_source_provided_id":null}`, "data_source_provided_id"},
	{"token in a GET", "GET", `{"user_group_id":"acme","current_token":"tok"}`, "current_token"},
	{"data source in a GET", "GET", `{"user_group_id":"acme","data_source_provided_id":"d"}`, "data_source_provided_id"},
	{"id in a POST", "POST", `{"current_token":"tok","user_group_id":"acme"}`, "user_group_id"},
	{"name in a DELETE", "DELETE", `{"current_token":"tok","name":"n"}`, "name"},
	{"other case", "GET", `{"User_Group_ID":"acme"}`, "User_Group_ID"},
}

func TestWrongBodiesAreRefusedByName(t *testing.T) {
	for style, status := range map[emulator.Refusals]int{emulator.RefusalsStatus: 400, emulator.RefusalsSuccessZero: 200} {
		e, c := start(t, emulator.Options{Refusals: style})
		before := e.Seed(emulator.Group{ID: "acme", Name: "Acme", Token: "tok", Mapping: map[string]string{"k": "v"}})
		for _, test := range wrongBodies {
			t.Run(test.method+" "+test.name, func(t *testing.T) {
				c.refused(t, test.method, test.body, status, test.naming)
				if call := lastCall(t, e); call.Status != status || !strings.Contains(call.Refused, test.naming) || string(call.Body) != test.body {
					t.Errorf("recorded %+v", call)
				}
				after := mustGroup(t, e.Environment, "acme")
				if len(e.Groups()) != 1 || after.Name != before.Name || after.Token != before.Token || len(after.Mapping) != 1 {
					t.Errorf("the refused call changed something: %+v", e.Groups())
				}
			})
		}
	}
}

func TestWrongRequestsHaveTheirStatusInEveryStyle(t *testing.T) {
	for _, test := range []struct {
		name   string
		method string
		alter  func(*http.Request)
		status int
		naming string
	}{
		{"path", "GET", func(r *http.Request) { r.URL.Path = "/api/users" }, 404, "/api/user"},
		{"trailing slash", "GET", func(r *http.Request) { r.URL.Path = "/api/user/" }, 404, "/api/user"},
		{"doubled slash", "GET", func(r *http.Request) { r.URL.Path = "//api/user" }, 404, "/api/user"},
		{"escaped slash", "GET", func(r *http.Request) { r.URL.RawPath = "/api%2Fuser" }, 404, "/api/user"},
		{"method", "PATCH", nil, 405, "PUT"},
		{"no key", "GET", func(r *http.Request) { r.Header.Del("Authorization") }, 401, "Authorization"},
		{"wrong key", "GET", func(r *http.Request) { r.Header.Set("Authorization", "Token nope") }, 401, "Authorization"},
		{"other scheme", "GET", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+emulator.DefaultKey) }, 401, "Authorization"},
		{"bare key", "GET", func(r *http.Request) { r.Header.Set("Authorization", emulator.DefaultKey) }, 401, "Authorization"},
		{"two keys", "GET", func(r *http.Request) { r.Header.Add("Authorization", "Token x") }, 401, "Authorization"},
		{"no content type", "GET", func(r *http.Request) { r.Header.Del("Content-Type") }, 415, "Content-Type"},
		{"other content type", "GET", func(r *http.Request) { r.Header.Set("Content-Type", "text/json") }, 415, "Content-Type"},
		{"query", "GET", func(r *http.Request) { r.URL.RawQuery = "a=1" }, 400, "query"},
		{"chunked", "GET", func(r *http.Request) { r.ContentLength = -1 }, 411, "Content-Length"},
	} {
		for _, style := range []emulator.Refusals{emulator.RefusalsStatus, emulator.RefusalsSuccessZero} {
			t.Run(test.name, func(t *testing.T) {
				e, c := start(t, emulator.Options{Refusals: style})
				c.altered(test.alter).refused(t, test.method, byID("acme"), test.status, test.naming)
				if len(e.Groups()) != 0 {
					t.Error("the refused call created a group")
				}
				call := lastCall(t, e)
				if call.Status != test.status || call.ID != "acme" || string(call.Body) != byID("acme") {
					t.Errorf("recorded %+v", call)
				}
			})
		}
	}
}

func TestMethodNotAllowedSaysWhichAre(t *testing.T) {
	_, c := start(t, emulator.Options{})
	if allow := c.send("PATCH", `{}`).header.Get("Allow"); allow != "GET, PUT, POST, DELETE" {
		t.Errorf("Allow: %q", allow)
	}
}

func TestBodySize(t *testing.T) {
	e, c := start(t, emulator.Options{})
	fitting := func(size int) string {
		frame := `{"user_group_id":"acme","name":""}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", size-len(frame))+`"`, 1)
	}
	c.refused(t, "GET", fitting(1<<20+1), http.StatusRequestEntityTooLarge, "1 MiB")
	c.refused(t, "GET", fitting(5<<20), http.StatusRequestEntityTooLarge, "1 MiB")
	if len(e.Groups()) != 0 {
		t.Error("an oversized body created a group")
	}
	c.succeed(t, "GET", fitting(1<<20))
	if e.Connections() != 1 {
		t.Errorf("an oversized body cost the connection: %d", e.Connections())
	}
}

func TestBodyThatEndsEarlyIsNotWorkedOn(t *testing.T) {
	e, _ := start(t, emulator.Options{})
	connection, err := net.Dial("tcp", strings.TrimPrefix(e.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	body := byID("acme")
	head := "GET /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token " + emulator.DefaultKey +
		"\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
	if _, err := io.WriteString(connection, head+body); err != nil {
		t.Fatal(err)
	}
	_ = connection.(*net.TCPConn).CloseWrite()
	_, _ = io.ReadAll(connection)
	if call := lastCall(t, e); len(e.Groups()) != 0 || call.Status != 400 || call.Created {
		t.Errorf("groups %+v, recorded %+v", e.Groups(), call)
	}
}
