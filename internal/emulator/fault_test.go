package emulator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

type faultCase struct {
	fault emulator.Fault
	style emulator.Refusals
	done  bool
	check func(t *testing.T, got response)
}

func faultCases() map[string]faultCase {
	kind := func(k emulator.FaultKind) emulator.Fault { return emulator.Fault{Kind: k} }
	return map[string]faultCase{
		"CutAfterWork":      {fault: kind(emulator.CutAfterWork), done: true, check: noAnswer},
		"CutBefore":         {fault: kind(emulator.CutBefore), check: noAnswer},
		"Error500AfterWork": {fault: kind(emulator.Error500AfterWork), done: true, check: status(500)},
		"Unavailable503":    {fault: kind(emulator.Unavailable503), check: later(503, "")},
		"Unavailable503 with a date": {
			fault: emulator.Fault{Kind: emulator.Unavailable503, RetryAfter: "Wed, 21 Oct 2065 07:28:00 GMT"},
			check: later(503, "Wed, 21 Oct 2065 07:28:00 GMT"),
		},
		"TooMany429": {fault: emulator.Fault{Kind: emulator.TooMany429, RetryAfter: "7"}, check: later(429, "7")},
		"HTML200":    {fault: kind(emulator.HTML200), check: html},
		"Refuse":     {fault: kind(emulator.Refuse), check: refusal(400)},
		"Refuse, other style": {
			fault: kind(emulator.Refuse), style: emulator.RefusalsSuccessZero, check: refusal(200),
		},
		"HalfDocument":  {fault: kind(emulator.HalfDocument), done: true, check: halfDocument},
		"CutInDocument": {fault: kind(emulator.CutInDocument), done: true, check: cutInDocument},
		"NoToken":       {fault: kind(emulator.NoToken), done: true, check: noToken},
		"Redirect307":   {fault: kind(emulator.Redirect307), check: redirect},
		"Delay":         {fault: emulator.Fault{Kind: emulator.Delay, Delay: time.Millisecond}, done: true, check: status(200)},
		"DelayBefore":   {fault: emulator.Fault{Kind: emulator.DelayBefore, Delay: time.Millisecond}, done: true, check: status(200)},
		"Answer": {
			fault: emulator.Fault{Kind: emulator.Answer, Status: 418, Body: "no", Header: http.Header{"content-type": {"text/plain"}, "X-Odd": {"a", "b"}}},
			check: arbitrary(418, "text/plain", "no"),
		},
		"AnswerTwice":           {fault: kind(emulator.AnswerTwice), done: true, check: status(200)},
		"Answer without a body": {fault: emulator.Fault{Kind: emulator.Answer, Status: 204}, check: arbitrary(204, "application/json", "")},
		"no kind":               {fault: emulator.Fault{}, check: status(501)},
	}
}

func TestFaults(t *testing.T) {
	for name, test := range faultCases() {
		for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
			for _, kept := range []bool{true, false} {
				t.Run(name+"/"+method, func(t *testing.T) { strikeOnce(t, test, method, kept) })
			}
		}
	}
}

func strikeOnce(t *testing.T, test faultCase, method string, kept bool) {
	t.Helper()
	e, c := start(t, emulator.Options{Refusals: test.style})
	e.Seed(emulator.Group{ID: "acme", Name: "Before", Token: "tok"})
	if kept {
		c.succeed(t, "GET", byID("acme"))
	} else {
		c = c.fresh()
	}
	body := map[string]string{
		"GET": byID("new"), "PUT": `{"user_group_id":"acme","name":"After"}`, "POST": byToken("tok"), "DELETE": byToken("tok"),
	}[method]
	fault := test.fault
	fault.Nth = 1
	e.Fail(fault)
	got := c.send(method, body)
	if method == "DELETE" && fault.Kind == emulator.NoToken {
		status(200)(t, got)
	} else {
		test.check(t, got)
	}

	if done := workDone(e, method); done != test.done {
		t.Errorf("work done: %v, want %v", done, test.done)
	}
	calls := e.Calls()
	call := calls[len(calls)-1]
	if call.Fault != fault.Kind.String() || call.Method != method || string(call.Body) != body || call.Status != got.status && got.err == nil {
		t.Errorf("recorded %+v, got status %d", call, got.status)
	}
	if recorded := call.Created || call.Updated || call.Rotated || call.Deleted; recorded != test.done {
		t.Errorf("recorded work: %v, want %v: %+v", recorded, test.done, call)
	}
	if kept && (call.Connection != calls[0].Connection || len(calls) != 2) {
		t.Errorf("not struck on the kept connection: %+v", calls)
	}
	if e.FaultsWaiting() != 0 {
		t.Error("the fault still waits")
	}
	c.succeed(t, "GET", byID("afterwards"))
}

