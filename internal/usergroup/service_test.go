package usergroup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

const (
	id               = "acme"
	oldName          = "Acme Ltd"
	newName          = "Acme Inc."
	wantedProperties = `{"tier":"gold"}`
	// The default settings of the provider, and of Terraform.
	requestTimeout = 30 * time.Second
	maxRetries     = 4
	workers        = 10
)

// newService returns the service of a provider that has just started.
func newService(network http.RoundTripper, maxRetries int, settings usergroup.Settings) *usergroup.Service {
	return usergroup.New(api.New(api.Config{
		URL: &url.URL{Scheme: "http", Host: "service", Path: "/api/user"}, APIKey: api.NewSecret(emulator.DefaultKey),
		RequestTimeout: requestTimeout, MaxRetries: maxRetries, RetryWaitMax: 30 * time.Second, Transport: network,
		Random: func() float64 { return 0 }, // the longest waits
	}), settings)
}

// wanted returns what is wanted of a group.
func wanted(id string) api.GroupRequest {
	properties, _ := api.ParseProperties(wantedProperties)
	return api.GroupRequest{
		UserGroupID: id, Name: new(newName), Mapping: map[string]string{"sales": "acme-db"}, Properties: properties,
	}
}

func isWanted(group emulator.Group) bool {
	return group.Name == newName && string(group.Properties) == wantedProperties && group.Mapping["sales"] == "acme-db"
}

// reply is the response to an attempt. With status 0, there is none.
type reply struct {
	status     int
	body       []byte
	retryAfter string
	age        string
}

var (
	lost        reply
	silence     = reply{status: -1} // no response arrives within the time limit
	unreachable = reply{status: -2} // no connection is made
	dropped     = reply{status: -3} // the response is lost after the work
)

// refusal is a response of the service itself, and page is one of something in front of it. A service that is broken
// does not say whether it has carried out the call.
func refusal(status int) reply {
	if status == http.StatusInternalServerError {
		return reply{status: status, body: []byte(`{"error":"no"}`)}
	}
	return reply{status: status, body: refused}
}

var refused = []byte(`{"success":0,"message":"no"}`)

func page(status int) reply {
	return reply{status: status, body: []byte("<html>Please sign in.</html>")}
}

func (r reply) response() (*http.Response, error) {
	if r.status == 0 {
		return nil, errors.New("the connection was cut")
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range map[string]string{"Retry-After": r.retryAfter, "Age": r.age} {
		if value != "" {
			header.Set(name, value)
		}
	}
	return &http.Response{
		StatusCode: r.status, ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}, nil
}

// received tells the client that its request is being sent, and returns the request as the service receives it.
func received(r *http.Request) (*http.Request, string) {
	connect(r)
	return copied(r)
}

// connect tells the client that its request is being sent. Otherwise, the client would conclude that nothing was done.
func connect(r *http.Request) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
}

// copied returns the request as the service receives it.
func copied(r *http.Request) (*http.Request, string) {
	body, _ := io.ReadAll(r.Body)
	kept := r.WithContext(context.Background())
	kept.Body = io.NopCloser(bytes.NewReader(body))
	return kept, string(body)
}

func serve(service http.Handler, r *http.Request) reply {
	recorder := httptest.NewRecorder()
	service.ServeHTTP(recorder, r)
	return reply{
		status: recorder.Code, body: recorder.Body.Bytes(), retryAfter: recorder.Header().Get("Retry-After"),
	}
}

// maker is who has made a group: a run, or one of the following.
type maker string

const (
	before  maker = "before"  // the group existed at the start
	another maker = "another" // another client has made or taken it
	lookup  maker = "lookup"  // a lookup or the preflight has created it, so it is a placeholder
)

// actor is a process that does one operation. The second half is what it has done to the group, and what it reports.
type actor struct {
	operation
	name  maker
	prior usergroup.Prior

	created, updated, rotated, deleted int
	unchanged                          bool // an update changed nothing, which the service refuses
	result                             usergroup.Result
	err                                error
	problems                           []*usergroup.Problem
}

// of returns how often an operation was carried out.
func (a *actor) of(operation usergroup.Operation) int {
	return map[usergroup.Operation]int{
		usergroup.Create: a.created, usergroup.Adopt: a.updated, usergroup.Update: a.updated,
		usergroup.Rotate: a.rotated, usergroup.Delete: a.deleted,
	}[operation]
}

// operate carries out the operation.
func (a *actor) operate(ctx context.Context, l *ledger, service *usergroup.Service) {
	a.result, a.err = a.do(ctx, service, a.prior)
	for _, p := range a.result.Warnings {
		l.tell("%s: warning: %s", a.name, facts{p})
	}
	if a.problems = problemsOf(a.err, a.result.Warnings); a.err != nil {
		l.tell("%s: error: %s", a.name, facts{problemOf(a.err)})
	}
}

// mayClaim reports whether the creation says that it takes a group for its own that shows what was sent.
func (a *actor) mayClaim() bool {
	group := a.result.Group
	return has(a.problems, usergroup.Claimed) && group.Name != nil && *group.Name == newName &&
		group.Properties.Text() == wantedProperties
}

