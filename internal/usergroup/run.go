package usergroup

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// run is what the operations of a process have learned about the service, and what has ended. Once calls are pointless,
// they end, so that four hundred groups with one cause neither take hours nor get four hundred explanations. What has
// ended does not begin again, because a run has an end.
type run struct {
	mu          sync.Mutex
	ended       map[way]*Problem // what has ended, and why
	joined      map[*member]bool // the operations that are under way
	failed      map[way]failure
	well        time.Time        // when an operation last ended without an error
	isTested    bool             // the preflight has ended
	testFailure *Problem         // what the preflight has found, or nil if it has passed
	proved      bool             // the API key belongs to the expected environment
	told        map[any]*Problem // the first problem of each explanation that many groups have in common
	exists      *Problem         // the first creation that has met an existing group; it explains all others
}

// way is something that can end: a method of the service, or one of the following.
type way string

const (
	lookups    way = "lookups" // of groups that may be missing
	unbelieved way = "lookups that cannot be believed, because the service has refused the preflight"
	everything way = "every call"
)

// failure is the last failure of a group on one of the ways.
type failure struct {
	id string
	at time.Time
}

// waysOf has what each operation depends on.
var waysOf = map[Operation][]way{
	LookUp: {everything, http.MethodGet, lookups, unbelieved},
	Create: {everything, http.MethodGet},
	Adopt:  {everything, http.MethodGet},
	Update: {everything, http.MethodPut},
	Rotate: {everything, http.MethodPost},
	Delete: {everything, http.MethodDelete},
}

func newRun() run {
	return run{ended: map[way]*Problem{}, failed: map[way]failure{}, joined: map[*member]bool{}, told: map[any]*Problem{}}
}

// member is an operation that is under way.
type member struct {
	ways []way // that it depends on
	stop context.CancelFunc
}

// join returns a context for an operation, which also ends when one of the ways does that the operation depends on.
func (r *run) join(ctx context.Context, operation Operation) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancel(ctx)
	m := &member{waysOf[operation], cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.joined[m] = true
	return ctx, func() {
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.joined, m)
	}
}

// cause returns what has ended one of the ways, or nil.
func (r *run) cause(ways ...way) *Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, way := range ways {
		if cause := r.ended[way]; cause != nil {
			return cause
		}
	}
	return nil
}

func (r *run) wentWell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.well = time.Now()
}

// isProved reports whether it is proved that the API key belongs to the expected environment.
func (r *run) isProved() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.proved
}

func (r *run) prove() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proved = true
}

// explains returns the first creation that has met an existing group, or nil for the first one, which is recorded.
func (r *run) explains(exists *Problem) *Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	earlier := r.exists
	r.exists = cmp.Or(earlier, exists)
	return earlier
}

// ending is a way that a problem ends: at once, or if the group is the second in a row since the given time. The zero
// value ends nothing.
type ending struct {
	way    way
	atOnce bool
	since  time.Time
}

// inARow has what ends if two groups in a row have a finding: all calls if responses belong to other groups or
// contradict each other, and lookups if each one would leave a group behind.
var inARow = map[Finding]way{CacheSuspected: everything, AnsweredForAnother: everything, Filled: lookups}

// endingOf returns what the failure of an operation ends. Nothing is ended by a failure that is about its group.
func (s *Service) endingOf(p *Problem) ending {
	if p.ends != "" {
		return ending{way: p.ends, atOnce: p.ends != unbelieved, since: s.run.lastWell()}
	}
	if way := inARow[p.Finding]; way != "" {
		return ending{way: way, since: s.run.lastWell()}
	}
	if p.Call == nil {
		return ending{}
	}
	return s.endingOfCall(p.Call)
}

// endingOfCall returns what the failure of a call ends. Calls end together if no connection can be made, or if the key
// is refused; POST and DELETE may be refused because of the token.
func (s *Service) endingOfCall(call *api.Error) ending {
	method := ending{way: way(call.Method), since: s.client.Through(call.Method)}
	sendsToken := call.Method == http.MethodPost || call.Method == http.MethodDelete
	switch {
	case call.Kind == api.Stopped:
		return ending{}
	case call.EndsAll():
		return ending{way: everything, since: s.client.LastThrough()}
	case !call.Decided():
		return method
	case call.Status == http.StatusUnauthorized && !sendsToken:
		return ending{way: everything, atOnce: true}
	case call.Kind == api.Unauthorized && !s.client.HasWorkedWith(call.Method):
		return method
	default:
		return ending{}
	}
}

func (r *run) lastWell() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.well
}

// judge ends what the problem shows to be pointless. It returns the problem, or one that refers to an earlier one which
// explains it.
func (s *Service) judge(p *Problem) *Problem {
	explained := s.run.end(s.endingOf(p), p.ID, cmp.Or(s.run.earlier(p), p))
	isStopped := p.Call != nil && p.Call.Kind == api.Stopped
	if isStopped {
		explained = cmp.Or(s.run.cause(waysOf[p.Operation]...), explained)
	}
	if explained == p {
		return p
	}
	return p.refersTo(explained)
}

// countFailure counts the failure of a call, although the problem is about the lookup that followed. Both can be nil.
// It returns the problem as judged, so that later ones refer to what was said.
func (o *op) countFailure(failure *api.Error, problem *Problem) *Problem {
	if failure == nil || problem == nil {
		return problem
	}
	judged := o.judge(problem)
	explained := judged
	if judged.Finding == RunEnded {
		explained = judged.Cause
	}
	if explained.Call == nil { // The lookup explains the failure: the group is gone, or another one.
		return judged
	}
	_ = o.run.end(o.endingOfCall(failure), o.know.ID, explained)
	return judged
}

// earlier returns the problem that has already explained what this one would explain once more, or nil.
func (r *run) earlier(p *Problem) *Problem {
	if p.explains == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if earlier := r.told[p.explains]; earlier != nil {
		return earlier
	}
	r.told[p.explains], p.EndsRun = p, true
	return nil
}

// end ends the way after the failure of a group, unless that is the first one in a row. It returns the problem that
// explains it: the one that has ended the way before, or else explained.
func (r *run) end(e ending, id string, explained *Problem) *Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.way == "" {
		return explained
	}
	if cause := cmp.Or(r.ended[everything], r.ended[e.way]); cause != nil {
		return cause
	}
	if !e.atOnce && !r.isSecond(e, id) {
		return explained
	}
	r.ended[e.way] = explained
	if !explained.EndsRun { // That of another operation has it already, and may be read there.
		explained.EndsRun = true
	}
	for m := range r.joined {
		if slices.Contains(m.ways, e.way) {
			m.stop()
		}
	}
	return explained
}

// isSecond reports whether another group has failed in the same way, and nothing has gotten through since.
func (r *run) isSecond(e ending, id string) bool {
	earlier, again := r.failed[e.way]
	r.failed[e.way] = failure{id, time.Now()}
	return again && earlier.id != id && !earlier.at.Before(e.since)
}
