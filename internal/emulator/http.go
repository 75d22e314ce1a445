package emulator

import (
	"context"
	"errors"
	"fmt"
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
	malformed  error
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
	fault := e.admit(in)
	out := e.perform(in, fault)
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
	if in.asked, in.malformed = understand(r.Method, text); err != nil {
		in.malformed = errors.New("the body ended early")
	}
	if keys := r.Header.Values("Authorization"); len(keys) == 1 {
		if key, ok := strings.CutPrefix(keys[0], "Token "); ok {
			in.call.Environment, in.authorized = e.options.Environments[key]
		}
	}
	switch {
	case in.asked.id != nil:
		in.call.ID = *in.asked.id
	case in.asked.token != nil && in.authorized:
		e.mu.Lock()
		defer e.mu.Unlock()
		in.call.ID = e.service.issued[scoped{in.call.Environment, *in.asked.token}]
	}
	return in
}

// admit applies the rate limit to the call and returns the fault that strikes it, or the zero Fault if there is none.
func (e *Emulator) admit(in *inbound) Fault {
	e.mu.Lock()
	defer e.mu.Unlock()
	in.tooMany = !e.rate.admits(time.Now())
	if in.tooMany || in.call.Path != servicePath {
		return Fault{}
	}
	return e.strike(in.call)
}

// perform does the work and records it under one lock, so that calls are recorded in the order of their work and
// before their responses are sent.
func (e *Emulator) perform(in *inbound, fault Fault) reply {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := e.carryOut(fault, in)
	in.call.Fault, in.call.Status = string(fault.Kind), out.status
	if !e.options.ForgetCalls {
		e.calls = append(e.calls, in.call)
	}
	return out
}

// work handles the call as the service does without a fault. It leaves the fields in omit out of user_group.
func (e *Emulator) work(in *inbound, omit ...string) reply {
	contentType := in.Header.Values("Content-Type")
	switch {
	case in.tooMany:
		out := in.call.refuse(http.StatusTooManyRequests, "more calls per second than the service accepts")
		out.header = http.Header{"Retry-After": {"1"}}
		return out
	case in.call.Path != servicePath:
		return in.call.refuse(http.StatusNotFound, "there is nothing at this path; the service is at "+servicePath)
	case fieldsOf[in.Method] == nil:
		return in.call.refuse(http.StatusMethodNotAllowed, "the method must be GET, PUT, POST or DELETE")
	case !in.authorized:
		return in.call.refuse(http.StatusUnauthorized, "the Authorization header does not contain a known API key")
	case in.URL.RawQuery != "" || in.URL.ForceQuery:
		return in.call.refuse(http.StatusBadRequest, "no operation has query parameters")
	case len(contentType) != 1 || contentType[0] != "application/json":
		return in.call.refuse(http.StatusUnsupportedMediaType, "the Content-Type header must be application/json")
	case in.ContentLength < 0:
		return in.call.refuse(http.StatusLengthRequired, "the Content-Length header is missing")
	case in.malformed != nil:
		return e.service.refuse(&in.call, http.StatusBadRequest, in.malformed.Error())
	default:
		in.asked.omit = append(omit, omitted[in.Method]...)
		return e.service.answer(&in.call, in.asked)
	}
}

// sleep waits. It returns early if the context is done, as that of a call is when its connection is cut.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// rateLimit is a token bucket. It admits perSecond calls at once and in each second.
type rateLimit struct {
	perSecond int
	// next is the time at which the next call would be due if calls came exactly at that rate.
	next time.Time
}

func (l *rateLimit) admits(now time.Time) bool {
	if l.perSecond <= 0 {
		return true
	}
	space := time.Second / time.Duration(l.perSecond)
	if full := now.Add(-space * time.Duration(l.perSecond-1)); l.next.Before(full) {
		l.next = full
	}
	if l.next.After(now) {
		return false
	}
	l.next = l.next.Add(space)
	return true
}

// reply is a response to send. Status 0 cuts the connection instead.
type reply struct {
	status int
	header http.Header
	body   []byte
	// missing is the number of bytes that Content-Length announces beyond the body.
	missing int
	// twice sends the response once more, in place of the response to the next request on the connection.
	twice bool
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
	if r.twice {
		r.sendAgain(http.NewResponseController(w))
	}
}

func (r reply) sendAgain(connection *http.ResponseController) {
	_ = connection.Flush()
	raw, received, err := connection.Hijack()
	if err != nil {
		return
	}
	go func() {
		defer func() { _ = raw.Close() }()
		_ = raw.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := received.ReadByte(); err == nil {
			_, _ = fmt.Fprintf(raw, "HTTP/1.1 %d Again\r\nContent-Length: %d\r\n\r\n%s", r.status, len(r.body), r.body)
		}
	}()
}
