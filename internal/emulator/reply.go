package emulator

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strconv"
)

const (
	redirectPath = "/elsewhere"
	htmlPage     = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n"
)

// reply is what goes over the wire. A cut one is nothing at all; a declared
// length beyond the body's ends in a cut connection, and so does one sent twice.
type reply struct {
	cut      bool
	twice    bool
	status   int
	header   http.Header
	body     []byte
	declared int
}

func newReply(a answer) reply {
	header := a.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	body := a.document()
	return reply{status: a.status, header: header, body: body, declared: len(body)}
}

// spoil is the reply to a call that a fault strikes. worked is the service's
// answer, the zero one where the fault kept it from working.
func (e *Emulator) spoil(fault Fault, worked answer) reply {
	switch fault.Kind {
	case CutAfterWork, CutBefore:
		return reply{cut: true}
	case Error500AfterWork:
		return newReply(refuseByStatus(http.StatusInternalServerError, "something went wrong"))
	case Unavailable503:
		return newReply(fault.later(http.StatusServiceUnavailable, "the service is not available at the moment"))
	case TooMany429:
		return newReply(fault.later(http.StatusTooManyRequests, "too many calls"))
	case Refuse:
		return newReply(worked)
	case HalfDocument:
		half := newReply(worked)
		half.body = half.body[:len(half.body)/2]
		half.declared = len(half.body)
		return half
	case CutInDocument:
		half := newReply(worked)
		half.body = half.body[:len(half.body)/2]
		return half
	case NoToken:
		if worked.group != nil {
			worked.group = worked.group.without("token")
		}
		return newReply(worked)
	case HTML200:
		header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
		return reply{status: http.StatusOK, header: header, body: []byte(htmlPage), declared: len(htmlPage)}
	case Redirect307:
		redirect := refuseByStatus(http.StatusTemporaryRedirect, "it is elsewhere")
		redirect.header = http.Header{"Location": {e.url + redirectPath}}
		return newReply(redirect)
	case Delay, DelayBefore:
		return newReply(worked)
	case AnswerTwice:
		out := newReply(worked)
		out.twice = true
		return out
	case Answer:
		return fault.asItSays()
	default:
		return newReply(refuseByStatus(http.StatusNotImplemented, "the test asked for a fault of an unknown kind"))
	}
}

func (f Fault) later(status int, message string) answer {
	refusal := refuseByStatus(status, message)
	if f.RetryAfter != "" {
		refusal.header = http.Header{"Retry-After": {f.RetryAfter}}
	}
	return refusal
}

func (f Fault) asItSays() reply {
	header := http.Header{"Content-Type": {"application/json"}}
	for name, values := range f.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	status := f.Status
	if status < 200 || status > 999 {
		status = http.StatusOK
	}
	return reply{status: status, header: header, body: []byte(f.Body), declared: len(f.Body)}
}

func (r reply) send(w http.ResponseWriter) {
	switch {
	case r.cut:
		cutConnection(w, nil)
		return
	case r.twice:
		cutConnection(w, bytes.Repeat(r.raw(), 2))
		return
	}
	maps.Copy(w.Header(), r.header)
	if r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(r.declared))
	}
	w.WriteHeader(r.status)
	// net/http closes the connection when less is written than was declared.
	_, _ = w.Write(r.body)
}

// raw is the reply as the bytes that net/http would send.
func (r reply) raw() []byte {
	var text bytes.Buffer
	response := http.Response{
		StatusCode: r.status, ProtoMajor: 1, ProtoMinor: 1, Header: r.header,
		Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}
	_ = response.Write(&text) // a buffer takes everything
	return text.Bytes()
}

// cutConnection ends the connection with these as its last bytes.
func cutConnection(w http.ResponseWriter, last []byte) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = connection.Write(last)
	_ = connection.Close()
}
