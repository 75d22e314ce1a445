package provider_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// wire carries requests to an emulator, lets faults strike them, and records what was answered. The emulator records
// what was done.
type wire struct {
	service *emulator.Emulator
	strikes func(number int, method string) *wireFault // the fault that strikes a request, or nil
	before  func(number int)                           // runs before the request is carried

	mu      sync.Mutex
	number  int
	answers []answer
}

// answer is what the client got for a request.
type answer struct {
	method string
	status int    // 0 if no response arrived
	body   string // as received
	target string // of a redirect
	fault  *wireFault
}

// isRefusal reports whether the work was certainly not done.
func (a answer) isRefusal() bool {
	return strings.Contains(a.body, `"success":0`) || a.status/100 == 4 && a.status != http.StatusRequestTimeout
}

// isDoubtful reports whether the client cannot know whether the work was done, or for which group.
func (a answer) isDoubtful() bool { return !a.fault.early && !a.fault.isClear && !a.isRefusal() }

// wireFault is what happens to a request on its way.
type wireFault struct {
	name string
	does work
	// respond returns what the client gets. worked is the response of the service, or nil if it did not work in time. A
	// nil respond means that the response arrives as it is.
	respond func(r *http.Request, worked *http.Response) (*http.Response, error)
	early   bool // no connection is made
	isClear bool // the response shows what was done
	// spares is a method that the fault does not strike: a lookup that is redirected or answered by a cache is taken not
	// to have reached the service, and a token that no response has shown cannot be told from the right one.
	spares string
	always bool // the service does so always, or never
	stops  bool // the engine stops the run as well
}

// work is when the service does what a request asks for.
type work int

const (
	never work = iota
	atOnce
	later // long after the client has given up
)

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.number++
	number := w.number
	w.mu.Unlock()
	if w.before != nil {
		w.before(number)
	}
	var fault *wireFault
	if w.strikes != nil {
		fault = w.strikes(number, r.Method)
	}
	if fault != nil && fault.spares == r.Method {
		fault = nil
	}
	if fault == nil {
		fault = &wireFault{does: atOnce, isClear: true}
	}
	got := answer{method: r.Method, fault: fault}
	response, err := w.carry(fault, r, body)
	if err == nil && response != nil {
		text, _ := io.ReadAll(response.Body)
		response.Body, response.Request = io.NopCloser(bytes.NewReader(text)), r
		got.status, got.body, got.target = response.StatusCode, string(text), response.Header.Get("Location")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append(w.answers, got)
	return response, err
}

func (w *wire) carry(fault *wireFault, r *http.Request, body []byte) (*http.Response, error) {
	if fault.early {
		return fault.respond(r, nil)
	}
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
	service := w.service // What is done later is done there, even if another history has begun.
	ask := func(request *http.Request) (*http.Response, error) {
		request.Body = io.NopCloser(bytes.NewReader(body))
		return InProcess{Handler: service}.RoundTrip(request)
	}
	var worked *http.Response
	switch fault.does {
	case atOnce:
		response, err := ask(r.Clone(r.Context()))
		if err != nil || fault.respond == nil {
			return response, err
		}
		worked = response
	case later:
		request := r.Clone(context.WithoutCancel(r.Context())) // At that time, r is the client's again.
		time.AfterFunc(15*time.Second, func() { _, _ = ask(request) })
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return fault.respond(r, worked)
}

// responds returns a function that responds with a status and a body, whatever the service has done.
func responds(status int, body string, header ...string) func(*http.Request, *http.Response) (*http.Response, error) {
	return func(*http.Request, *http.Response) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		if strings.HasPrefix(body, "<") {
			h.Set("Content-Type", "text/html")
		}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
}

func broken(err error) func(*http.Request, *http.Response) (*http.Response, error) {
	return func(*http.Request, *http.Response) (*http.Response, error) { return nil, err }
}

// silence is no response until the client gives up.
func silence(r *http.Request, _ *http.Response) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// edited returns a function that changes the JSON of the service's response.
func edited(change func(document, group Object)) func(*http.Request, *http.Response) (*http.Response, error) {
	return func(_ *http.Request, worked *http.Response) (*http.Response, error) {
		text, _ := io.ReadAll(worked.Body)
		var document Object
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&document) == nil {
			group, _ := document["user_group"].(Object)
			change(document, group)
			text, _ = json.Marshal(document)
		}
		worked.Body = io.NopCloser(bytes.NewReader(text))
		return worked, nil
	}
}

// member returns a function that sets a member of the group, if there is a group. Nil removes it.
func member(name string, value any) func(_, group Object) {
	return func(_, group Object) {
		if group == nil {
			return
		}
		group[name] = value
		if value == nil {
			delete(group, name)
		}
	}
}

// withSentToken shows the token that the request has sent, as a service does that reads from a replica.
func withSentToken(r *http.Request, worked *http.Response) (*http.Response, error) {
	var sent struct {
		Token string `json:"current_token"`
	}
	_ = json.NewDecoder(r.Body).Decode(&sent)
	return edited(func(document, group Object) {
		if sent.Token != "" {
			member("token", sent.Token)(document, group)
		}
	})(r, worked)
}

// repeating refuses the request and quotes it.
func repeating(r *http.Request, _ *http.Response) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	message := "cannot take " + strings.ReplaceAll(string(body), `"`, "")
	document, _ := json.Marshal(Object{"success": 0, "message": message})
	return responds(http.StatusBadRequest, string(document))(nil, nil)
}

