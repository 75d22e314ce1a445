package usergroup

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// A lookup of a missing group creates a placeholder, which belongs to this lookup for the time of a lease. Later, the
// lookup does not delete it, because somebody who has found it may have waited and taken it. Whoever finds a group that
// may be a placeholder, in this or in another process, waits longer than the lease and looks again.
const (
	// lease is how long after its creation a lookup may begin to delete its placeholder.
	lease = 20 * time.Second
	// longestPlaceholder is how long a placeholder can exist. The difference is for the deletion itself. The waits between
	// maxLooks looks, 63 seconds in all, must be longer.
	longestPlaceholder = 30 * time.Second
)

// settling waits until a group that was found cannot be the placeholder of another lookup any more.
type settling struct {
	group api.UserGroup
	since time.Time
	looks int
}

// wait waits before the next look at the group. It returns false if the group was found long ago, so that it is no
// placeholder, or if the run is stopped.
func (w *settling) wait(ctx context.Context, group api.UserGroup) bool {
	if w.looks == 0 || !areSame(w.group, group) {
		w.group, w.since = group, time.Now()
	}
	left := longestPlaceholder - time.Since(w.since)
	w.looks++
	if left <= 0 || w.looks > maxLooks {
		return false
	}
	// A placeholder usually disappears within a few calls.
	return api.Sleep(ctx, min(left, time.Second<<(w.looks-1))) == nil
}

// names is what the lookups of a process have shown about names.
type names struct {
	// known is set when it is known whether lookups by ID alone show names, and shown if they do.
	known, shown atomic.Bool
	// missing is set when a group without a name has turned out to be no placeholder.
	missing atomic.Bool
	// empty counts the groups of which Find has warned because they show nothing.
	empty atomic.Int64
}
