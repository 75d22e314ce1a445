package emulator

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const servicePath = "/api/user"

// inbound is a received call. Its body has been read, but the call has not been admitted or refused yet.
type inbound struct {
	*http.Request

	call       Call
	asked      request
	wrong      *refusal
	authorized bool
	tooMany    bool
}

// ServeHTTP handles one call. It retains the request's header. To cut the connection, it panics with
// [http.ErrAbortHandler], as net/http requires.
func (e *Emulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.count(1)
	defer e.count(-1)
	in := e.receive(r)
	if hook := e.hook.Load(); hook != nil && *hook != nil {
		(*hook)(in.call)
	}
	out, fault := e.perform(in)
	if fault.Kind == Delay {
		sleep(r.Context(), fault.Delay)
	}
	sleep(r.Context(), e.options.Latency-time.Since(in.call.At))
	if e.options.Log != nil {
		e.options.Log(in.call)
	}
	out.send(w)
}

// receive reads the whole body before anything is refused, so that every call is recorded completely and a refusal
// does not race with a caller that is still sending.
func (e *Emulator) receive(r *http.Request) *inbound {
	text, err := io.ReadAll(r.Body)
	in := &inbound{Request: r, call: Call{
		Method: r.Method, Path: r.URL.EscapedPath(), Body: text, Header: r.Header, At: time.Now(),
	}}
	if in.asked, in.wrong = understand(r.Method, text); err != nil {
		in.wrong = &refusal{http.StatusBadRequest, "", "the body ended early"}
	}
	if keys := r.Header.Values("Authorization"); len(keys) == 1 {
		if key, ok := strings.CutPrefix(keys[0], "Token "); ok {
			in.call.Environment, in.authorized = e.options.Environments[key]
		}
	}
	if in.call.ID = in.asked.ID; in.call.ID == "" && in.authorized {
		e.mu.Lock()
		defer e.mu.Unlock()
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

// perform does the work and records it under one lock, so that calls are recorded in the order of their work and
// before their responses are sent. It returns the fault that has struck, or the zero Fault.
func (e *Emulator) perform(in *inbound) (out reply, fault Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	in.tooMany = !e.admits(in.call.At)
	if !in.tooMany && in.call.Path == e.path {
		fault = e.strike(in.call)
	}
	out = e.carryOut(fault, in)
	in.call.Fault, in.call.Status = string(fault.Kind), out.status
	if e.options.Log == nil {
		e.calls = append(e.calls, in.call)
	}
	return out, fault
}

// work does what the service does without a fault. It leaves the fields in omit out of user_group.
func (e *Emulator) work(in *inbound, omit ...string) reply {
	out := e.handle(in, omit)
	if e.options.BOM && len(out.body) > 0 {
		out.body = append([]byte("\ufeff"), out.body...)
	}
	return out
}

func (e *Emulator) handle(in *inbound, omit []string) reply {
	contentType := in.Header.Values("Content-Type")
	reject := func(status int, says string) reply { return e.service.reject(&in.call, refusal{status, "", says}) }
	switch {
	case in.tooMany:
		out := reject(http.StatusTooManyRequests, "more calls per second than the service accepts")
		out.header.Set("Retry-After", "1")
		return out
	case in.call.Path == servicePath && in.call.Path != e.path:
		out := reject(e.options.SlashRedirect, "the service is at "+e.path)
		out.header.Set("Location", e.path)
		return out
	case in.call.Path != e.path:
		return reject(http.StatusNotFound, "there is nothing at this path; the service is at "+e.path)
	case fieldsOf[in.Method] == nil:
		return reject(http.StatusMethodNotAllowed, "the method must be GET, PUT, POST or DELETE")
	case !in.authorized:
		return reject(http.StatusUnauthorized, "the Authorization header does not contain a known API key")
	case in.URL.RawQuery != "" || in.URL.ForceQuery:
		return reject(http.StatusBadRequest, "no operation has query parameters")
	case len(contentType) != 1 || contentType[0] != "application/json":
		return reject(http.StatusUnsupportedMediaType, "the Content-Type header must be application/json")
	case in.ContentLength < 0:
		return reject(http.StatusLengthRequired, "the Content-Length header is missing")
	case in.wrong != nil:
		return e.service.refuse(&in.call, *in.wrong)
	default:
		in.asked.omit = append(omit, omitted[in.Method]...)
		return e.service.answer(&in.call, in.asked)
	}
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
