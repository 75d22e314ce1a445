package emulator

import (
	"slices"
	"time"
)

// task is work that is due at a time.
type task struct {
	due time.Time
	do  func()
	// copies means that the task only brings the replica up to date. No call waits for it.
	copies bool
}

// settle does what is due. Nothing runs in the background: whoever looks at the service does first what is due by then.
func (s *service) settle(now time.Time) {
	for len(s.tasks) > 0 && !s.tasks[0].due.After(now) {
		next := s.tasks[0]
		s.tasks = s.tasks[1:]
		s.now = next.due
		next.do()
	}
	s.now = now
}

// after does something after a delay, or at once if there is none.
func (s *service) after(delay time.Duration, next task) {
	if delay <= 0 {
		next.do()
		return
	}
	next.due = s.now.Add(delay)
	i := len(s.tasks)
	for i > 0 && s.tasks[i-1].due.After(next.due) {
		i--
	}
	s.tasks = slices.Insert(s.tasks, i, next)
}

// rests returns how long it takes until all work is done that calls have asked for.
func (s *service) rests(now time.Time) (wait time.Duration) {
	for _, t := range s.tasks {
		if !t.copies {
			wait = max(wait, t.due.Sub(now))
		}
	}
	return wait
}

// replicate brings the replica up to date about a group, as late as the replica lags.
func (s *service) replicate(key scoped, lag time.Duration) {
	if s.options.ReplicaLag == 0 {
		return
	}
	group, there := s.groups[key]
	s.after(lag, task{copies: true, do: func() {
		if there {
			s.replica[key] = group
		} else {
			delete(s.replica, key)
		}
	}})
}

// looked returns the group that a lookup finds. One that the replica does not have is found when the service tries to
// create it.
func (s *service) looked(key scoped) (Group, bool) {
	if group, there := s.replica[key]; there {
		return group, true
	}
	group, there := s.groups[key]
	return group, there
}

// again returns a group as it is by now, and reports whether it still exists.
func (s *service) again(group Group) (Group, bool) {
	now, there := s.groups[scoped{group.Environment, group.ID}]
	return now, there && now.TeamID == group.TeamID
}