// ledger has what really happened at the service. Every rule is about it.
type ledger struct {
	*record
	*emulator.Emulator

	actor  *actor           // whose calls are carried out
	makers map[int64]maker  // of each group, by its team_id
	tokens map[string]maker // the makers of the groups that had these tokens
	taken  int64            // the team_id of a placeholder that somebody has taken, until a lookup shows that
}

func newLedger(r *record, options emulator.Options, actor *actor) *ledger {
	l := &ledger{record: r, actor: actor, makers: map[int64]maker{}, tokens: map[string]maker{}}
	options.Log = l.note
	l.Emulator = emulator.New(options)
	return l
}

// note records what a call has done, and checks promises 1 and 2.
func (l *ledger) note(call emulator.Call) {
	a, made := l.actor, l.makers[call.TeamID]
	l.tell("%s: %s", a.name, call)
	placeholder := made == lookup
	group, there := l.Group(id)
	isUnchanged := call.Method == http.MethodPut && call.Refused != "" && call.ID == id && there && isWanted(group)
	switch {
	case isUnchanged:
		a.unchanged = true
	case call.Created && isLookup(call):
		l.makers[call.TeamID] = lookup
	case call.Created:
		l.makers[call.TeamID] = a.name
		a.created++
	case call.Updated && !isOfPreflight(call.ID):
		a.updated++
		switch { // It is no longer a placeholder.
		case placeholder && a.creates:
			l.makers[call.TeamID] = a.name
		case placeholder:
			l.makers[call.TeamID], l.taken = another, call.TeamID
		}
	case call.Rotated:
		a.rotated++
	case call.Deleted && !placeholder:
		a.deleted++
	}
	if did := call.Did(); did != "" && call.ID != id && !isOfPreflight(call.ID) {
		l.breaks(ruleOthers, "%s: the group %q was %s", a.name, call.ID, did)
	}
	switch {
	case call.Deleted && l.taken == call.TeamID && call.TeamID != 0:
		l.breaks(ruleTaken, "%s deleted a group that somebody had just taken", a.name)
	case call.Deleted && !placeholder && (!a.deletes || made != before):
		l.breaks(ruleOthers, "%s deleted a group of %q", a.name, made)
	case call.Rotated && (!a.rotates || made != before):
		l.breaks(ruleOthers, "%s rotated a group of %q", a.name, made)
	case call.Updated && !isOfPreflight(call.ID) && !a.writes:
		l.breaks(ruleOthers, "%s updated a group of %q", a.name, made)
	case a.rotated > 1:
		l.breaks(ruleOnce, "%s rotated %d times", a.name, a.rotated)
	}
	l.seen()
}

// seen records the group's current token.
func (l *ledger) seen() {
	if group, there := l.Group(id); there {
		l.tokens[group.Token] = l.makers[group.TeamID]
	}
}

// made records that somebody other than the run has made, or taken, the group.
func (l *ledger) made(group emulator.Group, by maker) {
	l.makers[group.TeamID] = by
	l.seen()
}

// isLookup reports whether a call was a lookup. Only creations have something in a mapping, as wanted returns it.
func isLookup(call emulator.Call) bool {
	return call.Method == http.MethodGet && !bytes.Contains(call.Body, []byte(`"mapping":{"`))
}

var preflightID = regexp.MustCompile(`^(.*"user_group_id":")?tf[a-z2-7]{10}\b`)

// isOfPreflight reports whether an ID, or the body of a request, is about a group that the preflight creates.
func isOfPreflight(text string) bool {
	return preflightID.MatchString(text)
}

// problemOf returns the problem that an error is, or nil.
func problemOf(err error) (problem *usergroup.Problem) {
	_ = errors.As(err, &problem)
	return problem
}

// problemsOf returns the warnings, the problem that the error is, and their causes.
func problemsOf(err error, warnings []*usergroup.Problem) (all []*usergroup.Problem) {
	for _, p := range append(slices.Clone(warnings), problemOf(err)) {
		for ; p != nil; p = p.Cause {
			all = append(all, p)
		}
	}
	return all
}

// none is the finding of an operation that succeeds.
const none usergroup.Finding = ""

// findingOf returns the finding of an error, or of the problem that ended the run.
func findingOf(err error) usergroup.Finding {
	p := problemOf(err)
	switch {
	case p == nil:
		return none
	case p.Finding == usergroup.RunEnded:
		return findingOf(p.Cause)
	default:
		return p.Finding
	}
}

func has(problems []*usergroup.Problem, finding usergroup.Finding) bool {
	return slices.ContainsFunc(problems, func(p *usergroup.Problem) bool { return p.Finding == finding })
}

// namesLeft reports whether a problem says that a group with the ID may remain.
func namesLeft(problems []*usergroup.Problem, id string) bool {
	return slices.ContainsFunc(problems, func(p *usergroup.Problem) bool { return slices.Contains(p.Left, id) })
}

// facts formats a problem, when it is printed. The package has no texts for findings and the like, so they appear as
// numbers.
type facts struct{ about *usergroup.Problem }

func (f facts) String() string {
	p := f.about
	return fmt.Sprintf("%v, done %d, left %q, call %v", p, p.Done, p.Left, p.Call)
}
