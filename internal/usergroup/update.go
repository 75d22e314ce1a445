package usergroup

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Update brings an existing group to what is wanted, in one call. When the service did the update but ended with
// something else than was sent, the error comes with a Result that tells what there is now.
func (s *Service) Update(ctx context.Context, wanted Wanted, known Known) (Result, error) {
	if err := s.refuseOtherEnvironment(titleUpdateFailed, known); err != nil {
		return Result{}, err
	}
	answer, err := s.client.Update(ctx, wanted.request())
	if err != nil {
		done := "The group was not changed."
		if mayHaveHappened(err) {
			done = "Whether the group was changed is not known; updating it once more does no harm."
		}
		return Result{}, failed(titleUpdateFailed, wanted.ID, err, done,
			"The state still has what it had; run again to try once more, with a refresh: if the group was deleted meanwhile, the plan shows it.")
	}
	result := Result{Group: &answer.UserGroup}
	if err := s.expect(known, answer.UserGroup); err != nil {
		if !known.isSame(answer.UserGroup) || sameID(known.ID, answer.UserGroup) != nil {
			return Result{}, err
		}
		// It is the known group, updated, and in another environment than was known: the state has to say so.
		return result, err
	}
	if remained := contradictions(wanted, answer.UserGroup); remained != "" {
		return result, problem(titleNotUpdatedAsPlanned, wanted.ID, nil,
			"The service accepted the update but ended with something else than was sent.", remained,
			"The state has what the service told. Bring the configuration in line with it, or have the service changed: a service that merges keeps keys that are no longer sent.")
	}
	return result, nil
}

// TokenChanged is the warning for a token that turned out to differ from the one in the state where no rotation was
// planned: the state keeps what the plan promised until the next refresh.
func TokenChanged(id string) *Problem {
	return problem(titleTokenChanged, id, nil,
		"The answer to the update carried another token than the state has, so somebody else has rotated it.",
		"The update was done. The state gets the new token with the next refresh.")
}

// expect holds an answer to update or rotate against what a plan relied on: the same group, in the same environment.
func (s *Service) expect(known Known, told api.UserGroup) error {
	if err := sameID(known.ID, told, "The call may have been carried out on that group, and its answer was not used."); err != nil {
		return err
	}
	switch {
	case s.wrongEnvironment(told):
		return problem(titleWrongEnvironment, known.ID, nil, environmentsDiffer(s.environment, *told.EnvironmentTag),
			"The call was carried out there before that could be seen. Nothing further was done.")
	case known.EnvironmentTag != nil && told.EnvironmentTag != nil && *known.EnvironmentTag != *told.EnvironmentTag:
		return problem(titleWrongEnvironment, known.ID, nil, environmentsDiffer(*known.EnvironmentTag, *told.EnvironmentTag),
			"The call was carried out there before that could be seen. Nothing further was done.")
	case known.isOther(told):
		return problem(titleReplaced, known.ID, nil,
			fmt.Sprintf("The call was meant for the group with team_id %d, and the service answered for team_id %d.", *known.TeamID, *told.TeamID),
			"The group was deleted and made anew meanwhile, or the API key belongs to another environment. The call was carried out on the group that answered.",
			"Run again: the next plan shows the group as it is now.")
	}
	return nil
}

// propertiesDiffer names the top-level keys in which two objects differ.
func propertiesDiffer(sent, told jsonobject.Object) string {
	remained, changed, missing := jsonobject.Contradictions(sent, told)
	var said []string
	for _, part := range []struct {
		what string
		keys []string
	}{
		{"still has the properties that were not sent", remained},
		{"has other values for the properties", changed},
		{"does not have the properties", missing},
	} {
		if len(part.keys) > 0 {
			said = append(said, part.what+" "+quotedList(part.keys))
		}
	}
	return "The service " + strings.Join(said, ", and ") + "."
}

func quotedList(keys []string) string {
	const enough = 20
	quoted := make([]string, 0, len(keys))
	for i, key := range keys {
		if i == enough {
			return strings.Join(quoted, ", ") + fmt.Sprintf(" and %d more", len(keys)-enough)
		}
		quoted = append(quoted, strconv.Quote(key))
	}
	return strings.Join(quoted, ", ")
}
