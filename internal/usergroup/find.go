package usergroup

import (
	"cmp"
	"context"
	"slices"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Find looks a group up and leaves the service as it was. The lookup creates a missing group, so Find deletes it again
// and returns ErrNotFound. It makes one call if the group exists, and three if it does not, because it deletes a group
// only after a second lookup has shown that the first one created it.
func (s *Service) Find(ctx context.Context, known Known) (Found, error) {
	return alone(s, LookUp, known, func(*record) (Found, *Problem) { return s.find(ctx, known) })
}

// sighting is what a look shows of a group.
type sighting int

const (
	nothingTold   sighting = iota // neither whether there is a group nor its token
	justMade                      // a group that this look has made
	confirmed                     // the group that an earlier look has made
	existing                      // a group that was there before
	fromCache                     // a group that cannot be new, and is told to be
	contradictory                 // another group than the one that an earlier look is told to have made
)

// judge says what an answer shows. made is what an earlier look has made, or nil.
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
			// A look gives a group neither: it is a live one.
			return fromCache
		}
		return confirmed
	default:
		return contradictory
	}
}

// find is Find for those who have the id to themselves.
func (s *Service) find(ctx context.Context, known Known) (Found, *Problem) {
	facts := Problem{Operation: LookUp, ID: known.ID, Known: known}
	var made *api.UserGroup
	lost, removals, retries := false, 0, s.client.Retries()
	for looks := 0; ; looks++ {
		answer, err := s.look(ctx, known)
		done := facts.failed(err)
		facts.Told = answer.UserGroup
		lost = lost || answer.Lost || done == Maybe
		// Until a second look has confirmed it, an answer that tells of a new group may be from a cache.
		facts.LookupLost = lost || made != nil
		shows := s.judge(known, made, answer)
		if looks > s.client.Repeats()+4 { // a group that is new at every look
			shows = contradictory
		}
		if shows == confirmed && err != nil { // Half an answer may lack what tells that it is a live group.
			shows = nothingTold
		}
		switch shows {
		case nothingTold:
			if !api.IsKind(err, api.Incomplete) || !retries.Wait(ctx, facts.Call) {
				return Found{}, s.endIfKeyRefused(facts.with(CallFailed))
			}
		case fromCache, contradictory:
			facts.LookupLost = true // Which looks have reached the service is not known.
			if made != nil {
				return Found{}, facts.with(AnswersDisagree)
			}
			return Found{}, facts.with(AnsweredFromCache)
		case existing:
			return s.existing(ctx, facts)
		case justMade:
			made = &answer.UserGroup
			s.remember(answer.UserGroup.Token)
			// Nothing may be left behind, even by a run that is stopped.
			ctx = api.Finish(ctx)
		case confirmed:
			uncached, checked := s.checkService(ctx)
			if !uncached {
				// What looks like a placeholder may be a live group whose creation is repeated from memory.
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
			// Refused: it is gone, by an attempt whose answer was lost or by somebody else, or has another token by now.
			if facts.failed(err); removals > 0 || !mayBeTheToken(facts.Call) {
				return Found{}, facts.with(LeftBehind)
			}
			removals++
		}
	}
}

// look asks for the group by its id alone, and adds a name only where the service insists on one.
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
		// What the first question lost stays lost, however the second one ends.
		answer.Lost = answer.Lost || lost
		if err == nil {
			s.nameRequired.Store(true)
		}
	}
	// A name that was sent along says nothing when it comes back, and a blank one is the echo of none.
	if told := answer.UserGroup.Name; told != nil && (*told == "" || request.Name != nil && *told == name) {
		answer.UserGroup.Name = nil
	}
	return answer, err
}

// existing decides whether a group that is there is the one that was looked for.
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

// isOtherID reports whether an answer names another id than the one that was asked about.
func isOtherID(id string, group api.UserGroup) bool {
	return group.ProvidedID != nil && *group.ProvidedID != "" && *group.ProvidedID != id
}

// mayBeTheToken reports whether a call was refused in a way that a stale token explains, or may have been carried out:
// the contract does not say by which status a service refuses a token. Only a look can tell.
func mayBeTheToken(call *api.Error) bool {
	maybe := []api.Kind{api.Refused, api.Unauthorized, api.UnknownOutcome, api.Incomplete}
	return call.Lost || slices.Contains(maybe, call.Kind)
}
