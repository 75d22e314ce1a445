package api

import (
	"cmp"

	"github.com/dashembed/terraform-provider-embed/internal/jsonobject"
)

// Differences is where an answer contradicts what was sent: the name, and top-level keys of the properties.
type Differences struct {
	Name                       bool
	Remained, Changed, Missing []string
}

// Any reports whether there is a difference.
func (d Differences) Any() bool { return d.Name || len(d.Remained)+len(d.Changed)+len(d.Missing) > 0 }

// Differences compares what was sent with what an answer tells. What either is silent about is no difference.
func (r GroupRequest) Differences(told UserGroup) (d Differences) {
	d.Name = r.Name != nil && told.Name != nil && *told.Name != *r.Name
	if !r.Properties.IsZero() && !told.Properties.IsZero() {
		d.Remained, d.Changed, d.Missing = jsonobject.Contradictions(r.Properties, told.Properties)
	}
	return d
}

// Over merges this response over an earlier one: fields that this one lacks keep their earlier value.
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
