package usergroup_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// TestOnlyGeneralFailuresEndTheRun: operations that fail one after the other must end the run if the reason is not one
// of the groups, and must not end it otherwise. Terraform runs one at a time with -parallelism=1.
func TestOnlyGeneralFailuresEndTheRun(t *testing.T) {
	t.Parallel()
	fails, refuses := answers(500, refusal, ""), answers(403, refusal, "")
	for name, test := range map[string]struct {
		operation string
		// Calls with this method about one of these groups fail in this way.
		method, groups string
		failure        func(*outage, *http.Request) (*http.Response, error)
		// order lists the groups, and calls is how many calls each of them makes.
		order string
		calls []int
		ended string // the groups without a call of their own
	}{
		"no call gets through":           {"refresh", "GET", "abc", fails, "abc", []int{2, 2, 0}, "c"},
		"no connection can be made":      {"refresh", "GET", "a", (*outage).refusesConnection, "abc", []int{2, 0, 0}, "bc"},
		"the calls of one group fail":    {"refresh", "GET", "a", fails, "abc", []int{2, 1, 1}, ""},
		"a proxy refuses one group":      {"refresh", "GET", "a", answers(401, page, ""), "abc", []int{1, 1, 1}, ""},
		"a proxy refuses everything":     {"refresh", "GET", "abc", answers(403, page, ""), "abc", []int{1, 1, 0}, "c"},
		"the key may not rotate":         {"rotate", "POST", "abc", refuses, "abc", []int{2, 2, 0}, "c"},
		"the key may not rotate one":     {"rotate", "POST", "a", refuses, "aabc", []int{2, 2, 1, 1}, ""},
		"the key may rotate some groups": {"rotate", "POST", "bc", refuses, "abcd", []int{1, 2, 2, 1}, ""},
		"the key is refused":             {"create", "GET", "abc", answers(401, refusal, ""), "abc", []int{1, 0, 0}, "bc"},
	} {
		runParallel(t, name, func(t *testing.T) {
			fault := fault{
				failure: failure{do: test.failure}, method: test.method, groups: strings.Split(test.groups, ""),
			}
			network := &outage{Emulator: emulator.New(emulator.Options{}), lasting: fault, sent: map[string]int{}}
			service := newService(network, 1, "")
			for i, id := range strings.Split(test.order, "") {
				group, there := network.Group(id)
				if !there {
					group = network.Seed(emulator.Group{ID: id, Name: "Name of " + id})
				}
				network.attempts = nil
				_, err := runOperationCalled(test.operation).do(t.Context(), service, knownOf(group))
				ended := found(err, usergroup.RunEnded)
				if calls := len(network.attempts); calls != test.calls[i] || ended != strings.Contains(test.ended, id) {
					t.Errorf("%s: %d calls, want %d; the run has ended: %t; %v", id, calls, test.calls[i], ended, err)
				}
			}
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
	for _, run := range everyRun() {
		if run.fault.twin {
			continue
		}
		for _, run.fault.method = range append([]string{""}, run.methods...) {
			for _, run.stopAfter = range []time.Duration{10 * time.Millisecond, 7 * time.Second} {
				for groups, afters := range map[int][]int{1: {0, 2}, fewGroups: {0, 37}} {
					for _, run.fault.after = range afters {
						run.groups = groups
						run.check(t, (*ranRun).checkStopped)
					}
				}
			}
		}
	}
}

// checkStopped checks what a run did after it was stopped.
func (r *ranRun) checkStopped() {
	stopped, calls, most := r.begun.Add(r.stopAfter), 0, mostCallsToStop
	for _, at := range r.attempts {
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
}
