package usergroup_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

var groupsFlag = flag.Int("groups", 60, "how many groups a run of TestRunsEnd has; make test has 400")

// What a run costs at most while the service does not work.
const (
	mostCalls    = 60
	mostDeleting = 75 // each of the workers also looks whether its group is gone
	longestRun   = 4 * time.Minute
	mostExplains = 3
	mostLeft     = 11 // one for each worker, and the group of the preflight
)

// repeated is the response to the creation of another group, as a cache that ignores bodies repeats it.
var repeated = reply{status: http.StatusOK, body: []byte(
	`{"success":1,"new_user_group":true,"user_group":{"team_id":1,"token":"t","provided_id":"other"}}`)}

// notFound is the response of a web server that has nothing at the address.
var notFound = reply{status: http.StatusNotFound, body: []byte(`{"detail":"Not Found"}`)}

// TestRunsEnd runs operations on many groups with ten workers, while something is wrong for good. Each run ends soon,
// explains that once, and names every group that it leaves behind.
func TestRunsEnd(t *testing.T) {
	t.Parallel()
	always := func(answer reply) func(*http.Request) reply { return func(*http.Request) reply { return answer } }
	never := func(method string) func(*http.Request) reply {
		return func(r *http.Request) reply {
			if r.Method != method {
				return reply{}
			}
			return refusal(http.StatusForbidden)
		}
	}
	for name, e := range map[string]struct {
		lasting     func(*http.Request) reply // the response, or none to let the service respond
		unreachable bool
		silent      bool // no response arrives within the time limit
		operations  string
	}{
		"no connection":                    {unreachable: true, operations: "find create update rotate delete import"},
		"no response":                      {silent: true, operations: "find create update rotate delete import"},
		"500":                              {always(refusal(500)), false, false, "find create update rotate delete import"},
		"503":                              {always(refusal(503)), false, false, "find create update rotate delete"},
		"429":                              {always(refusal(429)), false, false, "find create update rotate delete"},
		"a gateway without it":             {always(page(502)), false, false, "find create update rotate delete"},
		"a sign-in page":                   {always(page(200)), false, false, "find create update rotate delete"},
		"a wrong key":                      {always(refusal(401)), false, false, "find create update"},
		"another address":                  {always(notFound), false, false, "find create update"},
		"a cache":                          {always(repeated), false, false, "find create import"},
		"a key that may nothing":           {always(refusal(403)), false, false, "find create"},
		"a key that may not create groups": {never(http.MethodGet), false, false, "create import"},
		"a key that may not update them":   {never(http.MethodPut), false, false, "update"},
		"a key that may not rotate tokens": {never(http.MethodPost), false, false, "rotate"},
		"a key that may not delete them":   {never(http.MethodDelete), false, false, "delete absent"},
	} {
		for operation := range strings.FieldsSeq(e.operations) {
			t.Run(name+"/"+operation, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newCrowd(operation)
					w.lasting, w.unreachable, w.silent = e.lasting, e.unreachable, e.silent
					w.run(t)
					t.Logf("| %s | %s | %d calls | %s | %d left | %d explained |", name, operation, w.calls,
						w.took.Round(time.Second), w.left, w.explained)
					most := mostCalls
					if operation == "delete" {
						most = mostDeleting
					}
					if w.calls > most || w.took > longestRun || w.left > mostLeft || w.unnamed > 0 {
						t.Errorf("%d calls, %s, %d groups left behind, %d of them unnamed", w.calls, w.took, w.left, w.unnamed)
					}
					if w.explained == 0 || w.explained > mostExplains || w.succeeded > 0 {
						t.Errorf("%d errors explain, and %d groups succeed", w.explained, w.succeeded)
					}
				})
			})
		}
	}
}

// TestUnknownRateLimit creates groups on a service that allows five calls per second and says so to nobody.
func TestUnknownRateLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const perSecond = 5
		w := newCrowd("create")
		w.emulator = emulator.New(emulator.Options{RateLimit: perSecond})
		w.run(t)
		shortest := time.Duration(*groupsFlag) * time.Second / perSecond
		t.Logf("%d groups, %d calls, %.2f of the shortest time", *groupsFlag, w.calls, w.took.Seconds()/shortest.Seconds())
		if w.succeeded != *groupsFlag || *groupsFlag >= 400 && w.took > shortest*135/100 {
			t.Errorf("%d of %d groups were created in %s; the shortest time is %s", w.succeeded, *groupsFlag, w.took, shortest)
		}
	})
}

// crowd is a run of one operation on many groups.
type crowd struct {
	operation
	emulator *emulator.Emulator
	priors   []usergroup.Prior
	lasting  func(*http.Request) reply

	unreachable, silent bool

	mu                   sync.Mutex
	calls                int
	explained, succeeded int
	left, unnamed        int
	took                 time.Duration
}

func newCrowd(name string) *crowd {
	absent := name == "create" || name == "import" || name == "absent"
	if name == "absent" {
		name = "find"
	}
	w := &crowd{operation: operations[name], emulator: emulator.New(emulator.Options{})}
	for i := range *groupsFlag {
		group := w.emulator.Seed(emulator.Group{ID: fmt.Sprintf("group-%03d", i), Name: oldName})
		w.priors = append(w.priors, w.priorOf(group))
		if absent {
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
	if w.unreachable {
		return nil, errors.New("connection refused")
	}
	kept, _ := received(r)
	if w.silent {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if w.lasting != nil {
		if answer := w.lasting(r); answer.status != 0 {
			return answer.response()
		}
	}
	return serve(w.emulator, kept).response()
}

// run carries out the operation on all groups, with as many at once as Terraform has workers.
func (w *crowd) run(t *testing.T) {
	t.Helper()
	begun, before := time.Now(), map[string]bool{}
	for _, group := range w.emulator.Groups() {
		before[group.ID] = true
	}
	service := newService(w, maxRetries, usergroup.Settings{})
	priors := make(chan usergroup.Prior)
	var all sync.WaitGroup
	var problems []*usergroup.Problem
	for range workers {
		all.Go(func() {
			for prior := range priors {
				result, err := w.do(context.Background(), service, prior)
				w.mu.Lock()
				problems = append(problems, problemsOf(err, result.Warnings)...)
				switch {
				case err == nil:
					w.succeeded++
				case problemOf(err).Finding != usergroup.RunEnded:
					w.explained++
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
	for _, group := range w.emulator.Groups() {
		if before[group.ID] || w.creates && group.Name == newName {
			continue
		}
		w.left++
		if !namesLeft(problems, group.ID) {
			w.unnamed++
		}
	}
}
