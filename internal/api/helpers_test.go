package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// What the tests plant, and then look for where it must not be. None of them contains another. What fuzzing looks for does
// not begin with a letter that means something after a backslash (\t followed by ok is no "tok").
const (
	plantedKey      = "key-3f9c1d77aa02"
	plantedToken    = "old-token-5b21c0de"
	plantedNewToken = "tok-new-77e01f3a"
)

// longEnough is how long a test waits for what should come at once: only a failing test ever waits that long.
const longEnough = 20 * time.Second

// received is a request as it came in at a server.
type received struct {
	method, uri, protocol string
	header                http.Header
	body                  string
	length                int64
	transferEncoding      []string
	at                    time.Time
}

// service is an HTTP server that records what it is asked.
type service struct {
	*httptest.Server
	mu          sync.Mutex
	requests    []received
	connections atomic.Int64
}

// newService returns a server, not yet started, that answers its n-th request (counted from 1) with answer.
func newService(answer func(n int, w http.ResponseWriter, r *http.Request)) *service {
	s := &service{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.requests = append(s.requests, received{
			method: r.Method, uri: r.RequestURI, protocol: r.Proto, header: r.Header.Clone(), body: string(body),
			length: r.ContentLength, transferEncoding: r.TransferEncoding, at: time.Now(),
		})
		n := len(s.requests)
		s.mu.Unlock()
		answer(n, w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	return s
}

func serve(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *service {
	t.Helper()
	s := newService(answer)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// always answers each request alike.
func always(status int, contentType, body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { reply(w, status, contentType, body) }
}

func reply(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (s *service) seen() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.requests...)
}

func (s *service) count() int { return len(s.seen()) }

// reaction is what a rawServer does after it has read a request; false closes the connection.
type reaction func(conn net.Conn) (keep bool)

// rawServer speaks just enough HTTP/1.1 to break it: on each connection it reads requests, and reacts to the n-th of all
// (counted from 1) as told.
type rawServer struct {
	url         string
	requests    atomic.Int64
	connections atomic.Int64
	done        chan struct{}
}

func serveRaw(t testing.TB, react func(n int64) reaction) *rawServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawServer{url: "http://" + listener.Addr().String(), done: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			running.Go(func() { s.converse(conn, react) })
		}
	})
	t.Cleanup(func() {
		close(s.done)
		_ = listener.Close()
		running.Wait()
	})
	return s
}

func (s *rawServer) converse(conn net.Conn, react func(int64) reaction) {
	finished := make(chan struct{})
	defer close(finished)
	go func() {
		select {
		case <-s.done:
		case <-finished:
		}
		_ = conn.Close()
	}()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		if !react(s.requests.Add(1))(conn) {
			return
		}
	}
}

func cut(net.Conn) bool { return false }

// hang keeps the connection open and silent; the client's time limit ends it.
func (s *rawServer) hang(net.Conn) bool {
	<-s.done
	return false
}

func write(text string) reaction {
	return func(conn net.Conn) bool {
		_, err := io.WriteString(conn, text)
		return err == nil
	}
}

