package usergroup_test

import (
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
}

func (s state) asKnown() usergroup.Known {
	known := s.known
	known.Name = s.name
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
