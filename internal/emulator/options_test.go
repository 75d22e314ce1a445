package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestEchoAnswersTheRequestOnly(t *testing.T) {
	e, c := start(t, emulator.Options{Answers: emulator.AnswersEcho})
	e.Seed(emulator.Group{ID: "acme", Name: "Acme", Token: "tok", TeamID: 5, Properties: json.RawMessage(`{"a":1}`)})
	for _, test := range []struct{ method, body, want string }{
		{"GET", byID("acme"), `{"success":1,"new_user_group":false,"user_group":{"team_id":5,"token":"tok","name":null,"provided_id":"acme","properties":null}}`},
		{"GET", `{"user_group_id":"acme","name":"Told","properties":{"b": 2}}`, `{"success":1,"new_user_group":false,"user_group":{"team_id":5,"token":"tok","name":"Told","provided_id":"acme","properties":{"b": 2}}}`},
		{"PUT", `{"user_group_id":"acme","name":""}`, `{"success":1,"user_group":{"team_id":5,"token":"tok","name":"","provided_id":"acme","properties":null,"api_environment_tag":"Customer"}}`},
	} {
		if got := c.send(test.method, test.body); got.raw != test.want {
			t.Errorf("%s %s\nanswered %s\nwant     %s", test.method, test.body, got.raw, test.want)
		}
	}
	rotated := c.send("POST", byToken("tok")).raw
	want := fmt.Sprintf(`{"success":1,"user_group":{"team_id":5,"token":%q,"name":null,"provided_id":null,"api_environment_tag":"Customer"}}`, mustGroup(t, e.Environment, "acme").Token)
	if rotated != want {
		t.Errorf("POST\nanswered %s\nwant     %s", rotated, want)
	}
}

func TestEchoOfAMergeIsTheRequest(t *testing.T) {
	e, c := start(t, emulator.Options{Answers: emulator.AnswersEcho, Updates: emulator.UpdatesMerge})
	e.Seed(emulator.Group{ID: "acme", Properties: json.RawMessage(`{"a":1}`)})
	got := c.succeed(t, "PUT", `{"user_group_id":"acme","properties":{"b":2}}`)
	if string(got.Group.Properties) != `{"b":2}` {
		t.Errorf("answered %s", got.Group.Properties)
	}
	if stored := mustGroup(t, e.Environment, "acme").Properties; string(stored) != `{"a":1,"b":2}` {
		t.Errorf("stored %s", stored)
	}
}

func TestNameRequired(t *testing.T) {
	e, c := start(t, emulator.Options{NameRequired: true})
	e.Seed(emulator.Group{ID: "acme", Name: "Acme", Token: "tok"})
	c.refused(t, "GET", byID("acme"), 400, "name")
	c.refused(t, "GET", `{"user_group_id":"new","name":""}`, 400, "name")
	c.refused(t, "PUT", `{"user_group_id":"acme","mapping":{}}`, 400, "name")
	c.succeed(t, "GET", `{"user_group_id":"new","name":"New"}`)
	c.succeed(t, "POST", byToken("tok"))
	c.succeed(t, "DELETE", byID("acme"))
	if e.Creations("new") != 1 || e.Updates("acme") != 0 {
		t.Errorf("%d creations, %d updates", e.Creations("new"), e.Updates("acme"))
	}
}

func TestRefusalsBySuccessZero(t *testing.T) {
	_, c := start(t, emulator.Options{Refusals: emulator.RefusalsSuccessZero})
	c.refused(t, "PUT", byID("absent"), 200, "user_group_id")
	c.refused(t, "POST", byToken("stale"), 200, "current_token")
	c.refused(t, "DELETE", byID("absent"), 200, "user_group_id")
}

func TestPutOnAnAbsentGroup(t *testing.T) {
	e, c := start(t, emulator.Options{})
	c.refused(t, "PUT", `{"user_group_id":"acme","name":"Acme"}`, http.StatusNotFound, "user_group_id")
	if len(e.Groups()) != 0 {
		t.Error("the refused PUT created")
	}

	e, c = start(t, emulator.Options{UpsertOnPut: true})
	got := c.succeed(t, "PUT", `{"user_group_id":"acme","name":"Acme","mapping":{"a":"1"}}`)
	group := mustGroup(t, e.Environment, "acme")
	if got.IsNew != nil || text(got.Group.Token) != group.Token || group.Name != "Acme" || group.Mapping["a"] != "1" {
		t.Errorf("answered %+v, stored %+v", got, group)
	}
	c.succeed(t, "PUT", `{"user_group_id":"acme","name":"Acme"}`)
	if e.Creations("acme") != 1 || e.Updates("acme") != 1 {
		t.Errorf("%d creations, %d updates", e.Creations("acme"), e.Updates("acme"))
	}
}

