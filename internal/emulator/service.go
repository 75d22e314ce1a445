package emulator

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

type groupKey struct{ environment, id string }

type tokenKey struct{ environment, token string }

// service holds the groups and does the four operations on them. It knows
// neither HTTP connections nor faults, and its caller holds the lock.
type service struct {
	options Options
	groups  map[groupKey]*Group
	// issued keeps the tokens that are no longer current too: a stale token still
	// tells which group a call is about.
	issued     map[tokenKey]string
	teamIDs    map[int64]bool
	nextTeamID int64
	// lagging are groups as they were, until reads show them as they are.
	lagging map[groupKey]*lag
}

type lag struct {
	group Group
	until time.Time
}

func newService(options Options) *service {
	return &service{
		options:    options,
		groups:     map[groupKey]*Group{},
		issued:     map[tokenKey]string{},
		teamIDs:    map[int64]bool{},
		nextTeamID: options.FirstTeamID,
		lagging:    map[groupKey]*lag{},
	}
}

func (s *service) answer(method, environment string, body []byte) answer {
	asked, err := parseRequest(method, body)
	if err != nil {
		return s.refuse(http.StatusBadRequest, err.Error())
	}
	if asked.id != nil && s.options.IDs == IDsLowerCase {
		stored := strings.ToLower(*asked.id)
		asked.stored = &stored
	} else {
		asked.stored = asked.id
	}
	switch method {
	case http.MethodGet:
		return s.getOrCreate(environment, asked)
	case http.MethodPut:
		return s.update(environment, asked)
	case http.MethodPost:
		return s.rotate(environment, asked)
	default:
		return s.delete(environment, asked)
	}
}

func (s *service) refuse(status int, message string) answer {
	if s.options.Refusals == RefusalsSuccessZero {
		status = http.StatusOK
	}
	return refuseByStatus(status, message)
}

func (s *service) getOrCreate(environment string, asked request) answer {
	if missing := s.missingField(asked); missing != "" {
		return s.refuse(http.StatusBadRequest, "the field "+missing+" is missing")
	}
	key := groupKey{environment, *asked.stored}
	if old := s.lagging[key]; old != nil && time.Now().Before(old.until) {
		isNew := false
		return answer{status: http.StatusOK, isNew: &isNew, group: s.describe(&old.group, asked, "properties")}
	}
	group := s.groups[key]
	isNew := group == nil
	done := nothing
	if isNew {
		group = s.create(environment, asked)
		done = created
	}
	return answer{status: http.StatusOK, effect: done, about: group, isNew: &isNew, group: s.describe(group, asked, "properties")}
}

func (s *service) update(environment string, asked request) answer {
	if missing := s.missingField(asked); missing != "" {
		return s.refuse(http.StatusBadRequest, "the field "+missing+" is missing")
	}
	group := s.groups[groupKey{environment, *asked.stored}]
	done := updated
	switch {
	case group != nil:
		s.lagBehind(group)
		s.apply(group, asked)
	case s.options.UpsertOnPut:
		group = s.create(environment, asked)
		done = created
	default:
		return s.refuse(http.StatusNotFound, "there is no user group with this user_group_id")
	}
	return answer{status: http.StatusOK, effect: done, about: group, group: s.describe(group, asked, "properties", "api_environment_tag")}
}

func (s *service) rotate(environment string, asked request) answer {
	if asked.token == nil {
		return s.refuse(http.StatusBadRequest, "the field current_token is missing")
	}
	group := s.holder(environment, *asked.token)
	if group == nil {
		return s.refuseToken()
	}
	s.lagBehind(group)
	s.setToken(group, newToken())
	return answer{status: http.StatusOK, effect: rotated, about: group, group: s.describe(group, asked, "api_environment_tag")}
}

