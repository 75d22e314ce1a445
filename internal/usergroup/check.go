package usergroup

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// The service tells the environment of a group only when it updates or rotates it (interface sections 2.2 and 4).

// refuseOtherEnvironment stops an operation, before any call, on a group that is known to be in another environment than
// the one to hold to.
func (s *Service) refuseOtherEnvironment(title string, known Known) error {
	if s.environment == "" || known.EnvironmentTag == nil || *known.EnvironmentTag == s.environment {
		return nil
	}
	return problem(title, known.ID, nil,
		fmt.Sprintf("The provider's environment is %q and the state says that the group is in %q. No call was made.", s.environment, *known.EnvironmentTag),
		"Use the API key and the environment argument of the group's own environment, then run again. If the group is no longer there, take it out of the state with `terraform state rm`.")
}

// doubtAbsence asks in which environment a lookup has just made a group, where the provider is to hold to one: with the
// key of another environment every group seems to be gone, and the next apply would make all of them there.
func (s *Service) doubtAbsence(ctx context.Context, known Known) error {
	if s.environment == "" {
		return nil
	}
	name := cmp.Or(known.Name, known.ID)
	answer, err := s.client.Update(api.Finish(ctx), api.GroupRequest{UserGroupID: known.ID, Name: &name})
	switch {
	case err != nil:
		return failed(titleLookupFailed, known.ID, err,
			"There seems to be no such group, but the update of the empty one that the lookup has made, which was to show the environment of the API key, failed. The empty one was removed again.",
			"Run again to try once more.")
	case sameID(known.ID, answer.UserGroup) != nil:
		return sameID(known.ID, answer.UserGroup, "That was the answer to the update that was to show the environment of the API key. The empty group that the lookup has made was removed again.")
	case s.wrongEnvironment(answer.UserGroup):
		return problem(titleWrongEnvironment, known.ID, nil, environmentsDiffer(s.environment, *answer.UserGroup.EnvironmentTag),
			"There is no such group there, which says nothing about the right environment. What the lookup has made there was removed again, and the state keeps what it has.")
	}
	return nil
}

// doubtReplacement does not believe, where the provider is to hold to an environment, that a group was deleted and made
// anew: with the key of another environment the same id is another group, and the state must not take that one over. Only
// an update would tell, and none is sent to what may be another customer.
func (s *Service) doubtReplacement(known Known, found api.UserGroup) error {
	if s.environment == "" {
		return nil
	}
	return problem(titleReplaced, known.ID, errReplaced,
		fmt.Sprintf("The state has the group with team_id %d, and the service has team_id %d under this id. Either it was deleted and made anew, or the API key does not belong to the environment %q; a lookup does not tell which.", *known.TeamID, *found.TeamID, s.environment),
		"Nothing was changed, and the state keeps what it has.",
		"Check the API key first. If the group was made anew in the right environment, take the old one out of the state with `terraform state rm` and import the new one.")
}

// askEnvironment has the service tell the environment of an existing group. Only an update does, so this is one that
// changes nothing: without a name or with the group's own. What the lookup told may be an echo of what it was asked with,
// so only a name that differs from that is known to be the group's. done says what the update has or may have changed.
func (s *Service) askEnvironment(ctx context.Context, wanted Wanted, existing api.UserGroup) (told api.UserGroup, done string, err error) {
	request := api.GroupRequest{UserGroupID: wanted.ID}
	if existing.Name != nil && *existing.Name != "" && *existing.Name != wanted.Name {
		request.Name = existing.Name
	}
	done = notChanged
	answer, err := s.client.Update(ctx, request)
	if request.Name == nil && api.IsKind(err, api.Refused) {
		request.Name = &wanted.Name
		done = "The service takes no update without a name, so the group may have got the configured one; nothing else was changed."
		answer, err = s.client.Update(ctx, request)
	}
	return answer.UserGroup, done, err
}

func (s *Service) wrongEnvironment(told api.UserGroup) bool {
	return s.environment != "" && told.EnvironmentTag != nil && *told.EnvironmentTag != s.environment
}

func environmentsDiffer(expected, told string) string {
	return fmt.Sprintf("The group should be in the environment %q and the service says that it is in %q. "+
		"Check that the API key is the one of the environment %q.", expected, told, expected)
}
