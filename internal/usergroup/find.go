package usergroup

import (
	"context"
	"errors"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Found is an existing group.
type Found struct {
	api.UserGroup
	// Replaced says that it is another group than the known one under the same id, so that nothing known of the old
	// one but its id is known of this one.
	Replaced bool
}

// Find looks a group up and leaves the service as it was: the only lookup there is makes the group when it is absent,
// so what was just made is deleted again, and the error is ErrNotFound. One call when the group exists.
func (s *Service) Find(ctx context.Context, known Known) (Found, error) {
	answer, err := s.lookUp(ctx, known)
	if err != nil {
		return Found{}, s.lookupFailed(ctx, known.ID, err)
	}
	if err := sameID(known.ID, answer.UserGroup); err != nil {
		return Found{}, err
	}
	if answer.Created {
		if err := s.removeShell(ctx, known.ID, answer.UserGroup.Token); err != nil {
			return Found{}, err
		}
		return Found{}, notFound(known.ID)
	}
	found := Found{UserGroup: answer.UserGroup, Replaced: known.isOther(answer.UserGroup)}
	provenOld := known.TeamID != nil && found.TeamID != nil && !found.Replaced
	if answer.Lost && !provenOld {
		return Found{}, problem(titleMayBeLeftBehind, known.ID, nil,
			"The service was asked for the group, which creates it when it does not exist, and the first answer got lost.",
			"The repeated question was answered with an existing group, which may have been made by the first one a moment before.",
			"Nothing was changed since.",
			"Run again: if the group was there before, or if you want it, it is found as usual.",
			"If it is a typo or a group that had been deleted, it is now an empty shell; remove it with"+removalCommand(known.ID))
	}
	return found, nil
}

// lookUp asks for the group by its id alone, and adds a name only where the service insists on one.
func (s *Service) lookUp(ctx context.Context, known Known) (api.Answer, error) {
	request := api.GroupRequest{UserGroupID: known.ID}
	name := known.Name
	if name == "" {
		name = known.ID
	}
	if s.nameRequired.Load() {
		request.Name = &name
	}
	answer, err := s.client.GetOrCreate(ctx, request)
	if request.Name == nil && api.IsKind(err, api.Refused) {
		lost := mayHaveHappened(err)
		request.Name = &name
		answer, err = s.client.GetOrCreate(ctx, request)
		if err == nil {
			s.nameRequired.Store(true)
			answer.Lost = answer.Lost || lost
		}
	}
	// A name that was made up for the question says nothing when it comes back, and a blank one is the echo of none.
	if told := answer.UserGroup.Name; told != nil && (*told == "" || known.Name == "" && request.Name != nil && *told == name) {
		answer.UserGroup.Name = nil
	}
	return answer, err
}

func (s *Service) lookupFailed(ctx context.Context, id string, err error) error {
	var callErr *api.Error
	if errors.As(err, &callErr) && callErr.Created {
		if err := s.removeShell(ctx, id, api.Secret{}); err != nil {
			return err
		}
		return failed(titleLookupFailed, id, err, "The lookup had created the group, and it was removed again.")
	}
	if mayHaveHappened(err) {
		return failed(titleLookupFailed, id, err,
			"Asking creates the group when it does not exist, so if it did not exist before, it may be there now as an empty shell.",
			"Run again: an existing group is then found as usual. To remove a shell, use"+removalCommand(id))
	}
	return failed(titleLookupFailed, id, err, "Nothing was changed.")
}

// removeShell deletes a group that a lookup has just made. It goes on when the run is stopped.
func (s *Service) removeShell(ctx context.Context, id string, token api.Secret) error {
	ctx = api.Finish(ctx)
	err := s.client.Delete(ctx, api.DeleteRequest{CurrentToken: token, UserGroupID: id})
	if api.IsKind(err, api.Refused) && mayHaveHappened(err) {
		// The first attempt may have deleted it. The only way to see is to look, which makes it anew if so.
		var answer api.Answer
		if answer, err = s.lookUp(ctx, Known{ID: id}); err == nil {
			err = s.client.Delete(ctx, api.DeleteRequest{CurrentToken: answer.UserGroup.Token, UserGroupID: id})
		}
	}
	if err != nil {
		return failed(titleLeftBehind, id, err,
			"The group did not exist. Looking it up created it, and removing it again failed, so an empty group of this id is left at the service, or may be.",
			"Nothing else was changed.",
			"Remove it with"+removalCommand(id)+"or, if it is wanted, take it over with an import block.")
	}
	return nil
}

func notFound(id string) *Problem {
	return problem(titleNotFound, id, ErrNotFound,
		"The service has no group of this id; the lookup has left none behind.",
		"Check the spelling of the id and that the API key belongs to the right environment.")
}

// sameID guards against an answer about somebody else's group.
func sameID(id string, group api.UserGroup) error {
	if group.ProvidedID == nil || *group.ProvidedID == "" || *group.ProvidedID == id {
		return nil
	}
	return problem(titleAnsweredForAnother, id, nil,
		fmt.Sprintf("The service was asked about %q and answered about %q.", id, *group.ProvidedID),
		"Its answer was not used, and nothing was deleted.",
		"Check with the service whether it changes ids (case, spaces, length) and use the form that it answers with.")
}
