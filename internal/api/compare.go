package api

import (
	"cmp"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Differences lists where a response contradicts the request: the name, and top-level keys of the properties.
type Differences struct {
	Name                       bool
	Remained, Changed, Missing []string
}

// Any reports whether there is a difference.
func (d Differences) Any() bool { return d.Name || len(d.Remained)+len(d.Changed)+len(d.Missing) > 0 }

// Differences compares a request with the response. A field that either of them lacks is not a difference.
func (r GroupRequest) Differences(response UserGroup) (d Differences) {
	d.Name = r.Name != nil && response.Name != nil && *response.Name != *r.Name
	if !r.Properties.IsZero() && !response.Properties.IsZero() {
		d.Remained, d.Changed, d.Missing = jsonobject.Contradictions(r.Properties, response.Properties)
	}
	return d
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
