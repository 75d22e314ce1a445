package usergroup

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Delete removes a group; one that is gone already is a success. One call when the current token is known. It never
// removes another group that has taken the id meanwhile, as long as the service minds the token that comes with the id, nor
// a group that this very process has made or adopted: when an engine creates a replacement before it destroys the old
// instance of the same id, both are the same group.
func (s *Service) Delete(ctx context.Context, known Known, dataSourceProvidedID string) (Result, error) {
	if _, taken := s.taken.Load(known.ID); taken {
		return Result{Warnings: []*Problem{problem(titleKept, known.ID, nil,
			"The old instance of this resource was to be destroyed, but this same run has made the group, or taken it over, under another address or as its own replacement.",
			"The group was not deleted, and the new instance manages it. A moved block avoids this.")}}, nil
	}
	if err := s.refuseOtherEnvironment(titleDeleteFailed, known); err != nil {
		return Result{}, err
	}
	current := known.Token
	if current.IsZero() {
		found, err := s.findToDelete(ctx, known)
		switch {
		case errors.Is(err, ErrNotFound):
			return goneAlready(known.ID, err), nil
		case err != nil:
			return Result{}, lookupFailedFor(titleDeleteFailed, known.ID, err, "The group was not deleted and stays in the state. Its current token has to be looked up first, and that failed.")
		}
		current = found.Token
		// What was just found is what a later lookup must find again, also after a lost answer.
		known.TeamID = cmp.Or(found.TeamID, known.TeamID)
	}
	curedStale := false
	for {
		err := s.client.Delete(ctx, api.DeleteRequest{
			CurrentToken: current, UserGroupID: known.ID, DataSourceProvidedID: dataSourceProvidedID,
		})
		if err == nil {
			return Result{}, nil
		}
		if !api.IsKind(err, api.Refused) {
			return Result{}, deleteFailed(known.ID, err)
		}
		// Refused: gone already, or the token was rotated elsewhere since the state learnt of it.
		found, findErr := s.findToDelete(ctx, known)
		switch {
		case errors.Is(findErr, ErrNotFound):
			return goneAlready(known.ID, findErr), nil
		case findErr != nil:
			return Result{}, lookupFailedFor(titleDeleteFailed, known.ID, findErr, deleteFailed(known.ID, err).Detail+" Looking it up to see why failed as well.")
		case found.Token == current || curedStale:
			return Result{}, failed(titleDeleteFailed, known.ID, err, "The group still exists and stays in the state.")
		case mayHaveHappened(err) && !known.isSame(found.UserGroup):
			return Result{}, failed(titleDeleteFailed, known.ID, err,
				"There is a group of this id with another token, and the service does not tell whether it is the same one. It was not deleted, since it may be somebody else's; it stays in the state.",
				"Run again to delete it if it is still to be deleted.")
		}
		curedStale = true
		current = found.Token
		known.TeamID = cmp.Or(known.TeamID, found.TeamID)
	}
}

func deleteFailed(id string, err error) *Problem {
	if mayHaveHappened(err) {
		return failed(titleDeleteFailed, id, err, "Whether the group was deleted is not known; it stays in the state.",
			"Run again: deleting a group that is gone already succeeds.")
	}
	return failed(titleDeleteFailed, id, err, "The group was not deleted and stays in the state.")
}

// goneAlready is a deletion with nothing to delete. A lookup that got lost on the way may still make something.
func goneAlready(id string, notFound error) Result {
	if !errors.Is(notFound, errMayAppear) {
		return Result{}
	}
	return Result{Warnings: []*Problem{problem(titleMayBeLeftBehind, id, nil,
		"The group was to be deleted and is gone already, which a lookup has shown.", mayAppear(id))}}
}

// findToDelete is a lookup that refuses to hand over another group.
func (s *Service) findToDelete(ctx context.Context, known Known) (Found, error) {
	found, err := s.Find(ctx, known)
	if err == nil && found.Replaced {
		return Found{}, problem(titleReplaced, known.ID, errReplaced,
			fmt.Sprintf("It was to be deleted, but the group with team_id %d is gone and team_id %d has taken its id. That one was not deleted, since it may be somebody else's.", *known.TeamID, *found.TeamID),
			"Run again: the next plan shows the group as it is now, and destroys it if that is still what is asked for. `terraform state rm` forgets it without deleting it.")
	}
	return found, err
}
