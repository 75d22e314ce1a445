package usergroup_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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

// TestRunsEnd: with a fault that lasts, a run of hundreds of groups must end soon, whatever the operation. It must
// explain the fault once, and leave behind as little as possible. A fault that passes, or that strikes one group only,
// must not end the run.
func TestRunsEnd(t *testing.T) {
	collectLess(t)
	for _, r := range everyRun() {
		for _, lasting := range faultsOf(r.runOperation, r.environment, r.fault.failure) {
			r.fault = lasting
			if r.groups = *groupsFlag; r.fault.passes() {
				r.groups = fewGroups
			}
			r.check(t, (*run).checkFault)
		}
	}
}

// TestRunsWithoutRetries: with max_retries = 0, a run must end at once.
func TestRunsWithoutRetries(t *testing.T) {
	collectLess(t)
	for _, r := range everyRun() {
		r.maxRetries = 0
		r.check(t, func(r *run) {
			calls := mostCalls
			if r.fault.refuses {
				calls = 3 * r.groups
			}
			r.checkBounds(calls, mostTimeWithoutRetries)
		})
	}
}

// check plays the run and applies the rules to it, and one more. It logs what the run took.
func (r run) check(t *testing.T, rule func(*run)) {
	t.Run(r.String(), func(t *testing.T) {
		t.Parallel()
		// A lock that is not a channel stops the time of the bubble if it is held during a call.
		defer time.AfterFunc(time.Minute, func() { panic(r.String() + ": its virtual time stands still") }).Stop()
		synctest.Test(t, func(t *testing.T) {
			r.play(t)
			rule(&r)
			r.checkGroups()
			groups, ofCheck := r.left()
			t.Logf("| %s | %d calls | %s | left %d + %d | %d failed | %d explain it |", r.String(), len(r.attempts),
				r.took.Round(time.Second), len(groups), len(ofCheck), len(r.failed()), r.explained())
			for _, broken := range r.broken[:min(5, len(r.broken))] {
				t.Error(broken)
			}
		})
	})
}

// TestOnlyGeneralFailuresEndTheRun: operations that fail one after the other must end the run if the reason is not one
// of the groups, and must not end it otherwise. Terraform runs one at a time with -parallelism=1.
func TestOnlyGeneralFailuresEndTheRun(t *testing.T) {
	t.Parallel()
	fails, refuses := failure{reply: refusal(500, "")}, failure{reply: refusal(403, "")}
	refusesKey := failure{reply: refusal(401, "")}
	for name, test := range map[string]struct {
		operation string
		// Calls with this method about one of these groups fail in this way.
		method, groups string
		failure        failure
		// order lists the groups, and calls is how many calls each of them makes.
		order string
		calls []int
		ended string // the groups without a call of their own
	}{
		"no call gets through":           {"refresh", "GET", "abc", fails, "abc", []int{2, 2, 0}, "c"},
		"no connection can be made":      {"refresh", "GET", "a", failure{unsent: true}, "abc", []int{2, 0, 0}, "bc"},
		"the calls of one group fail":    {"refresh", "GET", "a", fails, "abc", []int{2, 1, 1}, ""},
		"a proxy refuses one group":      {"refresh", "GET", "a", failure{reply: page(401)}, "abc", []int{1, 1, 1}, ""},
		"a proxy refuses everything":     {"refresh", "GET", "abc", failure{reply: page(403)}, "abc", []int{1, 1, 0}, "c"},
		"the key may not rotate":         {"rotate", "POST", "abc", refuses, "abc", []int{2, 2, 0}, "c"},
		"the key may not rotate one":     {"rotate", "POST", "a", refuses, "aabc", []int{2, 2, 1, 1}, ""},
		"the key may rotate some groups": {"rotate", "POST", "bc", refuses, "abcd", []int{1, 2, 2, 1}, ""},
		"the key is refused":             {"create", "GET", "abc", refusesKey, "abc", []int{1, 0, 0}, "bc"},
	} {
		runParallel(t, name, func(t *testing.T) {
			test.failure.name = name
			fault := fault{failure: test.failure, method: test.method, groups: strings.Split(test.groups, "")}
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
			e := emulator.New(emulator.Options{})
			server := httptest.NewServer(twice(e))
			t.Cleanup(server.Close)
			base, _ := url.Parse(server.URL)
			service := usergroup.New(api.New(api.Config{
				BaseURL: base, APIKey: api.NewSecret(emulator.DefaultKey), RequestTimeout: requestTimeout,
				MaxRetries: maxRetries, RetryWaitMin: time.Millisecond, RetryWaitMax: 10 * time.Millisecond,
			}), "")
			run := run{runOperation: runOperationCalled(operation), groups: 400, stopAfter: givenUp}
			run.on(t, &outage{Emulator: e}, service)
			run.checkGroups()
			for _, broken := range run.broken {
				t.Error(broken)
			}
			if failed := len(run.failed()); failed > mostFailed {
				t.Errorf("%d operations failed, want at most %d", failed, mostFailed)
			}
		})
	}
}

