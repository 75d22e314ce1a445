package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestBehindTheBack(t *testing.T) {
	w := newWorld(t, emulator.Options{IDs: emulator.IDsLowerCase})
	const b = `b 1001 token-1 "" null ` + "\n"
	w.Seed(emulator.Group{ID: "B"})
	w.Seed(emulator.Group{ID: "c", Environment: "Testing"})
	w.is("Seed", w.stored(), before+b)
	w.is("RotateBehind", w.named(w.RotateBehind("Acme")), "token-2")
	w.is("RotateBehind", w.stored(), strings.Replace(before, "tok", "token-2", 1)+b)
	w.Change("acme", func(g *emulator.Group) { g.ID, g.Environment, g.Name = "x", "Testing", "New" })
	w.is("Change", w.stored(), strings.NewReplacer("tok", "token-2", "Acme", "New").Replace(before)+b)
	w.is("Replace", fmt.Sprint(w.Replace("ACME").TeamID), "1003")
	w.is("Replace", w.stored(), `acme 1003 token-3 "" null `+"\n"+b)
	for _, token := range []string{"tok", w.tokens[1]} {
		w.is("stale "+token, w.ask(fmt.Sprintf(`POST {"current_token":%q}`, token))+w.recorded().ID, stale+"acme")
	}
	w.Remove("B")
	w.Remove("b")
	w.Change("b", func(*emulator.Group) { t.Error("Change found a missing group") })
	w.is("RotateBehind", w.RotateBehind("b"), "")
	w.is("Remove", w.stored(), `acme 1003 token-3 "" null `+"\n")
	if groups := w.In("Testing").Groups(); len(groups) != 1 || groups[0].ID != "c" || len(w.Calls()) != 2 {
		t.Errorf("the groups in Testing are %+v, the calls are %v", groups, w.Calls())
	}
}

func TestEnvironmentsKeepTheirGroupsApart(t *testing.T) {
	keys := map[string]string{"c": "Customer", "c2": "Customer", "t": "Testing", "u": ""}
	w := newWorld(t, emulator.Options{Environments: keys})
	w.In("Testing").Seed(emulator.Group{ID: "n", Token: "theirs"})
	for _, test := range []struct{ key, call, want string }{
		{emulator.DefaultKey, `GET {"user_group_id":"n"}`, "^401 "},
		{"c", `GET {"user_group_id":"n"}`, `"new_user_group":true`},
		{"c2", `GET {"user_group_id":"n"}`, `"new_user_group":false`},
		{"u", `GET {"user_group_id":"n"}`, `"new_user_group":true`},
		{"t", `GET {"user_group_id":"n"}`, `"new_user_group":false`},
		{"c2", `PUT {"user_group_id":"n"}`, `"api_environment_tag":"Customer"`},
		{"t", `PUT {"user_group_id":"n"}`, `"api_environment_tag":"Testing"`},
		{"u", `PUT {"user_group_id":"n"}`, `"api_environment_tag":null`},
		{"c", `POST {"current_token":"theirs"}`, "^404 "},
		{"t", `POST {"current_token":"theirs"}`, "^200 "},
		{"c", `DELETE {"user_group_id":"n"}`, "^200 "},
	} {
		r := request(t, test.call)
		r.Header.Set("Authorization", "Token "+test.key)
		w.matches(test.key+" "+test.call, w.answer(r), test.want)
		w.is(test.key+" "+test.call, w.recorded().Environment, keys[test.key])
	}
	if w.stored() != before || len(w.In("Testing").Groups()) != 1 || len(w.In("").Groups()) != 1 {
		t.Error("a DELETE did not reach its environment, or reached another one")
	}
}

func TestCallsAndConnections(t *testing.T) {
	w := listening(t, emulator.Options{})
	const get, remove = `GET {"user_group_id":"n"}`, `DELETE {"user_group_id":"n"}`
	w.exchange(get, get)
	w.exchange(remove)
	calls := w.Calls()
	w.is("calls", fmt.Sprint(calls), `[GET "n" 200 created GET "n" 200 DELETE "n" 200 deleted]`)
	w.is("teams", fmt.Sprint(calls[0].TeamID, calls[1].TeamID, calls[2].TeamID, w.Count("deleted", "n")), "1001 0 1001 1")
	if w.Connections() != 2 || calls[1].At.Before(calls[0].At) ||
		calls[0].Header.Get("Authorization") == "" || string(calls[0].Body) != get[4:] {
		t.Errorf("%d connections, %#v", w.Connections(), calls)
	}
	w.Fail(emulator.Fault{Nth: 1, Kind: emulator.Refuse})
	w.ResetCounts()
	left := fmt.Sprint(w.Calls(), w.Connections(), w.Count("GET", ""), w.FaultsWaiting(), len(w.Groups()), len(calls))
	w.is("after ResetCounts", left, "[] 0 0 1 1 3")
}

func TestACallIsOneSafeLine(t *testing.T) {
	var line string
	log := func(call emulator.Call) { line += call.String() }
	w := newWorld(t, emulator.Options{ForgetCalls: true, Log: log})
	w.Fail(emulator.Fault{Method: "DELETE", Kind: emulator.CutAfterWork})
	for _, test := range []struct{ call, want string }{
		{`GET {"user_group_id":"n","name":"Hidden"}`, `GET "n" 200 created`},
		{`PUT {"user_group_id":"n"}`, `PUT "n" 200 updated`},
		{`POST {"current_token":"tok"}`, `POST "acme" 200 rotated`},
		{`POST {"current_token":"x"}`, `POST "" 404 refused "current_token is not the current token of any user group"`},
		{"GET {\"user_group_id\":\"a b\\n\\u001b[31m\\u202ex\"}", `GET "a b\n\x1b[31m\u202ex" 200 created`},
		{`GET {"user_group_id":"` + strings.Repeat("x", 999) + `"}`, `GET "` + strings.Repeat("x", 120) + `" 200 created`},
		{`DELETE {"user_group_id":"n"}`, `DELETE "n" 0 deleted cut-after-work`},
	} {
		line = ""
		w.ask(test.call)
		w.is(test.call, line+fmt.Sprint(w.Calls()), test.want+"[]")
	}
}
