package usergroup

import (
	"cmp"
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
	if err := answeredFor(known.ID, answer); err != nil {
		return Found{}, err
	}
	if answer.Created {
		doubt := s.doubtAbsence(ctx, known)
		if err := s.removeShell(ctx, known.ID, answer.UserGroup); err != nil {
			return Found{}, err
		}
		if doubt != nil {
			return Found{}, doubt
		}
		return Found{}, notFound(known.ID, answer.Lost)
	}
	found := Found{UserGroup: answer.UserGroup, Replaced: known.isOther(answer.UserGroup)}
	if answer.Lost && !known.isSame(answer.UserGroup) {
		return Found{}, problem(titleMayBeLeftBehind, known.ID, nil,
			"The service was asked for the group, which creates it when it does not exist, and the first answer got lost.",
			"The repeated question was answered with an existing group, which may have been made by the first one a moment before.",
			"Nothing was changed since.",
			"Run again: if the group was there before, or if you want it, it is found as usual.",
			"If it is a typo or a group that had been deleted, it is now an empty shell; remove it with"+removalCommand(known.ID))
	}
	if found.Replaced {
		if err := s.doubtReplacement(known, answer.UserGroup); err != nil {
			return Found{}, err
		}
	}
	return found, nil
}

// lookUp asks for the group by its id alone, and adds a name only where the service insists on one.
func (s *Service) lookUp(ctx context.Context, known Known) (api.Answer, error) {
	request := api.GroupRequest{UserGroupID: known.ID}
	name := cmp.Or(known.Name, known.ID)
	if s.nameRequired.Load() {
		request.Name = &name
	}
	answer, err := s.client.GetOrCreate(ctx, request)
	var refusal, second *api.Error
	// A refusal after an attempt that is known to have made the group is not about the name.
	if request.Name == nil && errors.As(err, &refusal) && refusal.Kind == api.Refused && !refusal.Created {
		request.Name = &name
		answer, err = s.client.GetOrCreate(ctx, request)
		// What the first question lost stays lost, however the second one ends.
		answer.Lost = answer.Lost || refusal.Lost
		if errors.As(err, &second) {
			second.Lost = second.Lost || refusal.Lost
		}
		if err == nil {
			s.nameRequired.Store(true)
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
		if err := s.removeShell(ctx, id, api.UserGroup{}); err != nil {
			return err
		}
		return failed(titleLookupFailed, id, err, "The lookup had created the group, and it was removed again.",
			"Run again once the service answers in full.")
	}
	if mayHaveHappened(err) {
		return failed(titleLookupFailed, id, err,
			"Asking creates the group when it does not exist, so if it did not exist before, it may be there now as an empty shell.",
			"Run again: an existing group is then found as usual. To remove a shell, use"+removalCommand(id))
	}
	return failed(titleLookupFailed, id, err, "Nothing was changed.")
}

// errReplaced marks that a lookup on behalf of another operation found another group under the id.
var errReplaced = errors.New("user group replaced")

// lookupFailedFor turns the error of a lookup on behalf of another operation into one of that operation, and keeps all
// that it says, such as what is left behind. That the group is gone or is another one is not a failed lookup.
func lookupFailedFor(title, id string, err error, meaning string) error {
	var lookup *Problem
	if !errors.As(err, &lookup) || errors.Is(err, ErrNotFound) || errors.Is(err, errReplaced) {
		return err
	}
	return problem(title, id, err, meaning, lookup.Detail)
}

// removeShell deletes a group that a lookup has just made.
func (s *Service) removeShell(ctx context.Context, id string, made api.UserGroup) error {
	if err := s.undo(ctx, id, made); err != nil {
		return failed(titleLeftBehind, id, err,
			"The group did not exist. Looking it up created it, and removing it again failed, so an empty group of this id is left at the service, or may be.",
			"Nothing else was changed.",
			"Remove it with"+removalCommand(id)+"or, if it is wanted, take it over with an import block.")
	}
	return nil
}

// undo deletes a group that this process has just made, and no other. It goes on when the run is stopped.
func (s *Service) undo(ctx context.Context, id string, made api.UserGroup) error {
	ctx = api.Finish(ctx)
	refusal := s.client.Delete(ctx, api.DeleteRequest{CurrentToken: made.Token, UserGroupID: id})
	if !api.IsKind(refusal, api.Refused) {
		return refusal
	}
	// It may be gone, by a first attempt whose answer got lost or by somebody else, or have another token by now. The
	// only way to see is to look, which makes it anew if it is gone.
	answer, err := s.lookUp(ctx, Known{ID: id})
	if err != nil {
		return err
	}
	if err := answeredFor(id, answer); err != nil {
		return err
	}
	before := Known{ID: id, TeamID: made.TeamID}
	switch {
	case answer.Created, before.isSame(answer.UserGroup):
		return s.client.Delete(ctx, api.DeleteRequest{CurrentToken: answer.UserGroup.Token, UserGroupID: id})
	case before.isOther(answer.UserGroup) && !answer.Lost:
		// Somebody else has made a group of this id since; ours is gone, and theirs is not to be touched.
		return nil
	default:
		return refusal
	}
}

// errMayAppear is ErrNotFound, and marks that an attempt of the lookup got lost, to which the service may still come.
var errMayAppear = fmt.Errorf("%w, and a lost lookup may still make it", ErrNotFound)

func notFound(id string, lost bool) *Problem {
	said := []string{
		"The service has no group of this id; the lookup has left none behind.",
		"Check the spelling of the id and that the API key belongs to the right environment.",
	}
	if lost {
		return problem(titleNotFound, id, errMayAppear, append(said, mayAppear(id))...)
	}
	return problem(titleNotFound, id, ErrNotFound, said...)
}

func mayAppear(id string) string {
	return "An earlier attempt of the lookup got no answer. Should the service still come to it, an empty group of this id appears; remove it with" + removalCommand(id)
}

// answeredFor guards against an answer of get-or-create about somebody else's group.
func answeredFor(id string, answer api.Answer) error {
	if !answer.Created {
		return sameID(id, answer.UserGroup, "Its answer was not used, and nothing was deleted.")
	}
	made := ""
	if told := answer.UserGroup.ProvidedID; told != nil {
		made = *told
	}
	return sameID(id, answer.UserGroup, "Its answer was not used, and nothing was deleted.",
		"It says that it has just made that group, which is left at the service. Remove it with"+removalCommand(made))
}

// sameID compares the id that was asked about with the one that was answered about. done says what that left behind.
func sameID(id string, group api.UserGroup, done ...string) error {
	if group.ProvidedID == nil || *group.ProvidedID == "" || *group.ProvidedID == id {
		return nil
	}
	said := append([]string{fmt.Sprintf("The service was asked about %q and answered about %q.", id, *group.ProvidedID)}, done...)
	return problem(titleAnsweredForAnother, id, nil, append(said,
		"Check with the service whether it changes ids (case, spaces, length) and use the form that it answers with.")...)
}
