package emulator

import (
	"cmp"
	"slices"
)

// Environment is the groups that the keys of one tag see. What is done through
// it happens behind the caller's back: it is not a call and counts as none.
// Groups go in and come out as copies.
type Environment struct {
	emulator *Emulator
	tag      string
}

// In is the environment of a tag. The Emulator itself is that of DefaultKey or,
// where that key does not exist, of the alphabetically first one.
func (e *Emulator) In(tag string) *Environment { return &Environment{emulator: e, tag: tag} }

// Seed puts a group there, in the place of one with the same id, and returns it
// with the token and the team id that it lacked. A group that names an
// environment of its own goes there.
func (v *Environment) Seed(group Group) Group {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group = group.clone()
	group.Environment = cmp.Or(group.Environment, v.tag)
	return v.emulator.service.put(&group).clone()
}

// Group is the group as it is now, and whether there is one.
func (v *Environment) Group(id string) (Group, bool) {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group := v.find(id)
	if group == nil {
		return Group{}, false
	}
	return group.clone(), true
}

// Groups is every group of the environment, sorted by id.
func (v *Environment) Groups() []Group {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	groups := []Group{}
	for key, group := range v.emulator.service.groups {
		if key.environment == v.tag {
			groups = append(groups, group.clone())
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.ID, b.ID) })
	return groups
}

// Change lets somebody else edit the group and says whether there is one. The
// id and the environment stay what they are. edit must not use the emulator.
func (v *Environment) Change(id string, edit func(*Group)) bool {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group := v.find(id)
	if group == nil {
		return false
	}
	edited := group.clone()
	edit(&edited)
	stored := edited.clone()
	stored.ID, stored.Environment = id, v.tag
	v.emulator.service.put(&stored)
	return true
}

// Remove lets somebody else delete the group and says whether there was one.
func (v *Environment) Remove(id string) bool {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	existed := v.find(id) != nil
	delete(v.emulator.service.groups, groupKey{v.tag, id})
	return existed
}

// RotateBehind lets somebody else rotate the token and returns the new one, or
// "" when there is no such group.
func (v *Environment) RotateBehind(id string) (token string) {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	group := v.find(id)
	if group == nil {
		return ""
	}
	v.emulator.service.setToken(group, newToken())
	return group.Token
}

// Replace lets somebody else delete the group and make it anew by asking for its
// id: another team id, another token, and nothing else in it.
func (v *Environment) Replace(id string) Group {
	v.emulator.mu.Lock()
	defer v.emulator.mu.Unlock()
	return v.emulator.service.put(&Group{ID: id, Environment: v.tag}).clone()
}

func (v *Environment) find(id string) *Group {
	return v.emulator.service.groups[groupKey{v.tag, id}]
}
