package usergroup_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

var groupsFlag = flag.Int("groups", 60, "how many groups a run of TestRunsEnd has; make test has 400")

// limits are what a run costs at most, and how it ends.
type limits struct {
	calls     int
	took      time.Duration
	left      int // groups that lookups left behind
	explained int // errors that do not refer to another one; 0 if the run must not fail, or at least one
	succeeded int // exactly
}

// brokenRun returns the limits of a run while the service, or one of its methods, does not work.
func brokenRun(looks bool) limits {
	most := limits{calls: 70, took: 4 * time.Minute, left: workers + 1, explained: 1} // left: one is of the preflight
	if looks {
		// Each also looks whether its token has changed, or its group is gone: the first ones as often as retries allow.
		most.calls, most.took = 100, 6*time.Minute
	}
	return most
}

// limitedRun returns the limits of a run of the whole crowd at a rate limit that the service says to nobody.
func limitedRun(perSecond int) limits {
	shortest := time.Duration(*groupsFlag) * time.Second / time.Duration(perSecond)
	return limits{
		calls: *groupsFlag + 40, took: shortest*6/5 + 12*time.Second, succeeded: *groupsFlag,
	}
}

// repeated is the response to the creation of another group, as a cache that ignores bodies repeats it.
var repeated = reply{status: http.StatusOK, body: []byte(
	`{"success":1,"new_user_group":true,"user_group":{"team_id":1,"token":"t","provided_id":"other"}}`)}

// notFound is the response of a web server that has nothing at the address.
var notFound = reply{status: http.StatusNotFound, body: []byte(`{"detail":"Not Found"}`)}

// lasting is the response to every request that is the same for good, or none to let the service respond.
type lasting func(*http.Request) reply

func always(answer reply) lasting { return func(*http.Request) reply { return answer } }

// only is the response to every call with the method.
func only(method string, answer reply) lasting {
	return func(r *http.Request) reply {
		if r.Method != method {
			return reply{}
		}
		return answer
	}
}

// dying is what happens at a proxy that loses the responses to the first calls, and is gone then.
func dying() lasting {
	var calls atomic.Int64
	return func(*http.Request) reply {
		if calls.Add(1) <= workers/2 {
			return dropped
		}
		return unreachable
	}
}

