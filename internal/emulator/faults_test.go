package emulator_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		fault emulator.Fault
		done  bool
		want  string
	}{
		{emulator.Fault{Kind: emulator.CutAfterWork}, true, `^cut$`},
		{emulator.Fault{Kind: emulator.CutBefore}, false, `^cut$`},
		{emulator.Fault{Kind: emulator.Error500AfterWork}, true, `^500 {"success":0,"message"`},
		{emulator.Fault{Kind: emulator.Unavailable503}, false, `^503 {"success":0,"message"`},
		{emulator.Fault{Kind: emulator.TooMany429}, false, `^429 {"success":0,"message"`},
		{emulator.Fault{Kind: emulator.HTML200}, false, `^200 Content-Type: text/html; charset=utf-8 <!DOCTYPE html>`},
		{emulator.Fault{Kind: emulator.Refuse}, false, `^400 {"success":0,"message":"the service refuses this call"}$`},
		{emulator.Fault{Kind: emulator.HalfDocument}, true, `^200 {"suc.*[^}]$`},
		{emulator.Fault{Kind: emulator.CutInDocument}, true, `^200 Content-Length: \d+ {"suc.*[^}]$`},
		{
			emulator.Fault{Kind: emulator.NoToken},
			true,
			`^200 {"success":1(,"new_user_group":true)?(,"user_group":{"team_id":\d+,"name":.*)?}$`,
		},
		{emulator.Fault{Kind: emulator.Redirect307}, false, `^307 Location: /elsewhere {"success":0`},
		{emulator.Fault{Kind: emulator.Delay, Delay: time.Millisecond}, true, `^200 {"success":1`},
		{emulator.Fault{Kind: emulator.AnswerTwice}, true, `^200 {"success":1`},
		{emulator.Fault{Kind: emulator.Answer}, false, `^200 $`},
		{
			emulator.Fault{Kind: emulator.Answer, Status: 418, Body: "no", Header: http.Header{"x-odd": {"a", "b"}}},
			false,
			`^418 X-Odd: a,b no$`,
		},
		{emulator.Fault{Kind: "unheard-of"}, false, `^501 .*of an unknown kind`},
		{emulator.Fault{}, false, `^501 .*of an unknown kind`},
	} {
		for _, call := range []string{
			`GET {"user_group_id":"n"}`, `PUT {"user_group_id":"acme","name":"N"}`, `POST {"current_token":"tok"}`,
			`DELETE {"current_token":"tok"}`,
		} {
			w := newWorld(t, emulator.Options{})
			test.fault.Nth = 1
			w.Fail(test.fault)
			w.matches(string(test.fault.Kind)+" "+call, w.ask(call), test.want)
			struck := w.recorded()
			if changed := w.stored() != before; changed != test.done || struck.Did() != "" != test.done {
				t.Errorf("%s: changed %t, recorded %v", call, changed, struck)
			}
			if kind := string(test.fault.Kind); kind != "" && struck.Fault != kind || w.FaultsWaiting() != 0 {
				t.Errorf("%s: recorded %v, %d faults are waiting", call, struck, w.FaultsWaiting())
			}
			w.matches("the next call", w.ask(`GET {"user_group_id":"afterwards"}`), `^200 {"success":1`)
		}
	}
}

// TestFaultsOnTheWire covers faults that show only on a real connection, because they cut it within a response, send a
// second response, or contain its address.
func TestFaultsOnTheWire(t *testing.T) {
	for kind, want := range map[emulator.FaultKind]string{
		emulator.HalfDocument:  `(?s)^HTTP/1.1 200 OK.*Content-Length: 77\r.*\r\n\r\n{"success":1,.*"token":"ugt_$`,
		emulator.CutInDocument: `(?s)^HTTP/1.1 200 OK.*Content-Length: 155\r.*\r\n\r\n{"success":1,.*"token":"ugt_$`,
		emulator.Redirect307:   `Location: http://127.0.0.1:\d+/elsewhere\r`,
	} {
		w := listening(t, emulator.Options{})
		w.Fail(emulator.Fault{Nth: 1, Kind: kind})
		w.matches(string(kind), w.named(w.exchange(`GET {"user_group_id":"nn"}`)), want)
	}
	w := listening(t, emulator.Options{})
	w.Fail(emulator.Fault{Nth: 1, Kind: emulator.AnswerTwice})
	w.matches("answer twice", w.named(w.exchange(`GET {"user_group_id":"nn"}`, `GET {"user_group_id":"other"}`)),
		`(?s)^HTTP/1.1 200 OK.*"token-1".*}}HTTP/1.1 200 .*Length: 155\r\n\r\n{.*"token-1".*}}$`)
	w.is("calls", fmt.Sprint(len(w.Calls())), "1")
}

