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
	t.Parallel()
	for _, test := range []struct {
		fault emulator.Fault
		done  bool
		want  string
	}{
		{emulator.Fault{Kind: emulator.CutAfterWork}, true, `^cut$`},
		{emulator.Fault{Kind: emulator.CutBefore}, false, `^cut$`},
		{emulator.Fault{Kind: emulator.Error500AfterWork}, true, `^500 {"error":"something went wrong"}$`},
		{emulator.Fault{Kind: emulator.Unavailable503}, false, `^503 {"success":0,"message"`},
		{emulator.Fault{Kind: emulator.TooMany429}, false, `^429 {"success":0,"message"`},
		{emulator.Fault{Kind: emulator.HTML200}, false, `^200 Content-Type: text/html; charset=utf-8 <!DOCTYPE html>`},
		{emulator.Fault{Kind: emulator.Refuse}, false, `^400 {"success":0,"message":"the service refuses this call"}$`},
		{emulator.Fault{Kind: emulator.HalfDocument}, true, `^200 {"suc.*[^}]$`},
		{emulator.Fault{Kind: emulator.CutInDocument}, true, `^200 Content-Length: \d+ {"suc.*[^}]$`},
		{emulator.Fault{Kind: emulator.NoToken}, true, `^200 {"success":1(,.*"team_id":\d+,"name":.*)?}$`},
		{emulator.Fault{Kind: emulator.Delay, Delay: time.Millisecond}, true, `^200 {"success":1`},
		{
			emulator.Fault{Kind: emulator.Answer, Status: 418, Body: "no", Header: http.Header{"x-odd": {"a", "b"}}},
			false,
			`^418 X-Odd: a,b no$`,
		},
		{emulator.Fault{Kind: "unheard-of"}, false, `^501 .*of an unknown kind`},
		{emulator.Fault{}, false, `^501 .*of an unknown kind`},
	} {
		for _, call := range []string{create, `PUT {"user_group_id":"acme","name":"N"}`, rotate, remove} {
			w := newWorld(t, opts{})
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

// TestFaultsWait: of several faults, the one that was added first strikes, and the others wait for the next call.
func TestFaultsWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, opts{})
	w.Fail(emulator.Fault{ID: "acme", Nth: 1, Kind: emulator.CutAfterWork})
	w.Fail(emulator.Fault{ID: "acme", Nth: 1, Kind: emulator.Unavailable503})
	w.Fail(emulator.Fault{Kind: emulator.TooMany429})
	for _, want := range []emulator.FaultKind{
		emulator.CutAfterWork, emulator.Unavailable503, emulator.TooMany429, emulator.TooMany429,
	} {
		w.ask(rotate) // A stale token still identifies the group.
		w.is("struck", w.recorded().Fault, string(want))
	}
	w.Fail(emulator.Fault{Kind: emulator.Refuse})
	if w.FaultsWaiting() != 1 { // The first lasting fault has struck.
		t.Errorf("%d faults are waiting, want 1", w.FaultsWaiting())
	}
	w.ClearFaults()
	w.is("cleared", w.ask(rotate), stale)
}

// TestDelays: the work of a call that takes 3 s is done at once. The call ends then, or when its caller gives up.
func TestDelays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		latency time.Duration
		fault   emulator.Fault
		patient time.Duration
	}{
		{3 * time.Second, emulator.Fault{Nth: 99}, time.Hour},
		{3 * time.Second, emulator.Fault{Nth: 99}, time.Second},
		{0, emulator.Fault{Kind: emulator.Delay, Delay: 3 * time.Second}, time.Hour},
		{0, emulator.Fault{Kind: emulator.Delay, Delay: 3 * time.Second}, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, opts{Latency: test.latency})
			w.Fail(test.fault)
			ctx, giveUp := context.WithTimeout(t.Context(), test.patient)
			defer giveUp()
			begin := time.Now()
			go w.answer(request(t, create).WithContext(ctx))
			synctest.Wait()
			w.is("done at once", fmt.Sprint(w.Count("created", "n")), "1")
			w.WaitIdle()
			w.is("ended", time.Since(begin).String(), min(test.patient, 3*time.Second).String())
		})
	}
}

// TestTokenLag: for 3 s after each rotation, a GET shows the one token before it, which does not work.
func TestTokenLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, opts{TokenLag: 3 * time.Second})
		w.ask(rotate)
		w.is("the old token", w.ask(rotate), stale)
		w.is("at once", w.ask(lookUp), found)
		time.Sleep(3*time.Second - 1)
		w.is("before the end", w.ask(lookUp), found)
		time.Sleep(time.Nanosecond)
		w.is("at the end", w.ask(lookUp), strings.Replace(found, `"tok"`, `"new-token"`, 1))
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	const refusal = `429 Retry-After: 1 {"success":0,"message":"more calls per second than the service accepts"}`
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, opts{RateLimit: 4})
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
		}
	})
}
