package api

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests plant these secrets. None contains another, and none begins with a letter that can follow a backslash,
// because \t followed by "ok" would look like "tok".
const (
	plantedKey      = "key-3f9c1d77aa02"
	plantedToken    = "old-token-5b21c0de"
	plantedNewToken = "made-token-77e01f3a"
	plantedHeader   = "header-4e5f60a1"
	plantedProperty = "property-9d8c7b6a"

	group       = `{"team_id":1001,"token":"` + plantedNewToken + `","name":"Acme","provided_id":"acme"}`
	successJSON = `{"success":1,"new_user_group":false,"user_group":` + group + `}`
	createdJSON = `{"success":1,"new_user_group":true,"user_group":` + group + `}`
	htmlPage    = "<!DOCTYPE html><html><head><title>Sign in</title></head></html>"
	second      = time.Second
	hour        = time.Hour
)

// service has a reaction for each request. The last one is repeated for all further requests.
type service struct {
	reactions []reaction
	mu        sync.Mutex
	seen      []*http.Request
	bodies    []string
	times     []time.Time
}

type reaction func(*http.Request) (*http.Response, error)

func inTurn(reactions ...reaction) *service { return &service{reactions: reactions} }
func (s *service) RoundTrip(request *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(request.Body)
	s.mu.Lock()
	s.seen, s.bodies, s.times = append(s.seen, request), append(s.bodies, string(body)), append(s.times, time.Now())
	react := s.reactions[min(len(s.seen), len(s.reactions))-1]
	s.mu.Unlock()
	response, err := react(request)
	if !errors.Is(err, errUnsent) {
		httptrace.ContextClientTrace(request.Context()).GotConn(httptrace.GotConnInfo{})
	}
	return response, err
}

// reply responds with the given names and values of header fields.
func reply(status int, body string, header ...string) reaction {
	if body == htmlPage {
		header = append(header, "Content-Type", "text/html; charset=utf-8")
	}
	return func(request *http.Request) (*http.Response, error) {
		r := &http.Response{StatusCode: status, Header: http.Header{}, Request: request}
		r.Body = io.NopCloser(strings.NewReader(body))
		for pair := range slices.Chunk(header, 2) {
			r.Header.Add(pair[0], pair[1])
		}
		return r, nil
	}
}

func ok(body string) reaction { return reply(http.StatusOK, body) }

var errUnsent = errors.New("no route to host")

// cut closes the connection without a response, hang sends none, and unsent gets no connection.
func cut(*http.Request) (*http.Response, error)    { return nil, io.ErrUnexpectedEOF }
func unsent(*http.Request) (*http.Response, error) { return nil, errUnsent }
func hang(request *http.Request) (*http.Response, error) {
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// newClient returns a client with three retries, whose waits are the longest. Without a transport, it uses the network.
func newClient(transport http.RoundTripper, change ...func(*Config)) *Client {
	config := Config{
		APIKey: NewSecret(plantedKey), RequestTimeout: 20 * second, RetryWaitMax: 30 * second, MaxRetries: 3,
		UserAgent: "test/1", Headers: map[string]Secret{"X-Secret": NewSecret(plantedHeader)},
		Transport: transport, Random: func() float64 { return 0 },
	}
	config.URL, _ = ParseBaseURL("https://service.example", false)
	for _, c := range change {
		c(&config)
	}
	return New(config)
}

func once(c *Config) { c.MaxRetries = 0 }

type anyCall struct {
	method string
	group  GroupRequest
	token  TokenRequest
}

var (
	get       = anyCall{http.MethodGet, GroupRequest{UserGroupID: "acme"}, TokenRequest{}}
	put       = anyCall{http.MethodPut, GroupRequest{UserGroupID: "acme", Name: new("Acme")}, TokenRequest{}}
	holder    = TokenRequest{CurrentToken: NewSecret(plantedToken), UserGroupID: "acme"}
	post      = anyCall{http.MethodPost, GroupRequest{}, holder}
	remove    = anyCall{http.MethodDelete, GroupRequest{}, holder}
	fourCalls = []anyCall{get, put, post, remove}
)

const success = none

// send makes the call, and returns the kind of its error.
func (a anyCall) send(ctx context.Context, calls Calls) (answer Answer, failure *Error, kind Kind) {
	switch a.method {
	case http.MethodGet:
		answer, failure = calls.GetOrCreate(ctx, a.group)
	case http.MethodPut:
		answer, failure = calls.Update(ctx, a.group)
	case http.MethodPost:
		answer, failure = calls.Rotate(ctx, a.token)
	default:
		failure = calls.Delete(ctx, a.token)
	}
	if failure == nil {
		return answer, nil, success
	}
	isUsable := failure.Kind == Incomplete || failure.Kind == Unmarked
	if !isUsable && (answer.New != nil || !answer.UserGroup.Token.IsZero()) {
		panic(failure.Error() + " comes with a response")
	}
	return answer, failure, failure.Kind
}

// make makes the call as an operation of its own.
func (a anyCall) make(c *Client) (Answer, *Error, Kind) {
	return a.send(context.Background(), c.Begin(nil))
}

func (a anyCall) take(react reaction) (Answer, *Error, Kind) {
	return a.make(newClient(inTurn(react), once))
}

func properties(text string) Properties {
	object, err := ParseProperties(text)
	if err != nil {
		panic(err)
	}
	return object
}

// same fails unless both print the same.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	failIf(t, fmt.Sprint(got) != fmt.Sprint(want), "%.400s: got %.400v, want %.400v", what, got, want)
}

func failIf(t testing.TB, failed bool, format string, args ...any) {
	if t.Helper(); failed {
		t.Errorf(format, args...)
	}
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

// pipes is a listener whose connections are within the process, so that they exist in virtual time.
type pipes chan net.Conn

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Accept() (net.Conn, error) {
	if conn, open := <-p; open {
		return conn, nil
	}
	return nil, net.ErrClosed
}

// draining is a connection that is closed only after all that the client sends has been read. Over a network, too, a
// client can send a request before it reads that the server has refused its certificate.
type draining struct{ net.Conn }

func (d draining) Close() error {
	go func() { _, _ = io.Copy(io.Discard, d.Conn); _ = d.Conn.Close() }()
	return nil
}

// serve starts a server, with TLS if config is not nil.
func serve(t testing.TB, config *tls.Config, server *http.Server) (listener pipes) {
	server.ErrorLog, listener = log.New(io.Discard, "", 0), make(pipes)
	t.Cleanup(func() { _ = server.Close() })
	if config == nil {
		go func() { _ = server.Serve(listener) }()
	} else {
		go func() { _ = server.Serve(tls.NewListener(listener, config)) }()
	}
	return listener
}

// hosts are all servers that a client can reach. Those at port 443 have TLS.
type hosts map[string]pipes

func (h hosts) dial(_ context.Context, _, address string) (net.Conn, error) {
	here, there := net.Pipe()
	if h[address] == nil {
		return nil, fmt.Errorf("%s: %w", address, errUnsent)
	}
	if strings.HasSuffix(address, ":443") {
		there = draining{there}
	}
	h[address] <- there
	return here, nil
}

// client returns a client with the real transport.
func (h hosts) client(t testing.TB, change ...func(*Config)) *Client {
	client := newClient(nil, change...)
	network := client.config.Transport.(network)
	network.lookups.DialContext, network.changes.DialContext = h.dial, h.dial
	t.Cleanup(network.lookups.CloseIdleConnections)
	return client
}
