package usergroup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Create makes a group, or with adopt takes an existing one over. Without adopt an existing group is an error and is
// left as it is. One call; with an environment to hold to, one more; two for an adoption, three with an environment.
// After an error nothing that belongs to the caller is left at the service unless the error says so.
func (s *Service) Create(ctx context.Context, wanted Wanted, adopt bool) (Result, error) {
	result, err := s.create(ctx, wanted, adopt)
	if err == nil {
		s.taken.Store(wanted.ID, true)
	}
	return result, err
}

func (s *Service) create(ctx context.Context, wanted Wanted, adopt bool) (Result, error) {
	answer, err := s.client.GetOrCreate(ctx, wanted.request())
	if err != nil {
		return Result{}, createFailed(wanted.ID, err, adopt)
	}
	if err := answeredFor(wanted.ID, answer); err != nil {
		return Result{}, err
	}
	switch {
	case answer.Created:
		return s.checkCreated(ctx, wanted, answer.UserGroup)
	case adopt:
		return s.adopt(ctx, wanted, answer)
	case answer.Lost:
		return s.claim(ctx, wanted, answer.UserGroup)
	default:
		return Result{}, problem(titleExists, wanted.ID, nil,
			"A group of this id exists at the service and nothing was changed.",
			"To manage it with Terraform, import it with an import block (or `terraform import`), or set adopt_existing = true to take it over as it is created.",
			"If it belongs to something else, choose another user_group_id.")
	}
}

func createFailed(id string, err error, adopt bool) error {
	var callErr *api.Error
	if errors.As(err, &callErr) && callErr.Created {
		return failed(titleCreateFailed, id, err,
			"The group was created, but no answer told all that has to be known of it. It is left at the service and is not in the state.",
			"Import it with an import block once the service answers in full, or remove it with"+removalCommand(id))
	}
	if mayHaveHappened(err) {
		next := fmt.Sprintf("Run again: if it was created, the next run says that user group %q already exists, and how to go on.", id)
		if adopt {
			next = "Run again: if it was created, the next run adopts it."
		}
		return failed(titleCreateFailed, id, err, "It is not known whether the group was created; the state does not have it.", next)
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
	case sameID(wanted.ID, answer.UserGroup) != nil:
		// The group is wanted, so nothing is deleted on an answer whose ids mean something else than ours.
		return Result{}, sameID(wanted.ID, answer.UserGroup,
			"That was the answer to the update that was to show the environment of the group just created. The group is left at the service and is not in the state. Remove it with"+removalCommand(wanted.ID))
	case s.wrongEnvironment(answer.UserGroup):
		reason = problem(titleWrongEnvironment, wanted.ID, nil,
			environmentsDiffer(s.environment, *answer.UserGroup.EnvironmentTag), "The group was created there by this run.")
	default:
		created.EnvironmentTag = answer.UserGroup.EnvironmentTag
		return Result{Group: &created}, nil
	}
	if err := s.undo(ctx, wanted.ID, created); err != nil {
		return Result{}, failed(titleLeftBehind, wanted.ID, err, reason.Detail,
			"Removing it again failed, so it is left at the service, or may be. Remove it with"+removalCommand(wanted.ID))
	}
	reason.Detail += " It was removed again, so nothing is left of it. Run again once that is settled."
	return Result{}, reason
}

// adopt takes an existing group over: one update converges it, and its token and team stay.
func (s *Service) adopt(ctx context.Context, wanted Wanted, found api.Answer) (Result, error) {
	existing := found.UserGroup
	known := Known{ID: wanted.ID, TeamID: existing.TeamID}
	done := notChanged
	if s.environment != "" {
		var told api.UserGroup
		var err error
		if told, done, err = s.askEnvironment(ctx, wanted, existing); err != nil {
			return Result{}, adoptFailed(wanted.ID, err, notChanged)
		}
		if s.wrongEnvironment(told) {
			return Result{}, problem(titleWrongEnvironment, wanted.ID, nil, environmentsDiffer(s.environment, *told.EnvironmentTag), done,
				"It is not in the state.")
		}
		if err := s.expect(known, told); err != nil {
			return Result{}, completed(err, "The group is not in the state.")
		}
	}
	answer, err := s.client.Update(ctx, wanted.request())
	if err != nil {
		return Result{}, adoptFailed(wanted.ID, err, done)
	}
	if err := s.expect(known, answer.UserGroup); err != nil {
		return Result{}, completed(err, "The group is not in the state.")
	}
	if remained := contradictions(wanted, answer.UserGroup); remained != "" {
		return Result{}, problem(titleAdoptFailed, wanted.ID, nil, remained,
			"The group exists and was updated, but it is not in the state.",
			"Change the configuration to what the service keeps, or import the group instead.")
	}
	adopted := merge(existing, answer.UserGroup)
	existed := "The group existed and adopt_existing is true,"
	if found.Lost {
		existed = "The group existed, unless an earlier attempt of this creation, whose answer got lost, has made it. adopt_existing is true,"
	}
	return Result{Group: &adopted, Warnings: []*Problem{problem(titleAdopted, wanted.ID, nil,
		existed+" so it was updated to this configuration. Its token was kept.",
		"From now on destroying this resource deletes the group.")}}, nil
}

const notChanged = "The group was not changed."

// adoptFailed says what the update that failed has done, or else what was done before it.
func adoptFailed(id string, err error, before string) error {
	if mayHaveHappened(err) {
		before = "Whether the group was updated is not known."
	}
	return failed(titleAdoptFailed, id, err, before, "It is not in the state, so it cannot be destroyed by accident.", "Run again to try once more.")
}

// completed adds what became of a group that no state has to the problem of an unexpected answer.
func completed(err error, sentences ...string) error {
	var unexpected *Problem
	if errors.As(err, &unexpected) {
		unexpected.Detail = strings.Join(append([]string{unexpected.Detail}, sentences...), " ")
	}
	return err
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
		const notOurs = "The answer to the creation got lost. The repeated call found a group of this id, most likely made by this run, but possibly before. It is left as it is and is not in the state."
		told, _, err := s.askEnvironment(api.Finish(ctx), wanted, existing)
		if err != nil {
			return Result{}, failed(titleCreateFailed, wanted.ID, err, notOurs,
				"The update that was to show its environment failed.",
				"Run again: the next run says that the group exists, and how to go on. If it did not exist before, it can also be removed with"+removalCommand(wanted.ID))
		}
		if s.wrongEnvironment(told) {
			return Result{}, problem(titleWrongEnvironment, wanted.ID, nil, environmentsDiffer(s.environment, *told.EnvironmentTag), notOurs,
				"If it did not exist before, remove it with"+removalCommand(wanted.ID))
		}
		if err := s.expect(Known{ID: wanted.ID, TeamID: existing.TeamID}, told); err != nil {
			return Result{}, completed(err, notOurs, "If it did not exist before, remove it with"+removalCommand(wanted.ID))
		}
		existing.EnvironmentTag = told.EnvironmentTag
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
