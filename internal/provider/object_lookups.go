package provider

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// lookupsAtATime is the maximum number of concurrent lookups. It equals the default of Terraform's -parallelism.
const lookupsAtATime = 10

// Descriptions of attributes that several objects have which look up a group.
const (
	describeUserGroupID     = "ID of the group to look up."
	describeShownName       = "Name of the group. Null if no lookup proves it."
	describeShownProperties = "Properties as a JSON object, for `jsondecode`. Null if the service shows none."
	describeFingerprint     = "The first 12 hexadecimal digits of the token's SHA-256 hash."
	describeTeamID          = "The service's own number of the group."
)

// lookup is the result of looking up one group.
type lookup struct {
	usergroup.Result

	id      string
	problem *usergroup.Problem // nil if there is none
	ended   bool
}

func (l *lookup) failed() bool {
	return l.ended && l.problem != nil && l.problem.Finding != usergroup.NotFound
}

// lookups are the lookups of many groups, in the order of their IDs.
type lookups struct {
	service *usergroup.Service
	limit   int64
	left    []string  // not begun yet
	begun   []*lookup // and not yielded yet
	ended   chan *lookup
	running int64
	results int64 // groups that were found, and failures
}

// lookUpAll looks up groups, at most lookupsAtATime at once, and yields the results in the order of the IDs. With a
// limit other than 0, missing groups do not count, failures do, and no lookup is made whose result would be beyond the
// limit: each could create and delete a group. Neither is one made while a failure waits for its turn, because the
// caller may want no more then. Once ctx has ended or the caller takes no more results, no further call is made, and
// lookUpAll returns when those under way have ended. The lookups that are left fail then.
func lookUpAll(ctx context.Context, service *usergroup.Service, ids []string, limit int64) iter.Seq[*lookup] {
	return func(yield func(*lookup) bool) {
		ctx, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		limit = cmp.Or(limit, int64(len(ids)))
		l := lookups{service: service, limit: limit, left: ids, ended: make(chan *lookup, lookupsAtATime)}
		for {
			for _, one := range l.inOrder() {
				if !yield(one) {
					return
				}
			}
			for l.mayBegin() {
				one := l.begin()
				all.Go(func() { l.run(ctx, one) })
			}
			if l.running == 0 {
				return
			}
			l.wait()
		}
	}
}

// inOrder removes the first lookups, as many as have ended, and returns them.
func (l *lookups) inOrder() []*lookup {
	ended := slices.IndexFunc(l.begun, func(one *lookup) bool { return !one.ended })
	if ended < 0 {
		ended = len(l.begun)
	}
	first := l.begun[:ended]
	l.begun = l.begun[ended:]
	return first
}

func (l *lookups) mayBegin() bool {
	if len(l.left) == 0 || l.running == lookupsAtATime {
		return false
	}
	if l.results+l.running == l.limit {
		return false
	}
	return !slices.ContainsFunc(l.begun, (*lookup).failed)
}

// begin takes the next ID.
func (l *lookups) begin() *lookup {
	one := &lookup{id: l.left[0]}
	l.left = l.left[1:]
	l.begun = append(l.begun, one)
	l.running++
	return one
}

func (l *lookups) run(ctx context.Context, one *lookup) {
	result, err := l.service.Find(ctx, usergroup.Prior{ID: one.id})
	one.Result, one.problem = result, problemOf(err)
	l.ended <- one
}

func (l *lookups) wait() {
	one := <-l.ended
	one.ended = true
	l.running--
	if one.problem == nil || one.failed() {
		l.results++
	}
}

// withoutRepeats returns a copy of the IDs with the first of equal ones.
func withoutRepeats(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		repeated := seen[id]
		seen[id] = true
		return repeated
	})
}

// reportsMissing reports whether a lookup has found that the group does not exist. It adds a warning if an empty group
// may remain.
func reportsMissing(diags *diag.Diagnostics, problem *usergroup.Problem) bool {
	missing := problem.Finding == usergroup.NotFound
	if missing && len(problem.Left) > 0 {
		report(diags, nil, problem)
	}
	return missing
}

// reportFailed reports the failed lookups of many groups: each that leaves a group behind or that others refer to, and
// most of the others at most. It leaves out those that only say that an earlier error, or the user, has ended the run,
// unless there is nothing else. An error that others refer to comes before them.
func reportFailed(diags *diag.Diagnostics, failed []*usergroup.Problem, most int) {
	place := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(failed, func(a, b *usergroup.Problem) int { return place[a.Explains] - place[b.Explains] })
	var ended error
	for _, problem := range failed {
		switch {
		case problem.Explains, len(problem.Left) > 0:
			report(diags, problem)
		case problem.Finding == usergroup.RunEnded, errors.Is(problem, context.Canceled):
			ended = cmp.Or(ended, error(problem))
		case most > 0:
			report(diags, problem)
			most--
		}
	}
	if !diags.HasError() {
		report(diags, ended)
	}
}