// twice sends each response of the service once more on the same connection, in place of the response to the next
// request there, which it does not read. Then it cuts the connection.
func twice(service http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, r)
		connection, received, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		const format = "HTTP/1.1 %d Twice\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
		answer := fmt.Sprintf(format, recorder.Code, recorder.Body.Len(), recorder.Body)
		go func() {
			defer func() { _ = connection.Close() }()
			_ = connection.SetDeadline(time.Now().Add(time.Minute))
			_, _ = io.WriteString(connection, answer)
			if _, err := received.ReadByte(); err == nil {
				_, _ = io.WriteString(connection, answer)
			}
		}()
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
	for _, r := range everyRun() {
		if r.fault.twin {
			continue
		}
		for _, method := range append([]string{""}, r.methods...) {
			r.fault.method = method
			for _, after := range []time.Duration{10 * time.Millisecond, 7 * time.Second} {
				r.stopAfter = after
				for groups, afters := range map[int][]int{1: {0, 2}, fewGroups: {0, 37}} {
					for _, attempts := range afters {
						r.fault.after, r.groups = attempts, groups
						r.check(t, (*run).checkStopped)
					}
				}
			}
		}
	}
}

// checkStopped checks what a run did after it was stopped.
func (r *run) checkStopped() {
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

// checkFault checks what a fault may do to a run.
func (r *run) checkFault() {
	f, failed := r.fault, r.failed()
	switch {
	case r.struck.IsZero():
		if len(failed) > 0 {
			r.breaks("%d operations failed without a fault", len(failed))
		}
	case f.refusesKey:
		calls := f.after + mostCallsOfRefusedKey
		if f.groups != nil { // Its turn comes late.
			calls = mostCalls
		}
		r.checkBounds(calls, mostTime)
		r.checkExplained()
	case f.groups != nil:
		r.checkBounds(4*r.groups, mostTime)
		for _, o := range failed {
			if o.ID != f.groups[0] {
				r.breaks("%s failed too: %v", o.ID, o.err)
			}
		}
	case f.alternates && (r.endures(f.failure) == 0 || f.works && r.environment != "" || !r.exists):
		// If only the refusal of a repeated deletion arrives, the check cannot know that its group is gone. If the attempts
		// to remove a placeholder take longer than its lease, it stays.
		r.checkBounds(8*r.groups, givenUp)
	case f.alternates:
		r.checkBounds(8*r.groups, givenUp)
		r.checkRecovered("each second attempt got through")
	case f.lasts > 0 && f.lasts <= r.endures(f.failure):
		r.checkRecovered("the service was back after " + f.lasts.String())
	case f.refuses:
		r.checkBounds(3*r.groups, mostTime)
	case len(failed) > 0:
		calls := mostCalls
		if f.method == http.MethodPost {
			calls = mostCallsOfRotations
		}
		r.checkBounds(calls, mostTime)
		r.checkExplained()
	}
	if len(failed) > 0 && r.explained() == 0 {
		r.breaks("%d operations refer to a problem that nobody explains", len(failed))
	}
	groups, ofCheck := r.left()
	if !f.alternates && (len(groups) > mostLeft || len(ofCheck) > 1) { // Else, each lookup can lose an attempt.
		r.breaks("%d empty groups and %d of the check are left behind", len(groups), len(ofCheck))
	}
}

// checkRecovered checks that no operation failed, unless it cannot tell an existing group from a placeholder.
func (r *run) checkRecovered(reason string) {
	for _, o := range r.failed() {
		if !r.cannotTell || !found(o.err, usergroup.MayBeLeftBehind) {
			r.breaks("%s failed, but %s: %v", o.ID, reason, o.err)
		}
	}
}

// checkBounds checks that the run ended within a number of calls and a time.
func (r *run) checkBounds(calls int, took time.Duration) {
	if r.took > took {
		r.breaks("it took %s, want at most %s", r.took.Round(time.Second), took)
	}
	if len(r.attempts) > calls {
		r.breaks("it took %d calls, want at most %d", len(r.attempts), calls)
	}
}

// checkExplained checks that a problem of all groups is explained only by the operations that were under way.
func (r *run) checkExplained() {
	if explained := r.explained(); explained > mostExplained {
		r.breaks("%d operations explain the fault, want at most %d", explained, mostExplained)
	}
}

// checkNamed checks that a problem names each group that is left behind.
func (r *run) checkNamed() {
	groups, ofCheck := r.left()
	var problems []*usergroup.Problem
	for _, o := range r.outcomes {
		problems = append(problems, problemsOf(o.err, o.result.Warnings)...)
	}
	for _, id := range slices.Concat(groups, ofCheck) {
		if !reportLeft(problems, id) {
			r.breaks("%s is left behind, but not reported", id)
		}
	}
}

// left returns the IDs of the groups that lookups and the check of the service have left behind.
func (r *run) left() (groups, ofCheck []string) {
	placeholders := placeholdersOf(r.Calls())
	for _, group := range r.Groups() {
		switch {
		case isOfCheck(group.ID):
			ofCheck = append(ofCheck, group.ID)
		case placeholders[group.TeamID]:
			groups = append(groups, group.ID)
		}
	}
	return groups, ofCheck
}

// explained returns how many operations have failed without referring to the problem of another one.
func (r *run) explained() (count int) {
	for _, o := range r.failed() {
		if !found(o.err, usergroup.RunEnded) {
			count++
		}
	}
	return count
}

// failed returns the operations that have failed. A lookup of a missing group is to find nothing.
func (r *run) failed() (failed []outcome) {
	for _, o := range r.outcomes {
		if o.err != nil && (r.exists || !errors.Is(o.err, usergroup.ErrNotFound)) {
			failed = append(failed, o)
		}
	}
	return failed
}

// checkGroups compares what each operation has reported with what the service has done.
func (r *run) checkGroups() {
	all := deedsOf(r.Calls(), placeholdersOf(r.Calls()))
	for _, o := range r.outcomes {
		r.checkOutcome(o, all[o.ID])
		delete(all, o.ID)
	}
	for id := range all {
		if !isOfCheck(id) && id != "" {
			r.breaks("calls were sent about %q", id)
		}
	}
	r.checkNamed()
}

// checkOutcome checks that nothing was done twice or unasked, that nothing is lost, and that nothing false is
// reported.
func (r *run) checkOutcome(o outcome, done deeds) {
	group, there := r.Group(o.ID)
	asked, problem := done.of(r.kind), problemOf(o.err)
	switch {
	case done.created > 1 || done.rotated > 1:
		r.breaks("%s was created %d times and rotated %d times", o.ID, done.created, done.rotated)
	case done.created+done.updated+done.rotated+done.deleted > asked:
		r.breaks("%s: something was done that nobody asked for: %+v", o.ID, done)
	case !o.begun && asked > 0:
		r.breaks("%s was changed, but its operation never began", o.ID)
	case problem != nil:
		if isFalse(problem, asked) {
			r.breaks("%s: done %d times, but reported as %d: %s", o.ID, asked, problem.Done, facts(problem))
		}
		if cause := problem.Cause; problem.Finding == usergroup.RunEnded &&
			(cause == nil || cause.Finding == usergroup.RunEnded) {
			r.breaks("%s refers to no explanation: %v", o.ID, cause)
		}
		if problem.Finding == usergroup.NotFound && r.exists && there {
			r.breaks("%s was not found, but exists", o.ID)
		}
	case !o.begun:
	case r.kind == usergroup.Delete:
		if there {
			r.breaks("%s was deleted, but exists", o.ID)
		}
	case !there:
		r.breaks("%s is in the state, but does not exist", o.ID)
	case o.result.Group.Token != api.NewSecret(group.Token):
		r.breaks("%s has another token than the state", o.ID)
	case r.kind != usergroup.LookUp && r.kind != usergroup.Rotate && !isWanted(group, false):
		r.breaks("%s is not as wanted", o.ID)
	case r.kind == usergroup.Rotate && done.rotated != 1:
		r.breaks("%s was rotated %d times", o.ID, done.rotated)
	}
}
