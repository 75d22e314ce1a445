package usergroup

import (
	"context"
	"fmt"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Create makes a group, or with adopt takes an existing one over. Without adopt an existing group is an error and is
// left as it is. One call; with an environment to hold to, one more; two for an adoption, three with an environment.
// After an error nothing that belongs to the caller is left at the service unless the error says so.
func (s *Service) Create(ctx context.Context, wanted Wanted, adopt bool) (Result, error) {
	answer, err := s.client.GetOrCreate(ctx, wanted.request())
	if err != nil {
		return Result{}, createFailed(wanted.ID, err)
	}
	if err := sameID(wanted.ID, answer.UserGroup); err != nil {
		return Result{}, err
	}
	switch {
	case answer.Created:
		return s.checkCreated(ctx, wanted, answer.UserGroup)
	case adopt:
		return s.adopt(ctx, wanted, answer.UserGroup)
	case answer.Lost:
		return s.claim(ctx, wanted, answer.UserGroup)
	default:
		return Result{}, problem(titleExists, wanted.ID, nil,
			"A group of this id exists at the service and nothing was changed.",
			"To manage it with Terraform, import it with an import block (or `terraform import`), or set adopt_existing = true to take it over as it is created.",
			"If it belongs to something else, choose another user_group_id.")
	}
}

func createFailed(id string, err error) error {
	if mayHaveHappened(err) {
		return failed(titleCreateFailed, id, err,
			"It is not known whether the group was created; the state does not have it.",
			fmt.Sprintf("Run again: if it was created, the next run says that user group %q already exists, and how to go on.", id))
	}
	return failed(titleCreateFailed, id, err, "The group was not created.")
}

// checkCreated learns the environment of a new group where one is demanded, and removes the group from a wrong one.
func (s *Service) checkCreated(ctx context.Context, wanted Wanted, created api.UserGroup) (Result, error) {
	if s.environment == "" {
		return Result{Group: &created}, nil
	}
	answer, err := s.client.Update(api.Finish(ctx), wanted.request())
	var reason *Problem
	switch {
	case err != nil:
		reason = failed(titleCreateFailed, wanted.ID, err,
			"The group was created, but the update that was to show its environment failed.")
	case s.wrongEnvironment(answer.UserGroup):
		reason = problem(titleWrongEnvironment, wanted.ID, nil,
			environmentsDiffer(s.environment, *answer.UserGroup.EnvironmentTag), "The group was created there by this run.")
	default:
		created.EnvironmentTag = answer.UserGroup.EnvironmentTag
		return Result{Group: &created}, nil
	}
	err = s.client.Delete(api.Finish(ctx), api.DeleteRequest{CurrentToken: created.Token, UserGroupID: wanted.ID})
	if err != nil {
		return Result{}, failed(titleLeftBehind, wanted.ID, err, reason.Detail,
			"Removing it again failed, so it is left at the service, or may be. Remove it with"+removalCommand(wanted.ID))
	}
	reason.Detail += " It was removed again, so nothing is left of it."
	return Result{}, reason
}

// adopt takes an existing group over: one update converges it, and its token and team stay.
func (s *Service) adopt(ctx context.Context, wanted Wanted, existing api.UserGroup) (Result, error) {
	known := Known{ID: wanted.ID, TeamID: existing.TeamID}
	if s.environment != "" {
		// The environment is only told by an update, so the first one changes nothing: it repeats what was just told.
		same := api.GroupRequest{UserGroupID: wanted.ID, Name: existing.Name, Properties: existing.Properties}
		answer, err := s.client.Update(ctx, same)
		if err != nil {
			return Result{}, adoptFailed(wanted.ID, err)
		}
		if err := s.expect(known, answer.UserGroup); err != nil {
			return Result{}, err
		}
	}
	answer, err := s.client.Update(ctx, wanted.request())
	if err != nil {
		return Result{}, adoptFailed(wanted.ID, err)
	}
	if err := s.expect(known, answer.UserGroup); err != nil {
		return Result{}, err
	}
	if remained := contradictions(wanted, answer.UserGroup); remained != "" {
		return Result{}, problem(titleAdoptFailed, wanted.ID, nil, remained,
			"The group exists and was updated, but it is not in the state.",
			"Change the configuration to what the service keeps, or import the group instead.")
	}
	s.adopted.Store(wanted.ID, true)
	adopted := merge(existing, answer.UserGroup)
	return Result{Group: &adopted, Warnings: []*Problem{problem(titleAdopted, wanted.ID, nil,
		"The group existed and adopt_existing is true, so it was updated to this configuration. Its token was kept.",
		"From now on destroying this resource deletes the group.")}}, nil
}

func adoptFailed(id string, err error) error {
	done := "The group was not changed and is not in the state."
	if mayHaveHappened(err) {
		done = "Whether the group was updated is not known; it is not in the state, so it cannot be destroyed by accident."
	}
	return failed(titleAdoptFailed, id, err, done, "Run again to try once more.")
}

// claim decides about a group that a repeated creation found: most likely the first attempt, whose answer got lost,
// made it.
func (s *Service) claim(ctx context.Context, wanted Wanted, existing api.UserGroup) (Result, error) {
	if contradictions(wanted, existing) != "" {
		return Result{}, problem(titleContradictsLost, wanted.ID, nil,
			"The answer to the creation got lost. The repeated call found a group of this id that differs from what was sent, so it existed before.",
			"Nothing was changed and it is not in the state.",
			"Import it with an import block, or set adopt_existing = true to take it over.")
	}
	if s.environment != "" {
		answer, err := s.client.Update(ctx, wanted.request())
		if err != nil {
			return Result{}, createFailed(wanted.ID, err)
		}
		if err := s.expect(Known{ID: wanted.ID, TeamID: existing.TeamID}, answer.UserGroup); err != nil {
			return Result{}, err
		}
		existing = merge(existing, answer.UserGroup)
	}
	return Result{Group: &existing, Warnings: []*Problem{problem(titleClaimedAfterLost, wanted.ID, nil,
		"The answer to the creation got lost. The repeated call found the group with nothing that differs from what was sent, so this run has most likely created it, and it is now in the state.",
		"If a group of this id is known to have existed before, remove it from the state (`terraform state rm`) rather than destroying it.")}}, nil
}

// contradictions says where an answer contradicts what was sent, naming keys and never values. Empty means nowhere.
func contradictions(sent Wanted, told api.UserGroup) string {
	var said string
	if told.Name != nil && *told.Name != sent.Name {
		said = fmt.Sprintf("The service was sent the name %q and has the name %q.", sent.Name, *told.Name)
	}
	if !sent.Properties.IsZero() && !told.Properties.IsZero() && !jsonobject.Equal(sent.Properties, told.Properties) {
		if said != "" {
			said += " "
		}
		said += propertiesDiffer(sent.Properties, told.Properties)
	}
	return said
}

// merge lays what a later answer tells over what an earlier one told; what it is silent about stays.
func merge(earlier, later api.UserGroup) api.UserGroup {
	if later.TeamID == nil {
		later.TeamID = earlier.TeamID
	}
	if later.Token.IsZero() {
		later.Token = earlier.Token
	}
	if later.Name == nil {
		later.Name = earlier.Name
	}
	if later.Properties.IsZero() {
		later.Properties = earlier.Properties
	}
	if later.EnvironmentTag == nil {
		later.EnvironmentTag = earlier.EnvironmentTag
	}
	return later
}