func TestFaultsChooseTheirCalls(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	const put, get, post, another = `PUT {"user_group_id":"acme"}`, `GET {"user_group_id":"acme"}`,
		`POST {"current_token":"tok"}`, `PUT {"user_group_id":"other"}`
	struck := func(call string, by emulator.FaultKind) {
		t.Helper()
		w.ask(call)
		w.is(call, w.recorded().Fault, string(by))
	}
	w.Fail(emulator.Fault{Method: "PUT", ID: "acme", Nth: 2, Kind: emulator.Refuse})
	struck(put, "")
	struck(get, "")
	struck(another, "")
	struck(put, emulator.Refuse)
	struck(put, "")
	w.Fail(emulator.Fault{Kind: emulator.TooMany429})
	w.Fail(emulator.Fault{ID: "acme", Nth: 1, Kind: emulator.CutAfterWork})
	w.Fail(emulator.Fault{ID: "acme", Nth: 1, Kind: emulator.Unavailable503})
	struck(post, emulator.CutAfterWork)
	struck(post, emulator.Unavailable503) // a stale token still identifies the group
	struck(post, emulator.TooMany429)
	struck(another, emulator.TooMany429)
	w.Fail(emulator.Fault{Nth: 9, Kind: emulator.Refuse})
	w.Fail(emulator.Fault{Method: http.MethodPut, Kind: emulator.Refuse})
	if w.FaultsWaiting() != 2 { // The lasting fault has struck.
		t.Errorf("%d faults are waiting, want 2", w.FaultsWaiting())
	}
	w.ClearFaults()
	struck(another, "")
}

func TestFaultsStrikeAWrongKeyAndNoOtherPath(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.Fail(emulator.Fault{Kind: emulator.CutAfterWork})
	r := request(t, `DELETE {"user_group_id":"acme"}`)
	r.Header.Set("Authorization", "Token wrong")
	w.is("wrong key", w.answer(r)+w.stored(), "cut"+before)
	r.URL.Path = "/elsewhere"
	w.matches("other path", w.answer(r)+w.recorded().Path, "^404 .*/elsewhere$")
}

// TestHook: the hook runs before the work is done and before a fault is chosen, and may use the emulator.
func TestHook(t *testing.T) {
	w := newWorld(t, emulator.Options{Refusals: emulator.RefusalsSuccessZero})
	const call, get = `POST {"current_token":"tok"}`, `GET {"user_group_id":"acme"}`
	w.BeforeCall(func(seen emulator.Call) {
		w.is("seen", seen.ID+" "+seen.Method+" "+string(seen.Body), "acme "+call)
		w.RotateBehind(seen.ID)
	})
	w.is(call, w.ask(call), strings.Replace(stale, "404", "200", 1))
	w.BeforeCall(func(emulator.Call) { w.Fail(emulator.Fault{Nth: 1, Kind: emulator.Refuse}) })
	w.is(get, w.ask(get), `200 {"success":0,"message":"the service refuses this call"}`)
	w.BeforeCall(nil)
	w.matches(get, w.ask(get), `^200 {"success":1`)
}

