package emulator

import (
	"io"
	"net/http"
	"strings"
)

const (
	servicePath = "/api/user"
	maxBody     = 1 << 20
	maxDrained  = 16 << 20
)

// inbound is a request as it came in, its body read, nothing of it judged yet.
type inbound struct {
	method  string
	path    string
	query   bool
	header  http.Header
	unsized bool
	body    []byte
	broken  bool
}

// receive reads the body before anything is refused, so that every call can be
// recorded whole, and a refusal does not race with a caller that is still sending.
func receive(r *http.Request) inbound {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(r.Body, maxDrained))
	}
	return inbound{
		method:  r.Method,
		path:    r.URL.EscapedPath(),
		query:   r.URL.RawQuery != "" || r.URL.ForceQuery,
		header:  r.Header.Clone(),
		unsized: r.ContentLength < 0,
		body:    body,
		broken:  err != nil,
	}
}

// environment is the tag that the request's key opens.
func (in inbound) environment(keys map[string]string) (tag string, known bool) {
	sent := in.header.Values("Authorization")
	if len(sent) != 1 {
		return "", false
	}
	key, ok := strings.CutPrefix(sent[0], "Token ")
	if !ok {
		return "", false
	}
	tag, known = keys[key]
	return tag, known
}

// refusal is why the request is turned away before its body is looked at.
func (in inbound) refusal(authorized bool) (refusal answer, refused bool) {
	contentType := in.header.Values("Content-Type")
	switch {
	case fieldsOf[in.method] == nil:
		refusal = refuseByStatus(http.StatusMethodNotAllowed, "the method has to be GET, PUT, POST or DELETE")
		refusal.header = http.Header{"Allow": {"GET, PUT, POST, DELETE"}}
	case !authorized:
		refusal = refuseByStatus(http.StatusUnauthorized, "the header Authorization does not carry a known API key")
	case in.query:
		refusal = refuseByStatus(http.StatusBadRequest, "no operation has query parameters")
	case len(contentType) != 1 || contentType[0] != "application/json":
		refusal = refuseByStatus(http.StatusUnsupportedMediaType, "the header Content-Type has to be application/json")
	case in.unsized:
		refusal = refuseByStatus(http.StatusLengthRequired, "the header Content-Length is missing")
	case len(in.body) > maxBody:
		refusal = refuseByStatus(http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
	case in.broken:
		refusal = refuseByStatus(http.StatusBadRequest, "the body ended early")
	default:
		return answer{}, false
	}
	return refusal, true
}
