package emulator

import (
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const servicePath = "/api/user"

var methods = []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete}

// inbound is a received call. Its body has been read, but the call has not been admitted or refused yet.
type inbound struct {
	*http.Request

	call       *Call
	asked      request
	wrong      *refusal
	authorized bool
	tooMany    bool

	// out is the response, once the work is done. It is protected by the emulator's lock. Without it, the connection is
	// cut: only a caller that has given up does not wait for it.
	out reply
}

// ServeHTTP handles one call. It retains the request's header. It returns early if the context of the request is done,
// and the service then goes on without it. To cut the connection, ServeHTTP panics with [http.ErrAbortHandler], as
// net/http requires.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.count(1)
	defer e.count(-1)
	in := e.receive(r)
	if hook := e.hook.Load(); hook != nil && *hook != nil {
		(*hook)(*in.call)
	}
	begin := in.call.At
	sleep(r.Context(), e.perform(in))
	sleep(r.Context(), e.options.Latency-time.Since(begin))
	out, call := e.outcome(in)
	if e.options.Log != nil {
		e.options.Log(call)
	}
	out.send(w)
}

// receive reads the whole body before anything is refused, so that every call is recorded completely and a refusal
// does not race with a caller that is still sending.
func (e *Emulator) receive(r *http.Request) *inbound {
	text, err := io.ReadAll(r.Body)
	in := &inbound{Request: r, call: &Call{
		Method: r.Method, Path: r.URL.EscapedPath(), Body: text, Header: r.Header, At: time.Now(),
	}}
	if in.asked, in.wrong = understand(r.Method, text); err != nil {
		in.wrong = &refusal{status: http.StatusBadRequest, says: "the body ended early"}
	}
	if keys := r.Header.Values("Authorization"); len(keys) == 1 {
		if key, ok := strings.CutPrefix(keys[0], "Token "); ok {
			in.call.Environment, in.authorized = e.options.Environments[key]
		}
	}
	if in.call.ID = in.asked.ID; in.call.ID == "" && in.authorized {
		defer e.lock()()
		in.call.ID = e.service.owner(in.call.Environment, in.asked.Token)
	}
	return in
}

// admits reports whether the rate limit admits a call. Its callers hold the lock.
func (e *Emulator) admits(now time.Time) bool {
	if e.options.RateLimit <= 0 {
		return true
	}
	space := time.Second / time.Duration(e.options.RateLimit)
	if full := now.Add(space - time.Second); e.nextDue.Before(full) {
		e.nextDue = full
	}
	if e.nextDue.After(now) {
		return false
	}
	e.nextDue = e.nextDue.Add(space)
	return true
}

// perform does the work under one lock, or leaves it for later. It returns how long the response takes.
func (e *Emulator) perform(in *inbound) (wait time.Duration) {
	defer e.lock()()
	if e.options.Log == nil {
		e.calls = append(e.calls, in.call)
	}
	var fault Fault
	in.tooMany = !e.admits(in.call.At)
	if !in.tooMany && in.call.Path == e.path {
		fault = e.strike(in.call)
	}
	in.call.Fault = string(fault.Kind)
	kind, known := faultKinds[fault.Kind]
	if !known {
		kind = unheardOf
	}
	rest := func() reply { return reply{} }
	if kind.works {
		rest = e.begin(in, kind.omit)
	}
	if in.Method == http.MethodPost {
		wait = e.options.RotationTime
	}
	e.service.after(wait, task{do: func() {
		out := rest()
		if kind.respond != nil {
			out = kind.respond(e, fault, in, out)
		}
		in.out, in.call.Status = out, out.status
	}})
	if kind.late {
		wait = fault.Delay
	}
	return wait
}

// outcome returns the response to a call, and what was recorded of it so far.
func (e *Emulator) outcome(in *inbound) (reply, Call) {
	defer e.lock()()
	return in.out, *in.call
}

// begin checks a call, and returns the rest of it. It leaves the fields in omit out of user_group.
func (e *Emulator) begin(in *inbound, omit []string) work {
	if wrong, header := e.wrong(in); wrong != nil {
		return func() reply {
			out := e.service.reject(in.call, *wrong)
			maps.Copy(out.header, header)
			return out
		}
	}
	if in.wrong != nil {
		return e.service.refusing(in.call, *in.wrong)
	}
	in.asked.omit = append(omit, omitted[in.Method]...)
	return e.service.begin(in.call, in.asked)
}

// wrong returns what is wrong with a call apart from its body, or nil, and a header of the response.
func (e *Emulator) wrong(in *inbound) (*refusal, http.Header) {
	contentType := in.Header.Values("Content-Type")
	elsewhere := in.call.Path != e.path
	for _, rule := range []struct {
		broken bool
		status int
		says   string
		header http.Header
	}{
		{
			in.tooMany, e.options.RateLimitStatus, "more calls per second than the service accepts",
			http.Header{"Retry-After": {"1"}},
		},
		{
			elsewhere && in.call.Path == servicePath, e.options.SlashRedirect, "the service is at " + e.path,
			http.Header{"Location": {e.path}},
		},
		{elsewhere, http.StatusNotFound, "there is nothing at this path; the service is at " + e.path, nil},
		{
			!slices.Contains(methods, in.Method), http.StatusMethodNotAllowed,
			"the method must be GET, PUT, POST or DELETE", nil,
		},
		{!in.authorized, http.StatusUnauthorized, "the Authorization header does not contain a known API key", nil},
		{in.URL.RawQuery != "" || in.URL.ForceQuery, http.StatusBadRequest, "no operation has query parameters", nil},
		{
			len(contentType) != 1 || contentType[0] != "application/json", http.StatusUnsupportedMediaType,
			"the Content-Type header must be application/json", nil,
		},
		{in.ContentLength < 0, http.StatusLengthRequired, "the Content-Length header is missing", nil},
	} {
		if rule.broken {
			return &refusal{status: rule.status, says: rule.says}, rule.header
		}
	}
	return nil, nil
}

// sleep waits. It returns early if the context is done, as that of a call is when its connection is cut.
func sleep(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

func (r reply) send(w http.ResponseWriter) {
	if r.status == 0 {
		panic(http.ErrAbortHandler)
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	for name, values := range r.header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if len(r.body) > 0 {
		header.Set("Content-Length", strconv.Itoa(len(r.body)+r.missing))
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body) // net/http cuts the connection if the body is shorter than announced
}