// TestRunsEnd runs operations on many groups with ten workers, while something is wrong for good. Each run ends soon,
// explains that once, and names every group that it leaves behind. A rate limit ends no run.
func TestRunsEnd(t *testing.T) {
	t.Parallel()
	everything := []string{"find", "create", "update", "rotate", "delete", "import"}
	ofMissing := []string{"find of missing", "update of missing", "rotate of missing", "delete of missing"}
	changesOfAll := brokenRun(false)
	changesOfAll.calls += *groupsFlag
	withoutPreflight := brokenRun(false)
	withoutPreflight.calls = 90 // What each lookup makes is removed.
	for name, e := range map[string]struct {
		lasting     lasting
		dies        bool // a proxy loses the responses to the first calls, and is gone then
		operations  []string
		options     emulator.Options
		environment string
		most        limits // or none for those of a broken run
	}{
		"no connection":        {lasting: always(unreachable), operations: everything},
		"no response":          {lasting: always(silence), operations: everything},
		"500":                  {lasting: always(refusal(500)), operations: everything},
		"503":                  {lasting: always(refusal(503)), operations: everything},
		"429":                  {lasting: always(refusal(429)), operations: everything},
		"a gateway without it": {lasting: always(page(502)), operations: everything},
		"a sign-in page":       {lasting: always(page(200)), operations: everything},
		"a redirect":           {lasting: always(page(303)), operations: everything},
		"a wrong key":          {lasting: always(refusal(401)), operations: []string{"find", "create", "update"}},
		"another address":      {lasting: always(notFound), operations: []string{"find", "create", "update"}},
		"a cache":              {lasting: always(repeated), operations: []string{"find", "create", "import"}},
		"a key that may nothing": {
			lasting: always(refusal(403)), operations: []string{"find", "create"},
		},
		"a key that may not create groups": {
			lasting: only("GET", refusal(403)), operations: []string{"create", "import"},
		},
		"a key that may not update them": {lasting: only("PUT", refusal(403)), operations: []string{"update"}},
		"a key that may not rotate tokens": {
			lasting: only("POST", refusal(403)), operations: []string{"rotate"},
		},
		"a key that may not delete them": {
			lasting: only("DELETE", refusal(403)), operations: append([]string{"delete"}, ofMissing[0], ofMissing[3]),
		},
		"a key that may not delete what exists": {
			options: emulator.Options{BusyStatus: 403, BusyDeletions: 1 << 20}, operations: []string{"delete", ofMissing[0]},
		},
		"no response to lookups":   {lasting: only("GET", silence), operations: []string{"find", "import"}},
		"no response to updates":   {lasting: only("PUT", silence), operations: []string{"update"}},
		"no response to rotations": {lasting: only("POST", silence), operations: []string{"rotate"}},
		"no response to deletions": {lasting: only("DELETE", silence), operations: []string{"delete"}},
		"500 for lookups":          {lasting: only("GET", refusal(500)), operations: []string{"find", "import"}},
		"500 for updates":          {lasting: only("PUT", refusal(500)), operations: []string{"update"}},
		"500 for rotations":        {lasting: only("POST", refusal(500)), operations: []string{"rotate"}},
		"500 for deletions":        {lasting: only("DELETE", refusal(500)), operations: []string{"delete"}},
		"409 for deletions":        {lasting: only("DELETE", refusal(409)), operations: []string{"delete"}},
		"a gateway, for rotations": {lasting: only("POST", page(504)), operations: []string{"rotate"}},
		"a gateway, for deletions": {lasting: only("DELETE", page(504)), operations: []string{"delete"}},
		"429 for rotations":        {lasting: only("POST", refusal(429)), operations: []string{"rotate"}},
		"a proxy that dies":        {dies: true, operations: []string{"create", "update", "rotate", "delete"}},
		"a preflight that is refused": {
			options: emulator.Options{IDPattern: "^group-"}, environment: "Customer",
			operations: append([]string{"import", "create"}, ofMissing...), most: withoutPreflight,
		},
		// A change makes its call, because it could succeed. None looks any more once lookups have ended.
		"a key that may not delete what lookups create": {
			options:    emulator.Options{BusyStatus: 403, BusyDeletions: 1 << 20},
			operations: []string{ofMissing[2], ofMissing[3]}, most: changesOfAll,
		},
		"a rate limit that nobody knows": {
			options: emulator.Options{RateLimit: 5}, operations: []string{"create", "update", "rotate", "delete"},
			most: limitedRun(5),
		},
	} {
		for _, operation := range e.operations {
			t.Run(name+"/"+operation, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newCrowd(operation, e.options)
					if w.lasting = e.lasting; e.dies {
						w.lasting = dying()
					}
					w.run(t, usergroup.Settings{Environment: e.environment})
					t.Logf("| %s | %s | %s |", name, operation, w)
					most := e.most
					if most == (limits{}) {
						most = brokenRun(w.rotates || w.deletes)
					}
					w.keeps(t, most)
				})
			})
		}
	}
}

// crowd is a run of one operation on many groups.
type crowd struct {
	operation
	emulator *emulator.Emulator
	priors   []usergroup.Prior
	existed  map[string]bool // the IDs at the beginning
	lasting  lasting
	ctx      context.Context // of the run
	workers  int

	mu                   sync.Mutex
	calls                int
	explained, succeeded int
	warned               int // warnings of operations that succeeded
	left, unnamed        int
	unsaid               int // errors that refer to another one that was not returned
	untrue               int // errors that say that something was not done which was
	took                 time.Duration
}

func (w *crowd) String() string {
	return fmt.Sprintf("%d calls | %s | %d done | %d left | %d full | %d short", w.calls, w.took.Round(time.Second),
		w.succeeded, w.left, w.explained, len(w.priors)-w.succeeded-w.explained)
}

// newCrowd returns a run of an operation on groups that exist, or "of missing" ones.
func newCrowd(name string, options emulator.Options) *crowd {
	return newCrowdOf(*groupsFlag, name, options)
}

// latency is how long each call takes, so that those of the workers are under way together.
const latency = 50 * time.Millisecond

