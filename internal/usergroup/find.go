package usergroup

import (
	"cmp"
	"context"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Find looks up a group and leaves the service as it was. The lookup creates a missing group, so Find deletes it
// again and returns an error that matches ErrNotFound. It makes one call if the group exists. If not, it makes three,
// because it deletes a group only after a second lookup has shown that the first one created it. The calls of the
// check of the service are extra.
func (s *Service) Find(ctx context.Context, known Known) (Found, error) {
	return alone(s, LookUp, known, func(*record) (Found, *Problem) { return s.find(ctx, known) })
}

// sighting is what a lookup shows about a group.
type sighting int

const (
	nothingTold   sighting = iota // the response does not show whether the group is new, or shows one without a token
	justMade                      // a new group, which this lookup has created
	confirmed                     // the group that an earlier lookup has created
	existing                      // a group that existed before
	fromCache                     // a live group that a cached response reports as new
	contradictory                 // a group other than the one that an earlier lookup has created
)

// judge returns what a response shows. made is the group that an earlier lookup has created, or nil.
func (s *Service) judge(known Known, made *api.UserGroup, answer api.Answer) sighting {
	group := answer.UserGroup
	switch {
	case answer.New == nil, !*answer.New && group.Token.IsZero():
		return nothingTold
	case *answer.New && (s.remembers(group.Token) || known.isSame(group)):
		return fromCache
	case *answer.New:
		return justMade
	case made == nil:
		return existing
	case Known{TeamID: made.TeamID, Token: made.Token}.isSame(group):
		if group.Name != nil || !group.Properties.IsZero() && group.Properties.Canonical() != "{}" {
			// A placeholder has neither, so this is a live group.
			return fromCache
		}
		return confirmed
	default:
		return contradictory
	}
}

// find is Find for callers that hold the lock of the ID.
func (s *Service) find(ctx context.Context, known Known) (Found, *Problem) {
	facts := Problem{Operation: LookUp, ID: known.ID, Known: known}
	var made *api.UserGroup
	lost, removals, retries := false, 0, s.client.Retries()
	for looks := 0; ; looks++ {
		answer, err := s.look(ctx, known)
		done := facts.failed(err)
		facts.Told = answer.UserGroup
		lost = lost || answer.Lost || done == Maybe
		// A response that reports a new group may come from a cache until a second lookup has confirmed the group.
		facts.LookupLost = lost || made != nil
		shows := s.judge(known, made, answer)
		if looks > s.client.Repeats()+4 { // every lookup reports a new group
			shows = contradictory
		}
		if shows == confirmed && err != nil { // An incomplete response may lack what would show a live group.
			shows = nothingTold
		}
		switch shows {
		case nothingTold:
			if !api.IsKind(err, api.Incomplete) || !retries.Wait(ctx, facts.Call) {
				return Found{}, s.endIfKeyRefused(facts.with(CallFailed))
			}
		case fromCache, contradictory:
			facts.LookupLost = true // It is unknown which lookups have reached the service.
			if made != nil {
				return Found{}, facts.with(AnswersDisagree)
			}
			return Found{}, facts.with(AnsweredFromCache)
		case existing:
			return s.existing(ctx, facts)
		case justMade:
			made = &answer.UserGroup
			s.remember(answer.UserGroup.Token)
			// Even a run that is stopped must not leave the placeholder behind.
			ctx = api.Finish(ctx)
		case confirmed:
			uncached, checked := s.checkService(ctx)
			if !uncached {
				// What looks like a placeholder may be a live group, if a cache repeats the response to its creation.
				return Found{}, facts.because(checked)
			}
			facts.Placeholder, facts.LookupLost = PlaceholderLeft, lost
			err := s.client.Delete(ctx, api.TokenRequest{CurrentToken: answer.UserGroup.Token, UserGroupID: known.ID})
			if err == nil {
				facts.Placeholder = PlaceholderRemoved
			}
			switch {
			case checked != nil:
				return Found{}, facts.because(checked)
			case err == nil:
				return Found{}, facts.with(NotFound)
			}
			// The placeholder may be gone, deleted by a lost attempt or by another client, or it may have a new token. Another
			// lookup shows which.
			if facts.failed(err); removals > 0 || !mayBeTheToken(facts.Call) {
				return Found{}, facts.with(LeftBehind)
			}
			removals++
		}
	}
}

// look sends a lookup with the ID alone, and adds a name only if the service requires one.
func (s *Service) look(ctx context.Context, known Known) (api.Answer, error) {
	request := api.GroupRequest{UserGroupID: known.ID}
	name := cmp.Or(known.Name, known.ID)
	if s.nameRequired.Load() {
		request.Name = &name
	}
	answer, err := s.client.GetOrCreate(ctx, request)
	if request.Name == nil && api.IsKind(err, api.Refused) {
		lost := answer.Lost
		request.Name = &name
		answer, err = s.client.GetOrCreate(ctx, request)
		// An attempt that was lost before the name was added may still be carried out.
		answer.Lost = answer.Lost || lost
		if err == nil {
			s.nameRequired.Store(true)
		}
	}
	// The name that was sent may come back as an echo, and so may a missing one as an empty name. Neither proves
	// anything.
	if told := answer.UserGroup.Name; told != nil && (*told == "" || request.Name != nil && *told == name) {
		answer.UserGroup.Name = nil
	}
	return answer, err
}

// existing decides whether the existing group that a lookup has returned is the known group.
func (s *Service) existing(ctx context.Context, facts Problem) (Found, *Problem) {
	known, group := facts.Known, facts.Told
	s.remember(group.Token)
	found := Found{UserGroup: group, Replaced: known.isOther(group), Lost: facts.LookupLost}
	switch {
	case known.isSame(group):
		facts.LookupLost = false
		if isOtherID(known.ID, group) {
			found.Warnings = append(found.Warnings, facts.with(OtherSpelling))
		}
	case isOtherID(known.ID, group):
		return Found{}, facts.with(AnsweredForAnother)
	case facts.LookupLost:
		return Found{}, facts.with(MayBeLeftBehind)
	}
	if found.Replaced || known.TeamID == nil {
		if problem := s.checkEnvironment(ctx, facts); problem != nil {
			return Found{}, problem
		}
	}
	if found.Replaced {
		found.Warnings = append(found.Warnings, facts.with(Replaced))
	}
	found.Outdated = !found.Replaced && slices.Contains(known.Retired, group.Token.Fingerprint())
	return found, nil
}

// isOtherID reports whether a response shows an ID other than the requested one.
func isOtherID(id string, group api.UserGroup) bool {
	return group.ProvidedID != nil && *group.ProvidedID != "" && *group.ProvidedID != id
}

// mayBeTheToken reports whether a stale token may be the reason why a call failed, or the call may have been carried
// out. The contract does not specify the status for a stale token, so the caller has to look up the group.
func mayBeTheToken(call *api.Error) bool {
	maybe := []api.Kind{api.Refused, api.Unauthorized, api.UnknownOutcome, api.Incomplete}
	return call.Lost || slices.Contains(maybe, call.Kind)
}
