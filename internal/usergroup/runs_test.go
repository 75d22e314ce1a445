package usergroup_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

var groupsFlag = flag.Int("groups", 50, "how many groups a run has that a lasting fault ends; make test has 400")

// fewGroups is the number of groups in a run that nothing may end.
const fewGroups = 60

// What a run may take if the service does not work for good, whatever the number of groups and the operation.
const (
	mostCalls = 250
	mostTime  = 6 * time.Minute
	// mostCallsOfRotations is for rotations that alone do not get through: each is followed by a lookup that does.
	mostCallsOfRotations = 300
	// mostLeft is how many empty groups may be left behind: those of the lookups under way. The check of the service
	// may leave another one.
	mostLeft = workers
	// mostExplained is how many problems may be anything but a reference to another one: those of the operations under
	// way, and the one that ends the run.
	mostExplained = workers + 1
	// mostCallsOfRefusedKey is from the moment the key is refused: hardly more than one call for each worker.
	mostCallsOfRefusedKey = 24
	// mostTimeWithoutRetries is for max_retries = 0: a rotation waits for a lookup of its outcome, and each of the two
	// for the end of a Retry-After.
	mostTimeWithoutRetries = 2*requestTimeout + 2*retryWaitMax + 10*time.Second
	// mostTimeOfOne and mostCallsOfOne are for one operation: each attempt and each wait, or two minutes of refusals
	// because of a rate limit, each with a lookup of the outcome.
	mostTimeOfOne  = (maxRetries+1)*requestTimeout + 2*retryWaitMax
	mostCallsOfOne = 26
	// callsOfCheck are those of the check of the service, which an operation may wait for.
	callsOfCheck = 4
	// givenUp is when a run that does not end is stopped.
	givenUp = 10 * mostTime
)

// runOperation is what a run does to each of its groups.
type runOperation struct {
	name string
	kind usergroup.Operation
	// exists reports whether the groups exist.
	exists bool
	// methods are those whose failure differs from a failure of all methods.
	methods []string
	// checks reports whether the check of the service comes first if an environment is expected.
	checks bool
	// cannotTell means that a lookup cannot tell an existing group from the placeholder of its own lost attempt, because
	// nothing is known about the group, or it is gone.
	cannotTell bool
}

var runOperations = []runOperation{
	{name: "refresh", exists: true},
	{name: "refresh of missing", methods: []string{"GET", "DELETE"}, cannotTell: true},
	{name: "import", exists: true, checks: true, cannotTell: true},
	{name: "import of missing", methods: []string{"GET", "DELETE"}, cannotTell: true},
	{name: "create", kind: usergroup.Create, checks: true},
	{name: "adopt", kind: usergroup.Adopt, exists: true, methods: []string{"GET", "PUT"}, checks: true},
	{name: "update", kind: usergroup.Update, exists: true, checks: true},
	{name: "rotate", kind: usergroup.Rotate, exists: true, methods: []string{"POST"}, checks: true},
	{name: "delete", kind: usergroup.Delete, exists: true, methods: []string{"DELETE"}, checks: true, cannotTell: true},
}

// do carries out the operation on one group.
func (o runOperation) do(
	ctx context.Context, s *usergroup.Service, known usergroup.Known,
) (usergroup.Result, error) {
	switch o.kind {
	case usergroup.Create, usergroup.Adopt:
		return s.Create(ctx, wanted(known.ID), o.kind == usergroup.Adopt)
	case usergroup.Update:
		return s.Update(ctx, wanted(known.ID), known)
	case usergroup.Rotate:
		return s.RotateToken(ctx, known)
	case usergroup.Delete:
		return s.Delete(ctx, known, "")
	}
	if strings.HasPrefix(o.name, "import") {
		known = usergroup.Known{ID: known.ID}
	}
	found, err := s.Find(ctx, known)
	return usergroup.Result{Group: &found.UserGroup, Warnings: found.Warnings}, err
}

// endures is how long the service can fail, at most, without failing the operation.
func (o runOperation) endures(failure failure) time.Duration {
	// A lookup has to delete what it has created within seconds. An outage during this time ends the run, as long as
	// nobody knows how many groups it would leave behind.
	hurried := o.kind == usergroup.LookUp && !o.exists
	switch {
	case hurried && failure.hangs:
		return 0
	case hurried:
		return min(failure.endured, ofRetries)
	default:
		return failure.endured
	}
}

func runOperationCalled(name string) runOperation {
	at := slices.IndexFunc(runOperations, func(o runOperation) bool { return o.name == name })
	return runOperations[at]
}

// run is a run of Terraform: one operation on each of many groups, with a lasting fault. The second half is what has
// happened, and what the checks have found.
type run struct {
	runOperation
	fault       fault
	environment string
	groups      int
	maxRetries  int
	// stopAfter is when the run is stopped.
	stopAfter time.Duration

	*outage
	record
	outcomes []outcome
	begun    time.Time
	took     time.Duration
}

func (r *run) String() string {
	return strings.TrimSuffix(strings.Join([]string{r.name, r.fault.name(), r.environment}, "/"), "/")
}

// outcome is how the operation on one group has ended.
type outcome struct {
	emulator.Group

	result usergroup.Result
	err    error
	begun  bool
}

// play runs ten workers, as Terraform does. It must be called in a synctest bubble.
func (r *run) play(t *testing.T) {
	t.Helper()
	e := emulator.New(emulator.Options{Latency: latency})
	network := &outage{Emulator: e, lasting: r.fault, sent: map[string]int{}}
	r.on(t, network, newService(network, r.maxRetries, r.environment))
}

// on runs ten workers with a service that is behind the network.
func (r *run) on(t *testing.T, network *outage, service *usergroup.Service) {
	t.Helper()
	r.outage, r.outcomes = network, make([]outcome, r.groups)
	for i := range r.outcomes {
		group := r.Seed(emulator.Group{ID: fmt.Sprintf("group-%03d", i), Name: oldName})
		if r.outcomes[i].Group = group; !r.exists {
			r.Remove(group.ID)
		}
	}
	r.begun = time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), r.stopAfter)
	defer cancel()
	next := make(chan *outcome)
	var pool sync.WaitGroup
	for range workers {
		pool.Go(func() {
			for o := range next {
				o.begun = true
				o.result, o.err = r.do(ctx, service, knownOf(o.Group))
			}
		})
	}
	for i := range r.outcomes {
		select {
		case next <- &r.outcomes[i]:
		case <-ctx.Done(): // Terraform begins no further operation.
		}
	}
	close(next)
	pool.Wait()
	r.took = time.Since(r.begun)
}

// everyRun returns a run with each operation, environment and failure.
func everyRun() (runs []run) {
	for _, operation := range runOperations {
		for _, environment := range []string{"", "Customer"} {
			for _, failure := range failures {
				runs = append(runs, run{
					runOperation: operation, environment: environment, fault: fault{failure: failure},
					groups: *groupsFlag, maxRetries: maxRetries, stopAfter: givenUp,
				})
			}
		}
	}
	return runs
}

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

// TestOneOperationEnds: an operation must end within its budget, even if some of its calls get through.
func TestOneOperationEnds(t *testing.T) {
	collectLess(t)
	for _, r := range everyRun() {
		r.groups = 1
		for _, method := range []string{"", "GET", "PUT", "POST", "DELETE"} {
			r.fault.method = method
			r.check(t, func(r *run) { r.checkBounds(mostCallsOfOne+callsOfCheck, mostTimeOfOne) })
		}
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