func TestForgivingDeletes(t *testing.T) {
	e, c := start(t, emulator.Options{ForgivingDeletes: true})
	for _, body := range []string{byID("absent"), byToken("stale"), `{"current_token":"stale","user_group_id":"absent"}`} {
		c.succeed(t, "DELETE", body)
	}
	e.Seed(emulator.Group{ID: "acme"})
	e.Seed(emulator.Group{ID: "other", Token: "tok"})
	c.refused(t, "DELETE", `{"current_token":"tok","user_group_id":"acme"}`, http.StatusConflict, "user_group_id")
	c.refused(t, "DELETE", `{}`, http.StatusBadRequest, "current_token")
	c.succeed(t, "DELETE", `{"current_token":"stale","user_group_id":"acme"}`)
	if left := e.Groups(); len(left) != 1 || left[0].ID != "other" || e.Deletions("acme") != 1 || e.Deletions("absent") != 0 {
		t.Errorf("left are %v; %d and %d deletions", left, e.Deletions("acme"), e.Deletions("absent"))
	}
}

func TestEnvironmentsKeepTheirGroupsApart(t *testing.T) {
	e, err := emulator.Start(emulator.Options{Environments: map[string]string{
		"key-c": "Customer", "key-c2": "Customer", "key-t": "Testing", "key-u": "",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	customer, other, testing, untagged := newCaller(t, e, "key-c"), newCaller(t, e, "key-c2"), newCaller(t, e, "key-t"), newCaller(t, e, "key-u")
	newCaller(t, e, emulator.DefaultKey).refused(t, "GET", byID("acme"), 401, "Authorization")

	tokens := map[string]bool{}
	for _, c := range []*caller{customer, testing, untagged} {
		got := c.succeed(t, "GET", byID("acme"))
		if !*got.IsNew {
			t.Errorf("%s found the group of another environment", c.key)
		}
		tokens[*got.Group.Token] = true
	}
	if len(tokens) != 3 {
		t.Errorf("the environments share a token: %v", tokens)
	}
	if *other.succeed(t, "GET", byID("acme")).IsNew {
		t.Error("two keys of one tag do not share the environment")
	}
	for c, want := range map[*caller]string{customer: `"Customer"`, testing: `"Testing"`, untagged: `null`} {
		if got := c.succeed(t, "PUT", byID("acme")).Group.Environment; string(got) != want {
			t.Errorf("%s answers the tag %s, want %s", c.key, got, want)
		}
	}
	foreign := mustGroup(t, e.In("Testing"), "acme").Token
	customer.refused(t, "POST", byToken(foreign), 404, "current_token")
	testing.succeed(t, "POST", byToken(foreign))
	customer.succeed(t, "DELETE", byID("acme"))
	if _, there := e.Group("acme"); there {
		t.Error("the Emulator is not the environment of the first key")
	}
	if len(e.In("Testing").Groups()) != 1 || len(e.In("").Groups()) != 1 {
		t.Error("a DELETE reached another environment")
	}
	if call := lastCall(t, e); call.Environment != "Customer" || call.Header.Get("Authorization") != "Token key-c" {
		t.Errorf("recorded %+v", call)
	}
}

func TestFirstTeamIDKeepsItsDigits(t *testing.T) {
	e, c := start(t, emulator.Options{FirstTeamID: 9007199254740993})
	e.Seed(emulator.Group{ID: "taken", TeamID: 9007199254740994})
	for i, want := range []json.Number{"9007199254740993", "9007199254740995"} {
		if got := c.succeed(t, "GET", byID(fmt.Sprint("acme", i))).Group.TeamID; got != want {
			t.Errorf("team id %s, want %s", got, want)
		}
	}
}

func TestLatency(t *testing.T) {
	const latency = 900 * time.Millisecond
	e, c := start(t, emulator.Options{Latency: latency})
	begin := time.Now()
	c.succeed(t, "GET", byID("acme"))
	if took := time.Since(begin); took < latency {
		t.Errorf("took %s", took)
	}
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	e.BeforeCall(func(emulator.Call) { giveUp() })
	if got := c.until(ctx).send("GET", byID("impatient")); !errors.Is(got.err, context.Canceled) {
		t.Fatalf("the call was not given up: %+v", got)
	}
	e.WaitIdle()
	if e.Creations("impatient") != 1 {
		t.Error("the work of a caller that gave up was not done")
	}
}

func TestRateLimit(t *testing.T) {
	e, c := start(t, emulator.Options{RateLimit: 1, Refusals: emulator.RefusalsSuccessZero})
	c.succeed(t, "GET", byID("0"))
	// After a second without a call, as on a machine that stalls, one more is let in.
	admitted := 1
	got := c.send("GET", byID("1"))
	for ; got.status == 200 && admitted < 10; admitted++ {
		got = c.send("GET", byID(fmt.Sprint(admitted+1)))
	}
	if got.status != 429 || got.header.Get("Retry-After") != "1" || *got.mustParse(t).Success != 0 {
		t.Errorf("status %d, header %v, body %s", got.status, got.header, got.raw)
	}
	if len(e.Groups()) != admitted || lastCall(t, e).Status != 429 {
		t.Errorf("%d groups", len(e.Groups()))
	}
	time.Sleep(time.Second)
	c.succeed(t, "GET", byID("later"))
}

func TestLogHasOneSafeLinePerCall(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	e, c := start(t, emulator.Options{Log: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}})
	token := *c.succeed(t, "GET", `{"user_group_id":"acme","name":"Hidden Name"}`).Group.Token
	c.succeed(t, "POST", byToken(token))
	c.send("GET", "{\"user_group_id\":\"a b\\n\\u001b[31m\\u202ex\"}")
	c.send("GET", byID(strings.Repeat("x", 5000)))
	c.send("POST", byToken(token))
	e.Fail(emulator.Fault{Nth: 1, Kind: emulator.CutAfterWork})
	c.send("PUT", byID("acme"))
	c.send("GET", `{"user_group_id":null}`)
	c.send("GET", `{"user_group_id":"x\u202ey"}`)

	mu.Lock()
	defer mu.Unlock()
	if len(lines) != 8 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, want := range []string{
		`GET acme 200 created `,
		`POST acme 200 rotated `,
		`GET "a b\n\x1b[31m\u202ex" 200 created `,
		`GET ` + strings.Repeat("x", 120) + `… 200 created `,
		`POST acme 404 refused "current_token is not `,
		`PUT acme cut updated cut-after-work `,
		`GET - 400 refused "the field user_group_id is null" `,
		`GET "x\u202ey" 200 created `,
	} {
		if !strings.HasPrefix(lines[i], want) || !strings.HasSuffix(lines[i], "ms") {
			t.Errorf("line %d: %s\nwant    %s", i, lines[i], want)
		}
	}
	for _, secret := range []string{token, mustGroup(t, e.Environment, "acme").Token, emulator.DefaultKey, "Hidden"} {
		if strings.Contains(strings.Join(lines, "\n"), secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
}

func TestForgetCalls(t *testing.T) {
	e, c := start(t, emulator.Options{ForgetCalls: true})
	c.succeed(t, "GET", byID("acme"))
	if len(e.Calls()) != 0 || e.Creations("acme") != 0 || len(e.Groups()) != 1 {
		t.Errorf("%d calls, %d groups", len(e.Calls()), len(e.Groups()))
	}
}

func TestStartRefuses(t *testing.T) {
	for name, options := range map[string]emulator.Options{
		"no keys":         {Environments: map[string]string{}},
		"an empty key":    {Environments: map[string]string{"": "Customer"}},
		"a key of spaces": {Environments: map[string]string{"a b": "Customer"}},
		"negative time":   {Latency: -1},
		"negative rate":   {RateLimit: -1},
		"answers":         {Answers: 2},
		"updates":         {Updates: 2},
		"refusals":        {Refusals: -1},
	} {
		if e, err := emulator.Start(options); err == nil {
			e.Close()
			t.Errorf("%s was accepted", name)
		}
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "nonsense"} {
		if e, err := emulator.StartOn(addr, emulator.Options{}); err == nil {
			e.Close()
			t.Errorf("%s was accepted", addr)
		}
	}
}
