package usergroup_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

var groupsFlag = flag.Int("groups", 50, "how many groups a run has that a lasting fault ends; make test has 400")

// The default settings of the provider, and of Terraform.
const (
	requestTimeout = 30 * time.Second
	maxRetries     = 4
	retryWaitMin   = time.Second
	retryWaitMax   = 30 * time.Second
	workers        = 10
	// fewGroups is the number of groups in a run that nothing may end.
	fewGroups = 60
)

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
	// exists reports whether the groups exist.
	exists bool
	// methods are those whose failure differs from a failure of all methods.
	methods []string
	// hurried means that the operation has to delete what it has created within seconds. An outage during this time
	// ends the run, as long as nobody knows how many groups it would leave behind.
	hurried bool
	// checks reports whether the check of the service comes first if an environment is expected.
	checks bool
	// cannotTell is the finding of a lookup that cannot tell an existing group from the placeholder of its own lost
	// attempt, because nothing is known about the group, or it is gone. Zero means that there is none.
	cannotTell usergroup.Finding
	do         func(ctx context.Context, s *usergroup.Service, known usergroup.Known) (usergroup.Result, error)
}

var runOperations = []runOperation{
	{"refresh", true, nil, false, false, 0, lookUp},
	{"refresh of missing", false, []string{"GET", "DELETE"}, true, false, usergroup.MayBeLeftBehind, lookUp},
	{"import", true, nil, false, true, usergroup.MayBeLeftBehind, importOne},
	{"import of missing", false, []string{"GET", "DELETE"}, true, false, usergroup.MayBeLeftBehind, importOne},
	{"create", false, nil, false, true, 0, func(
		ctx context.Context, s *usergroup.Service, known usergroup.Known,
	) (usergroup.Result, error) {
		return s.Create(ctx, wantedFor(known.ID), false)
	}},
	{"adopt", true, []string{"GET", "PUT"}, false, true, 0, func(
		ctx context.Context, s *usergroup.Service, known usergroup.Known,
	) (usergroup.Result, error) {
		return s.Create(ctx, wantedFor(known.ID), true)
	}},
	{"update", true, nil, false, true, 0, func(
		ctx context.Context, s *usergroup.Service, known usergroup.Known,
	) (usergroup.Result, error) {
		return s.Update(ctx, wantedFor(known.ID), known)
	}},
	{"rotate", true, []string{"POST"}, false, true, 0, func(
		ctx context.Context, s *usergroup.Service, known usergroup.Known,
	) (usergroup.Result, error) {
		return s.RotateToken(ctx, known)
	}},
	{"delete", true, []string{"DELETE"}, false, true, usergroup.MayBeLeftBehind, func(
		ctx context.Context, s *usergroup.Service, known usergroup.Known,
	) (usergroup.Result, error) {
		return s.Delete(ctx, known, "")
	}},
}

func lookUp(ctx context.Context, s *usergroup.Service, known usergroup.Known) (usergroup.Result, error) {
	found, err := s.Find(ctx, known)
	return usergroup.Result{Group: &found.UserGroup, Warnings: found.Warnings}, err
}

func importOne(ctx context.Context, s *usergroup.Service, known usergroup.Known) (usergroup.Result, error) {
	return lookUp(ctx, s, usergroup.Known{ID: known.ID})
}

func wantedFor(id string) api.GroupRequest {
	group := wanted()
	group.UserGroupID = id
	return group
}

// endures is how long the service can fail, at most, without failing the operation.
func (o runOperation) endures(failure failure) time.Duration {
	switch {
	case o.hurried && failure.hangs:
		return 0
	case o.hurried:
		return min(failure.endured, ofRetries)
	default:
		return failure.endured
	}
}

func runOperationCalled(name string) runOperation {
	at := slices.IndexFunc(runOperations, func(o runOperation) bool { return o.name == name })
	return runOperations[at]
}

// run is a run of Terraform: one operation on each of many groups, with a lasting fault.
type run struct {
	runOperation
	fault       fault
	environment string
	groups      int
	maxRetries  int
	// stopAfter is when the run is stopped.
	stopAfter time.Duration
}

func (r run) String() string {
	name := r.name + "/" + r.fault.name()
	if r.environment != "" {
		name += "/" + r.environment
	}
	return name
}

// outcome is how the operation on one group has ended.
type outcome struct {
	emulator.Group

	result usergroup.Result
	err    error
	begun  bool
}

// ranRun is a run that has ended, and what its checks have found.
type ranRun struct {
	run
	*outage
	outcomes []outcome
	took     time.Duration
	begun    time.Time
	broken   []string
}

// play runs ten workers, as Terraform does. It must be called in a synctest bubble.
func (r run) play(t *testing.T) *ranRun {
	t.Helper()
	e := emulator.New(emulator.Options{Latency: latency})
	network := &outage{Emulator: e, lasting: r.fault, sent: map[string]int{}}
	return r.on(t, network, usergroup.New(newClient(network, r.maxRetries), r.environment))
}

// on runs ten workers with a service that is behind the network.
func (r run) on(t *testing.T, network *outage, service *usergroup.Service) *ranRun {
	t.Helper()
	ran := &ranRun{run: r, outage: network, outcomes: make([]outcome, r.groups)}
	for i := range ran.outcomes {
		ran.outcomes[i].Group = ran.seed(fmt.Sprintf("group-%03d", i))
	}
	ran.begun = time.Now()
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
	for i := range ran.outcomes {
		select {
		case next <- &ran.outcomes[i]:
		case <-ctx.Done(): // Terraform begins no further operation.
		}
	}
	close(next)
	pool.Wait()
	ran.took = time.Since(ran.begun)
	return ran
}

