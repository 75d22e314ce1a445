package usergroup

import (
	"cmp"
	"net/http"
	"slices"
	"sync"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// run is what the operations of a process have learned together. Those of a kind share their patience: once a group has
// given up, no other one waits for retries until something of that kind gets through. After mostInARow groups, the kind
// ends, so that four hundred groups with one cause neither take hours nor get four hundred explanations. What has ended
// does not begin again, because a run has an end.
type run struct {
	mu     sync.Mutex
	proved bool                     // the API key belongs to the expected environment
	worked map[Operation]bool       // an operation of this kind has succeeded
	streak map[Operation][]*Problem // what explains each group that has given up since something has gotten through
	ended  map[Operation]*Problem   // the kinds that have ended, and why
	told   *Problem                 // the first problem that explains why the preflight has failed
	// existing is the first creation that has met an existing group. It explains all others.
	existing *Problem
}

// mostInARow is more than the workers of a run, so that records of the service that are broken for good end none.
const mostInARow = 20

// all stands for operations of every kind, and none for those of no kind.
const (
	all  Operation = "every kind"
	none Operation = "no kind"
)

func newRun() run {
	return run{worked: map[Operation]bool{}, streak: map[Operation][]*Problem{}, ended: map[Operation]*Problem{}}
}

// isPatient reports whether operations of the kind may wait for retries.
func (r *run) isPatient(kind Operation) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.streak[kind])+len(r.streak[all]) == 0
}

// cause returns what has ended operations of the kind, or nil.
func (r *run) cause(kind Operation) *Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.ended[all], r.ended[kind])
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

// exists lets a creation that has met an existing group refer to the first one that has, which explains all others.
func (r *run) exists(p *Problem) *Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.Cause, r.existing = r.existing, cmp.Or(r.existing, p)
	return p
}

// succeeded records that an operation has ended without an error.
func (r *run) succeeded(kind Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.worked[kind] = true
	delete(r.streak, kind)
}

// judge ends operations if the problem shows that they are pointless. It returns the problem or, if another one has
// explained the same since something has gotten through, one that refers to that.
func (r *run) judge(kind Operation, p *Problem) *Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	ends, most := p.ends(kind, r.worked[kind])
	if most == 0 { // The service has decided on this group.
		delete(r.streak, ends)
		return p
	}
	explains := p
	isLike := func(earlier *Problem) bool { return earlier.likeness() == p.likeness() }
	if first := slices.IndexFunc(r.streak[ends], isLike); first >= 0 {
		explains = r.streak[ends][first]
	}
	if p.isOfPreflight() {
		r.told = cmp.Or(r.told, p)
		explains = r.told
	}
	r.streak[ends] = append(r.streak[ends], explains)
	if len(r.streak[ends]) >= most {
		r.ended[ends] = cmp.Or(r.ended[ends], explains)
	}
	if explains != p {
		return p.refersTo(explains)
	}
	p.Explains = true
	return p
}

// endAll has the findings about the key, and endInARow those that groups share although no call has failed.
var (
	endAll    = []Finding{WrongKey, WrongEnvironment}
	endInARow = []Finding{Mismatched, LeftBehind}
)

// sendsToken has the methods whose calls may be refused because of the token.
var sendsToken = []string{http.MethodPost, http.MethodDelete}

// ends returns which operations the failure of one can end, those of its own kind or all of them, and how many such
// failures in a row do. None do if it is about its group. worked says whether one of its kind has succeeded.
func (p *Problem) ends(kind Operation, worked bool) (_ Operation, most int) {
	switch {
	case slices.Contains(endAll, p.Finding):
		return all, 1
	case p.Finding == LeftBehind && p.isDecided(): // Each further lookup would leave a group behind.
		return kind, 1
	case p.isOfPreflight() && p.Cause.isUnsafe():
		return all, 1
	case p.isOfPreflight(), slices.Contains(endInARow, p.Finding):
		return kind, mostInARow
	case p.Call != nil:
		return endsOfCall(p.Call, kind, worked)
	default:
		return kind, 0
	}
}

// endsOfCall returns what a call that has failed ends.
func endsOfCall(call *api.Error, kind Operation, worked bool) (_ Operation, most int) {
	isAboutToken := slices.Contains(sendsToken, call.Method)
	switch {
	case call.Kind == api.Stopped: // Nobody has decided on anything.
		return none, 0
	case call.Status == http.StatusUnauthorized && !isAboutToken:
		return all, 1
	case !call.Decided(), call.Kind == api.Busy, call.Kind == api.Unauthorized && !worked:
		return kind, mostInARow
	default:
		return kind, 0
	}
}
