package usergroup_test

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

// TestOnlyGeneralFailuresEndTheRun: operations that fail one after the other must end the run if the reason is not one
// of the groups, and must not end it otherwise. Terraform runs one at a time with -parallelism=1.
func TestOnlyGeneralFailuresEndTheRun(t *testing.T) {
	t.Parallel()
	const ofService, ofProxy = `{"success":0,"message":"no"}`, "<html>"
	for name, test := range map[string]struct {
		operation string
		// Calls with this method for one of these groups get this response or, with status 0, no connection.
		method, groups string
		status         int
		body           string
		// order lists the groups, and calls is how many calls each of them makes.
		order string
		calls []int
		ended string // the groups without a call of their own
	}{
		"no call gets through":                  {"refresh", "GET", "abc", 500, ofService, "abc", []int{2, 2, 0}, "c"},
		"no connection can be made":             {"refresh", "GET", "a", 0, "", "abc", []int{2, 0, 0}, "bc"},
		"the calls of one group fail":           {"refresh", "GET", "a", 500, ofService, "abc", []int{2, 1, 1}, ""},
		"a proxy refuses one group":             {"refresh", "GET", "a", 401, ofProxy, "abc", []int{1, 1, 1}, ""},
		"a proxy refuses everything":            {"refresh", "GET", "abc", 403, ofProxy, "abc", []int{1, 1, 0}, "c"},
		"the key may not rotate":                {"rotate", "POST", "abc", 403, ofService, "abc", []int{2, 2, 0}, "c"},
		"the key may not rotate one group":      {"rotate", "POST", "a", 403, ofService, "aabc", []int{2, 2, 1, 1}, ""},
		"the key may not rotate some of groups": {"rotate", "POST", "bc", 403, ofService, "abcd", []int{1, 2, 2, 1}, ""},
		"the key is refused":                    {"create", "GET", "abc", 401, ofService, "abc", []int{1, 0, 0}, "bc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := situationOf("read", "as known", "stored", "").start(t)
				calls, network := 0, &outage{Emulator: h.Emulator}
				service := h.newProcessBehind(roundTripper(func(r *http.Request) (*http.Response, error) {
					calls++
					kept, body := received(r)
					about := func(group string) bool { return network.about(body, group) }
					switch struck := slices.ContainsFunc(strings.Split(test.groups, ""), about); {
					case !struck || r.Method != test.method:
						return h.RoundTrip(kept)
					case test.status == 0:
						return nil, errors.New("connection refused")
					default:
						return reply{status: test.status, body: []byte(test.body)}.response()
					}
				}))
				for i, id := range strings.Split(test.order, "") {
					group, there := h.Group(id)
					if !there {
						group = h.Seed(emulator.Group{ID: id, Name: "Name of " + id})
					}
					calls = 0
					_, err := runOperationCalled(test.operation).do(t.Context(), service, knownOf(group))
					ended := found(err, usergroup.RunEnded)
					if calls != test.calls[i] || ended != strings.Contains(test.ended, id) {
						t.Errorf("%s: %d calls, want %d; the run has ended: %t; %v", id, calls, test.calls[i], ended, err)
					}
				}
			})
		})
	}
}

// TestTheProblemThatEndedTheRunIsExplained: of two operations whose lookups fail at the same time, the one that
// depended on the lookup that has ended the run must explain it, even if the other one reports its own failure first.
func TestTheProblemThatEndedTheRunIsExplained(t *testing.T) {
	t.Parallel()
	service := usergroup.New(api.New(api.Config{BaseURL: &url.URL{}}), "")
	lookup := service.End(&usergroup.Problem{Operation: usergroup.LookUp, ID: "a"})
	first := &usergroup.Problem{Operation: usergroup.Delete, ID: "a", Cause: lookup}
	if got := service.EndFor(usergroup.Delete, first); got != first {
		t.Errorf("the operation that explains the end of the run returns %v", got)
	}
	other := service.EndFor(usergroup.Delete, &usergroup.Problem{Operation: usergroup.Delete, ID: "b"})
	if other.Finding != usergroup.RunEnded || other.Cause != lookup {
		t.Errorf("another operation returns %v with the cause %v", other, other.Cause)
	}
}