// newClient returns a client with the default settings of the provider.
func newClient(transport http.RoundTripper, maxRetries int) *api.Client {
	return api.New(api.Config{
		BaseURL: &url.URL{Scheme: "http", Host: "service"}, APIKey: api.NewSecret(emulator.DefaultKey),
		RequestTimeout: requestTimeout,
		MaxRetries:     maxRetries, RetryWaitMin: retryWaitMin, RetryWaitMax: retryWaitMax, Transport: transport,
		Random: func() float64 { return 0 }, // the longest waits
	})
}

// seed returns a group, which it creates. It removes the group again if the run expects none.
func (r *ranRun) seed(id string) emulator.Group {
	group := r.Seed(emulator.Group{ID: id, Name: oldName})
	if !r.exists {
		r.Remove(id)
	}
	return group
}

// knownOf returns what a state has about a group.
func knownOf(group emulator.Group) usergroup.Known {
	token := api.NewSecret(group.Token)
	return usergroup.Known{
		ID: group.ID, Name: group.Name, TeamID: &group.TeamID, Token: token, Fingerprint: token.Fingerprint(),
		Instance: "first",
	}
}

// TestRunsEnd: with a fault that lasts, a run of hundreds of groups must end soon, whatever the operation. It must
// explain the fault once, and leave behind as little as possible. A fault that passes, or that strikes one group only,
// must not end the run.
func TestRunsEnd(t *testing.T) {
	collectLess(t)
	count := 0
	for _, operation := range runOperations {
		for _, environment := range []string{"", "Customer"} {
			for _, failure := range failures {
				for _, fault := range faultsOf(operation, environment, failure) {
					run := run{
						runOperation: operation, fault: fault, environment: environment,
						groups: *groupsFlag, maxRetries: maxRetries, stopAfter: givenUp,
					}
					if fault.passes() {
						run.groups = fewGroups
					}
					count++
					run.check(t, (*ranRun).checkFault)
				}
			}
		}
	}
	t.Logf("%d runs", count)
}

// check plays the run and applies the rules to it, and one more.
func (r run) check(t *testing.T, rule func(*ranRun)) {
	t.Run(r.String(), func(t *testing.T) {
		t.Parallel()
		// A lock that is not a channel stops the time of the bubble if it is held during a call.
		defer time.AfterFunc(time.Minute, func() { panic(r.String() + ": its virtual time stands still") }).Stop()
		synctest.Test(t, func(t *testing.T) {
			ran := r.play(t)
			rule(ran)
			ran.checkGroups()
			t.Log(ran.row())
			for _, broken := range ran.broken {
				t.Error(broken)
			}
		})
	})
}

// TestRunsWithoutRetries: with max_retries = 0, a run must end at once.
func TestRunsWithoutRetries(t *testing.T) {
	collectLess(t)
	for _, operation := range runOperations {
		for _, failure := range failures {
			run := run{
				runOperation: operation, fault: fault{failure: failure}, groups: *groupsFlag, stopAfter: givenUp,
			}
			run.check(t, func(r *ranRun) {
				calls := mostCalls
				if failure.refuses {
					calls = 3 * r.groups
				}
				r.checkBounds(calls, mostTimeWithoutRetries)
			})
		}
	}
}

// TestOneOperationEnds: an operation must end within its budget, even if some of its calls get through.
func TestOneOperationEnds(t *testing.T) {
	collectLess(t)
	for _, operation := range runOperations {
		for _, environment := range []string{"", "Customer"} {
			for _, failure := range failures {
				for _, method := range []string{"", "GET", "PUT", "POST", "DELETE"} {
					run := run{
						runOperation: operation, fault: fault{failure: failure, method: method},
						environment: environment, groups: 1, maxRetries: maxRetries, stopAfter: givenUp,
					}
					run.check(t, func(r *ranRun) { r.checkBounds(mostCallsOfOne+callsOfCheck, mostTimeOfOne) })
				}
			}
		}
	}
}

// row describes the run in one line: calls, virtual time, groups left behind, and the number of problems by finding.
func (r *ranRun) row() string {
	findings := map[string]int{}
	for _, o := range r.outcomes {
		if problem := problemOf(o.err); problem != nil {
			findings[findingNames[problem.Finding]]++
		}
	}
	groups, ofCheck := r.left()
	return fmt.Sprintf("| %s | %d calls | %s | left %d + %d | %s |", r.run, r.attempts, r.took.Round(time.Second),
		len(groups), len(ofCheck), strings.Trim(fmt.Sprint(findings), "map[]"))
}

// findingNames are the findings that a run of hundreds can end in.
var findingNames = map[usergroup.Finding]string{
	usergroup.CallFailed: "CallFailed", usergroup.NotFound: "NotFound", usergroup.Exists: "Exists",
	usergroup.MayHaveExisted: "MayHaveExisted", usergroup.Replaced: "Replaced",
	usergroup.AnsweredFromCache: "AnsweredFromCache", usergroup.AnswersDisagree: "AnswersDisagree",
	usergroup.MayBeLeftBehind: "MayBeLeftBehind", usergroup.MayBeAnother: "MayBeAnother",
	usergroup.LeftBehind: "LeftBehind", usergroup.OutdatedToken: "OutdatedToken", usergroup.WrongKey: "WrongKey",
	usergroup.NoEnvironment: "NoEnvironment", usergroup.RunEnded: "RunEnded", usergroup.NotRotated: "NotRotated",
}
