package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// TestProtocolUnknownProviderArguments checks that there is no call while a provider argument is unknown. A refresh
// keeps the state, and a plan succeeds. Every operation that needs a call returns an error that explains why it
// cannot make one.
func TestProtocolUnknownProviderArguments(t *testing.T) {
	const title = "The provider is not configured yet"
	says := func(what string) []string {
		return []string{what, "provider block", "not known before apply", "No call was made", "-target"}
	}
	known := protocolStart(t, emulator.Options{})
	state := known.created(protocolAcme())
	for _, argument := range protocolSchema().Provider.Block.Attributes {
		p := known.anotherProcess(protocolObject{argument.Name: protocolUnknown})
		_, diags := p.create(protocolAcme("user_group_id", "new"))
		diags.wantError(title, says("Creating a user group")...)
	}
	p := known.anotherProcess(protocolObject{"headers": protocolObject{"X-Tenant": protocolUnknown}})
	p.wantSame(p.refreshed(state), state)
	p.wantSettled(state, protocolAcme())
	for _, config := range []protocolObject{protocolAcme("name", "New"), protocolNextQuarter()} {
		after, diags := p.update(state, config)
		diags.wantError(title, says("Updating a user group")...)
		p.wantSame(after, state)
	}
	p.updated(state, protocolAcme("deletion_protection", true))
	after, diags := p.destroy(state)
	diags.wantError(title, says("Deleting a user group")...)
	p.wantSame(after, state)
	second(p.importing("acme", nil)).wantError(title, says("Importing a user group")...)
	second(p.dataSource(byID("acme"))).wantError(title, says("Looking up a user group")...)
	second(p.open(byID("acme"))).wantError(title, says("Reading a user group token")...)
	second(p.invoke(byID("acme"))).wantError(title, says("Rotating a user group token")...)
	second(p.list(0, false, "acme")).wantError(title, says("Listing user groups")...)
	p.wantCalls("")
}

// TestProtocolValidationOfNumbers checks that `terraform validate` already reports invalid numbers, since they depend
// neither on the environment nor on a file.
func TestProtocolValidationOfNumbers(t *testing.T) {
	t.Parallel()
	p := protocolBare(t)
	for argument, value := range map[string]any{"max_retries": 0.5, "requests_per_second": 0.0} {
		config := p.encode(protocolValue(p.schema.Provider.ValueType(), protocolObject{argument: value}))
		validated, err := p.server.ValidateProviderConfig(p.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		p.must(err)
		diags := p.diagnostics(validated.Diagnostics)
		if len(diags.list) != 1 || !strings.Contains(diags.String(), argument) {
			t.Errorf("%s: %s", argument, diags)
		}
	}
}

// TestProtocolValidationNeedsNoConfiguration checks that validating and planning work before the provider is
// configured. Engines validate first, and never configure a provider that returned an error.
func TestProtocolValidationNeedsNoConfiguration(t *testing.T) {
	t.Parallel()
	p := protocolBare(t)
	p.validate(protocolAcme()).wantNone()
	if plan := p.plan(p.nothing(), protocolAcme()); plan.action != "create" {
		t.Errorf("the plan is to %s:\n%s", plan.action, plan.diags)
	}
}
