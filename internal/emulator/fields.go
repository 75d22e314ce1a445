package emulator

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// This file has all that the service knows about single fields: what requests may contain, and how a group stores,
// compares, clears and shows it. TestEveryFieldIsTreatedLikeTheOthers names the place where a new field is forgotten.

// accepted has the fields of requests: what is wrong with a value, or nothing, and which operations accept the field.
var accepted = map[string]struct {
	wrong   func(value json.RawMessage) string
	methods []string
}{
	"name":                    {noText, lookupOrUpdate},
	"user_group_id":           {noIdentifier, []string{http.MethodGet, http.MethodPut, http.MethodDelete}},
	"mapping":                 {noTexts, lookupOrUpdate},
	"properties":              {noObject, lookupOrUpdate},
	"current_token":           {noIdentifier, []string{http.MethodPost, http.MethodDelete}},
	"data_source_provided_id": {noIdentifier, []string{http.MethodDelete}},
}

var lookupOrUpdate = []string{http.MethodGet, http.MethodPut}

// wrong returns what is wrong with a field of a request, or nothing.
func wrong(method, name string, value json.RawMessage) string {
	field := accepted[name]
	if !slices.Contains(field.methods, method) {
		return "does not belong to " + method
	}
	return field.wrong(value)
}

// noText returns why a value is no text, or nothing. So do the others for their kinds of values.
func noText(value json.RawMessage) string {
	if value[0] != '"' {
		return "is not a string"
	}
	return ""
}

func noIdentifier(value json.RawMessage) string {
	if string(value) == `""` {
		return "is empty"
	}
	return noText(value)
}

func noObject(value json.RawMessage) string {
	if _, err := members(value); err != nil {
		return err.Error()
	}
	return ""
}

func noTexts(value json.RawMessage) string {
	inside, _ := members(value)
	for _, member := range inside {
		if noText(member) != "" {
			return "has a value that is not a string"
		}
	}
	return noObject(value)
}

// request is a body, or as much of it as could be parsed. A zero field was missing or invalid.
type request struct {
	Name       *string           `json:"name"`
	ID         string            `json:"user_group_id"`
	Mapping    map[string]string `json:"mapping"`
	Properties json.RawMessage   `json:"properties"`
	Token      string            `json:"current_token"`
	Source     string            `json:"data_source_provided_id"`

	// omit lists the fields to leave out of user_group in the response.
	omit []string
}

// has returns the fields that a request has and that are not empty. An empty object is a value.
func (r request) has() (fields []string) {
	for field, isThere := range map[string]bool{
		"name":                    r.Name != nil && *r.Name != "",
		"user_group_id":           r.ID != "",
		"mapping":                 r.Mapping != nil,
		"properties":              r.Properties != nil,
		"current_token":           r.Token != "",
		"data_source_provided_id": r.Source != "",
	} {
		if isThere {
			fields = append(fields, field)
		}
	}
	return fields
}

// withoutEmpty returns a request without what is empty.
func (r request) withoutEmpty() request {
	if r.Name != nil && *r.Name == "" {
		r.Name = nil
	}
	if len(r.Mapping) == 0 {
		r.Mapping = nil
	}
	if inside, _ := members(r.Properties); len(inside) == 0 {
		r.Properties = nil
	}
	return r
}

// Group is a user group as the service stores it.
type Group struct {
	ID string // the caller's identifier: user_group_id in requests, provided_id in responses
	// Name can be empty. AnswersStored returns an empty name as null, because the contract does not define the name of a
	// group that was created without one.
	Name        string
	Mapping     map[string]string // from schema IDs to data sources; in no response
	Properties  json.RawMessage   // as sent, or nil
	Token       string            // the current user group token
	TeamID      int64             // the service's own ID; a group that is deleted and recreated gets a new one
	Environment string            // its tag

	// previousToken is what a GET shows as the token until lagsUntil.
	previousToken string
	lagsUntil     time.Time
	rotations     int // how many times it got another token
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
		group.Properties = properties
	}
	return group
}

// storedName returns as much of a name as the service stores.
func (o *Options) storedName(name string) string {
	if letters := []rune(name); o.CutNames > 0 && len(letters) > o.CutNames {
		return string(letters[:o.CutNames])
	}
	return name
}

// has reports whether the group has what another one has that the caller gives it.
func (g Group) has(other Group) bool {
	return g.Name == other.Name && maps.Equal(g.Mapping, other.Mapping) &&
		reflect.DeepEqual(decoded(g.Properties), decoded(other.Properties))
}

// decoded returns what a JSON text says, with its numbers as they are written.
func decoded(text json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

// cleared returns the group without what its caller gave it, except for the ID.
func (g Group) cleared() Group {
	g.Name, g.Mapping, g.Properties = "", nil, nil
	return g
}

// omitted lists the fields of user_group that the response to an operation lacks.
var omitted = map[string][]string{
	http.MethodGet:  {"api_environment_tag"},
	http.MethodPost: {"properties"},
}

// shownTeamID returns the number of a group as responses show it.
func (s *service) shownTeamID(id int64) any {
	if s.options.TextTeamIDs && id != 0 {
		return fmt.Sprintf("t-%04d", id)
	}
	return orNull(id)
}

var punctuation = regexp.MustCompile(`[^A-Za-z0-9]`)

// shownID returns an ID as responses spell it.
func (o Options) shownID(id string) string {
	if o.UpperIDs {
		id = strings.ToUpper(id)
	}
	if o.PlainIDs {
		id = punctuation.ReplaceAllString(id, "_")
	}
	return id
}

// userGroup returns what a response shows of a group.
func (s *service) userGroup(group Group, asked request) member {
	name, id, properties := orNull(group.Name), orNull(group.ID), group.Properties
	if s.options.Answers == AnswersEcho {
		name, id, properties = asked.Name, orNull(asked.ID), asked.Properties
	}
	if text, isText := id.(string); isText {
		id = s.options.shownID(text)
	}
	token := group.Token
	if s.options.SignedTokens {
		token += "." + rand.Text()
	}
	shown := object{
		{"team_id", s.shownTeamID(group.TeamID)},
		{"token", token},
		{"name", name},
		{"provided_id", id},
		{"properties", properties},
		{"api_environment_tag", orNull(group.Environment)},
	}
	return member{"user_group", slices.DeleteFunc(shown, func(field member) bool {
		return slices.Contains(s.options.Omit, field.name) || slices.Contains(asked.omit, field.name)
	})}
}
