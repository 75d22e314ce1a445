package protocoltest_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestUnknownProviderArgumentDefersIfTheEngineAllowsIt is about engines that allow deferral.
// TestUnknownProviderArgumentsMakeNoCall is about all others.
func TestUnknownProviderArgumentDefersIfTheEngineAllowsIt(t *testing.T) {
	known := start(t, emulator.Options{})
	state := known.Created(Acme("deletion_protection", true))
	config := Value(known.Type(), Acme("user_group_id", "new"))
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		p.WalkDeferring().WantNone()
		wantDeferred(t, argument.Name, planned(p, p.Nothing(), config).Deferred)
	}
	known.WalkDeferring().WantNone()
	if deferred := planned(known, known.Nothing(), config).Deferred; deferred != nil {
		t.Errorf("a provider whose arguments are known deferred a plan: %v", deferred)
	}

	p := known.AnotherProcess(Object{"api_key": Unknown})
	p.WalkDeferring().WantNone()
	read, err := p.Server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: ResourceType, CurrentState: p.Encode(state.Value), Private: state.Private, CurrentIdentity: state.Identity,
	})
	p.Must(err)
	p.Diagnostics(read.Diagnostics).WantNone()
	wantDeferred(t, "a refresh", read.Deferred)
	p.WantSame(State{Value: p.Decode(p.Type(), read.NewState)}, state)

	// Plans are complete, and refuse what they refuse otherwise.
	creation := planned(p, p.Nothing(), config)
	p.Diagnostics(creation.Diagnostics).WantNone()
	computed, _ := Plain(p.Decode(p.Type(), creation.PlannedState)).(Object)
	for _, name := range []string{"id", "token", "token_fingerprint", "team_id"} {
		if computed[name] != Unknown {
			t.Errorf("%s is planned as %v, want unknown", name, computed[name])
		}
	}
	p.Diagnostics(planned(p, state, p.Nothing().Value).Diagnostics).WantErrorAt("deletion_protection", isProtected)

	imported, err := p.Server.ImportResourceState(t.Context(),
		&tfprotov6.ImportResourceStateRequest{TypeName: ResourceType, ID: "acme"})
	p.Must(err)
	p.Diagnostics(imported.Diagnostics).WantNone()
	wantDeferred(t, "an import", imported.Deferred)

	for name, schema := range p.Schema.DataSourceSchemas {
		config := ByID("acme")
		if name == "embed_user_groups" {
			config = Object{"user_group_ids": []any{"acme"}}
		}
		data, err := p.Server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
			TypeName: name, Config: p.Encode(Value(schema.ValueType(), config)),
		})
		p.Must(err)
		p.Diagnostics(data.Diagnostics).WantNone()
		wantDeferred(t, "the data source "+name, data.Deferred)
	}
	for name, schema := range p.Schema.EphemeralResourceSchemas {
		opened, err := p.Server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{
			TypeName: name, Config: p.Encode(Value(schema.ValueType(), ByID("acme"))),
		})
		p.Must(err)
		p.Diagnostics(opened.Diagnostics).WantNone()
		wantDeferred(t, "the ephemeral resource "+name, opened.Deferred)
	}
	for name, schema := range p.Schema.ActionSchemas {
		rotation, err := p.Server.PlanAction(t.Context(), &tfprotov6.PlanActionRequest{
			ActionType: name, Config: p.Encode(Value(schema.Schema.ValueType(), ByID("acme"))),
		})
		p.Must(err)
		p.Diagnostics(rotation.Diagnostics).WantNone()
		wantDeferred(t, "the action "+name, rotation.Deferred)
	}
	p.WantCalls("")
}

// planned plans to create a group, or to destroy it if config is null.
func planned(p *Provider, prior State, config tftypes.Value) *tfprotov6.PlanResourceChangeResponse {
	p.T.Helper()
	resp, err := p.Server.PlanResourceChange(p.T.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: ResourceType, PriorState: p.Encode(prior.Value), ProposedNewState: p.Encode(config),
		Config: p.Encode(config), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
	})
	p.Must(err)
	return resp
}

func wantDeferred(t *testing.T, what string, deferred *tfprotov6.Deferred) {
	t.Helper()
	if deferred == nil || deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("%s: want it deferred because the configuration of the provider is unknown, got %v", what, deferred)
	}
}