// TestSurplusResponses: if a service sends each response twice, ten workers that share connections must not believe a
// response to another call. A lookup or a creation may fail, but only while calls still share connections.
func TestSurplusResponses(t *testing.T) {
	t.Parallel()
	const few = 2 * workers
	for operation, mostFailed := range map[string]int{
		"refresh": few, "import": few, "create": few, "adopt": few,
		"update": 0, "rotate": 0, "delete": 0,
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			e, err := emulator.Start(emulator.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(e.Close)
			e.Fail(emulator.Fault{Kind: emulator.AnswerTwice})
			base, _ := url.Parse(e.URL())
			service := usergroup.New(api.New(api.Config{
				BaseURL: base, APIKey: api.NewSecret(emulator.DefaultKey), RequestTimeout: requestTimeout,
				MaxRetries: maxRetries, RetryWaitMin: time.Millisecond, RetryWaitMax: 10 * time.Millisecond,
			}), "")
			run := run{runOperation: runOperationCalled(operation), groups: 400, stopAfter: givenUp}
			ran := run.on(t, &outage{Emulator: e}, service)
			ran.checkGroups()
			for _, broken := range ran.broken {
				t.Error(broken)
			}
			if failed := len(ran.failed()); failed > mostFailed {
				t.Errorf("%d operations failed, want at most %d", failed, mostFailed)
			}
		})
	}
}

// What may happen after a run was stopped, with the default settings, whatever the operation and the outage.
const (
	// mostTimeToStop is for the attempt under way, and for one more that looks up its outcome or cleans up after it.
	mostTimeToStop = 2*requestTimeout + time.Second
	// mostCallsOfOneToStop is for one operation: the rest of the check of the service, and the removal of an empty group.
	mostCallsOfOneToStop = 10
	// mostCallsToStop is for a run: the removal of an empty group by each worker.
	mostCallsToStop = 4*workers + callsOfCheck
)

// TestStoppedRunsEnd: a run that is stopped in an outage must end soon, and may only finish what is under way. It must
// name each group that it leaves behind.
func TestStoppedRunsEnd(t *testing.T) {
	collectLess(t)
	for _, run := range stoppedRuns() {
		run.check(t, func(r *ranRun) {
			stopped, calls, most := r.begun.Add(r.stopAfter), 0, mostCallsToStop
			for _, at := range r.times {
				if at.After(stopped) {
					calls++
				}
			}
			if r.groups == 1 {
				most = mostCallsOfOneToStop
			}
			if took := r.took - r.stopAfter; calls > most || took > mostTimeToStop {
				r.breaks("%d calls, %s, want at most %d calls and %s", calls, took, most, mostTimeToStop)
			}
			r.checkNamed()
		})
	}
}

// stoppedRuns returns runs of one operation and of many, which are stopped at different moments of an outage.
func stoppedRuns() (runs []run) {
	for _, operation := range runOperations {
		for _, environment := range []string{"", "Customer"} {
			for _, failure := range failures {
				if failure.twin {
					continue
				}
				for _, method := range append([]string{""}, operation.methods...) {
					for groups, afters := range map[int][]int{1: {0, 2}, fewGroups: {0, 37}} {
						for _, after := range afters {
							for _, stopAfter := range []time.Duration{10 * time.Millisecond, 7 * time.Second} {
								runs = append(runs, run{
									runOperation: operation, fault: fault{failure: failure, method: method, after: after},
									environment: environment, groups: groups, maxRetries: maxRetries, stopAfter: stopAfter,
								})
							}
						}
					}
				}
			}
		}
	}
	return runs
}
