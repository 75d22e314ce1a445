package api

import (
	"cmp"
	"html"
)

// This file has all that this package knows about the fields of a group, except which of them a log shows.

// GroupRequest is the body of a get-or-create or an update (interface section 2.1). A field that is nil or zero is not
// sent. An empty map and an empty object are.
type GroupRequest struct {
	UserGroupID string            `json:"user_group_id"` // the caller's own identifier of the group
	Name        *string           `json:"name,omitzero"`
	Mapping     map[string]string `json:"mapping,omitzero"`
	Properties  Properties        `json:"properties,omitzero"`
}

// UserGroup contains the fields of a group in a response (interface section 2.2). A field that is missing, null or of
// a type without an obvious meaning is nil or zero, and says nothing about the group. Name, ProvidedID and Properties
// may merely echo the request.
type UserGroup struct {
	TeamID         string // the service's internal ID of the group: a number in the contract, any text in practice
	Token          Secret // the user group token
	Name           *string
	ProvidedID     *string // the group's user_group_id
	Properties     Properties
	EnvironmentTag *string // returned by update and rotate only
}

// userGroup reads the fields of a group.
func (f fields) userGroup() UserGroup {
	group := UserGroup{
		TeamID: *cmp.Or(f.text("team_id"), new("")), Name: f.text("name"), ProvidedID: f.text("provided_id"),
		Token: f.token(), EnvironmentTag: f.tag("api_environment_tag"),
	}
	_ = group.Properties.UnmarshalJSON(f["properties"])
	return group
}

// Differences lists where a response contradicts the request: the name, and top-level keys of the properties.
type Differences struct {
	Name       bool
	Properties []string
}

// Any reports whether there is a difference.
func (d Differences) Any() bool { return d.Name || len(d.Properties) > 0 }

// Differences compares a request with the response. A field that either of them lacks is not a difference.
func (r GroupRequest) Differences(response UserGroup) (d Differences) {
	d.Name = r.Name != nil && response.Name != nil && !SameText(*r.Name, *response.Name)
	if !r.Properties.IsZero() && !response.Properties.IsZero() {
		d.Properties = r.Properties.Differences(response.Properties)
	}
	return d
}

// ShownBy reports whether a response shows every field of the request that a response to a lookup can show, and shows
// the same. It is false for a request without any such field.
func (r GroupRequest) ShownBy(response UserGroup) bool {
	if r.Name == nil && r.Properties.IsZero() || r.Differences(response).Any() {
		return false
	}
	showsName := r.Name == nil || response.Name != nil
	showsProperties := r.Properties.IsZero() || !response.Properties.IsZero()
	return showsName && showsProperties
}

// SameText reports whether two texts are the same in HTML. Services that escape what they store show another text than
// they were sent, and would escape it once more if it were sent back.
func SameText(a, b string) bool { return html.UnescapeString(a) == html.UnescapeString(b) }

// Over returns g with the fields that it lacks taken from an earlier response, except for ProvidedID.
func (g UserGroup) Over(earlier UserGroup) UserGroup {
	g.TeamID = cmp.Or(g.TeamID, earlier.TeamID)
	g.Token = cmp.Or(g.Token, earlier.Token)
	g.Name = cmp.Or(g.Name, earlier.Name)
	g.EnvironmentTag = cmp.Or(g.EnvironmentTag, earlier.EnvironmentTag)
	if g.Properties.IsZero() {
		g.Properties = earlier.Properties
	}
	return g
}

// WithoutEcho returns g without a name and properties that merely repeat the request. They say nothing about the group.
func (g UserGroup) WithoutEcho(of GroupRequest) UserGroup {
	if of.Name != nil && g.Name != nil && SameText(*of.Name, *g.Name) {
		g.Name = nil
	}
	if of.Properties.ShownBy(g.Properties) {
		g.Properties = Properties{}
	}
	return g
}

// ShowsMore reports whether g shows a name or a property that an earlier response did not show. Services fill in both,
// so what a group shows decides nothing.
func (g UserGroup) ShowsMore(earlier UserGroup) bool {
	before, now := cmp.Or(earlier.Name, new("")), cmp.Or(g.Name, new(""))
	isNamed := *now != "" && !SameText(*before, *now)
	return isNamed || g.Properties.Beyond(earlier.Properties)
}
