package emulator

import (
	"cmp"
	"slices"
)

// Environment gives access to the groups that the API keys of one tag see. Its methods act behind the caller's back:
// they are not recorded as calls. Groups share their mapping and properties with the service: assign new ones to change
// them.
type Environment struct {
	emulator *Emulator
	tag      string
}

// In returns the environment of a tag. The Emulator itself is the environment of DefaultKey or, if that key does not
// exist, of the alphabetically first key.
func (e *Emulator) In(tag string) *Environment { return &Environment{emulator: e, tag: tag} }

// Seed stores a group, replacing one with the same ID, and returns it. It generates a missing token or team ID. If
// the group specifies an environment, Seed stores it there. Lookups see it at once.
func (v *Environment) Seed(group Group) Group {
	defer v.emulator.lock()()
	group.Environment = cmp.Or(group.Environment, v.tag)
	group = v.emulator.service.put(group)
	v.emulator.service.replicate(scoped{group.Environment, group.ID}, 0)
	return group
}

// Replace simulates another client that deletes the group, if it exists, and recreates it by looking it up: with a new
// token, with a team ID of its own unless [Options.ReuseTeamIDs] is set, and with nothing in it but the defaults.
func (v *Environment) Replace(id string) Group {
	defer v.emulator.lock()()
	v.emulator.service.remove(v.emulator.service.groups[scoped{v.tag, id}])
	group, _, _ := v.emulator.service.create(&Call{Environment: v.tag}, request{ID: id})
	return group
}

// Group returns the current group and reports whether it exists.
func (v *Environment) Group(id string) (Group, bool) {
	defer v.emulator.lock()()
	group, there := v.emulator.service.groups[scoped{v.tag, id}]
	return group, there
}

// Groups returns all groups of the environment, sorted by ID.
func (v *Environment) Groups() []Group {
	defer v.emulator.lock()()
	groups := []Group{}
	for _, group := range v.emulator.service.groups {
		if group.Environment == v.tag {
			groups = append(groups, group)
		}
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.ID, b.ID) })
	return groups
}

// Change edits the group, if it exists, as another client would. Changes of its ID or environment are ignored. edit
// must not use the emulator, which is locked.
func (v *Environment) Change(id string, edit func(*Group)) {
	defer v.emulator.lock()()
	group, there := v.emulator.service.groups[scoped{v.tag, id}]
	if there {
		edited := group
		edit(&edited)
		edited.ID, edited.Environment = group.ID, group.Environment
		v.emulator.service.put(edited)
	}
}

// RotateBehind rotates the token as another client would, and returns the new one, or "" if the group does not exist.
func (v *Environment) RotateBehind(id string) (token string) {
	v.Change(id, func(group *Group) {
		token = newToken()
		group.Token = token
	})
	return token
}

// Remove deletes the group, if it exists, as another client would.
func (v *Environment) Remove(id string) {
	defer v.emulator.lock()()
	v.emulator.service.remove(v.emulator.service.groups[scoped{v.tag, id}])
}
