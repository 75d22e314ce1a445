package usergroup

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Create creates a group or, with adopt, takes over an existing one. Without adopt, an existing group is an error and
// is not changed. If nothing fails, it makes one call, or two for an adoption. With an error, it returns no group,
// and the error says whether the group was created.
func (s *Service) Create(ctx context.Context, wanted api.GroupRequest, adopt bool) (Result, error) {
	facts := Problem{Operation: Create, ID: wanted.UserGroupID, Sent: wanted}
	return alone(s, Create, Known{ID: wanted.UserGroupID}, func(record *record) (Result, *Problem) {
		// A group that this run has already created or adopted belongs to another address.
		result, problem := s.create(ctx, wanted, adopt && record.instance == "", facts)
		if problem != nil {
			return result, problem
		}
		if record.deleted {
			result.Warnings = append(result.Warnings, facts.with(Recreated))
		}
		result.Instance = rand.Text()
		record.instance, record.deleted = result.Instance, false
		return result, nil
	})
}

func (s *Service) create(ctx context.Context, wanted api.GroupRequest, adopt bool, facts Problem) (Result, *Problem) {
	if problem := s.checkEnvironment(ctx, facts); problem != nil {
		return Result{}, problem
	}
	answer, err := s.client.GetOrCreate(ctx, wanted)
	facts.Told = answer.UserGroup
	facts.Done = facts.failed(err)
	if answer.Lost {
		facts.Done = Maybe
	} else if answer.New != nil && !*answer.New {
		facts.Done = No
	}
	switch judged := s.judge(Known{ID: wanted.UserGroupID}, nil, answer); {
	case judged == fromCache:
		return Result{}, facts.with(AnsweredFromCache)
	case judged == justMade && namesDiffer(wanted.Name, answer.UserGroup.Name):
		facts.Done = Maybe
		return Result{}, facts.with(AnsweredFromCache)
	case judged == justMade && (err != nil || isOtherID(wanted.UserGroupID, answer.UserGroup)):
		return s.confirmCreated(ctx, facts)
	case judged == justMade:
		s.remember(answer.UserGroup.Token)
		return Result{Group: &answer.UserGroup}, nil
	case isOtherID(wanted.UserGroupID, answer.UserGroup):
		return Result{}, facts.with(AnsweredForAnother)
	case answer.New == nil:
		return Result{}, s.endIfKeyRefused(facts.with(CallFailed))
	case adopt:
		return s.adopt(ctx, wanted, facts)
	case answer.Lost:
		return s.claim(ctx, wanted, facts)
	default:
		facts.Done = No
		return Result{}, facts.with(Exists)
	}
}

// namesDiffer reports whether a response with the name told cannot be the response to a creation with the name sent.
// Letter case and surrounding white space do not count.
func namesDiffer(sent, told *string) bool {
	return sent != nil && told != nil && !strings.EqualFold(strings.TrimSpace(*sent), strings.TrimSpace(*told))
}

// confirmCreated looks up a new group if the response to its creation was incomplete or showed another ID.
func (s *Service) confirmCreated(ctx context.Context, facts Problem) (Result, *Problem) {
	facts.Done = Maybe
	made := Known{ID: facts.ID, TeamID: facts.Told.TeamID, Token: facts.Told.Token}
	found, problem := s.find(api.Finish(ctx), made)
	switch {
	case problem != nil:
		return Result{}, facts.because(problem)
	case !made.isSame(found.UserGroup):
		return Result{}, facts.with(MayHaveExisted)
	}
	facts.Done = Yes
	group := found.Over(facts.Told)
	result := Result{Group: &group}
	if isOtherID(facts.ID, group) {
		result.Warnings = append(result.Warnings, facts.with(OtherSpelling))
	}
	return result, nil
}

// claim decides whether a creation whose first response was lost has created the group that exists now. Another
// client may have created it earlier. A response to a lookup by ID alone cannot echo a name or properties. If it
// shows those that the creation sent, the group is ours. If it shows none, that proves nothing.
func (s *Service) claim(ctx context.Context, wanted api.GroupRequest, facts Problem) (Result, *Problem) {
	known := Known{ID: wanted.UserGroupID, TeamID: facts.Told.TeamID, Token: facts.Told.Token}
	found, problem := s.find(api.Finish(ctx), known)
	if problem != nil {
		return Result{}, facts.because(problem)
	}
	facts.Told = found.UserGroup
	shown := wanted.Name != nil && found.Name != nil && (wanted.Properties.IsZero() || !found.Properties.IsZero())
	if wanted.Differences(found.UserGroup).Any() || !shown || !known.isSame(found.UserGroup) {
		return Result{}, facts.with(MayHaveExisted)
	}
	return Result{Group: &found.UserGroup, Warnings: []*Problem{facts.with(Claimed)}}, nil
}

// adopt takes over an existing group. It updates the group to what is wanted, and does not change its token.
func (s *Service) adopt(ctx context.Context, wanted api.GroupRequest, facts Problem) (Result, *Problem) {
	facts.Operation = Adopt
	existing := facts.Told
	answer, err := s.client.Update(ctx, wanted)
	facts.Done = facts.failed(err)
	facts.Told = answer.UserGroup
	if err != nil {
		return Result{}, facts.with(CallFailed)
	}
	facts.Done = Yes
	known := Known{ID: wanted.UserGroupID, TeamID: existing.TeamID, Token: existing.Token}
	if problem := known.expect(facts); problem != nil {
		return Result{}, problem
	}
	if wanted.Differences(answer.UserGroup).Any() {
		return Result{}, facts.with(NotTakenAsSent)
	}
	adopted := answer.UserGroup.Over(existing)
	if adopted.Token.IsZero() {
		found, problem := s.find(api.Finish(ctx), known)
		if problem != nil {
			return Result{}, facts.because(problem)
		}
		adopted.Token = found.Token
	}
	s.remember(adopted.Token)
	return Result{Group: &adopted, Warnings: []*Problem{facts.with(Adopted)}}, nil
}