func answer200(body string) reaction {
	return write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

// half announces the whole body and cuts the connection in its middle.
func half(status, body string) reaction {
	return func(conn net.Conn) bool {
		_, _ = io.WriteString(conn, "HTTP/1.1 "+status+"\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body[:len(body)/2])
		return false
	}
}

func newClient(t testing.TB, address string, change ...func(*Config)) *Client {
	t.Helper()
	base, err := ParseBaseURL(address, false)
	if err != nil {
		t.Fatalf("ParseBaseURL(%q): %v", address, err)
	}
	config := Config{
		BaseURL: base, APIKey: NewSecret(plantedKey), RequestTimeout: longEnough, RetryWaitMin: time.Millisecond,
		RetryWaitMax: 5 * time.Millisecond, UserAgent: "terraform-provider-embed/test",
	}
	for _, c := range change {
		c(&config)
	}
	client := New(config)
	t.Cleanup(func() {
		if transport, ok := client.transport.(*http.Transport); ok {
			transport.CloseIdleConnections()
		}
	})
	return client
}

func retries(n int) func(*Config) { return func(c *Config) { c.MaxRetries = n } }

const (
	groupJSON    = `{"team_id":1001,"token":"` + plantedNewToken + `","name":"Acme","provided_id":"acme"}`
	successJSON  = `{"success":1,"new_user_group":false,"user_group":` + groupJSON + `}`
	createdJSON  = `{"success":1,"new_user_group":true,"user_group":` + groupJSON + `}`
	contentJSON  = "application/json"
	htmlPage     = "<!DOCTYPE html><html><body>Sign in</body></html>"
	fullGroupRaw = `{"team_id":1001,"token":"` + plantedNewToken + `","name":"Acme","provided_id":"acme",` +
		`"properties":{"tier":"gold"},"api_environment_tag":"Customer"}`
)

// anyCall is one of the four calls, for what all of them have in common.
type anyCall struct {
	name, method string
	// repeatable: also after an unknown outcome.
	repeatable bool
	make       func(context.Context, *Client) (Answer, error)
}

var fourCalls = []anyCall{
	{"get or create", http.MethodGet, true, func(ctx context.Context, c *Client) (Answer, error) {
		return c.GetOrCreate(ctx, GroupRequest{UserGroupID: "acme"})
	}},
	{"update", http.MethodPut, true, func(ctx context.Context, c *Client) (Answer, error) {
		return c.Update(ctx, GroupRequest{UserGroupID: "acme", Name: ptr("Acme")})
	}},
	{"rotate", http.MethodPost, false, func(ctx context.Context, c *Client) (Answer, error) {
		return c.Rotate(ctx, NewSecret(plantedToken))
	}},
	{"delete", http.MethodDelete, true, func(ctx context.Context, c *Client) (Answer, error) {
		return Answer{}, c.Delete(ctx, DeleteRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "acme"})
	}},
}

// failureOf returns err as the *Error that it must be.
func failureOf(t testing.TB, err error) *Error {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("got error %v (%T), want an *Error", err, err)
	}
	return failure
}

func wantKind(t testing.TB, failure *Error, kind Kind) {
	t.Helper()
	if failure.Kind != kind {
		t.Errorf("Kind = %d, want %d (%s)", failure.Kind, kind, failure)
	}
}

func wantRequests(t testing.TB, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("the service got %d requests, want %d", got, want)
	}
}

func mustObject(t testing.TB, text string) jsonobject.Object {
	t.Helper()
	object, err := jsonobject.Parse(text)
	if err != nil {
		t.Fatalf("jsonobject.Parse(%q): %v", text, err)
	}
	return object
}

// waitFor waits until condition holds.
func waitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(longEnough); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// within fails the test if what takes long enough to mean "never".
func within(t testing.TB, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(longEnough):
		t.Fatalf("%s did not end", what)
	}
}

// tryAnew runs what depends on time with one time limit after the other until it goes well, and reports the last failure:
// a busy machine may need longer than the limit for what comes before.
func tryAnew(t *testing.T, run func(timeout time.Duration) error) {
	t.Helper()
	var err error
	for _, timeout := range []time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second} {
		if err = run(timeout); err == nil {
			return
		}
	}
	t.Error(err)
}

// deafAddress returns an address that nothing listens on, nor will: an open connection holds its port until the test ends.
func deafAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn.LocalAddr().String()
}

// syncBuffer is a log's destination that may be read while it is written.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// wantAbsent fails if text contains any of the secrets.
func wantAbsent(t testing.TB, where, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s gives %q away: …%s…", where, secret, text[max(0, at-80):min(len(text), at+len(secret)+20)])
		}
	}
}

func ptr[T any](value T) *T { return &value }
