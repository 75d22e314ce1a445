package api

import (
	"cmp"
	"html"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Differences lists where a response contradicts the request: the name, and top-level keys of the properties.
type Differences struct {
	Name       bool
	Properties []string
}

// Differences compares a request with the response. A field that either of them lacks is not a difference.
func (r GroupRequest) Differences(response UserGroup) (d Differences) {
	d.Name = r.Name != nil && response.Name != nil && *response.Name != *r.Name
	if !r.Properties.IsZero() && !response.Properties.IsZero() {
		d.Properties = r.Properties.Differences(response.Properties)
	}
	return d
}

// SameName reports whether a service that respells names shows the second name for the first one: with HTML entities,
// in another Unicode form, with other line ends, or trimmed.
func SameName(sent, shown string) bool {
	respelled := func(name string) string {
		return strings.ReplaceAll(norm.NFC.String(html.UnescapeString(strings.TrimSpace(name))), "\r\n", "\n")
	}
	return respelled(sent) == respelled(shown)
}

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
