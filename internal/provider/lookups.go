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
	describeShownName       = "Name of the group. Null if the service does not show it."
	describeShownProperties = "Properties as a JSON object, for `jsondecode`. Null if the service does not show them."
	describeFingerprint     = "The first 12 hexadecimal digits of the token's SHA-256 hash."
	describeTeamID          = "The service's own number of the group."
)

// lookup is the result of looking up one group.
type lookup struct {
	usergroup.Result

	id    string
	err   error
	ended bool
}

func (l *lookup) failed() bool { return l.ended && l.err != nil && !usergroup.IsNotFound(l.err) }

// lookUpAll looks up groups, at most lookupsAtATime at once, and yields the results in the order of the IDs. With a
// limit other than 0, missing groups do not count, and no lookup is made whose result would be beyond the limit: each
// could create and delete a group. Neither is one made while a failure waits for its turn, because the caller may want
// no more then. Once ctx has ended or the caller takes no more results, no further call is made, and lookUpAll returns
// when those under way have ended.
func lookUpAll(ctx context.Context, service *usergroup.Service, ids []string, limit int64) iter.Seq[*lookup] {
	return func(yield func(*lookup) bool) {
		ctx, stop := context.WithCancel(ctx)
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		var begun []*lookup // and not yielded yet
		ended := make(chan *lookup, lookupsAtATime)
		for next, running, found, stopped := 0, 0, int64(0), false; ; {
			for ; len(begun) > 0 && begun[0].ended; begun = begun[1:] {
				if !yield(begun[0]) {
					return
				}
			}
			for next < len(ids) && running < lookupsAtATime && !stopped && (limit == 0 || found+int64(running) < limit) &&
				!slices.ContainsFunc(begun, (*lookup).failed) {
				stopped = ctx.Err() != nil // One more lookup returns the error that says so.
				one := &lookup{id: ids[next]}
				all.Go(func() {
					one.Result, one.err = service.Find(ctx, usergroup.Prior{ID: one.id})
					ended <- one
				})
				begun = append(begun, one)
				next, running = next+1, running+1
			}
			if running == 0 {
				return
			}
			one := <-ended
			one.ended = true
			running--
			if one.err == nil {
				found++
			}
		}
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

// reportsMissing reports whether the error of a lookup says that the group does not exist. It adds a warning if an
// empty group may remain.
func reportsMissing(diags *diag.Diagnostics, err error) bool {
	missing := usergroup.IsNotFound(err)
	if missing && len(problemOf(err).Left) > 0 {
		report(diags, nil, problemOf(err))
	}
	return missing
}

// reportFailed reports the failed lookups of many groups: each that leaves a group behind or that others refer to, and
// most of the others at most. It leaves out those that only say that an earlier error, or the user, has ended the run, unless there is
// nothing else.
func reportFailed(diags *diag.Diagnostics, failed []error, most int) {
	var ended error
	for _, err := range failed {
		problem := problemOf(err)
		mustBeSaid := problem != nil && (problem.EndsRun || len(problem.Left) > 0)
		refers := problem != nil && problem.Finding == usergroup.RunEnded
		switch {
		case mustBeSaid:
			report(diags, err)
		case refers, errors.Is(err, context.Canceled):
			ended = cmp.Or(ended, err)
		case most > 0:
			report(diags, err)
			most--
		}
	}
	if !diags.HasError() {
		report(diags, ended)
	}
}
