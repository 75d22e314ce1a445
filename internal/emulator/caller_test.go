package emulator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// caller speaks to the service as the contract has it, and nothing is repeated
// or followed for it.
type caller struct {
	url, key string
	client   *http.Client
	alter    func(*http.Request)
}

type response struct {
	err    error
	status int
	header http.Header
	raw    string
}

type userGroup struct {
	TeamID      json.Number     `json:"team_id"`
	Token       *string         `json:"token"`
	Name        *string         `json:"name"`
	ProvidedID  *string         `json:"provided_id"`
	Properties  json.RawMessage `json:"properties"`
	Environment json.RawMessage `json:"api_environment_tag"`
}

type document struct {
	Success *int       `json:"success"`
	Message string     `json:"message"`
	IsNew   *bool      `json:"new_user_group"`
	Group   *userGroup `json:"user_group"`
}

func start(t *testing.T, options emulator.Options) (*emulator.Emulator, *caller) {
	t.Helper()
	e, err := emulator.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, newCaller(t, e, emulator.DefaultKey)
}

func newCaller(t *testing.T, e *emulator.Emulator, key string) *caller {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &caller{url: e.URL() + "/api/user", key: key, client: &http.Client{
		Transport:     transport,
		Timeout:       20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *caller) fresh() *caller {
	client := *c.client
	client.Transport = &http.Transport{DisableKeepAlives: true}
	return &caller{url: c.url, key: c.key, client: &client, alter: c.alter}
}

func (c *caller) altered(alter func(*http.Request)) *caller {
	return &caller{url: c.url, key: c.key, client: c.client, alter: alter}
}

func (c *caller) send(method, body string) response {
	request, err := http.NewRequest(method, c.url, strings.NewReader(body))
	if err != nil {
		return response{err: err}
	}
	request.GetBody = nil
	request.Header.Set("Authorization", "Token "+c.key)
	request.Header.Set("Content-Type", "application/json")
	if c.alter != nil {
		c.alter(request)
	}
	got, err := c.client.Do(request)
	if err != nil {
		return response{err: err}
	}
	defer func() { _ = got.Body.Close() }()
	raw, err := io.ReadAll(got.Body)
	return response{err: err, status: got.StatusCode, header: got.Header, raw: string(raw)}
}

// until is a caller that gives up when the context ends.
func (c *caller) until(ctx context.Context) *caller {
	return c.altered(func(request *http.Request) { *request = *request.WithContext(ctx) })
}

func (r response) parse() (document, error) {
	var parsed document
	if r.err != nil {
		return parsed, r.err
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(r.raw)))
	decoder.UseNumber()
	err := decoder.Decode(&parsed)
	return parsed, err
}

func (r response) mustParse(t *testing.T) document {
	t.Helper()
	parsed, err := r.parse()
	if err != nil {
		t.Fatalf("no usable answer: %v (status %d, body %q)", err, r.status, r.raw)
	}
	return parsed
}

func (c *caller) succeed(t *testing.T, method, body string) document {
	t.Helper()
	got := c.send(method, body)
	parsed := got.mustParse(t)
	if got.status != http.StatusOK || parsed.Success == nil || *parsed.Success != 1 {
		t.Fatalf("%s %s: status %d, body %s", method, body, got.status, got.raw)
	}
	if contentType := got.header.Get("Content-Type"); contentType != "application/json" {
		t.Errorf("%s: Content-Type %q", method, contentType)
	}
	return parsed
}

func (c *caller) refused(t *testing.T, method, body string, status int, naming string) {
	t.Helper()
	got := c.send(method, body)
	parsed := got.mustParse(t)
	if got.status != status || parsed.Success == nil || *parsed.Success != 0 {
		t.Errorf("%s %.80s: status %d, want %d with success 0; body %s", method, body, got.status, status, got.raw)
	}
	if naming == "" || !strings.Contains(parsed.Message, naming) {
		t.Errorf("%s %.80s: message %q does not name %q", method, body, parsed.Message, naming)
	}
}

func mustGroup(t *testing.T, e *emulator.Environment, id string) emulator.Group {
	t.Helper()
	group, ok := e.Group(id)
	if !ok {
		t.Fatalf("there is no group %q", id)
	}
	return group
}

func lastCall(t *testing.T, e *emulator.Emulator) emulator.Call {
	t.Helper()
	calls := e.Calls()
	if len(calls) == 0 {
		t.Fatal("no call was recorded")
	}
	return calls[len(calls)-1]
}

func byToken(token string) string { return fmt.Sprintf(`{"current_token":%q}`, token) }

func byID(id string) string { return fmt.Sprintf(`{"user_group_id":%q}`, id) }

func text(s *string) string {
	if s == nil {
		return "<null>"
	}
	return *s
}
