package usergroup

import (
	"cmp"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
)

// Prior is what is known about a group: at first what the state has, then also what responses have shown. A field that
// is nil, zero or empty is unknown. Only the ID is required.
type Prior struct {
	ID             string
	Name           string
	TeamID         string
	Token          api.Secret
	Fingerprint    string // of the token; known even if the token is not stored
	EnvironmentTag *string
	// Stored returns what the state has of the name, the mapping and the properties, which messages mask. It may be nil,
	// and is called only if it is needed.
	Stored func() api.GroupRequest
	// Environment is the Result.Environment of an earlier operation on the group.
	Environment string
	// DataSourceProvidedID takes the place of the one in Settings.
	DataSourceProvidedID string
	// Previous is the fingerprint of the token that the last rotation replaced, and RotatedAt is when that was.
	Previous  string
	RotatedAt time.Time
	// Instance is the Result.Instance of the creation that brought the group into the state.
	Instance string
}

// isKnown reports whether there is more than an ID, so that the group is known to have existed. Each group has a token.
func (p Prior) isKnown() bool { return p.Fingerprint != "" }

// environment returns the environment of the group, or an empty text if it is unknown.
func (p Prior) environment() string {
	return *cmp.Or(p.EnvironmentTag, &p.Environment)
}

// with returns what is known after a response has shown the group.
func (p Prior) with(group api.UserGroup) Prior {
	p.TeamID = cmp.Or(group.TeamID, p.TeamID)
	if !group.Token.IsZero() {
		p.Token, p.Fingerprint = group.Token, group.Token.Fingerprint()
	}
	return p
}

// isAlso reports whether a group that this process has made is the other one: they have the same ID or the same token.
// Numbers are used again.
func (p Prior) isAlso(other Prior) bool {
	return p.ID == other.ID || p.Fingerprint == other.Fingerprint
}

// hasToken reports whether a response shows the known token, or the one before it.
func (p Prior) hasToken(group api.UserGroup) bool {
	fingerprint := group.Token.Fingerprint() // No token has that of the zero one.
	return fingerprint == p.Fingerprint || fingerprint == p.Previous
}

// isOther reports whether two texts differ. An empty one is unknown, and no other one.
func isOther(one, other string) bool { return one != "" && other != "" && one != other }

// hasOtherTeam reports whether a response shows another team_id than the known one.
func (p Prior) hasOtherTeam(group api.UserGroup) bool { return isOther(p.TeamID, group.TeamID) }

// isReplacedBy reports whether a response is about another group than the known one. With the same number, it is the
// known one with another token.
func (p Prior) isReplacedBy(group api.UserGroup) bool {
	return p.hasOtherTeam(group) && !p.hasToken(group)
}

// hasTeam reports whether a response shows the known team_id.
func (p Prior) hasTeam(group api.UserGroup) bool { return p.TeamID != "" && p.TeamID == group.TeamID }

// isSame reports whether a response is certainly about the known group. A service may renumber its groups, or change
// their tokens, but not both at once.
func (p Prior) isSame(group api.UserGroup) bool { return p.hasTeam(group) || p.hasToken(group) }

// isExactly reports whether a response shows the known token, and no other team_id. Where tokens follow from the ID, a
// group that is created again has the token of the one before it.
func (p Prior) isExactly(group api.UserGroup) bool {
	return p.hasToken(group) && !p.hasOtherTeam(group)
}

// isNamedBy reports whether a response shows the known ID or, without any, the known number.
func (p Prior) isNamedBy(group api.UserGroup) bool {
	shown := *cmp.Or(group.ProvidedID, new(""))
	return shown == p.ID || shown == "" && p.hasTeam(group)
}

// hasOtherID reports whether a response shows an ID other than the known one.
func (p Prior) hasOtherID(group api.UserGroup) bool {
	return isOther(p.ID, *cmp.Or(group.ProvidedID, new("")))
}

// longestLag is how long after a rotation a lookup may still show the previous token, if the service has replicas.
const longestLag = time.Minute

// isStale reports whether a lookup has returned the token from before the last rotation.
func (p Prior) isStale(token api.Secret) bool {
	isPrevious := token.Fingerprint() == p.Previous
	return isPrevious && time.Since(p.RotatedAt).Abs() < longestLag
}