func workDone(e *emulator.Emulator, method string) bool {
	group, there := e.Group("acme")
	switch method {
	case "GET":
		_, there = e.Group("new")
		return there
	case "PUT":
		return group.Name == "After"
	case "POST":
		return group.Token != "tok"
	default:
		return !there
	}
}

func TestAnswerTwice(t *testing.T) {
	e, _ := start(t, emulator.Options{})
	e.Fail(emulator.Fault{Kind: emulator.AnswerTwice})
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(e.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL()+"/api/user", strings.NewReader(byID("acme")))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+emulator.DefaultKey)
	request.Header.Set("Content-Type", "application/json")
	if err := request.Write(connection); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(connection)
	if err != nil || bytes.Count(all, []byte("HTTP/1.1 200 OK")) != 2 || bytes.Count(all, []byte(mustGroup(t, e.Environment, "acme").Token)) != 2 {
		t.Errorf("sent %q, %v", all, err)
	}
}

func noAnswer(t *testing.T, got response) {
	t.Helper()
	if !errors.Is(got.err, io.EOF) && (got.err == nil || !strings.Contains(got.err.Error(), "connection reset")) {
		t.Errorf("status %d, error %v: the connection was not cut", got.status, got.err)
	}
}

func status(want int) func(*testing.T, response) {
	return func(t *testing.T, got response) {
		t.Helper()
		parsed := got.mustParse(t)
		if wantSuccess := want == 200; got.status != want || (*parsed.Success == 1) != wantSuccess {
			t.Errorf("status %d, want %d; body %s", got.status, want, got.raw)
		}
	}
}

func later(want int, retryAfter string) func(*testing.T, response) {
	return func(t *testing.T, got response) {
		t.Helper()
		status(want)(t, got)
		if got.header.Get("Retry-After") != retryAfter {
			t.Errorf("Retry-After %q, want %q", got.header.Get("Retry-After"), retryAfter)
		}
	}
}

func refusal(want int) func(*testing.T, response) {
	return func(t *testing.T, got response) {
		t.Helper()
		if parsed := got.mustParse(t); got.status != want || *parsed.Success != 0 || parsed.Message == "" {
			t.Errorf("status %d, want %d; body %s", got.status, want, got.raw)
		}
	}
}

func html(t *testing.T, got response) {
	t.Helper()
	if got.err != nil || got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.raw, "<html>") {
		t.Errorf("%+v", got)
	}
}

func halfDocument(t *testing.T, got response) {
	t.Helper()
	if got.err != nil || got.status != 200 || !strings.HasPrefix(got.raw, `{"succ`) || json.Valid([]byte(got.raw)) {
		t.Errorf("%+v", got)
	}
}

func cutInDocument(t *testing.T, got response) {
	t.Helper()
	if !errors.Is(got.err, io.ErrUnexpectedEOF) || got.status != 200 || !strings.HasPrefix(got.raw, `{"succ`) {
		t.Errorf("%+v", got)
	}
}

func noToken(t *testing.T, got response) {
	t.Helper()
	parsed := got.mustParse(t)
	if got.status != 200 || parsed.Group == nil || parsed.Group.TeamID == "" || strings.Contains(got.raw, `"token"`) {
		t.Errorf("%+v", got)
	}
}

func redirect(t *testing.T, got response) {
	t.Helper()
	location := got.header.Get("Location")
	if got.err != nil || got.status != 307 || !strings.HasPrefix(location, "http://127.0.0.1:") || strings.HasSuffix(location, "/api/user") {
		t.Errorf("%+v", got)
	}
}

func arbitrary(want int, contentType, body string) func(*testing.T, response) {
	return func(t *testing.T, got response) {
		t.Helper()
		if got.err != nil || got.status != want || got.header.Get("Content-Type") != contentType || got.raw != body {
			t.Errorf("%+v", got)
		}
		if want == 418 && len(got.header.Values("X-Odd")) != 2 {
			t.Errorf("header %v", got.header)
		}
	}
}

