package emulator

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
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
	issued     map[scoped]string
	nextTeamID int64
}

// answer performs the call and records in it what was done.
func (s *service) answer(call *Call, asked request) reply {
	if missing := s.missing(call.Method, asked); missing != "" {
		return s.refuse(call, http.StatusBadRequest, missing)
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

func (s *service) missing(method string, asked request) string {
	byID := method == http.MethodGet || method == http.MethodPut
	switch {
	case byID && asked.id == nil:
		return "the field user_group_id is missing"
	case byID && s.options.NameRequired && (asked.name == nil || s.stored(*asked.name) == ""):
		return "the field name is missing or empty"
	case method == http.MethodPost && asked.token == nil:
		return "the field current_token is missing"
	case method == http.MethodDelete && asked.token == nil && asked.id == nil:
		return "neither the field current_token nor the field user_group_id is given"
	default:
		return ""
	}
}

func (s *service) getOrCreate(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, *asked.id}]
	if !there {
		group = s.create(call, asked)
	}
	if time.Now().Before(group.lagsUntil) {
		group.Token = group.previousToken
	}
	return success(member{"new_user_group", marshal(!there)}, s.userGroup(group, asked))
}

func (s *service) update(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, *asked.id}]
	switch {
	case there:
		if s.options.Updates == UpdatesClear {
			group.Name, group.Mapping, group.Properties = "", nil, nil
		}
		group = s.put(s.applied(group, asked))
		call.Updated, call.TeamID = true, group.TeamID
	case s.options.UpsertOnPut:
		group = s.create(call, asked)
	default:
		return s.refuse(call, http.StatusNotFound, "there is no user group with this user_group_id")
	}
	return success(s.userGroup(group, asked))
}

func (s *service) rotate(call *Call, asked request) reply {
	group, current := s.holder(call.Environment, *asked.token)
	if !current {
		return s.refuseToken(call)
	}
	group.previousToken, group.lagsUntil = group.Token, call.At.Add(s.options.TokenLag)
	group.Token = newToken()
	group = s.put(group)
	call.Rotated, call.TeamID = true, group.TeamID
	return success(s.userGroup(group, asked))
}

func (s *service) delete(call *Call, asked request) reply {
	var group Group
	var there bool
	if asked.token != nil {
		group, there = s.holder(call.Environment, *asked.token)
		switch {
		case !there && !s.options.ForgivingDeletes:
			return s.refuseToken(call)
		case there && asked.id != nil && *asked.id != group.ID:
			return s.refuse(call, http.StatusConflict, "current_token does not belong to the user group with this user_group_id")
		}
	}
	if !there && asked.id != nil {
		group, there = s.groups[scoped{call.Environment, *asked.id}]
	}
	switch {
	case there:
		delete(s.groups, scoped{group.Environment, group.ID})
		call.Deleted, call.TeamID = true, group.TeamID
	case !s.options.ForgivingDeletes:
		return s.refuse(call, http.StatusNotFound, "there is no user group with this user_group_id")
	}
	return success()
}

func (s *service) refuse(call *Call, status int, message string) reply {
	if s.options.Refusals == RefusalsSuccessZero {
		status = http.StatusOK
	}
	return call.refuse(status, message)
}

func (s *service) refuseToken(call *Call) reply {
	const message = "current_token is not the current token of any user group"
	if s.options.StaleTokenStatus != 0 {
		return call.refuse(s.options.StaleTokenStatus, message)
	}
	return s.refuse(call, http.StatusNotFound, message)
}

func (s *service) stored(name string) string {
	if s.options.TrimNames {
		return strings.TrimSpace(name)
	}
	return name
}

// holder returns the group that has the token as its current one, and reports whether there is one.
func (s *service) holder(environment, token string) (Group, bool) {
	group, there := s.groups[scoped{environment, s.issued[scoped{environment, token}]}]
	return group, there && group.Token == token
}

func (s *service) create(call *Call, asked request) Group {
	group := s.put(s.applied(Group{ID: *asked.id, Environment: call.Environment}, asked))
	call.Created, call.TeamID = true, group.TeamID
	return group
}

func (s *service) put(group Group) Group {
	key := scoped{group.Environment, group.ID}
	group.TeamID = cmp.Or(group.TeamID, s.nextTeamID)
	if group.Token == "" {
		group.Token = newToken()
	}
	s.nextTeamID = max(s.nextTeamID, group.TeamID+1)
	s.groups[key] = group
	s.issued[scoped{group.Environment, group.Token}] = group.ID
	return group
}

// applied returns the group with the requested changes. It does not modify the mapping in place, because a caller of
// [Environment.Group] may share it.
func (s *service) applied(group Group, asked request) Group {
	merging := s.options.Updates == UpdatesMerge
	if asked.name != nil {
		group.Name = s.stored(*asked.name)
	}
	if asked.mapping != nil {
		mapping := map[string]string{}
		if merging {
			maps.Copy(mapping, group.Mapping)
		}
		maps.Copy(mapping, asked.mapping)
		group.Mapping = mapping
	}
	if asked.properties != nil {
		properties := asked.properties
		if merging && group.Properties != nil {
			properties = merged(group.Properties, properties)
		}
		group.Properties = properties
	}
	return group
}

func (s *service) userGroup(group Group, asked request) member {
	name, id, properties := orNull(group.Name), marshal(group.ID), group.Properties
	if s.options.Answers == AnswersEcho {
		name, id, properties = marshal(asked.name), marshal(asked.id), asked.properties
	}
	if properties == nil {
		properties = json.RawMessage("null")
	}
	fields := object{
		{"team_id", marshal(group.TeamID)},
		{"token", marshal(group.Token)},
		{"name", name},
		{"provided_id", id},
		{"properties", properties},
		{"api_environment_tag", orNull(group.Environment)},
	}
	fields = slices.DeleteFunc(fields, func(field member) bool {
		return slices.Contains(s.options.Omit, field.name) || slices.Contains(asked.omit, field.name)
	})
	return member{"user_group", fields.encode()}
}

func newToken() string { return "ugt_" + rand.Text() }