// TestDelays checks that the work of a call that takes 3 s is done at once, and when the call ends, for a caller that
// waits and for one that gives up after 1 s.
func TestDelays(t *testing.T) {
	for name, test := range map[string]struct {
		latency time.Duration
		fault   emulator.Fault
	}{
		"latency": {3 * time.Second, emulator.Fault{Nth: 99}},
		"late":    {0, emulator.Fault{Kind: emulator.Delay, Delay: 3 * time.Second}},
		"both":    {3 * time.Second, emulator.Fault{Kind: emulator.Delay, Delay: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, emulator.Options{Latency: test.latency})
			w.Fail(test.fault)
			begin := time.Now()
			w.matches(name, w.ask(`GET {"user_group_id":"patient"}`), `^200 {"success":1`)
			w.is(name, time.Since(begin).String(), "3s")
			ctx, giveUp := context.WithTimeout(t.Context(), time.Second)
			defer giveUp()
			begin = time.Now()
			go w.answer(request(t, `GET {"user_group_id":"impatient"}`).WithContext(ctx))
			synctest.Wait()
			w.is(name, fmt.Sprint(w.Count("created", "impatient")), "1")
			w.WaitIdle()
			w.is(name, time.Since(begin).String(), "1s")
			w.matches(name, w.recorded().String(), `^GET "impatient" 200 created`)
		})
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, emulator.Options{})
		w.Fail(emulator.Fault{Method: "GET", Kind: emulator.Delay, Delay: time.Hour})
		begin := time.Now()
		go w.ask(`GET {"user_group_id":"n"}`)
		synctest.Wait()
		w.Close()
		w.Close()
		w.WaitIdle()
		w.is("ended", fmt.Sprint(time.Since(begin), w.Calls()), `0s [GET "n" 200 created delay]`)
	})
	w := listening(t, emulator.Options{Latency: time.Hour})
	w.BeforeCall(func(emulator.Call) { go w.Close() })
	w.is("on the wire", w.exchange(`GET {"user_group_id":"acme"}`), "")
}

// TestReadLag: a GET shows each change by a call 3 s later, and a change by another client at once.
func TestReadLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, emulator.Options{ReadLag: 3 * time.Second})
		begin := time.Now()
		const old, renamed, turned = found + `"Acme"`, found + `"New"`,
			`200 {"success":1,"new_user_group":false,"user_group":{"team_id":7,"token":"token-1","name":"New"`
		const get, put = `GET {"user_group_id":"acme"}`, `PUT {"user_group_id":"acme","name":"New"}`
		for _, test := range []struct {
			at          time.Duration
			call, shown string
		}{
			{0, put, old},
			{time.Second, `POST {"current_token":"tok"}`, old},
			{3*time.Second - 1, get, old},
			{3 * time.Second, get, renamed},
			{4*time.Second - 1, get, renamed},
			{4 * time.Second, get, turned},
			{5 * time.Second, `DELETE {"user_group_id":"acme"}`, turned},
			{8*time.Second - 1, get, turned},
		} {
			time.Sleep(test.at - time.Since(begin))
			w.matches(test.call, w.ask(test.call), "^200 ")
			w.is(fmt.Sprint("after ", test.at), w.ask(get)[:len(test.shown)], test.shown)
		}
		time.Sleep(time.Nanosecond)
		w.is("deleted and made anew", w.ask(get), strings.NewReplacer(`"n"`, `"acme"`, "token-1", "token-2").Replace(empty))
		w.ask(put)
		w.Change("acme", func(g *emulator.Group) { g.Name = "Elsewhere" })
		w.matches("somebody else's change", w.ask(get), `"name":"Elsewhere"`)
		w.ask(put)
		w.Remove("acme")
		w.matches("somebody else's removal", w.ask(get), `"new_user_group":true`)
	})
}

func TestRateLimit(t *testing.T) {
	const refusal = `429 Retry-After: 1 {"success":0,"message":"more calls per second than the service accepts"}`
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, emulator.Options{RateLimit: 4})
		w.Fail(emulator.Fault{Kind: emulator.Answer, Body: "admitted"}) // strikes only admitted calls
		for _, after := range []struct {
			pause  time.Duration
			admits int
		}{
			{0, 4}, {250*time.Millisecond - 1, 0}, {1, 1}, {500 * time.Millisecond, 2}, {time.Hour, 4},
		} {
			time.Sleep(after.pause)
			for range after.admits {
				w.is(fmt.Sprint("after ", after.pause), w.ask("GET {}"), "200 admitted")
			}
			w.is(fmt.Sprint("after ", after.pause), w.ask("GET {}"), refusal)
			w.is(fmt.Sprint("after ", after.pause), w.ask("GET {}"), refusal)
		}
	})
}
