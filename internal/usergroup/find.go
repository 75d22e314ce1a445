package usergroup

import (
	"context"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Find looks up a group and leaves the service as it was. The lookup creates a missing group, so Find deletes it
// again and returns an error that matches ErrNotFound. It makes one call if the group exists. If not, it makes three,
// because it deletes a group only after a second lookup has shown that the first one created it. The calls of the
// check of the service are extra.
func (s *Service) Find(ctx context.Context, known Known) (Found, error) {
	return exclusively(ctx, s, LookUp, known, func(ctx context.Context, lock *groupLock) (Found, *Problem) {
		found, problem := s.findAndWarn(ctx, known)
		lock.keep(known, found, problem)
		return found, problem
	})
}

// findAndWarn looks up a group, and warns if a group of which nothing was known is Empty.
func (s *Service) findAndWarn(ctx context.Context, known Known) (Found, *Problem) {
	found, problem := s.lookUp(ctx, known, &settling{})
	if found.Empty && !known.Existed() && s.names.empty.Add(1) <= mostWarnings {
		draft := Problem{
			Operation: LookUp, ID: known.ID, URL: s.client.URL(), Response: found.UserGroup, Empty: true,
		}
		found.Warnings = append(found.Warnings, draft.with(FoundEmpty))
	}
	return found, problem
}

// mostWarnings limits how often a process warns of a group that shows nothing. A service with more of them has groups
// without a name.
const mostWarnings = 10

// maxLooks limits the lookups of one operation, in case others create and delete the group all the time.
const maxLooks = 6

// sighting is what a lookup shows about a group.
type sighting int

const (
	unusable      sighting = iota // the response does not show whether the group is new, or shows one without a token
	justMade                      // a new group, which this lookup has created
	confirmed                     // the placeholder that an earlier lookup has created
	existing                      // a group that existed before, or a placeholder that somebody has taken
	fromCache                     // a live group that a cached response reports as new
	contradictory                 // a group other than the one that an earlier lookup has created
)

// judge returns what a response shows. made is the placeholder that an earlier look has created, or nil.
func (s *Service) judge(known Known, made *api.UserGroup, answer api.Answer) sighting {
	group := answer.UserGroup
	switch {
	case answer.New == nil, !*answer.New && group.Token.IsZero():
		return unusable
	case *answer.New && (s.remembers(group.Token) || known.isSame(group)):
		return fromCache
	case *answer.New:
		return justMade
	case made == nil:
		return existing
	case !areSame(*made, group):
		return contradictory
	case s.showsNothing(known.ID, group):
		return confirmed
	default:
		return existing
	}
}

// find is Find for the other operations. It also returns a group that may be the placeholder of another lookup.
func (s *Service) find(ctx context.Context, known Known) (Found, *Problem) {
	return s.lookUp(ctx, known, nil)
}

// lookup is a lookup, which looks at the group as often as it takes to know whether the group exists.
type lookup struct {
	*Service

	draft Problem
	// settle waits until time shows whether a group is another lookup's placeholder. If it is nil, such a group exists.
	settle      *settling
	looks       int            // without those of settle
	lost        bool           // a response was lost
	made        *api.UserGroup // the placeholder that this lookup has created
	checked     *verdict       // of the check of the service, once there is a placeholder
	removals    int            // deletions of the placeholder that failed
	lostRemoval *api.Error     // of these, one that the service may still carry out
}

func (s *Service) lookUp(ctx context.Context, known Known, settle *settling) (found Found, problem *Problem) {
	defer func() {
		if found.Uncertain || problem != nil && problem.LookupUncertain {
			s.uncertain.Store(known.ID, true)
		}
	}()
	l := lookup{
		Service: s, settle: settle, draft: Problem{Operation: LookUp, ID: known.ID, URL: s.client.URL(), Known: known},
	}
	defer s.scout(ctx)()
	if cause := s.ended(LookUp); cause != nil {
		return Found{}, l.draft.referTo(cause)
	}
	if known.TeamID == nil {
		// The check comes first, so that it takes no time from the lease of a placeholder.
		if problem := s.checkEnvironment(ctx, l.draft); problem != nil {
			return Found{}, problem
		}
	}
	for {
		answer, err := s.look(ctx, known)
		again := true
		switch l.sees(answer, err) {
		case unusable:
			if again = api.IsKind(err, api.Incomplete) && s.client.Retry(ctx, l.draft.Call); !again {
				problem = l.failed()
			}
		case fromCache, contradictory:
			problem = l.contradicted()
		case justMade:
			ctx, problem = l.prepareRemoval(ctx, answer)
		case confirmed:
			problem = l.remove(ctx)
		case existing:
			again, problem = l.awaitOwner(ctx)
		}
		switch {
		case problem != nil:
			return Found{}, problem
		case !again:
			return s.existing(ctx, l.draft)
		}
	}
}

// sees records a response and returns what it shows.
func (l *lookup) sees(answer api.Answer, err error) sighting {
	outcome := l.draft.record(err)
	l.draft.Response = answer.UserGroup
	l.lost = l.lost || answer.AfterLostAttempt || outcome == Maybe
	// A response that reports a new group may come from a cache until a second one has confirmed the group.
	l.draft.LookupUncertain = l.lost || l.made != nil
	shows := l.judge(l.draft.Known, l.made, answer)
	if l.looks++; l.looks > maxLooks {
		return contradictory
	}
	if shows == confirmed && err != nil { // An incomplete response may lack what would show a live group.
		shows = unusable
	}
	if shows != unusable || answer.New == nil || *answer.New {
		return shows
	}
	switch shown := !l.showsNothing(l.draft.ID, answer.UserGroup); {
	case l.made != nil:
		l.draft.MayBeLive = l.draft.MayBeLive || shown || !areSame(*l.made, answer.UserGroup)
	case shown:
		l.draft.LookupUncertain, l.draft.MayBeLive = false, true // No lookup has created a group that shows a name.
	}
	return unusable
}

// failed returns the problem of a lookup without a usable response.
func (l *lookup) failed() *Problem {
	problem := l.draft.with(CallFailed)
	if l.made != nil {
		return l.notRemoved(problem, l.checked)
	}
	return l.endIfKeyRefused(problem)
}

// contradicted returns the problem of responses that contradict each other, so that it is unknown which of the calls
// have reached the service.
func (l *lookup) contradicted() *Problem {
	l.draft.LookupUncertain, l.draft.MayBeLive = true, true
	switch {
	case l.checked != nil && l.checked.problem != nil:
		return l.draft.because(l.checked.problem)
	case l.made != nil:
		return l.draft.with(AnswersDisagree)
	default:
		return l.draft.with(AnsweredFromCache)
	}
}

// prepareRemoval runs the check of the service before the placeholder is confirmed and removed, and returns the context
// for that. Even a run that is stopped must not leave a placeholder behind, and neither must an operation that has used
// up its budget. The lease bounds the time.
func (l *lookup) prepareRemoval(ctx context.Context, answer api.Answer) (context.Context, *Problem) {
	l.made = &answer.UserGroup
	l.remember(l.made.Token)
	ctx = l.client.Begin(api.CleanUp(ctx, answer.Sent.Add(lease)))
	if l.checked == nil { // Another check would not excuse what this one has left behind.
		l.checked = l.checkService(ctx, nil)
	}
	if l.checked.uncached {
		return ctx, nil
	}
	// What looks like a placeholder may be a live group, if a cache repeats the response to its creation.
	l.draft.LookupUncertain, l.draft.MayBeLive = true, true
	return ctx, l.draft.because(l.checked.problem)
}

// remove deletes the confirmed placeholder. It returns nil if another look has to show what became of it.
func (l *lookup) remove(ctx context.Context) *Problem {
	l.draft.Placeholder, l.draft.LookupUncertain = PlaceholderLeft, l.lost
	err := l.client.Delete(ctx, api.TokenRequest{CurrentToken: l.draft.Response.Token, UserGroupID: l.draft.ID})
	if err != nil {
		// The placeholder may be gone, deleted by a lost attempt or by another client, or it may have a new token.
		if l.draft.record(err); l.removals > 0 || !mayBeTheToken(l.draft.Call) {
			return l.notRemoved(l.draft.with(LeftBehind), l.checked)
		}
		if l.removals++; l.draft.Call.MayHaveHappened() {
			l.lostRemoval = l.draft.Call
		}
		return nil
	}
	l.draft.Placeholder = PlaceholderRemoved
	if l.checked.problem != nil {
		return l.draft.because(l.checked.problem)
	}
	return l.draft.with(NotFound)
}

// awaitOwner waits before another look at a group that may be the placeholder of another lookup. It returns false if
// the group exists.
func (l *lookup) awaitOwner(ctx context.Context) (again bool, problem *Problem) {
	l.draft.LookupUncertain, l.draft.Placeholder = l.lost, NoPlaceholder
	waits := false
	if l.settle != nil && !l.lost {
		if waits, problem = l.mayBePlaceholder(ctx, l.draft); problem != nil {
			return false, problem
		}
	}
	switch {
	case l.checked != nil && l.checked.problem != nil:
		return false, l.draft.because(l.checked.problem)
	case l.lostRemoval != nil: // Somebody has taken the placeholder, and the service may still delete it.
		l.draft.Call, l.draft.MayBeLive, l.draft.Placeholder = l.lostRemoval, true, PlaceholderLeft
		return false, l.draft.with(LeftBehind)
	case waits && l.settle.wait(ctx, l.draft.Response):
		l.looks--
		return true, nil
	case waits && ctx.Err() == nil:
		l.names.missing.Store(true)
	}
	return false, nil
}

// notRemoved ends the run for lookups, because a placeholder could not be removed. If the check could not remove its
// group either, or failed otherwise, that is the explanation.
func (s *Service) notRemoved(problem *Problem, checked *verdict) *Problem {
	if checked.problem != nil {
		return problem.because(checked.problem)
	}
	return s.endFor(LookUp, problem)
}

// scout lets the first lookup of a process go ahead of all others, so that a wrong API key is noticed before ten of
// them have created something. It returns a function to call when the lookup has ended. It does not wait for long,
// since a service that does not respond must not keep the others waiting.
func (s *Service) scout(ctx context.Context) (ended func()) {
	select {
	case <-s.scouted:
		return func() {}
	default:
	}
	if s.scouting.CompareAndSwap(false, true) {
		return func() { close(s.scouted) }
	}
	timer := time.NewTimer(longestScout)
	defer timer.Stop()
	select {
	case <-s.scouted:
	case <-timer.C:
	case <-ctx.Done():
	}
	return func() {}
}

// longestScout is how long lookups wait for the first one.
const longestScout = 3 * time.Second

// mayBePlaceholder reports whether the group that a lookup has found may be the placeholder of another lookup, so that
// time would tell. The known group is none, and neither is one that shows a name. Where the service shows no names, or
// has groups without one, nobody waits for each of them: an import of a placeholder loses nothing.
func (s *Service) mayBePlaceholder(ctx context.Context, draft Problem) (bool, *Problem) {
	if draft.Known.isSame(draft.Response) || !s.showsNothing(draft.ID, draft.Response) {
		return false, nil
	}
	if !s.names.known.Load() { // The check finds out.
		if checked := s.checkService(ctx, ctx.Done()); checked.problem != nil {
			return false, draft.because(checked.problem)
		}
	}
	return s.names.shown.Load() && !s.names.missing.Load(), nil
}

// look sends a lookup with the ID alone, and adds a name only if the service requires one.
func (s *Service) look(ctx context.Context, known Known) (api.Answer, error) {
	request := api.GroupRequest{UserGroupID: known.ID}
	name := known.ID // By this name, other processes recognize a placeholder.
	if s.nameRequired.Load() {
		request.Name = &name
		s.nameSent.Store(true)
	}
	answer, err := s.client.GetOrCreate(ctx, request)
	if request.Name == nil && api.IsKind(err, api.Refused) {
		lost := answer.AfterLostAttempt
		request.Name = &name
		s.nameSent.Store(true)
		answer, err = s.client.GetOrCreate(ctx, request)
		// An attempt that was lost before the name was added may still be carried out.
		answer.AfterLostAttempt = answer.AfterLostAttempt || lost
		if err == nil {
			s.nameRequired.Store(true)
		}
	}
	// The name that was sent may come back as an echo, and so may a missing one as an empty name. Neither proves
	// anything.
	returned := answer.UserGroup.Name
	if returned != nil && (*returned == "" || request.Name != nil && *returned == name) {
		answer.UserGroup.Name = nil
	}
	if answer.UserGroup.Name != nil {
		s.names.shown.Store(true)
		s.names.known.Store(true)
	}
	return answer, err
}

// existing decides whether the existing group that a lookup has returned is the known group.
func (s *Service) existing(ctx context.Context, draft Problem) (Found, *Problem) {
	known, group := draft.Known, draft.Response
	s.remember(group.Token)
	found := Found{UserGroup: group, Replaced: known.isOther(group), Uncertain: draft.LookupUncertain}
	nothing := s.showsNothing(known.ID, group)
	hasLostName := !known.isSame(group) && nothing && known.Name != "" && (known.TeamID == nil || group.TeamID == nil)
	if hasLostName && !s.names.known.Load() { // The check finds out.
		if checked := s.checkService(ctx, ctx.Done()); checked.problem != nil {
			return Found{}, draft.because(checked.problem)
		}
	}
	found.Empty = nothing && (s.names.shown.Load() || known.TakenOverEmpty)
	_, uncertain := s.uncertain.Load(known.ID)
	uncertain = uncertain || draft.LookupUncertain
	switch {
	case known.isSame(group):
		draft.LookupUncertain = false
		if isOtherID(known.ID, group) {
			found.Warnings = append(found.Warnings, draft.with(OtherSpelling))
		}
	case isOtherID(known.ID, group):
		// If the response belongs to another request, this one may have been carried out, too.
		draft.LookupUncertain, draft.MayBeLive = true, true
		return Found{}, draft.with(AnsweredForAnother)
	case uncertain && nothing:
		draft.LookupUncertain = true
		return Found{}, draft.with(MayBeLeftBehind)
	default:
		// No lookup has created a group that shows a name, and while that exists, none creates another one.
		draft.Empty, draft.LookupUncertain = found.Empty, false
		// Without a team_id, a group with another token may be another group. If it has also lost its name, it is.
		found.Replaced = found.Replaced || found.Empty && hasLostName
	}
	if found.Replaced {
		if problem := s.checkEnvironment(ctx, draft); problem != nil {
			return Found{}, problem
		}
		found.Warnings = append(found.Warnings, draft.with(Replaced))
	}
	switch retired := !found.Replaced && known.hasRetired(group.Token); {
	case retired && known.mayLag():
		found.Outdated = true
	case retired:
		found.Warnings = append(found.Warnings, draft.with(TokenReturned))
	}
	return found, nil
}
