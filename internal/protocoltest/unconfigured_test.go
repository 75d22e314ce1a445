package protocoltest_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestUnknownProviderArgumentsMakeNoCall checks that there is no call while a provider argument is unknown. A refresh
// keeps the state, and a plan succeeds. Every operation that needs a call returns an error that explains why it cannot
// make one.
func TestUnknownProviderArgumentsMakeNoCall(t *testing.T) {
	says := func(what string) []string {
		return []string{what, "provider block", "not known before apply", "No call was made", "-target"}
	}
	known := start(t, emulator.Options{})
	state := known.Created(Acme())
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		_, diags := p.Create(Acme("user_group_id", "new"))
		diags.WantError(notConfigured, says("Creating a user group")...)
	}
	p := known.AnotherProcess(Object{"headers": Object{"X-Tenant": Unknown}})
	p.WantSame(p.Refreshed(state), state)
	p.WantSettled(state, Acme())
	for _, config := range []Object{Acme("name", "New"), NextQuarter()} {
		after, diags := p.Update(state, config)
		diags.WantError(notConfigured, says("Updating a user group")...)
		p.WantSame(after, state)
	}
	p.Updated(state, Acme("deletion_protection", true))
	after, diags := p.Destroy(state)
	diags.WantError(notConfigured, says("Deleting a user group")...)
	p.WantSame(after, state)
	second(p.Importing("acme", nil)).WantError(notConfigured, says("Importing a user group")...)
	second(p.DataSource(ByID("acme"))).WantError(notConfigured, says("Looking up a user group")...)
	second(p.Open(ByID("acme"))).WantError(notConfigured, says("Reading a user group token")...)
	second(p.Invoke(ByID("acme"))).WantError(notConfigured, says("Rotating a user group token")...)
	second(p.List(0, false, "acme")).WantError(notConfigured, says("Listing user groups")...)
	p.WantCalls("")
}

// TestValidationReportsInvalidNumbers checks that `terraform validate` already reports invalid numbers, since they
// depend neither on the environment nor on a file.
func TestValidationReportsInvalidNumbers(t *testing.T) {
	t.Parallel()
	p := bare(t)
	for argument, value := range map[string]any{"max_retries": 0.5, "max_deletions": 0.5, "requests_per_second": 0.0} {
		config := p.Encode(Value(p.Schema.Provider.ValueType(), Object{argument: value}))
		validated, err := p.Server.ValidateProviderConfig(t.Context(),
			&tfprotov6.ValidateProviderConfigRequest{Config: config})
		p.Must(err)
		diags := p.Diagnostics(validated.Diagnostics)
		if len(diags.List) != 1 || !strings.Contains(diags.String(), argument) {
			t.Errorf("%s: %s", argument, diags)
		}
	}
}

// TestValidationNeedsNoConfiguredProvider checks that validating and planning work before the provider is configured.
// Engines validate first, and never configure a provider that returned an error.
func TestValidationNeedsNoConfiguredProvider(t *testing.T) {
	t.Parallel()
	p := bare(t)
	p.Validate(Acme()).WantNone()
	if plan := p.Plan(p.Nothing(), Acme()); plan.Action != "create" {
		t.Errorf("the plan is to %s:\n%s", plan.Action, plan.Diags)
	}
}

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
