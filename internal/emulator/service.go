package emulator

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// scoped is an ID or a token, which is meaningful only within its environment.
type scoped struct{ environment, value string }

// service stores the groups and implements the four operations. It knows nothing about connections and faults. Its
// callers hold the emulator's lock, and have settled what is due.
type service struct {
	options Options
	groups  map[scoped]Group
	// replica has what lookups see of the groups. It is empty unless they lag.
	replica map[scoped]Group
	// issued maps tokens to group IDs. It includes tokens that are no longer current, because a stale token still
	// identifies the group that a call is about.
	issued map[scoped]string
	// deleted has the groups whose IDs are not free again.
	deleted map[scoped]Group
	// busy counts how often the deletion of a group was refused as busy.
	busy map[scoped]int
	// nextTeamID is by environment, or only that of "" if all environments share their numbers.
	nextTeamID map[string]int64
	now        time.Time
	tasks      []task // in the order in which they are due
}

func newService(options Options) *service {
	return &service{
		options: options, groups: map[scoped]Group{}, replica: map[scoped]Group{}, issued: map[scoped]string{},
		deleted: map[scoped]Group{}, busy: map[scoped]int{}, nextTeamID: map[string]int64{},
	}
}

// work is what a call does once it has been checked. It may be done later. It records in the call what was done.
type work func() reply

// begin checks a call, and returns the rest of it.
func (s *service) begin(call *Call, asked request) work {
	if s.options.EmptyIsAbsent {
		asked = asked.withoutEmpty()
	}
	if wrong := s.check(call, asked); wrong != nil {
		return s.refusing(call, *wrong)
	}
	switch call.Method {
	case http.MethodGet:
		return func() reply { return s.getOrCreate(call, asked) }
	case http.MethodPut:
		return s.update(call, asked)
	case http.MethodPost:
		return s.rotate(call, asked)
	default:
		return s.delete(call, asked)
	}
}

func (s *service) getOrCreate(call *Call, asked request) reply {
	group, there := s.looked(scoped{call.Environment, asked.ID})
	isNew := !there
	var wrong *refusal
	switch {
	case !there:
		group, isNew, wrong = s.create(call, asked)
	case s.options.GetOverwrites:
		group, wrong = s.save(call, group.cleared(), asked, &call.Updated)
	}
	if wrong != nil {
		return s.refuse(call, *wrong)
	}
	if s.now.Before(group.lagsUntil) {
		group.Token = group.previousToken
	}
	if isNew && s.options.LateDefaults {
		group = s.applied(Group{ID: group.ID, TeamID: group.TeamID, Token: group.Token}, asked)
	}
	return s.success(member{"new_user_group", isNew}, s.userGroup(group, asked))
}

func (s *service) update(call *Call, asked request) work {
	group, there := s.groups[scoped{call.Environment, asked.ID}]
	if !there && !s.options.UpsertOnPut {
		return s.refusing(call, absent)
	}
	return func() reply {
		var wrong *refusal
		before, still := s.again(group)
		switch after := s.updated(before, asked); {
		case !there:
			group, _, wrong = s.create(call, asked)
		case !still, s.options.CountsChangedRows && after.has(before):
			wrong = &absent
		default:
			group, wrong = s.save(call, after, request{}, &call.Updated)
		}
		if wrong != nil {
			return s.refuse(call, *wrong)
		}
		if s.options.RenewingUpdates {
			s.renew(group)
			group, _ = s.again(group)
		}
		if still && s.options.StaleUpdates {
			group = before
		}
		return s.success(s.userGroup(group, asked))
	}
}

// updated returns the group after an update.
func (s *service) updated(group Group, asked request) Group {
	if s.options.Updates == UpdatesClear {
		group = group.cleared()
	}
	return s.applied(group, asked)
}

func (s *service) rotate(call *Call, asked request) work {
	group, current := s.holder(call.Environment, asked.Token)
	switch {
	case !current && s.options.ForgivingRotations:
		return func() reply { return s.success(s.userGroup(Group{Token: newToken()}, asked)) }
	case !current:
		return s.refusing(call, stale)
	}
	return func() reply {
		shown, still := s.again(group)
		if !still {
			return s.refuse(call, stale)
		}
		call.Rotated, call.TeamID = true, group.TeamID
		s.after(s.options.RotationDelay, task{do: func() { s.renew(group) }})
		if s.options.RotationDelay == 0 && !s.options.StaleRotations {
			shown, _ = s.again(group)
		}
		return s.success(s.userGroup(shown, asked))
	}
}

// renew gives a group another token, if it still exists.
func (s *service) renew(group Group) {
	if group, still := s.again(group); still {
		group.previousToken, group.lagsUntil = group.Token, s.now.Add(s.options.TokenLag)
		group.rotations++
		group.Token = s.newToken(group)
		s.put(group)
	}
}

