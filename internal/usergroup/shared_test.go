package usergroup_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// id is the ID of the group that every history and every pair of runs is about.
const id = "Acme"

const (
	oldName          = "Acme Ltd"
	newName          = "Acme Inc."
	wantedProperties = `{"tier":"gold"}`
)

// The default settings of the provider, and of Terraform.
const (
	requestTimeout = 30 * time.Second
	maxRetries     = 4
	retryWaitMin   = time.Second
	retryWaitMax   = 30 * time.Second
	workers        = 10
)

// newService returns the service of a provider that has just started.
func newService(network http.RoundTripper, maxRetries int, environment string) *usergroup.Service {
	return usergroup.New(newClient(network, maxRetries), environment)
}

func newClient(network http.RoundTripper, maxRetries int) *api.Client {
	return api.New(api.Config{
		BaseURL: &url.URL{Scheme: "http", Host: "service"}, APIKey: api.NewSecret(emulator.DefaultKey),
		RequestTimeout: requestTimeout,
		MaxRetries:     maxRetries, RetryWaitMin: retryWaitMin, RetryWaitMax: retryWaitMax, Transport: network,
		Random: func() float64 { return 0 }, // the longest waits
	})
}

// wanted returns what is wanted of a group.
func wanted(id string) api.GroupRequest {
	name := newName
	properties, _ := jsonobject.Parse(wantedProperties)
	return api.GroupRequest{
		UserGroupID: id, Name: &name, Mapping: map[string]string{"sales": "acme-db"}, Properties: properties,
	}
}

// isWanted reports whether a group is as wanted. If its mapping is unseen, it may have another one.
func isWanted(group emulator.Group, unseen bool) bool {
	return group.Name == newName && string(group.Properties) == wantedProperties &&
		(unseen || group.Mapping["sales"] == "acme-db")
}

// knownOf returns what a state has about a group.
func knownOf(group emulator.Group) usergroup.Known {
	token := api.NewSecret(group.Token)
	return usergroup.Known{
		ID: group.ID, Name: group.Name, TeamID: &group.TeamID, Token: token, Fingerprint: token.Fingerprint(),
		Instance: "first",
	}
}

// connected tells the client that the request was sent. Otherwise, it would conclude that nothing was.
func connected(r *http.Request) {
	httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
}

// received returns a request as the service receives it, and its body.
func received(r *http.Request) (*http.Request, []byte) {
	body, _ := io.ReadAll(r.Body)
	kept := r.WithContext(r.Context())
	kept.Body = io.NopCloser(bytes.NewReader(body))
	return kept, body
}

// serve lets the service carry out a request, and returns the last call.
func serve(e *emulator.Emulator, r *http.Request) (reply, emulator.Call) {
	recorder := httptest.NewRecorder()
	e.ServeHTTP(recorder, r)
	calls := e.Calls()
	return reply{status: recorder.Code, body: recorder.Body.Bytes()}, calls[len(calls)-1]
}

// reply is the response to an attempt, unless it is lost.
type reply struct {
	lost       bool
	status     int
	body       []byte
	retryAfter string
}

var lost = reply{lost: true}

// refusal is a response of the service itself, and page is one of something between.
func refusal(status int, retryAfter string) reply {
	return reply{status: status, body: []byte(`{"success":0,"message":"no"}`), retryAfter: retryAfter}
}

func page(status int) reply {
	return reply{status: status, body: []byte("<html>Please sign in.</html>")}
}

func (r reply) response() (*http.Response, error) {
	if r.lost {
		return nil, errors.New("the connection was cut")
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if r.retryAfter != "" {
		header.Set("Retry-After", r.retryAfter)
	}
	return &http.Response{
		StatusCode: r.status, ProtoMajor: 1, ProtoMinor: 1, Header: header,
		Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}, nil
}

// isLookup reports whether a call was a lookup. Only creations contain a mapping, as wanted returns them.
func isLookup(call emulator.Call) bool {
	return call.Method == http.MethodGet && !bytes.Contains(call.Body, []byte(`"mapping"`))
}

// isOfCheck reports whether an ID, or the body of a request, is about a group that the check of the service creates.
func isOfCheck[Text string | []byte](text Text) bool {
	return strings.Contains(string(text), "terraform-provider-embed-check-")
}

// placeholdersOf returns the team_ids of the groups that lookups have created.
func placeholdersOf(calls []emulator.Call) map[int64]bool {
	placeholders := map[int64]bool{}
	for _, call := range calls {
		if call.Created && isLookup(call) {
			placeholders[call.TeamID] = true
		}
	}
	return placeholders
}

// deeds is what calls have done to one group. Placeholders were made and removed, and other groups created and deleted.
type deeds struct{ made, removed, created, updated, rotated, deleted int }

// deedsOf returns what calls have done, by the ID of the group in lower case.
func deedsOf(calls []emulator.Call, placeholders map[int64]bool) map[string]deeds {
	all := map[string]deeds{}
	for _, call := range calls {
		id := strings.ToLower(call.ID)
		done, ofLookup := all[id], placeholders[call.TeamID]
		count := func(deed *int, done bool) {
			if done {
				*deed++
			}
		}
		count(&done.made, call.Created && ofLookup)
		count(&done.removed, call.Deleted && ofLookup)
		count(&done.created, call.Created && !ofLookup)
		count(&done.deleted, call.Deleted && !ofLookup)
		count(&done.updated, call.Updated || call.Created && call.Method == http.MethodPut)
		count(&done.rotated, call.Rotated)
		all[id] = done
	}
	return all
}

// of returns how often an operation was carried out.
func (d deeds) of(operation usergroup.Operation) int {
	switch operation {
	case usergroup.Create:
		return d.created
	case usergroup.Adopt, usergroup.Update:
		return d.updated
	case usergroup.Rotate:
		return d.rotated
	case usergroup.Delete:
		return d.deleted
	default:
		return 0
	}
}

// isFalse reports whether a problem is wrong about an operation that was carried out that often.
func isFalse(p *usergroup.Problem, count int) bool {
	return p.Done == usergroup.No && count > 0 || p.Done == usergroup.Yes && count == 0
}

// problemsOf returns the problems that an error consists of, the warnings, and the causes of both.
func problemsOf(err error, warnings []*usergroup.Problem) (all []*usergroup.Problem) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			all = append(all, problemsOf(err, nil)...)
		}
		err = nil
	}
	for _, p := range append(slices.Clone(warnings), problemOf(err)) {
		for ; p != nil; p = p.Cause {
			all = append(all, p)
		}
	}
	return all
}

