package usergroup_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
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

// failure is a way in which every attempt can fail while a fault lasts.
type failure struct {
	name string
	// endured is how long such a fault can last, at most, without failing an operation. Zero means that not even a
	// moment is promised.
	endured time.Duration
	// hangs means that an attempt takes until its time limit.
	hangs bool
	// works means that the service carries out the attempt.
	works bool
	// refuses means that each response is definite: the service works, and refuses this call. It says nothing about
	// the next one, so the run need not end.
	refuses bool
	// refusesKey means that the response is about the API key, and so about all groups, whichever call gets it.
	refusesKey bool
	// twin means that the operations cannot distinguish this failure from another one.
	twin bool
	// unsent means that no connection can be made.
	unsent bool
	reply  reply
}

// A service that fails at once is retried for as long as the waits between five attempts take. One that asks for
// fewer calls is retried for two minutes.
const (
	ofRetries = 10 * time.Second
	ofPace    = time.Minute
)

var failures = []failure{
	{name: "silent", hangs: true, endured: time.Minute},
	{name: "silent after the work", hangs: true, works: true, endured: time.Minute},
	{name: "cut after the work", works: true, endured: ofRetries, reply: lost},
	{name: "connection refused", unsent: true, endured: ofRetries},
	{name: "500", endured: ofRetries, reply: refusal(500, "")},
	{name: "502", twin: true, endured: ofRetries, reply: refusal(502, "")},
	{name: "503", endured: ofPace, reply: refusal(503, "")},
	{name: "503, Retry-After", twin: true, endured: ofPace, reply: refusal(503, "20")},
	{name: "429", endured: ofPace, reply: refusal(429, "")},
	{name: "429, Retry-After", twin: true, endured: ofPace, reply: refusal(429, "20")},
	{name: "a login page", twin: true, endured: ofRetries, reply: page(200)},
	{name: "401", refusesKey: true, reply: refusal(401, "")},
	{name: "403", refuses: true, reply: refusal(403, "")},
}

// fault is a mishap that lasts. It strikes every attempt that it selects.
type fault struct {
	failure

	// method and groups select attempts. Empty selects all.
	method string
	groups []string
	// after is how many attempts precede it.
	after int
	// lasts is how long the fault lasts from the first attempt that it strikes on. Zero means for good.
	lasts time.Duration
	// alternates means that it strikes only every second attempt of the same request, beginning with the first.
	alternates bool
}

func (f fault) name() string {
	name := f.failure.name
	add := func(is bool, text string) {
		if is {
			name += text
		}
	}
	add(f.method != "", " to "+f.method)
	add(f.groups != nil, " about "+strings.Join(f.groups, ", "))
	add(f.after > 0, " later")
	add(f.lasts > 0, " for "+f.lasts.String())
	add(f.alternates, " every second time")
	return name
}

// faultsOf returns the faults with one failure that differ for an operation.
func faultsOf(operation runOperation, environment string, failure failure) []fault {
	faults := []fault{{failure: failure}, {failure: failure, after: 37}}
	if failure.twin {
		return faults
	}
	faults = append(faults,
		fault{failure: failure, alternates: true}, fault{failure: failure, groups: []string{"group-030"}},
		fault{failure: failure, after: 37, lasts: 90 * time.Second})
	if endures := operation.endures(failure); endures > 0 {
		faults = append(faults, fault{failure: failure, after: 37, lasts: endures})
	}
	for _, method := range operation.methods {
		faults = append(faults, fault{failure: failure.to(method), method: method, after: 37})
	}
	first := operation.methods
	if environment != "" && operation.checks { // The check comes first.
		first = []string{"GET", "PUT", "POST", "DELETE"}
	}
	for _, method := range first {
		faults = append(faults, fault{failure: failure.to(method), method: method})
	}
	return faults
}

// to returns the failure of calls with one method. Those that carry a token do not tell a key that is refused from a
// token that is.
func (f failure) to(method string) failure {
	if method == http.MethodPost || method == http.MethodDelete {
		f.refuses, f.refusesKey = f.refuses || f.refusesKey, false
	}
	return f
}

// passes reports whether attempts get through, now or later, so that a run may need many.
func (f fault) passes() bool { return f.refuses || f.alternates || f.groups != nil || f.lasts > 0 }

// latency is how long the service takes to respond.
const latency = 50 * time.Millisecond

// outage is the service behind a network with a lasting fault.
type outage struct {
	*emulator.Emulator
	lasting fault

	mu       sync.Mutex
	attempts []time.Time
	sent     map[string]int // how often each request was sent
	struck   time.Time      // when the fault struck first
}

// RoundTrip implements http.RoundTripper. It makes one attempt of a call.
func (o *outage) RoundTrip(r *http.Request) (*http.Response, error) {
	kept, body := received(r)
	strikes, failure := o.strikes(r.Method, body), o.lasting.failure
	if strikes && failure.unsent {
		return lost.response()
	}
	connected(r)
	if !strikes {
		response, _ := serve(o.Emulator, kept)
		return response.response()
	}
	if failure.works {
		serve(o.Emulator, kept)
	}
	if failure.hangs {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	time.Sleep(latency)
	return failure.reply.response()
}

// strikes counts the attempt and reports whether the fault strikes it.
func (o *outage) strikes(method string, body []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts = append(o.attempts, time.Now())
	fault := o.lasting
	about := func(id string) bool { return o.about(body, id) }
	switch {
	case fault.failure.name == "", len(o.attempts) <= fault.after, fault.method != "" && fault.method != method,
		fault.groups != nil && !slices.ContainsFunc(fault.groups, about):
		return false
	}
	request := method + string(body)
	if o.sent[request]++; fault.alternates && o.sent[request]%2 == 0 {
		return false
	}
	if o.struck.IsZero() {
		o.struck = time.Now()
	}
	return fault.lasts == 0 || time.Since(o.struck) < fault.lasts
}

// about reports whether a request is about the group. A rotation contains only its token.
func (o *outage) about(body []byte, id string) bool {
	group, there := o.Group(id)
	return bytes.Contains(body, []byte(`"`+id+`"`)) ||
		there && bytes.Contains(body, []byte(`"`+group.Token+`"`))
}
