package emulator

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"
)

// scoped is an ID or a token, which is meaningful only within its environment.
type scoped struct{ environment, value string }

// service stores the groups and implements the four operations. It knows nothing about connections and faults. Its
// callers hold the emulator's lock.
type service struct {
	options Options
	groups  map[scoped]Group
	// issued maps tokens to group IDs. It includes tokens that are no longer current, because a stale token still
	// identifies the group that a call is about.
	issued map[scoped]string
	// deleted has the groups whose IDs are not free again.
	deleted    map[scoped]Group
	nextTeamID int64
}

var (
	absent = refusal{http.StatusNotFound, "", "there is no user group with this user_group_id"}
	stale  = refusal{http.StatusNotFound, "", "current_token is not the current token of any user group"}
	others = refusal{http.StatusConflict, "", "current_token does not belong to the user group with this user_group_id"}
)

// answer performs the call and records in it what was done.
func (s *service) answer(call *Call, asked request) reply {
	if wrong := s.check(*call, asked); wrong != nil {
		return s.refuse(call, *wrong)
	}
	switch call.Method {
	case http.MethodGet:
		return s.getOrCreate(call, asked)
	case http.MethodPut:
		return s.update(call, asked)
	case http.MethodPost:
		return s.rotate(call, asked)
	default:
		return s.delete(call, asked)
	}
}

// check returns why the service refuses what the body has or lacks, or nil.
func (s *service) check(call Call, asked request) *refusal {
	byID := call.Method == http.MethodGet || call.Method == http.MethodPut
	_, there := s.groups[scoped{call.Environment, asked.ID}]
	creates := !there && (call.Method == http.MethodGet || s.options.UpsertOnPut)
	nameless := asked.Name == nil || s.options.storedName(*asked.Name) == ""
	switch {
	case byID && asked.ID == "":
		return missing("user_group_id")
	case byID && nameless && (s.options.NameRequired || s.options.NameRequiredToCreate && creates):
		return &refusal{cmp.Or(s.options.MissingNameStatus, http.StatusBadRequest), "name", "is missing or empty"}
	case !byID && asked.Token == "" && (call.Method == http.MethodPost || asked.ID == ""):
		return missing("current_token")
	case call.Method == http.MethodDelete && s.options.DataSourceRequired && asked.Source == "":
		return missing("data_source_provided_id")
	case isLonger(asked.ID, s.options.MaxIDLength):
		return &refusal{http.StatusBadRequest, "user_group_id", "is too long"}
	case asked.Name != nil && isLonger(*asked.Name, s.options.MaxNameLength) && !s.options.CutNames:
		return &refusal{http.StatusBadRequest, "name", "is too long"}
	default:
		return nil
	}
}

func missing(field string) *refusal {
	return &refusal{http.StatusBadRequest, field, "is missing or empty"}
}

func (s *service) getOrCreate(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, asked.ID}]
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
	if time.Now().Before(group.lagsUntil) {
		group.Token = group.previousToken
	}
	return success(member{"new_user_group", isNew}, s.userGroup(group, asked))
}

func (s *service) update(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, asked.ID}]
	var wrong *refusal
	switch {
	case there:
		if s.options.Updates == UpdatesClear {
			group = group.cleared()
		}
		group, wrong = s.save(call, group, asked, &call.Updated)
	case s.options.UpsertOnPut:
		group, _, wrong = s.create(call, asked)
	default:
		wrong = &absent
	}
	if wrong != nil {
		return s.refuse(call, *wrong)
	}
	return success(s.userGroup(group, asked))
}

func (s *service) rotate(call *Call, asked request) reply {
	group, current := s.holder(call.Environment, asked.Token)
	switch {
	case !current && s.options.ForgivingRotations:
		return success(s.userGroup(Group{Token: newToken()}, asked))
	case !current:
		return s.refuse(call, stale)
	}
	group.previousToken, group.lagsUntil = group.Token, call.At.Add(s.options.TokenLag)
	group.Token = newToken()
	group = s.put(group)
	call.Rotated, call.TeamID = true, group.TeamID
	return success(s.userGroup(group, asked))
}

