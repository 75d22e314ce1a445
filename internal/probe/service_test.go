package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// service is an emulator with a customer's group, and what is between it and the probe. It is an http.RoundTripper.
type service struct {
	*testing.T
	*emulator.Emulator

	between           between
	attempts          int
	progress, printed bytes.Buffer
}

// between answers a call in place of the emulator, or passes it on with next.
type between func(c call) *response

type response = httptest.ResponseRecorder

type call struct {
	*http.Request

	body map[string]json.RawMessage
	next func() *response
}

// looks asks for the group of a call, and leaves the call as it was.
func (c call) looks() *response {
	method, all := c.Method, maps.Clone(c.body)
	maps.DeleteFunc(c.body, func(field string, _ json.RawMessage) bool { return field != "user_group_id" })
	c.Method = http.MethodGet
	r := c.next()
	c.Method = method
	maps.Copy(c.body, all)
	return r
}

// passed passes a call on.
func (c call) passed() *response { return c.next() }

const (
	testingKey = emulator.DefaultKey
	customer   = "acme"
)

func newService(t *testing.T, options emulator.Options) *service {
	t.Helper()
	if options.Environments == nil {
		options.Environments = map[string]string{testingKey: "Testing", "key-of-customers": "Customer"}
	}
	s := &service{T: t, Emulator: emulator.New(options), between: func(c call) *response { return c.next() }}
	s.Seed(emulator.Group{ID: customer, Name: "Acme", Token: "ugt_acme", TeamID: 7})
	return s
}

// run runs the probe, and checks that it touched no group but its own, showed no secret, and told which groups are
// left.
func (s *service) run(ctx context.Context, environment, source string, fields ...string) (report Report) {
	s.Helper()
	before := s.groups(false)
	address, _ := api.ParseBaseURL("https://service.example", false)
	defer func() {
		synctest.Wait()
		if after := s.groups(false); !reflect.DeepEqual(before, after) {
			s.Errorf("the groups of others were %v and are %v", before, after)
		}
		for _, call := range s.Calls() {
			if call.ID == customer || bytes.Contains(call.Body, []byte("ugt_acme")) {
				s.Errorf("a call is about the group of a customer: %s", call)
			}
		}
	}()
	report = Run(ctx, Options{
		Client: api.Config{
			URL: address, APIKey: api.NewSecret(testingKey), Transport: s, RequestTimeout: 10 * time.Second,
			MaxRetries: 4, RetryWaitMax: 30 * time.Second,
		},
		Environment: environment, DataSourceProvidedID: source, LookupFields: fields, Progress: &s.progress,
	})
	if err := report.Text(&s.printed, true); err != nil {
		s.Error(err)
	}
	if all := s.printed.String() + s.progress.String(); regexp.MustCompile(`ugt_|` + testingKey).MatchString(all) {
		s.Errorf("the report shows a key or a token:\n%s", all)
	}
	s.WaitIdle()
	for _, group := range s.groups(true) {
		if !strings.Contains(s.printed.String(), group.ID) || report.ExitCode() != ExitUnfinished {
			s.Errorf("the probe exits with %d and does not tell that it left %s", report.ExitCode(), group.ID)
		}
	}
	return report
}

// groups returns the groups that are those of a probe, or are not.
func (s *service) groups(probes bool) []emulator.Group {
	return slices.DeleteFunc(s.Groups(), func(g emulator.Group) bool { return strings.HasPrefix(g.ID, Prefix) != probes })
}

// RoundTrip implements http.RoundTripper.
func (s *service) RoundTrip(r *http.Request) (answered *http.Response, err error) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{}) // From now on, an attempt can get lost.
	s.attempts++
	c := call{Request: r}
	_ = json.NewDecoder(r.Body).Decode(&c.body)
	c.next = func() *response {
		text, _ := json.Marshal(c.body)
		recorder, request := httptest.NewRecorder(), r.Clone(r.Context())
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		s.ServeHTTP(recorder, request)
		return recorder
	}
	defer func() {
		switch cut := recover(); cut {
		case nil:
		case http.ErrAbortHandler:
			err = io.ErrUnexpectedEOF
		default:
			panic(cut)
		}
	}()
	return s.between(c).Result(), nil
}

// on leaves calls with other methods alone.
func on(method string, then between) between {
	return func(c call) *response {
		if c.Method == method {
			return then(c)
		}
		return c.next()
	}
}

// deletesByToken refuses a deletion by the ID alone.
var deletesByToken = on(http.MethodDelete, func(c call) *response {
	if c.body["current_token"] == nil {
		delete(c.body, "user_group_id")
	}
	return c.next()
})

// twice sends a call twice, and returns the second response.
func twice(c call) *response {
	c.next()
	return c.next()
}

// caches answers a lookup with the response to the first one that had the same body.
func caches() between {
	first := map[string]string{}
	return on(http.MethodGet, func(c call) *response {
		body, _ := json.Marshal(c.body)
		if first[string(body)] == "" {
			first[string(body)] = c.next().Body.String()
		}
		return responds(http.StatusOK, "application/json", first[string(body)])
	})
}

// busy refuses each call once.
func busy() between {
	attempts := 0
	return func(c call) *response {
		if attempts++; attempts%2 == 1 {
			return &response{Code: http.StatusTooManyRequests, Body: &bytes.Buffer{}}
		}
		return c.next()
	}
}

// rotatesNothing responds to a rotation like an update that changes nothing.
func rotatesNothing() between {
	var last json.RawMessage
	return func(c call) *response {
		if id := c.body["user_group_id"]; id != nil {
			last = id
		}
		if c.Method == http.MethodPost {
			c.Method = http.MethodPut
			c.body["user_group_id"] = last
			delete(c.body, "current_token")
		}
		return c.next()
	}
}

// rotatesAnyToken rotates the current token in place of an older one.
func rotatesAnyToken() between {
	var last []byte
	old := map[string]bool{}
	return on(http.MethodPost, func(c call) *response {
		if old[string(c.body["current_token"])] {
			c.body["current_token"] = last
		}
		old[string(c.body["current_token"])] = true
		r := c.next()
		last = regexp.MustCompile(`"ugt_\w+"`).Find(r.Body.Bytes())
		return r
	})
}

// hidesNames takes the name from the response to a lookup whose request has none.
var hidesNames = on(http.MethodGet, func(c call) *response {
	r := c.next()
	if c.body["name"] == nil {
		text := regexp.MustCompile(`"name":"(\\.|[^"\\])*"`).ReplaceAll(r.Body.Bytes(), []byte(`"name":null`))
		r.Body = bytes.NewBuffer(text)
	}
	return r
})

// putsNames overwrites the group with the name that a lookup sends.
var putsNames = on(http.MethodGet, func(c call) *response {
	if c.body["name"] != nil {
		c.Method = http.MethodPut
		c.next()
		c.Method = http.MethodGet
	}
	return c.next()
})

// changes changes a field of each request.
func changes(field string, change func(string) string) between {
	return func(c call) *response {
		if c.body[field] != nil {
			c.body[field] = json.RawMessage(change(string(c.body[field])))
		}
		return c.next()
	}
}

// empty empties a JSON text with capitals.
func empty(text string) string { return pick(strings.ToLower(text) == text, text, `""`) }

func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"::error::\x1b[31m": `:\u003aerror::\x1b[31m`, "a ##vso[x]": `a #\u0023vso[x]`, `"a::b" #1`: `"a::b" #1`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q is printed as %s, want %s", text, got, want)
		}
	}
}
