package usergroup

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// RotateToken replaces the token of a group exactly once, whatever gets lost, and returns the group with its new token.
// One call when the current token is known. A rotation is repeated only after a lookup has shown that the token is
// still the one that was sent.
func (s *Service) RotateToken(ctx context.Context, known Known) (Result, error) {
	if err := s.refuseOtherEnvironment(titleRotateFailed, known); err != nil {
		return Result{}, err
	}
	current := known.Token
	if current.IsZero() {
		found, err := s.findToRotate(ctx, known)
		if err != nil {
			return Result{}, lookupFailedFor(titleRotateFailed, known.ID, err, "The token was not rotated. The current one has to be looked up first, and that failed.")
		}
		current = found.Token
		// What was just found is what a later lookup must find again, also after a lost answer.
		known.TeamID = cmp.Or(found.TeamID, known.TeamID)
	}
	curedStale, lost := false, false
	for repeat := 0; ; repeat++ {
		answer, err := s.client.Rotate(ctx, current)
		if err == nil {
			return s.rotated(known, current, answer.UserGroup)
		}
		// Once an answer got lost it stays open whether that rotation is done, however the repetitions end: the service may
		// come to it late, and then refuses the repetition as stale.
		lost = lost || mayHaveHappened(err)
		if !lost && !api.IsKind(err, api.Refused) {
			return Result{}, failed(titleRotateFailed, known.ID, err, "The token was not rotated; the state keeps the one it has.")
		}
		// The wait comes before the lookup, so that a rotation that is still under way at the service is seen.
		stopped := s.waitAfter(ctx, repeat, err, lost) != nil
		ask := ctx
		if stopped {
			// One more question is due even now: the state must not miss a token that has changed.
			ask = api.Finish(ctx)
		}
		found, findErr := s.findToRotate(ask, known)
		switch {
		case findErr != nil && lost:
			return Result{}, lookupFailedFor(titleRotateFailed, known.ID, findErr, rotationUnknown(known.ID, err).Detail)
		case findErr != nil:
			return Result{}, lookupFailedFor(titleRotateFailed, known.ID, findErr,
				failed(titleRotateFailed, known.ID, err, "The token was not rotated. Looking up the current one failed as well.").Detail)
		case lost && found.Token != current:
			return Result{Group: &found.UserGroup}, nil
		case lost && (stopped || repeat >= s.client.Repeats()):
			return Result{}, failed(titleRotateFailed, known.ID, err, "The token was not rotated, unless the service still comes to it: a lookup shows that it is still the old one. Run again to try once more.")
		case !lost && (found.Token == current || curedStale):
			return Result{}, failed(titleRotateFailed, known.ID, err, "The token was not rotated; the state keeps the one it has.")
		case !lost:
			// Stale: rotated elsewhere since the state learnt of it.
			curedStale = true
			known.TeamID = cmp.Or(known.TeamID, found.TeamID)
		}
		current = found.Token
	}
}

func (s *Service) waitAfter(ctx context.Context, repeat int, err error, lost bool) error {
	if !lost {
		return nil
	}
	var callErr *api.Error
	errors.As(err, &callErr)
	return s.client.WaitBeforeRepeat(ctx, repeat, callErr)
}

func rotationUnknown(id string, err error) *Problem {
	return failed(titleRotateFailed, id, err,
		"Whether the token was rotated is not known, and the group could not be looked up to find out. The state keeps the token it has, which may be out of date.",
		"The next refresh brings the current token. A run after that rotates again as planned, so if the token turns out to have changed already, that will be a second rotation.")
}

// findToRotate is a lookup that refuses to hand over another group's token.
func (s *Service) findToRotate(ctx context.Context, known Known) (Found, error) {
	found, err := s.Find(ctx, known)
	switch {
	case errors.Is(err, ErrNotFound):
		said := []string{
			"Its token was to be rotated, but the service has no group of this id, so there is none to rotate. The lookup has left none behind.",
			"If it is in the state, the next plan shows it as one to create.",
		}
		if errors.Is(err, errMayAppear) {
			said = append(said, mayAppear(known.ID))
		}
		return Found{}, problem(titleNotFound, known.ID, err, said...)
	case err != nil:
		return Found{}, err
	case found.Replaced:
		return Found{}, problem(titleReplaced, known.ID, errReplaced,
			fmt.Sprintf("Its token was to be rotated, but the group with team_id %d is gone and team_id %d has taken its id. The token of that one was not rotated.", *known.TeamID, *found.TeamID),
			"Run again: the next plan shows the group as it is now.")
	}
	return found, nil
}

func (s *Service) rotated(known Known, sent api.Secret, told api.UserGroup) (Result, error) {
	if err := s.expect(known, told); err != nil {
		if sameID(known.ID, told) != nil {
			// The token of a group with another id has no place in the state of this one.
			return Result{}, err
		}
		if known.isOther(told) {
			// The token has to be kept, or nobody has it. The rest would hide from the next refresh that this is another group.
			told = api.UserGroup{Token: told.Token}
		}
		return Result{Group: &told}, err
	}
	if told.Token == sent {
		return Result{}, problem(titleRotateFailed, known.ID, nil,
			"The service reported success but answered with the token that it was to replace, so nothing was rotated.",
			"Run again to try once more.")
	}
	return Result{Group: &told}, nil
}
