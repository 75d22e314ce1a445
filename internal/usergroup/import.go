package usergroup

import (
	"context"
	"time"
)

// longestFresh is how long FindForImport takes the result of an earlier lookup. A plan imports groups after it has
// looked up all of them, which takes five minutes for 30,000 groups at 100 milliseconds each.
const longestFresh = 5 * time.Minute

// freshLookup is what Find has found out about a group of which nothing was known before.
type freshLookup struct {
	found Found
	at    time.Time
}

// FindForImport is Find for a group of which only the ID is known. It makes no call if, in the last five minutes, this
// process has looked up the group in the same way, without a mishap, and has done nothing else to it since. Each lookup
// is used once. That of a group that is Empty is not used, since somebody may have removed the group in the meantime.
func (s *Service) FindForImport(ctx context.Context, id string) (Found, error) {
	known := Known{ID: id}
	return exclusively(ctx, s, LookUp, known, func(ctx context.Context, lock *groupLock) (Found, *Problem) {
		fresh := lock.fresh
		lock.fresh = nil
		if fresh != nil && time.Since(fresh.at) < longestFresh {
			return fresh.found, nil
		}
		return s.findAndWarn(ctx, known)
	})
}

// keep records the result of a lookup for FindForImport, and forgets the last one. Refreshes of managed groups are not
// recorded: no import follows, and memory would grow with the number of groups.
func (l *groupLock) keep(known Known, found Found, problem *Problem) {
	l.fresh = nil
	if problem == nil && !known.Existed() && !found.Uncertain && !found.Empty {
		l.fresh = &freshLookup{found, time.Now()}
	}
}