// problemOf returns the problem that an error is, or nil.
func problemOf(err error) *usergroup.Problem {
	var problem *usergroup.Problem
	_ = errors.As(err, &problem)
	return problem
}

// found reports whether an error is a problem with one of the findings.
func found(err error, findings ...usergroup.Finding) bool {
	problem := problemOf(err)
	return problem != nil && slices.Contains(findings, problem.Finding)
}

func isFound(finding usergroup.Finding) func(*usergroup.Problem) bool {
	return func(p *usergroup.Problem) bool { return p.Finding == finding }
}

// reportLeft reports whether a problem says that a group with the ID may be left behind.
func reportLeft(problems []*usergroup.Problem, id string) bool {
	return slices.ContainsFunc(problems, func(p *usergroup.Problem) bool {
		return p.ID == id && (p.Placeholder == usergroup.PlaceholderLeft || p.LookupUncertain)
	})
}

// facts formats a problem. The package has no texts for findings and the like, so they appear as numbers.
func facts(p *usergroup.Problem) string {
	const format = "%v, done %d, placeholder %d, lookup lost %t, call %v"
	return fmt.Sprintf(format, p, p.Done, p.Placeholder, p.LookupUncertain, p.Call)
}

// runParallel runs a test in parallel to others and in a bubble, where time is virtual.
func runParallel(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

// collectLess makes the garbage collector run only when it must. It would take a third of the time of a search.
func collectLess(t *testing.T) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(512<<20)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
}

var replayed = flag.String("replay", "", "the one path to play, as a search prints it")

// sceneFound is set when a search has the scene of -replay.
var sceneFound atomic.Bool

// record is what happened on a path, and which rules that breaks.
type record struct {
	events []func() string // their texts are built only when they are printed
	broken []string
	// repeats reports whether the path was given up because it only repeats another one.
	repeats bool
}

func (r *record) tell(format string, args ...any) {
	r.events = append(r.events, func() string { return fmt.Sprintf(format, args...) })
}

func (r *record) breaks(format string, args ...any) {
	r.broken = append(r.broken, "  "+fmt.Sprintf(format, args...))
}

func (r *record) story() string {
	var story []string
	for _, event := range r.events {
		story = append(story, event())
	}
	return strings.Join(story, "\n  ")
}

// search plays every path through a scene, and reports those that break a rule, the first ones with the flag that
// replays them.
func search(t *testing.T, scene string, budget int, play func(*choices) *record) {
	t.Helper()
	if *replayed != "" {
		replay(t, scene, play)
		return
	}
	var failed []string
	count := 0
	c := choices{budget: budget}
	for more := true; more; more = c.next() {
		played := play(&c)
		if !played.repeats {
			count++
		}
		if len(played.broken) > 0 {
			broken := strings.Join(played.broken, "\n")
			failed = append(failed, fmt.Sprintf("-replay '%s|%s'\n  %s\n%s", scene, &c, played.story(), broken))
		}
	}
	t.Logf("%d paths", count)
	if len(failed) > 0 {
		t.Errorf("%d of %d violate a rule\n%s", len(failed), count, strings.Join(failed[:min(3, len(failed))], "\n"))
	}
}

// replay plays one path, such as "0.5.0", if the flag names the scene.
func replay(t *testing.T, scene string, play func(*choices) *record) {
	t.Helper()
	path, given := strings.CutPrefix(*replayed, scene+"|")
	if !given {
		return
	}
	sceneFound.Store(true)
	c := choices{budget: math.MaxInt}
	for choice := range strings.SplitSeq(path, ".") {
		n, err := strconv.Atoi(choice)
		if err != nil && path != "" {
			t.Fatalf("the path %q is not numbers separated by dots", path)
		}
		c.path = append(c.path, n)
	}
	played := play(&c)
	t.Log(played.story())
	for _, broken := range played.broken {
		t.Error(broken)
	}
}

// choices is one path through everything that can happen. After the end of the path, all goes well.
type choices struct {
	path, sizes []int
	budget      int
	alone       bool
}

func (c *choices) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.path), " ", "."), "[]")
}

func (c *choices) mishaps() (chosen int) {
	for _, choice := range c.path[:len(c.sizes)] {
		if choice != 0 {
			chosen++
		}
	}
	return chosen
}

// choose returns the index of one of the options. Index 0 means that all goes well.
func (c *choices) choose(options int) int {
	at := len(c.sizes)
	if at == len(c.path) {
		c.path = append(c.path, 0)
	}
	if c.alone || c.mishaps() >= c.budget {
		options = 1
	}
	c.sizes = append(c.sizes, options)
	return c.path[at]
}

// next moves to the next path, depth first, and reports whether there is one.
func (c *choices) next() bool {
	for i := len(c.sizes) - 1; i >= 0; i-- {
		if c.path[i]+1 < c.sizes[i] {
			c.path = append(c.path[:i:i], c.path[i]+1)
			c.sizes, c.alone = nil, false
			return true
		}
	}
	return false
}
