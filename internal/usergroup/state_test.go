package usergroup_test

import (
	"slices"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/api"
	"github.com/dashembed/terraform-provider-embed/internal/usergroup"
)

// state is the resource in Terraform's state.
type state struct {
	exists  bool
	known   usergroup.Known
	name    string
	trigger int
	// stored is the value of store_token.
	stored bool
	// unseen means that the group may have another mapping than the one that was sent.
	unseen bool
	// rotatedAt is the value of token_rotated_at.
	rotatedAt time.Time
}

func (s state) asKnown() usergroup.Known {
	known := s.known
	known.Name, known.SinceRotation = s.name, time.Since(s.rotatedAt)
	return known
}

// learn copies a response into the state as the provider's model does.
func (s *state) learn(group api.UserGroup) {
	if group.TeamID != nil {
		s.known.TeamID = group.TeamID
	}
	if group.EnvironmentTag != nil {
		s.known.EnvironmentTag = group.EnvironmentTag
	}
	if !group.Token.IsZero() {
		s.known.Token, s.known.Fingerprint = group.Token, group.Token.Fingerprint()
	}
	if !s.stored {
		s.known.Token = api.Secret{}
	}
	if group.Name != nil {
		s.name = *group.Name
	}
}

// forget removes a token from those that were retired.
func (s *state) forget(token api.Secret) {
	is := func(fingerprint string) bool { return fingerprint == token.Fingerprint() }
	s.known.Retired = slices.DeleteFunc(slices.Clone(s.known.Retired), is)
}
