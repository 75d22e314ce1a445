package usergroup_test

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// checkFault checks what a fault may do to a run.
func (r *ranRun) checkFault() {
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
func (r *ranRun) checkRecovered(reason string) {
	for _, o := range r.failed() {
		if !r.cannotTell || !found(o.err, usergroup.MayBeLeftBehind) {
			r.breaks("%s failed, but %s: %v", o.ID, reason, o.err)
		}
	}
}

// checkBounds checks that the run ended within a number of calls and a time.
func (r *ranRun) checkBounds(calls int, took time.Duration) {
	if r.took > took {
		r.breaks("it took %s, want at most %s", r.took.Round(time.Second), took)
	}
	if len(r.attempts) > calls {
		r.breaks("it took %d calls, want at most %d", len(r.attempts), calls)
	}
}

// checkExplained checks that a problem of all groups is explained only by the operations that were under way.
func (r *ranRun) checkExplained() {
	if explained := r.explained(); explained > mostExplained {
		r.breaks("%d operations explain the fault, want at most %d", explained, mostExplained)
	}
}

// checkNamed checks that a problem names each group that is left behind.
func (r *ranRun) checkNamed() {
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
func (r *ranRun) left() (groups, ofCheck []string) {
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
func (r *ranRun) explained() (count int) {
	for _, o := range r.failed() {
		if !found(o.err, usergroup.RunEnded) {
			count++
		}
	}
	return count
}

// failed returns the operations that have failed. A lookup of a missing group is to find nothing.
func (r *ranRun) failed() (failed []outcome) {
	for _, o := range r.outcomes {
		if o.err != nil && (r.exists || !errors.Is(o.err, usergroup.ErrNotFound)) {
			failed = append(failed, o)
		}
	}
	return failed
}

// checkGroups compares what each operation has reported with what the service has done.
func (r *ranRun) checkGroups() {
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
func (r *ranRun) checkOutcome(o outcome, done deeds) {
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