func (s *service) delete(environment string, asked request) answer {
	if asked.token == nil && asked.id == nil {
		return s.refuse(http.StatusBadRequest, "neither the field current_token nor the field user_group_id is given")
	}
	var group *Group
	if asked.token != nil {
		group = s.holder(environment, *asked.token)
		switch {
		case group == nil && !s.options.ForgivingDeletes:
			return s.refuseToken()
		case group != nil && asked.id != nil && *asked.stored != group.ID:
			return s.refuse(http.StatusConflict, "current_token belongs to another user group than user_group_id names")
		}
	}
	if group == nil && asked.id != nil {
		group = s.groups[groupKey{environment, *asked.stored}]
	}
	switch {
	case group == nil && s.options.ForgivingDeletes:
		return answer{status: http.StatusOK}
	case group == nil:
		return s.refuse(http.StatusNotFound, "there is no user group with this user_group_id")
	}
	s.lagBehind(group)
	delete(s.groups, groupKey{environment, group.ID})
	return answer{status: http.StatusOK, effect: deleted, about: group}
}

func (s *service) refuseToken() answer {
	const message = "current_token is not the current token of a user group"
	if s.options.StaleTokenStatus != 0 {
		return refuseByStatus(s.options.StaleTokenStatus, message)
	}
	return s.refuse(http.StatusNotFound, message)
}

// lagBehind has the next reads show the group as it is now, before it is changed.
func (s *service) lagBehind(group *Group) {
	s.lagging[groupKey{group.Environment, group.ID}] = &lag{group: group.clone(), until: time.Now().Add(s.options.ReadLag)}
}

func (s *service) missingField(asked request) string {
	if asked.id == nil {
		return fieldID
	}
	if s.options.NameRequired && (asked.name == nil || *asked.name == "") {
		return fieldName
	}
	return ""
}

func (s *service) create(environment string, asked request) *Group {
	group := &Group{ID: *asked.stored, Environment: environment}
	s.apply(group, asked)
	return s.put(group)
}

func (s *service) put(group *Group) *Group {
	if group.TeamID == 0 {
		for s.teamIDs[s.nextTeamID] {
			s.nextTeamID++
		}
		group.TeamID = s.nextTeamID
	}
	s.teamIDs[group.TeamID] = true
	if group.Token == "" {
		group.Token = newToken()
	}
	s.groups[groupKey{group.Environment, group.ID}] = group
	s.setToken(group, group.Token)
	return group
}

func (s *service) apply(group *Group, asked request) {
	if asked.name != nil {
		group.Name = *asked.name
		if s.options.TrimNames {
			group.Name = strings.TrimSpace(group.Name)
		}
	}
	merging := s.options.Updates == UpdatesMerge
	if asked.mapping != nil {
		if merging && group.Mapping != nil {
			maps.Copy(group.Mapping, asked.mapping)
		} else {
			group.Mapping = asked.mapping
		}
	}
	if asked.properties != nil {
		if merging && group.Properties != nil {
			group.Properties = mergeProperties(group.Properties, asked.properties)
		} else {
			group.Properties = asked.properties
		}
		if s.options.AddsProperty {
			group.Properties = mergeProperties(group.Properties, json.RawMessage(`{"added_by_the_service":true}`))
		}
	}
}

func (s *service) setToken(group *Group, token string) {
	group.Token = token
	s.issued[tokenKey{group.Environment, token}] = group.ID
}

func (s *service) holder(environment, token string) *Group {
	group := s.groups[groupKey{environment, s.issued[tokenKey{environment, token}]}]
	if group == nil || group.Token != token {
		return nil
	}
	return group
}

func (s *service) describe(group *Group, asked request, extra ...string) object {
	name, id, properties := stringOrNull(group.Name), encodeString(group.ID), group.Properties
	if s.options.Answers == AnswersEcho {
		name, id, properties = echoOrNull(asked.name), echoOrNull(asked.id), asked.properties
	}
	described := object{
		{"team_id", strconv.AppendInt(nil, group.TeamID, 10)},
		{"token", encodeString(group.Token)},
		{"name", name},
		{"provided_id", id},
	}
	optional := map[string]json.RawMessage{
		"properties":          rawOrNull(properties),
		"api_environment_tag": stringOrNull(group.Environment),
	}
	for _, field := range extra {
		described = append(described, member{field, optional[field]})
	}
	return slices.DeleteFunc(described, func(m member) bool { return slices.Contains(s.options.Omit, m.name) })
}