func newCrowdOf(groups int, name string, options emulator.Options) *crowd {
	name, isOfMissing := strings.CutSuffix(name, " of missing")
	options.Latency = latency
	w := &crowd{
		operation: operations[name], emulator: emulator.New(options), ctx: context.Background(),
		existed: map[string]bool{}, workers: workers,
	}
	for i := range groups {
		group := w.emulator.Seed(emulator.Group{ID: fmt.Sprintf("group-%03d", i), Name: oldName})
		w.priors = append(w.priors, w.priorOf(group))
		if isOfMissing || !w.known {
			w.emulator.Remove(group.ID)
		}
	}
	return w
}

// RoundTrip implements http.RoundTripper.
func (w *crowd) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.calls++
	w.mu.Unlock()
	var answer reply
	if w.lasting != nil {
		answer = w.lasting(r)
	}
	if answer.status == unreachable.status {
		return nil, errors.New("connection refused")
	}
	kept, _ := received(r)
	switch answer.status {
	case dropped.status:
		serve(w.emulator, kept)
		return lost.response()
	case silence.status:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case 0:
		answer = serve(w.emulator, kept)
	default:
		time.Sleep(latency)
	}
	return answer.response()
}

// keeps fails a test if a run passed its limits, or said what is not true.
func (w *crowd) keeps(t *testing.T, most limits) {
	t.Helper()
	if w.calls > most.calls || w.took > most.took || w.left > most.left || w.unnamed > 0 {
		t.Errorf("%d calls, %s, %d groups left behind, %d of them unnamed", w.calls, w.took, w.left, w.unnamed)
	}
	if w.explained < min(most.explained, 1) || w.explained > most.explained || w.succeeded != most.succeeded {
		t.Errorf("%d errors explain, and %d groups succeed", w.explained, w.succeeded)
	}
	if w.untrue > 0 || w.unsaid > 0 {
		t.Errorf("%d errors say that nothing was done to groups that were changed, and %d refer to none", w.untrue, w.unsaid)
	}
}

// isDone reports whether the operation was carried out on a group.
func (w *crowd) isDone(prior usergroup.Prior) bool {
	group, there := w.emulator.Group(prior.ID)
	switch {
	case w.deletes:
		return !there && w.existed[prior.ID]
	case w.rotates:
		return w.existed[prior.ID] && there && api.NewSecret(group.Token).Fingerprint() != prior.Fingerprint
	default:
		return there && group.Name == newName
	}
}

// run carries out the operation on all groups, with as many at once as Terraform has workers.
func (w *crowd) run(t *testing.T, settings usergroup.Settings) {
	t.Helper()
	begun := time.Now()
	for _, group := range w.emulator.Groups() {
		w.existed[group.ID] = true
	}
	service := newService(w, maxRetries, settings)
	priors := make(chan usergroup.Prior)
	var all sync.WaitGroup
	var problems, errs []*usergroup.Problem
	for range w.workers {
		all.Go(func() {
			for prior := range priors {
				result, err := w.do(w.ctx, service, prior)
				w.mu.Lock()
				w.warned += len(result.Warnings)
				problems = append(problems, problemsOf(err, result.Warnings)...)
				if err != nil {
					errs = append(errs, problemOf(err))
				}
				switch {
				case err == nil:
					w.succeeded++
				case problemOf(err).Finding != usergroup.RunEnded:
					w.explained++
				}
				if err != nil && problemOf(err).Done == api.No && w.isDone(prior) {
					w.untrue++
				}
				w.mu.Unlock()
			}
		})
	}
	for _, prior := range w.priors {
		priors <- prior
	}
	close(priors)
	all.Wait()
	w.took = time.Since(begun)
	for _, p := range errs {
		isSaid := p.Cause != nil && p.Cause.Explains && slices.Contains(errs, p.Cause)
		if p.Finding == usergroup.RunEnded && !isSaid {
			w.unsaid++
		}
	}
	for _, group := range w.emulator.Groups() {
		if w.existed[group.ID] || w.creates && group.Name == newName {
			continue
		}
		w.left++
		if !namesLeft(problems, group.ID) {
			w.unnamed++
		}
	}
}