func (s *service) delete(call *Call, asked request) work {
	group, there := s.holder(call.Environment, asked.Token)
	switch {
	case asked.Token != "" && !there && !s.options.ForgivingDeletes:
		return s.refusing(call, stale)
	case there && asked.ID != "" && asked.ID != group.ID:
		return s.refusing(call, others)
	case !there:
		group, there = s.groups[scoped{call.Environment, asked.ID}]
	}
	switch {
	case !there && !s.options.ForgivingDeletes:
		return s.refusing(call, absent)
	case there && s.isBusy(group):
		return s.refusing(call, refusal{
			status: s.options.BusyStatus, says: "the user group is in use", retryAfter: s.options.BusyRetryAfter,
		})
	}
	return func() reply {
		if there {
			call.Deleted, call.TeamID = true, group.TeamID
			s.after(s.options.DeletionDelay, task{do: func() { s.drop(group) }})
		}
		return []reply{
			DeletionsSuccess: s.success(), DeletionsNoContent: {status: http.StatusNoContent},
			DeletionsObject: document(http.StatusOK, object{}),
		}[s.options.Deletions]
	}
}

// drop deletes a group, if it still exists.
func (s *service) drop(group Group) {
	if group, still := s.again(group); still {
		s.remove(group)
	}
}

// isBusy reports whether the deletion of a group is to be refused for now, and counts that.
func (s *service) isBusy(group Group) bool {
	key := scoped{group.Environment, group.ID}
	if s.options.BusyStatus == 0 {
		return false
	}
	s.busy[key]++
	return s.busy[key] <= s.options.BusyDeletions
}

// holder returns the group that has the token as its current one, and reports whether there is one.
func (s *service) holder(environment, token string) (Group, bool) {
	group, there := s.groups[scoped{environment, s.owner(environment, token)}]
	return group, there && group.Token == s.unsigned(token)
}

// owner returns the ID of the group that has or had the token, or nothing.
func (s *service) owner(environment, token string) string {
	return s.issued[scoped{environment, s.unsigned(token)}]
}

func (s *service) unsigned(token string) string {
	if s.options.SignedTokens {
		token, _, _ = strings.Cut(token, ".")
	}
	return token
}

// create creates a group, or does what an ID leads to that is taken or deleted. It reports whether the group is new to
// the caller.
func (s *service) create(call *Call, asked request) (group Group, isNew bool, wrong *refusal) {
	key := scoped{call.Environment, asked.ID}
	before, isDeleted := s.deleted[key]
	switch {
	case isDeleted && s.options.DeletedIDs == DeletedIDsGone:
		return group, false, &ofDeleted
	case s.isFull(call.Environment):
		return group, false, &full
	case isDeleted:
		call.Created, call.TeamID = true, before.TeamID
		return s.put(before), s.options.DeletedIDs == DeletedIDsRevivedAsNew, nil
	}
	group = Group{ID: asked.ID, Environment: call.Environment}
	group.Name = strings.ReplaceAll(s.options.DefaultName, "{id}", asked.ID)
	if s.options.DefaultProperties != "" {
		group.Properties = json.RawMessage(s.options.DefaultProperties)
	}
	group, wrong = s.save(call, group, asked, &call.Created)
	return group, true, wrong
}

func (s *service) isFull(environment string) bool {
	groups := 0
	for key := range s.groups {
		if key.environment == environment {
			groups++
		}
	}
	return s.options.MaxGroups > 0 && groups >= s.options.MaxGroups
}

// save stores a group with what the call asks for, and notes in did that it was done.
func (s *service) save(call *Call, group Group, asked request, did *bool) (Group, *refusal) {
	group = s.applied(group, asked)
	if s.options.UniqueNames && group.Name != "" {
		for key, other := range s.groups {
			if other.Name == group.Name && key.environment == group.Environment && key.value != group.ID {
				return group, &refusal{status: http.StatusConflict, field: "name", says: "is the name of another user group"}
			}
		}
	}
	group = s.put(group)
	*did, call.TeamID = true, group.TeamID
	return group, nil
}

// put stores a group, with a token and a team ID of its own unless it has them.
func (s *service) put(group Group) Group {
	key := scoped{group.Environment, group.ID}
	numbers := s.numbersOf(group.Environment)
	next := max(s.nextTeamID[numbers], s.options.FirstTeamID)
	group.TeamID = cmp.Or(group.TeamID, next)
	if group.Token == "" {
		group.Token = s.newToken(group)
	}
	s.nextTeamID[numbers] = max(next, group.TeamID+1)
	s.groups[key] = group
	delete(s.deleted, key)
	s.issued[scoped{group.Environment, group.Token}] = group.ID
	s.replicate(key, s.options.ReplicaLag)
	return group
}

// numbersOf returns the environment with which another one shares its team IDs.
func (s *service) numbersOf(environment string) string {
	if s.options.SameTeamIDs {
		return environment
	}
	return ""
}

// remove deletes the group if it exists. The zero Group does not.
func (s *service) remove(group Group) {
	key := scoped{group.Environment, group.ID}
	delete(s.groups, key)
	if s.options.DeletedIDs != DeletedIDsFree && group.ID != "" {
		s.deleted[key] = group
	}
	s.replicate(key, s.options.ReplicaLag)
	if s.options.ReuseTeamIDs {
		numbers := s.numbersOf(group.Environment)
		s.nextTeamID[numbers] = s.options.FirstTeamID
		for _, left := range s.groups {
			if s.numbersOf(left.Environment) == numbers {
				s.nextTeamID[numbers] = max(s.nextTeamID[numbers], left.TeamID+1)
			}
		}
	}
}

func (s *service) newToken(group Group) string {
	if s.options.DerivedTokens {
		return fmt.Sprintf("ugt_%.16x", sha256.Sum256(fmt.Append(nil, group.ID, group.rotations)))
	}
	return newToken()
}

func newToken() string { return "ugt_" + rand.Text() }
