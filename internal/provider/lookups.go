package provider

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

const (
	// lookupsAtATime is the maximum number of concurrent lookups. It equals the default of Terraform's -parallelism.
	lookupsAtATime = 10
	// lookupsAhead is the maximum number of lookups whose results have not been taken yet. With twice as many as run at
	// a time, those of missing groups, which make three calls, rarely hold up the others.
	lookupsAhead = 2 * lookupsAtATime
)

// lookup is the result of looking up one group.
type lookup struct {
	id    string
	found usergroup.Found
	err   error
	ended bool
}

// lookUpAll looks up groups, at most lookupsAtATime at once, and yields the results in the order of the IDs. With a
// limit other than 0, missing groups do not count, and no lookup is made whose result would be beyond the limit: each
// could create and delete a group. Once ctx has ended or the caller takes no more results, no further lookup begins,
// and lookUpAll returns when those under way have ended.
func lookUpAll(ctx context.Context, service *usergroup.Service, ids []string, limit int64) iter.Seq[*lookup] {
	return func(yield func(*lookup) bool) {
		ctx, stop := context.WithCancel(ctx)
		var lookups sync.WaitGroup
		defer lookups.Wait()
		defer stop()
		var ahead []*lookup // begun and not yielded yet
		ended := make(chan *lookup, lookupsAtATime)
		underWay, counted := 0, int64(0)
		for next := 0; ; {
			for next < len(ids) && ctx.Err() == nil && underWay < lookupsAtATime && len(ahead) < lookupsAhead &&
				(limit == 0 || counted+int64(underWay) < limit) {
				one := &lookup{id: ids[next]}
				lookups.Go(func() {
					one.found, one.err = service.Find(ctx, usergroup.Known{ID: one.id})
					ended <- one
				})
				ahead = append(ahead, one)
				next, underWay = next+1, underWay+1
			}
			if len(ahead) == 0 {
				return
			}
			if ahead[0].ended {
				if !yield(ahead[0]) {
					return
				}
				ahead = ahead[1:]
				continue
			}
			one := <-ended
			one.ended = true
			underWay--
			if !errors.Is(one.err, usergroup.ErrNotFound) {
				counted++
			}
		}
	}
}
