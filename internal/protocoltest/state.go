package protocoltest

import (
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// State is what an engine stores of an instance of the resource.
type State struct {
	Value    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
}

// Nothing is the state of a group that is not in the state.
func (p *Provider) Nothing() State { return State{Value: tftypes.NewValue(p.Type(), nil)} }

// state returns what a response contains. No state may contain unknown values.
func (p *Provider) state(
	encoded *tfprotov6.DynamicValue, private []byte, identity *tfprotov6.ResourceIdentityData,
) State {
	p.T.Helper()
	state := State{p.Decode(p.Type(), encoded), private, identity}
	if !state.Value.IsFullyKnown() {
		unknown := state.Members()
		maps.DeleteFunc(unknown, func(_ string, value any) bool { return value != Unknown })
		p.T.Errorf("an engine reports that %q are unknown in the state %v; setComputed and keepComputed set computed ones",
			slices.Sorted(maps.Keys(unknown)), state.Members())
	}
	return state
}

// Members returns the attributes of the state.
func (s State) Members() Object { return members(s.Value) }

// Get returns an attribute of the state.
func (s State) Get(attribute string) any { return s.Members()[attribute] }

// Token returns the token in the state, which must have one.
func (s State) Token() string { return s.Get("token").(string) }

// Edited returns the state with changes of its attributes, which are given in the form that With takes.
func (p *Provider) Edited(state State, changes ...any) State {
	state.Value = Value(p.Type(), With(state.Members(), changes...))
	return state
}

// WantState checks attributes of the state, which are given in the form that With takes.
func (p *Provider) WantState(state State, attributes ...any) {
	p.T.Helper()
	if state.Value.IsNull() {
		p.T.Fatalf("there is no state")
	}
	for name, value := range With(Object{}, attributes...) {
		if got := state.Get(name); !reflect.DeepEqual(got, value) {
			p.T.Errorf("%s is %#v in the state, want %#v", name, got, value)
		}
	}
}

// WantNoState checks that the state has no group.
func (p *Provider) WantNoState(state State) { p.T.Helper(); p.WantSame(state, p.Nothing()) }

// WantSame checks that no attribute in the state has changed.
func (p *Provider) WantSame(state, before State) {
	p.T.Helper()
	if !state.Value.Equal(before.Value) {
		p.T.Errorf("the state changed from %v to %v", before.Members(), state.Members())
	}
}

// WantTruth checks that the computed attributes in the state match the group at the service. api_environment_tag is
// null until a response has contained it.
func (p *Provider) WantTruth(state State, id string) {
	p.T.Helper()
	group := p.Group(id)
	token, team := any(group.Token), any(group.TeamID)
	if state.Get("store_token") == false {
		token = nil
	}
	if p.noTeams {
		team = nil
	}
	p.WantState(state, "user_group_id", id, "id", id,
		"team_id", team, "token", token, "token_fingerprint", Fingerprint(group.Token))
	if tag := state.Get("api_environment_tag"); tag != nil && tag != group.Environment {
		p.T.Errorf("api_environment_tag is %v in the state, want %q", tag, group.Environment)
	}
}

// WantIdentity checks that the identity names the group.
func (p *Provider) WantIdentity(identity *tfprotov6.ResourceIdentityData, id any) {
	p.T.Helper()
	if identity == nil {
		p.T.Fatalf("there is no identity")
	}
	if got := members(p.Decode(identityType, identity.IdentityData))["user_group_id"]; got != id {
		p.T.Errorf("the identity is %v, want %v", got, id)
	}
}
