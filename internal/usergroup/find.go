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

// judge returns what a response shows. made is the group that an earlier lookup has created, or nil.
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
	case !Known{TeamID: made.TeamID, Token: made.Token}.isSame(group):
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

// lookUp is find with settle nil. Otherwise it waits until time shows whether a group is another lookup's placeholder.
func (s *Service) lookUp(ctx context.Context, known Known, settle *settling) (found Found, problem *Problem) {
	defer func() {
		if found.Uncertain || problem != nil && problem.LookupUncertain {
			s.uncertain.Store(known.ID, true)
		}
	}()
	draft := Problem{Operation: LookUp, ID: known.ID, URL: s.client.URL(), Known: known}
	defer s.scout(ctx)()
	if cause := s.ended(LookUp); cause != nil {
		return Found{}, draft.referTo(cause)
	}
	if known.TeamID == nil {
		// The check comes first, so that it takes no time from the lease of a placeholder.
		if problem := s.checkEnvironment(ctx, draft); problem != nil {
			return Found{}, problem
		}
	}
	var made *api.UserGroup
	var checked *verdict
	lost, removals := false, 0
	for looks := 1; ; looks++ {
		answer, err := s.look(ctx, known)
		outcome := draft.record(err)
		draft.Response = answer.UserGroup
		lost = lost || answer.AfterLostAttempt || outcome == Maybe
		// A response that reports a new group may come from a cache until a second lookup has confirmed the group.
		draft.LookupUncertain = lost || made != nil
		shows := s.judge(known, made, answer)
		switch {
		case looks > maxLooks:
			shows = contradictory
		case shows == confirmed && err != nil: // An incomplete response may lack what would show a live group.
			shows = unusable
		}
		switch shows {
		case unusable:
			switch another := answer.New != nil && !*answer.New; {
			case another && made == nil && !s.showsNothing(known.ID, answer.UserGroup):
				draft.LookupUncertain, draft.MayBeLive = false, true // No lookup has created a group that shows a name.
			case another && made != nil && !(Known{TeamID: made.TeamID, Token: made.Token}).isSame(answer.UserGroup):
				draft.MayBeLive = true
			}
			switch {
			case api.IsKind(err, api.Incomplete) && s.client.Retry(ctx, draft.Call):
			case made != nil:
				return Found{}, s.notRemoved(draft.with(CallFailed), checked)
			default:
				return Found{}, s.endIfKeyRefused(draft.with(CallFailed))
			}
		case fromCache, contradictory:
			// It is unknown which lookups have reached the service.
			draft.LookupUncertain, draft.MayBeLive = true, true
			if checked != nil && checked.problem != nil {
				return Found{}, draft.because(checked.problem)
			}
			if made != nil {
				return Found{}, draft.with(AnswersDisagree)
			}
			return Found{}, draft.with(AnsweredFromCache)
		case existing:
			draft.LookupUncertain, draft.Placeholder = lost, NoPlaceholder
			waits, problem := settle != nil && !lost, (*Problem)(nil)
			if waits {
				waits, problem = s.mayBePlaceholder(ctx, draft)
			}
			switch {
			case problem != nil:
				return Found{}, problem
			case checked != nil && checked.problem != nil:
				return Found{}, draft.because(checked.problem)
			case waits && settle.wait(ctx, answer.UserGroup):
				looks-- // They have a limit of their own.
			case waits && ctx.Err() == nil:
				s.names.missing.Store(true)
				fallthrough
			default:
				return s.existing(ctx, draft)
			}
		case justMade:
			made = &answer.UserGroup
			s.remember(made.Token)
			// Even a run that is stopped must not leave the placeholder behind, and neither must an operation that has used
			// up its budget. The lease bounds the time of what follows.
			ctx = s.client.Begin(api.CleanUp(ctx, answer.Sent.Add(lease)))
			if checked = s.checkService(ctx, nil); !checked.uncached {
				// What looks like a placeholder may be a live group, if a cache repeats the response to its creation.
				draft.LookupUncertain, draft.MayBeLive = true, true
				return Found{}, draft.because(checked.problem)
			}
		case confirmed:
			draft.Placeholder, draft.LookupUncertain = PlaceholderLeft, lost
			err := s.client.Delete(ctx, api.TokenRequest{CurrentToken: answer.UserGroup.Token, UserGroupID: known.ID})
			if err == nil {
				draft.Placeholder = PlaceholderRemoved
				if checked.problem != nil {
					return Found{}, draft.because(checked.problem)
				}
				return Found{}, draft.with(NotFound)
			}
			// The placeholder may be gone, deleted by a lost attempt or by another client, or it may have a new token. Another
			// lookup shows which.
			if draft.record(err); removals > 0 || !mayBeTheToken(draft.Call) {
				return Found{}, s.notRemoved(draft.with(LeftBehind), checked)
			}
			removals++
		}
	}
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