// theirs makes the response one about the group of another customer.
func theirs(_, group Object) {
	for name, value := range (Object{"provided_id": "them", "team_id": 4711, "token": "ugt_theirs"}) {
		if group[name] != nil {
			group[name] = value
		}
	}
}

const page = "<html><head><title>Gateway</title></head><body>Something went wrong.</body></html>"

func says(success int) string {
	return fmt.Sprintf(`{"success":%d,"message":"the service says no"}`, success)
}

var errCut = errors.New("the connection was cut")

// wireFaults are all that can happen to a request. Where a response leaves open whether the work was done, there are
// two faults that look the same: one with the work and one without.
var wireFaults = []*wireFault{
	{name: "lost before the work", respond: broken(errCut)},
	{name: "lost after the work", does: atOnce, respond: broken(errCut)},
	{name: "no response", respond: silence},
	{name: "no response, work done", does: atOnce, respond: silence},
	{name: "no response, work done later", does: later, respond: silence},
	{name: "400", respond: responds(400, says(0))},
	{name: "400 page", respond: responds(400, page)},
	{name: "401", respond: responds(401, says(0))},
	{name: "402", respond: responds(402, says(0))},
	{name: "403", respond: responds(403, says(0))},
	{name: "403 page", respond: responds(403, page)},
	{name: "403 with Retry-After", respond: responds(403, says(0), "Retry-After", "1")},
	{name: "404", respond: responds(404, says(0))},
	{name: "404 without success", respond: responds(404, `{"detail":"not found"}`)},
	{name: "404 page", respond: responds(404, page)},
	{name: "407", respond: responds(407, page)},
	{name: "409", respond: responds(409, says(0))},
	{name: "410", respond: responds(410, says(0))},
	{name: "423", respond: responds(423, says(0))},
	{name: "429", respond: responds(429, says(0))},
	{name: "success 0", respond: responds(200, says(0))},
	{name: "408", respond: responds(408, page)},
	{name: "408, work done", does: atOnce, respond: responds(408, page)},
	{name: "500", respond: responds(500, `{"error":"no"}`)},
	{name: "500, work done", does: atOnce, respond: responds(500, `{"error":"no"}`)},
	{name: "502", respond: responds(502, page)},
	{name: "502, work done", does: atOnce, respond: responds(502, page)},
	{name: "503", respond: responds(503, says(0))},
	{name: "503, work done", does: atOnce, respond: responds(503, page)},
	{name: "504", respond: responds(504, page)},
	{name: "504, work done", does: atOnce, respond: responds(504, page)},
	{name: "504, work done later", does: later, respond: responds(504, page)},
	{name: "sign-in page", respond: responds(200, page)},
	{name: "sign-in page, work done", does: atOnce, respond: responds(200, page)},
	{name: "303", respond: responds(303, "", "Location", "https://elsewhere.example/api/user")},
	{
		name: "303, work done", does: atOnce, spares: "GET",
		respond: responds(303, "", "Location", "https://elsewhere.example/done"),
	},
	{name: "from a cache", respond: responds(200, says(1), "Age", "60")},
	{name: "from a cache, work done", does: atOnce, spares: "GET", respond: responds(200, says(1), "Age", "60")},
	{name: "without token", does: atOnce, respond: edited(member("token", nil))},
	{name: "without name", does: atOnce, isClear: true, respond: edited(member("name", nil))},
	{
		name: "without new_user_group", always: true, does: atOnce,
		respond: edited(func(d, _ Object) { delete(d, "new_user_group") }),
	},
	{name: "without false", does: atOnce, isClear: true, respond: edited(func(d, _ Object) {
		if d["new_user_group"] == false {
			delete(d, "new_user_group")
		}
	})},
	{name: "400 that repeats the request", respond: repeating},
	{name: "without group", does: atOnce, respond: edited(func(d, _ Object) { delete(d, "user_group") })},
	{name: "another group", does: atOnce, respond: edited(theirs)},
	{name: "another number", does: atOnce, respond: edited(member("team_id", json.Number("4711")))},
	{name: "another token", does: atOnce, spares: "POST", respond: edited(member("token", "ugt_unheard_of"))},
	{
		name: "another environment", does: atOnce, isClear: true,
		respond: edited(member("api_environment_tag", "Elsewhere")),
	},
	{name: "the sent token", does: atOnce, respond: withSentToken},
	{name: "another name", spares: "GET", does: atOnce, isClear: true, respond: edited(member("name", "Somebody"))},
	{name: "another ID in capitals", does: atOnce, respond: edited(func(_, group Object) {
		if id, isText := group["provided_id"].(string); isText {
			group["provided_id"] = strings.ToUpper(id)
		}
	})},
	{name: "other properties", spares: "GET", does: atOnce, isClear: true, respond: edited(func(_, group Object) {
		if group["properties"] != nil {
			group["properties"] = Object{"tier": "other"}
		}
	})},
	{name: "not connected", early: true, respond: broken(errors.New("dial tcp: connection refused"))},
	{
		name: "not connected, stopped", stops: true, early: true,
		respond: broken(errors.New("dial tcp: connection refused")),
	},
	{name: "lost before the work, stopped", stops: true, respond: broken(errCut)},
	{name: "lost after the work, stopped", stops: true, does: atOnce, respond: broken(errCut)},
	{name: "503, stopped", stops: true, respond: responds(503, says(0))},
	{name: "certificate", early: true, respond: broken(&tls.CertificateVerificationError{
		Err: x509.UnknownAuthorityError{},
	})},
	{name: "no TLS", early: true, respond: broken(tls.RecordHeaderError{Msg: "first record does not look like TLS"})},
}
