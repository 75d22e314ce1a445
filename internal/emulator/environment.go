package emulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// Group is a user group as the service holds it.
type Group struct {
	// ID is the caller's own identifier, user_group_id and provided_id on the wire.
	ID string
	// Name is answered as null when it is empty: what a group made without a name is called, the contract leaves open.
	Name string
	// Mapping is schema id to data source. No response carries it.
	Mapping map[string]string
	// Properties is the JSON text as it was sent, nil when none was: it is answered byte for byte, or as null. Only what
	// the service merges is written anew.
	Properties json.RawMessage
	// Token is the current user group token.
	Token string
	// TeamID is the service's own id. A group that is deleted and made anew has another.
	TeamID int64
	// Environment is the tag of the environment that the group lives in.
	Environment string
}

func (g Group) clone() Group {
	g.Mapping = maps.Clone(g.Mapping)
	g.Properties = bytes.Clone(g.Properties)
	return g
}

// Environment is the groups that the keys of one tag see. What is done through it happens behind the caller's back: it
// is not a call and counts as none. Groups go in and come out as copies.
type Environment struct {
	emulator *Emulator
	tag      string
}

// In is the environment of a tag. The Emulator itself is that of DefaultKey or, where that key does not exist, of the
// first key by the alphabet.
func (e *Emulator) In(tag string) *Environment { return &Environment{emulator: e, tag: tag} }

// Seed puts a group there, in the place of one with the same id, and returns it with the token and the team id that it
// lacked. A group that names an environment of its own goes there.
func (v *Environment) Seed(group Group) Group {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group.Environment = cmp.Or(group.Environment, v.tag)
	return v.emulator.service.seed(group.clone()).clone()
}

// Replace simulates another client that deletes the group and recreates it by looking it up: with a new team ID, a new
// token, and nothing else in it.
func (v *Environment) Replace(id string) Group { return v.Seed(Group{ID: id}) }

// Group is the group as it is now.
func (v *Environment) Group(id string) (Group, bool) {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group, there := v.emulator.service.groups[v.emulator.service.key(v.tag, id)]
	return group.clone(), there
}

// Groups is every group of the environment, sorted by id.
func (v *Environment) Groups() []Group {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	groups := []Group{}
	for _, group := range v.emulator.service.groups {
		if group.Environment == v.tag {
			groups = append(groups, group.clone())
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.ID, b.ID) })
	return groups
}

// Change lets somebody else edit the group and says whether there is one. Its id and its environment stay what they
// are. edit must not use the emulator.
func (v *Environment) Change(id string, edit func(*Group)) bool {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group, there := v.emulator.service.groups[v.emulator.service.key(v.tag, id)]
	if there {
		edited := group.clone()
		edit(&edited)
		edited.ID, edited.Environment = group.ID, group.Environment
		v.emulator.service.seed(edited.clone())
	}
	return there
}

// RotateBehind lets somebody else rotate the token and returns the new one, or "" when there is no such group.
func (v *Environment) RotateBehind(id string) (token string) {
	v.Change(id, func(group *Group) {
		token = newToken()
		group.Token = token
	})
	return token
}

// Remove lets somebody else delete the group and says whether there was one.
func (v *Environment) Remove(id string) bool {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	key := v.emulator.service.key(v.tag, id)
	_, there := v.emulator.service.groups[key]
	delete(v.emulator.service.groups, key)
	delete(v.emulator.service.past, key)
	return there
}