func (s *service) delete(call *Call, asked request) reply {
	group, there := s.holder(call.Environment, asked.Token)
	switch {
	case asked.Token != "" && !there && !s.options.ForgivingDeletes:
		return s.refuse(call, stale)
	case there && asked.ID != "" && asked.ID != group.ID:
		return s.refuse(call, others)
	case !there:
		group, there = s.groups[scoped{call.Environment, asked.ID}]
	}
	switch {
	case there:
		s.remove(group)
		call.Deleted, call.TeamID = true, group.TeamID
	case !s.options.ForgivingDeletes:
		return s.refuse(call, absent)
	}
	return []reply{
		DeletionsSuccess: success(), DeletionsNoContent: {status: http.StatusNoContent},
		DeletionsEmpty: {status: http.StatusOK}, DeletionsObject: document(http.StatusOK, object{}),
	}[s.options.Deletions]
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

// create creates a group, or does what a deleted ID leads to, and reports whether the group is new to the caller.
func (s *service) create(call *Call, asked request) (group Group, isNew bool, wrong *refusal) {
	if before, deleted := s.deleted[scoped{call.Environment, asked.ID}]; deleted {
		switch s.options.DeletedIDs {
		case DeletedIDsConflict:
			return group, false, &refusal{http.StatusConflict, "user_group_id", "is that of a deleted user group"}
		case DeletedIDsGone:
			return group, false, &refusal{http.StatusGone, "user_group_id", "is that of a deleted user group"}
		}
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

// save stores a group with what the call asks for, and notes in did that it was done.
func (s *service) save(call *Call, group Group, asked request, did *bool) (Group, *refusal) {
	group = s.applied(group, asked)
	if s.options.UniqueNames && group.Name != "" {
		for key, other := range s.groups {
			if other.Name == group.Name && key.environment == group.Environment && key.value != group.ID {
				return group, &refusal{http.StatusConflict, "name", "is the name of another user group"}
			}
		}
	}
	group = s.put(group)
	*did, call.TeamID = true, group.TeamID
	return group, nil
}

func (s *service) put(group Group) Group {
	key := scoped{group.Environment, group.ID}
	group.TeamID = cmp.Or(group.TeamID, s.nextTeamID)
	if group.Token == "" {
		group.Token = newToken()
	}
	s.nextTeamID = max(s.nextTeamID, group.TeamID+1)
	s.groups[key] = group
	delete(s.deleted, key)
	s.issued[scoped{group.Environment, group.Token}] = group.ID
	return group
}

// remove deletes the group if it exists. The zero Group does not.
func (s *service) remove(group Group) {
	key := scoped{group.Environment, group.ID}
	delete(s.groups, key)
	if s.options.DeletedIDs != DeletedIDsFree && group.ID != "" {
		s.deleted[key] = group
	}
	if s.options.ReuseTeamIDs {
		s.nextTeamID = s.options.FirstTeamID
		for _, left := range s.groups {
			s.nextTeamID = max(s.nextTeamID, left.TeamID+1)
		}
	}
}

// applied returns the group with the requested changes. It does not modify the mapping in place, because a caller of
// [Environment.Group] may share it.
func (s *service) applied(group Group, asked request) Group {
	merging := s.options.Updates == UpdatesMerge
	if asked.Name != nil {
		group.Name = s.options.storedName(*asked.Name)
	}
	if asked.Mapping != nil {
		mapping := map[string]string{}
		if merging {
			maps.Copy(mapping, group.Mapping)
		}
		maps.Copy(mapping, asked.Mapping)
		group.Mapping = mapping
	}
	if asked.Properties != nil {
		properties := asked.Properties
		if all, _ := members(group.Properties); merging && all != nil {
			added, _ := members(properties)
			maps.Copy(all, added)
			properties, _ = json.Marshal(all)
		}
		group.Properties = s.options.storedProperties(properties)
	}
	return group
}

func newToken() string { return "ugt_" + rand.Text() }
