package emulator

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
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
	if wrong := s.check(call.Method, asked); wrong != nil {
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

// check returns why the service refuses such a body whatever is stored, or nil.
func (s *service) check(method string, asked request) *refusal {
	byID := method == http.MethodGet || method == http.MethodPut
	switch {
	case byID && asked.ID == nil:
		return missing("user_group_id")
	case byID && s.options.NameRequired && s.isNameless(asked):
		return s.nameless()
	case !byID && asked.Token == nil && (method == http.MethodPost || asked.ID == nil):
		return missing("current_token")
	case method == http.MethodDelete && s.options.DataSourceRequired && asked.Source == nil:
		return missing("data_source_provided_id")
	case isLonger(asked.ID, s.options.MaxIDLength):
		return &refusal{http.StatusBadRequest, "user_group_id", "is too long"}
	case isLonger(asked.Name, s.options.MaxNameLength) && !s.options.CutNames:
		return &refusal{http.StatusBadRequest, "name", "is too long"}
	default:
		return nil
	}
}

func missing(field string) *refusal {
	return &refusal{http.StatusBadRequest, field, "is missing or empty"}
}

func (s *service) isNameless(asked request) bool {
	return asked.Name == nil || s.stored(*asked.Name) == ""
}

func (s *service) nameless() *refusal {
	wrong := missing("name")
	wrong.status = cmp.Or(s.options.MissingNameStatus, wrong.status)
	return wrong
}

func isLonger(text *string, most int) bool {
	return text != nil && most > 0 && utf8.RuneCountInString(*text) > most
}

func (s *service) getOrCreate(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, *asked.ID}]
	if !there {
		var wrong *refusal
		if group, wrong = s.create(call, asked); wrong != nil {
			return s.refuse(call, *wrong)
		}
	}
	if time.Now().Before(group.lagsUntil) {
		group.Token = group.previousToken
	}
	return success(member{"new_user_group", !there}, s.userGroup(group, asked))
}

func (s *service) update(call *Call, asked request) reply {
	group, there := s.groups[scoped{call.Environment, *asked.ID}]
	var wrong *refusal
	switch {
	case there:
		if s.options.Updates == UpdatesClear {
			group.Name, group.Mapping, group.Properties = "", nil, nil
		}
		group, wrong = s.save(call, group, asked, &call.Updated)
	case s.options.UpsertOnPut:
		group, wrong = s.create(call, asked)
	default:
		wrong = &absent
	}
	if wrong != nil {
		return s.refuse(call, *wrong)
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

// stored returns the name as the service stores it.
func (s *service) stored(name string) string {
	if s.options.TrimNames {
		name = strings.TrimSpace(name)
	}
	if s.options.CutNames && isLonger(&name, s.options.MaxNameLength) {
		name = string([]rune(name)[:s.options.MaxNameLength])
	}
	return name
}

// holder returns the group that has the token as its current one, and reports whether there is one.
func (s *service) holder(environment, token string) (Group, bool) {
	group, there := s.groups[scoped{environment, s.issued[scoped{environment, token}]}]
	return group, there && group.Token == token
}

func (s *service) create(call *Call, asked request) (Group, *refusal) {
	if s.options.NameRequiredToCreate && s.isNameless(asked) {
		return Group{}, s.nameless()
	}
	return s.save(call, Group{ID: *asked.ID, Environment: call.Environment}, asked, &call.Created)
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
