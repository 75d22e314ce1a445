package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// The tests plant these secrets, and check that they do not appear where they must not. None contains another. Those
// that fuzzing looks for do not begin with a letter that can follow a backslash, because \t followed by "ok" would
// look like "tok".
const (
	plantedKey      = "key-3f9c1d77aa02"
	plantedToken    = "old-token-5b21c0de"
	plantedNewToken = "tok-new-77e01f3a"
)

const (
	group       = `{"team_id":1001,"token":"` + plantedNewToken + `","name":"Acme","provided_id":"acme"}`
	successJSON = `{"success":1,"new_user_group":false,"user_group":` + group + `}`
	createdJSON = `{"success":1,"new_user_group":true,"user_group":` + group + `}`
	htmlPage    = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
)

// service is the other end of a connection. It has a reaction for each request. The last one is repeated for all
// further requests.
type service struct {
	reactions []reaction

	mu          sync.Mutex
	requests    []received
	connections int
}

type received struct {
	*http.Request
	body string
	at   time.Time
}

// reaction responds to a request, or fails to do so, and reports whether to keep the connection open.
type reaction func(conn net.Conn, request received) (keep bool)

func inTurn(reactions ...reaction) *service { return &service{reactions: reactions} }

func (s *service) converse(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	s.connections++
	s.mu.Unlock()
	for reader := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.requests = append(s.requests, received{request, string(body), time.Now()})
		n, last := len(s.requests), s.requests[len(s.requests)-1]
		s.mu.Unlock()
		if !s.reactions[min(n, len(s.reactions))-1](conn, last) {
			return
		}
	}
}

func (s *service) seen() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *service) want(t testing.TB, requests int) {
	t.Helper()
	if got := len(s.seen()); got != requests {
		t.Errorf("the service received %d requests, want %d", got, requests)
	}
}

// client returns a client that is connected to the service within the process. They speak HTTP, but nothing leaves a
// synctest bubble.
func (s *service) client(t testing.TB, change ...func(*Config)) *Client {
	t.Helper()
	client := newClient(t, "http://127.0.0.1", change...)
	client.dialWith(func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go s.converse(there)
		return &countingConn{Conn: here}, nil
	})
	return client
}

// dialWith replaces what opens connections.
func (c *Client) dialWith(dial func(context.Context, string, string) (net.Conn, error)) {
	network := c.transport.(network)
	network.shared.DialContext, network.own.DialContext = dial, dial
}

// listen starts the service on the loopback interface, with TLS if config is not nil, and returns its host and port.
func (s *service) listen(t testing.TB, config *tls.Config) string {
	t.Helper()
	return listen(t, func(conn net.Conn) {
		if config != nil {
			secure := tls.Server(conn, config)
			if secure.Handshake() != nil {
				// Closing a connection with unread data resets it, and some systems then discard the alert.
				_ = conn.(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, conn)
			}
			conn = secure
		}
		s.converse(conn)
	})
}

// listen accepts connections on the loopback interface, and returns its host and port.
func listen(t testing.TB, converse func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go converse(conn)
		}
	}()
	return listener.Addr().String()
}

// answer sends a complete response. Header lines end in \r\n.
func answer(status int, header, body string) reaction {
	return write(fmt.Sprintf("HTTP/1.1 %d X\r\n%sContent-Length: %d\r\n\r\n%s", status, header, len(body), body))
}

func ok(body string) reaction {
	return answer(http.StatusOK, "Content-Type: application/json\r\n", body)
}

func page(status int) reaction { return answer(status, "Content-Type: text/html\r\n", htmlPage) }

func write(text string) reaction {
	return func(conn net.Conn, _ received) bool {
		_, err := io.WriteString(conn, text)
		return err == nil
	}
}

func cut(net.Conn, received) bool { return false }

// hang keeps the connection open and sends nothing until the client closes it.
func hang(conn net.Conn, _ received) bool {
	_, _ = conn.Read(make([]byte, 1))
	return false
}

// then runs first and, if that keeps the connection open, second.
func then(first, second reaction) reaction {
	return func(conn net.Conn, request received) bool { return first(conn, request) && second(conn, request) }
}