func TestFollowingARedirectIsRecorded(t *testing.T) {
	e, c := start(t, emulator.Options{})
	c.client.CheckRedirect = nil
	e.Fail(emulator.Fault{Nth: 1, Kind: emulator.Redirect307})
	request, _ := http.NewRequest("GET", c.url, nil)
	got, err := c.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	if call := lastCall(t, e); len(e.Calls()) != 2 || call.Path == "/api/user" || call.Status != 404 {
		t.Errorf("recorded %+v", call)
	}
}

func TestDelays(t *testing.T) {
	const delay, long = 450 * time.Millisecond, 3 * time.Second
	for _, kind := range []emulator.FaultKind{emulator.Delay, emulator.DelayBefore} {
		t.Run(kind.String(), func(t *testing.T) {
			e, c := start(t, emulator.Options{})
			e.Fail(emulator.Fault{Nth: 1, Kind: kind, Delay: delay})
			begin := time.Now()
			c.succeed(t, "GET", byID("patient"))
			if took := time.Since(begin); took < delay {
				t.Errorf("took %s", took)
			}

			e.Fail(emulator.Fault{Nth: 1, Kind: kind, Delay: long})
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			if kind == emulator.Delay {
				go func() {
					for e.Creations("impatient") == 0 && ctx.Err() == nil {
						time.Sleep(time.Millisecond)
					}
					giveUp()
				}()
			} else {
				e.BeforeCall(func(emulator.Call) { giveUp() })
			}
			if got := c.until(ctx).send("GET", byID("impatient")); !errors.Is(got.err, context.Canceled) {
				t.Fatalf("the call was not given up: %+v", got)
			}
			wantEarly := kind == emulator.Delay
			if early := e.Creations("impatient") == 1; early != wantEarly {
				t.Errorf("work done before the delay was over: %v, want %v", early, wantEarly)
			}
			e.WaitIdle()
			if e.Creations("impatient") != 1 {
				t.Error("the work was never done")
			}
		})
	}
}

func TestFaultsChooseTheirCalls(t *testing.T) {
	e, c := start(t, emulator.Options{})
	e.Seed(emulator.Group{ID: "acme", Token: "tok"})
	struck := func(method, body string, want emulator.FaultKind) {
		t.Helper()
		c.send(method, body)
		name := ""
		if want != 0 {
			name = want.String()
		}
		if got := lastCall(t, e).Fault; got != name {
			t.Errorf("%s %s was struck by %q, want %q", method, body, got, name)
		}
	}

	e.Fail(emulator.Fault{Method: "PUT", ID: "acme", Nth: 2, Kind: emulator.Refuse})
	struck("PUT", byID("acme"), 0)
	struck("GET", byID("acme"), 0)
	struck("PUT", byID("other"), 0)
	struck("PUT", byID("acme"), emulator.Refuse)
	struck("PUT", byID("acme"), 0)

	e.Fail(emulator.Fault{ID: "acme", Nth: 1, Kind: emulator.CutAfterWork})
	e.Fail(emulator.Fault{ID: "acme", Nth: 1, Kind: emulator.Unavailable503})
	e.Fail(emulator.Fault{Kind: emulator.TooMany429})
	struck("POST", byToken("tok"), emulator.CutAfterWork)
	struck("POST", byToken("tok"), emulator.Unavailable503) // a stale token still tells the group
	struck("POST", byToken("tok"), emulator.TooMany429)
	struck("GET", byID("other"), emulator.TooMany429)
	e.Fail(emulator.Fault{Nth: 9, Kind: emulator.Refuse})
	if e.FaultsWaiting() != 1 {
		t.Errorf("%d faults wait", e.FaultsWaiting())
	}
	e.ClearFaults()
	struck("GET", byID("other"), 0)
	if e.FaultsWaiting() != 0 {
		t.Errorf("%d faults wait after ClearFaults", e.FaultsWaiting())
	}
}

func TestFaultStrikesAWrongKeyToo(t *testing.T) {
	e, c := start(t, emulator.Options{})
	c.key = "wrong"
	e.Fail(emulator.Fault{Nth: 1, Kind: emulator.CutAfterWork})
	noAnswer(t, c.send("GET", byID("acme")))
	if len(e.Groups()) != 0 {
		t.Error("a fault let a wrong key in")
	}
}
