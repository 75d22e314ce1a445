package emulator

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"maps"
)

// Group is a user group as the service holds it: what the contract's request
// fields put there and what its response fields are read from.
type Group struct {
	// ID is the caller's own identifier, user_group_id and provided_id on the wire.
	ID string
	// Name is answered as null when it is empty: what a group made without a name
	// is called is a gap of the contract.
	Name string
	// Mapping is schema id to data source. No response carries it.
	Mapping map[string]string
	// Properties is the JSON text exactly as it was sent, nil when none was: it is
	// answered byte for byte, or as null.
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

func newToken() string { return "ugt_" + rand.Text() + rand.Text() }
