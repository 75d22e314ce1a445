package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

type (
	fields  = map[string]json.RawMessage
	between = func(*http.Request, fields, func() *http.Response) *http.Response
)

// service is an emulator with a customer's group, and what is between it and the probe. It is an http.RoundTripper.
type service struct {
	*testing.T
	*emulator.Emulator

	// between, if set, answers calls in place of the emulator. The next function passes a call on.
	between  between
	progress bytes.Buffer
}

const (
	testingKey    = emulator.DefaultKey
	customer      = "acme"
	customerToken = "ugt_acme"
	advice        = "Do this."
)

func newService(t *testing.T, options emulator.Options) *service {
	t.Helper()
	if options.Environments == nil {
		options.Environments = map[string]string{testingKey: "Testing", "key-of-customers": "Customer"}
	}
	e := emulator.New(options)
	s := &service{T: t, Emulator: e}
	group := emulator.Group{
		ID: customer, Name: "Acme", Token: customerToken, Properties: json.RawMessage(`{"tier":"gold"}`),
	}
	for _, tag := range options.Environments {
		group.TeamID++
		e.In(tag).Seed(group)
	}
	return s
}

// run runs the probe, and checks that it touched no group but its own, showed no secret, and told which groups are
// left.
func (s *service) run(ctx context.Context, environment string) (report Report) {
	s.Helper()
	before := s.everything(false)
	base, err := api.ParseBaseURL("https://service.example", false)
	if err != nil {
		s.Fatal(err)
	}
	defer func() {
		synctest.Wait()
		if after := s.everything(false); !reflect.DeepEqual(before, after) {
			s.Errorf("the groups of others were %v and are %v", before, after)
		}
		for _, call := range s.Calls() {
			if call.ID == customer || bytes.Contains(call.Body, []byte(customerToken)) {
				s.Errorf("a call is about the group of a customer: %s", call)
			}
		}
	}()
	report = Run(ctx, Options{
		Client: api.Config{
			BaseURL: base, APIKey: api.NewSecret(testingKey), Transport: s, RequestTimeout: 10 * time.Second,
			MaxRetries: 4, RetryWaitMin: time.Second, RetryWaitMax: 30 * time.Second,
		},
		Environment: environment, Progress: &s.progress,
		Advice: func(*api.Error) string { return advice },
	})
	var printed bytes.Buffer
	if err := report.Text(&printed); err != nil {
		s.Error(err)
	}
	for _, secret := range []string{"ugt_", testingKey} {
		if strings.Contains(printed.String()+s.progress.String(), secret) {
			s.Errorf("the report shows a key or a token:\n%s", &printed)
		}
	}
	for _, id := range s.left() {
		if !strings.Contains(printed.String(), `-d '{"user_group_id":"`+id+`"}'`) || report.ExitCode() != 1 {
			s.Errorf("the probe exits with %d and does not tell that it left %s", report.ExitCode(), id)
		}
	}
	return report
}

// everything returns the groups of all environments whose ID has the probe's prefix, or has it not.
func (s *service) everything(probes bool) (groups []emulator.Group) {
	for _, tag := range []string{"", "Customer", "Testing"} {
		for _, group := range s.In(tag).Groups() {
			if strings.HasPrefix(group.ID, Prefix) == probes {
				groups = append(groups, group)
			}
		}
	}
	return groups
}

// left returns the IDs of the groups of the probe.
func (s *service) left() (ids []string) {
	for _, group := range s.everything(true) {
		ids = append(ids, group.ID)
	}
	return ids
}

// RoundTrip implements http.RoundTripper.
func (s *service) RoundTrip(r *http.Request) (response *http.Response, err error) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{}) // From now on, an attempt can get lost.
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var body fields
	if err := json.Unmarshal(text, &body); err != nil {
		return nil, err
	}
	next := func() *http.Response {
		if s.between != nil {
			text, _ = json.Marshal(body) // It may have changed the body.
		}
		recorder := httptest.NewRecorder()
		request := r.Clone(r.Context())
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		s.ServeHTTP(recorder, request)
		return recorder.Result()
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
	if s.between != nil {
		return s.between(r, body, next), nil
	}
	return next(), nil
}

// says returns a response with a status and a body.
func says(status int, body string) *http.Response {
	recorder := httptest.NewRecorder()
	recorder.WriteHeader(status)
	_, _ = recorder.WriteString(body)
	return recorder.Result()
}

// cachedCustomer responds to every GET as the service once did to a GET of a customer's group.
func cachedCustomer(isNew string) between {
	return func(r *http.Request, _ fields, next func() *http.Response) *http.Response {
		if r.Method == http.MethodGet {
			return says(200, `{"success":1,"new_user_group":`+isNew+
				`,"user_group":{"team_id":1,"token":"ugt_acme","name":"Acme","provided_id":"acme"}}`)
		}
		return next()
	}
}

// fromFirst begins with the call after the first one with the method.
func fromFirst(method string, then between) between {
	begun := false
	return func(r *http.Request, body fields, next func() *http.Response) *http.Response {
		if begun {
			return then(r, body, next)
		}
		begun = r.Method == method
		return next()
	}
}

// deletesByToken refuses a deletion by the ID alone.
func deletesByToken(r *http.Request, body fields, next func() *http.Response) *http.Response {
	if r.Method == http.MethodDelete && body["current_token"] == nil {
		return says(400, `{"success":0}`)
	}
	return next()
}

// cacheByBody repeats the response to an equal GET, with an Age if that is not empty.
func cacheByBody(age string) between {
	kept := map[string]string{}
	return func(r *http.Request, body fields, next func() *http.Response) *http.Response {
		if r.Method != http.MethodGet {
			return next()
		}
		key := string(body["user_group_id"])
		if text, is := kept[key]; is {
			response := says(200, text)
			if age != "" {
				response.Header.Set("Age", age)
			}
			return response
		}
		text, _ := io.ReadAll(next().Body)
		kept[key] = string(text)
		return says(200, kept[key])
	}
}

// twice sends every call with the method twice, and returns the second response.
func twice(method string) between {
	return func(r *http.Request, _ fields, next func() *http.Response) *http.Response {
		if r.Method == method {
			next()
		}
		return next()
	}
}

// rotatesAnyToken responds to a rotation with an old token as to the rotation before.
func rotatesAnyToken() between {
	var last []byte
	return func(r *http.Request, _ fields, next func() *http.Response) *http.Response {
		response := next()
		if r.Method != http.MethodPost {
			return response
		}
		if response.StatusCode == http.StatusOK {
			last, _ = io.ReadAll(response.Body)
		}
		return says(http.StatusOK, string(last))
	}
}

func refusal(method string, nth, status int) emulator.Fault {
	return emulator.Fault{Method: method, Nth: nth, Kind: emulator.Answer, Status: status, Body: `{"success":0}`}
}

func changesIDs(change func(string) string) between {
	return func(_ *http.Request, body fields, next func() *http.Response) *http.Response {
		var id string
		if json.Unmarshal(body["user_group_id"], &id) == nil {
			body["user_group_id"], _ = json.Marshal(change(id))
		}
		return next()
	}
}

func refusesOddIDs(_ *http.Request, body fields, next func() *http.Response) *http.Response {
	if regexp.MustCompile(`[^a-z0-9-"]|.{66}`).Match(body["user_group_id"]) {
		return says(400, `{"success":0,"message":"no"}`)
	}
	return next()
}