// part sends the header and the beginning of a response, then cuts the connection.
func part(status int, body string) reaction {
	return then(write(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Length: 999\r\n\r\n%s", status, body)), cut)
}

func newClient(t testing.TB, address string, change ...func(*Config)) *Client {
	t.Helper()
	base, err := ParseBaseURL(address, false)
	if err != nil {
		t.Fatalf("ParseBaseURL(%q): %v", address, err)
	}
	config := Config{
		BaseURL: base, APIKey: NewSecret(plantedKey), RequestTimeout: 20 * time.Second, RetryWaitMin: time.Millisecond,
		RetryWaitMax: 5 * time.Millisecond, UserAgent: "terraform-provider-embed/test",
	}
	for _, c := range change {
		c(&config)
	}
	client := New(config)
	t.Cleanup(func() {
		if network, ok := client.transport.(network); ok {
			network.shared.CloseIdleConnections()
		}
	})
	return client
}

func retries(n int) func(*Config) { return func(c *Config) { c.MaxRetries = n } }

// waits sets RetryWaitMin and RetryWaitMax, and makes all waits predictable.
func waits(shortest, longest time.Duration) func(*Config) {
	return func(c *Config) {
		c.RetryWaitMin, c.RetryWaitMax, c.Random = shortest, longest, func() float64 { return 0 }
	}
}

// anyCall is one of the four calls, for what all of them have in common.
type anyCall struct {
	method string
	make   func(context.Context, *Client) (Answer, error)
}

var (
	get       = lookingUp(GroupRequest{UserGroupID: "acme"})
	put       = updating(GroupRequest{UserGroupID: "acme", Name: ptr("Acme")})
	post      = rotating(TokenRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "acme"})
	remove    = deleting(TokenRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "acme"})
	fourCalls = []anyCall{get, put, post, remove}
)

func lookingUp(group GroupRequest) anyCall {
	return anyCall{http.MethodGet, func(ctx context.Context, c *Client) (Answer, error) {
		return c.GetOrCreate(ctx, group)
	}}
}

func updating(group GroupRequest) anyCall {
	return anyCall{http.MethodPut, func(ctx context.Context, c *Client) (Answer, error) { return c.Update(ctx, group) }}
}

func rotating(group TokenRequest) anyCall {
	return anyCall{http.MethodPost, func(ctx context.Context, c *Client) (Answer, error) { return c.Rotate(ctx, group) }}
}

func deleting(group TokenRequest) anyCall {
	return anyCall{http.MethodDelete, func(ctx context.Context, c *Client) (Answer, error) {
		return Answer{}, c.Delete(ctx, group)
	}}
}

// interpret makes a call without the network, and returns what the client takes the response for.
func interpret(t testing.TB, call anyCall, response *http.Response) (Answer, *Error) {
	t.Helper()
	return newClient(t, "https://service.example.com").interpret(t, call, response)
}

func (c *Client) interpret(t testing.TB, call anyCall, response *http.Response) (Answer, *Error) {
	t.Helper()
	c.transport = always{response}
	answer, err := call.make(t.Context(), c)
	failure, _ := errors.AsType[*Error](err)
	if failure != nil && failure.Kind != Incomplete && (!answer.UserGroup.Token.IsZero() || answer.New != nil) {
		t.Errorf("%s comes with a response: %+v", failure, answer)
	}
	return answer, failure
}

// always is a service that gives one response.
type always struct{ response *http.Response }

func (a always) RoundTrip(*http.Request) (*http.Response, error) { return a.response, nil }

// reply returns a response with the given names and values of header fields.
func reply(status int, body string, header ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	if body == htmlPage {
		r.Header.Set("Content-Type", "text/html; charset=utf-8")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	return r
}

// wantKind returns err as an *Error, and fails unless it is of the given kind.
func wantKind(t testing.TB, err error, kind Kind) *Error {
	t.Helper()
	failure, is := errors.AsType[*Error](err)
	if !is {
		t.Fatalf("got error %v (%T), want an *Error", err, err)
	}
	if failure.Kind != kind || !IsKind(err, kind) || IsKind(err, kind+1) {
		t.Errorf("Kind = %d, want %d (%s)", failure.Kind, kind, failure)
	}
	return failure
}

func mustObject(t testing.TB, text string) jsonobject.Object {
	t.Helper()
	object, err := jsonobject.Parse(text)
	if err != nil {
		t.Fatalf("jsonobject.Parse(%q): %v", text, err)
	}
	return object
}

// wantAbsent fails if text contains any of the secrets.
func wantAbsent(t testing.TB, where, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("%s contains %q: …%s…", where, secret, text[max(0, at-80):min(len(text), at+len(secret)+20)])
		}
	}
}

func ptr[T any](value T) *T { return &value }
