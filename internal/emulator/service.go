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
	issued     map[scoped]string
	nextTeamID int64
}

var (
	absent = refusal{http.StatusNotFound, "", "there is no user group with this user_group_id"}
	stale  = refusal{http.StatusNotFound, "", "current_token is not the current token of any user group"}
	others = refusal{http.StatusConflict, "", "current_token does not belong to the user group with this user_group_id"}
)

// answer performs the call and records in it what was done.
func (s *service) answer(call *Call, asked request) reply {
	if field := s.missing(call.Method, asked); field != "" {
		return s.refuse(call, refusal{http.StatusBadRequest, field, "is missing or empty"})
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

// missing returns a field that the call needs and lacks, or nothing.
func (s *service) missing(method string, asked request) string {
	byID := method == http.MethodGet || method == http.MethodPut
	switch {
	case byID && asked.ID == nil:
		return "user_group_id"
	case byID && s.options.NameRequired && (asked.Name == nil || s.stored(*asked.Name) == ""):
		return "name"
	case !byID && asked.Token == nil && (method == http.MethodPost || asked.ID == nil):
		return "current_token"
	default:
		return ""
	}
}

func (s *service) getOrCreate(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, *asked.ID}]
	if !there {
		group = s.create(call, asked)
	}
	if time.Now().Before(group.lagsUntil) {
		group.Token = group.previousToken
	}
	return success(member{"new_user_group", !there}, s.userGroup(group, asked))
}

func (s *service) update(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, *asked.ID}]
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
		return s.refuse(call, absent)
	}
	return success(s.userGroup(group, asked))
}

func (s *service) rotate(call *Call, asked request) reply {
	group, current := s.holder(call.Environment, *asked.Token)
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
	if asked.Token != nil {
		group, there = s.holder(call.Environment, *asked.Token)
		switch {
		case !there && !s.options.ForgivingDeletes:
			return s.refuseToken(call)
		case there && asked.ID != nil && *asked.ID != group.ID:
			return s.refuse(call, others)
		}
	}
	if !there && asked.ID != nil {
		group, there = s.groups[scoped{call.Environment, *asked.ID}]
	}
	switch {
	case there:
		delete(s.groups, scoped{group.Environment, group.ID})
		call.Deleted, call.TeamID = true, group.TeamID
	case !s.options.ForgivingDeletes:
		return s.refuse(call, absent)
	}
	return success()
}

func (s *service) refuseToken(call *Call) reply {
	if s.options.StaleTokenStatus == 0 {
		return s.refuse(call, stale)
	}
	return s.reject(call, refusal{s.options.StaleTokenStatus, "", stale.says})
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
	group := s.put(s.applied(Group{ID: *asked.ID, Environment: call.Environment}, asked))
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
	if asked.Name != nil {
		group.Name = s.stored(*asked.Name)
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
		group.Properties = properties
	}
	return group
}

func newToken() string { return "ugt_" + rand.Text() }
