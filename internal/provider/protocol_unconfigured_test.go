package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// While an argument of the provider is unknown, nothing can be called: a refresh keeps what it has, a plan plans, and
// whatever would have to call says why it cannot.
func TestProtocolUnknownProviderArguments(t *testing.T) {
	t.Parallel()
	const title = "The provider is not configured yet"
	says := []string{"provider block", "not known before apply", "No call was made", "-target"}
	for _, argument := range protocolSchema().Provider.Block.Attributes {
		values := []any{protocolUnknown}
		if argument.Name == "headers" {
			values = append(values, protocolObject{"X-Tenant": protocolUnknown})
		}
		for _, value := range values {
			t.Run(argument.Name, func(t *testing.T) {
				t.Parallel()
				known := protocolStart(t, emulator.Options{})
				state := known.created(protocolAcme())
				p := known.anotherProcess(protocolObject{argument.Name: value})

				read := p.refreshed(state)
				if !read.value.Equal(state.value) {
					t.Errorf("a refresh changed %v to %v", state.members(), read.members())
				}
				p.wantSettled(read, protocolAcme())
				_, diags := p.create(protocolWith(protocolAcme(), protocolObject{"user_group_id": "new"}))
				diags.wantError(title, append(says, "Creating a user group")...)
				after, diags := p.update(state, protocolWith(protocolAcme(), protocolObject{"name": "New"}))
				diags.wantError(title, append(says, "Updating a user group")...)
				if !after.value.Equal(state.value) {
					t.Errorf("the update that was refused changed the state to %v", after.members())
				}
				_, diags = p.update(state, protocolNextQuarter(nil))
				diags.wantError(title, says...)
				_, diags = p.update(state, protocolWith(protocolAcme(), protocolObject{"deletion_protection": true}))
				diags.wantNone()
				after, diags = p.destroy(state)
				diags.wantError(title, append(says, "Deleting a user group")...)
				if after.value.IsNull() {
					t.Error("the group is out of the state and still at the service")
				}
				_, diags = p.imported("acme", nil)
				diags.wantError(title, append(says, "Importing a user group")...)
				_, diags = p.dataSource(protocolObject{"user_group_id": "acme"})
				diags.wantError(title, append(says, "Looking a user group up")...)
				_, diags = p.open(protocolObject{"user_group_id": "acme"})
				diags.wantError(title, append(says, "Reading a user group token")...)
				_, diags = p.invoke(protocolObject{"user_group_id": "acme"})
				diags.wantError(title, append(says, "Rotating a user group token")...)
				_, diags = p.list(protocolObject{"user_group_ids": []string{"acme"}}, 0, false)
				diags.wantError(title, append(says, "Listing user groups")...)
				p.wantCalls("")
			})
		}
	}
}

// An engine validates before it configures, and never with a provider that had an error; nothing may crash meanwhile.
// TestProtocolValidationOfNumbers: what needs neither the environment nor a file is said by `terraform validate` already.
func TestProtocolValidationOfNumbers(t *testing.T) {
	t.Parallel()
	p := protocolBare(t)
	for argument, value := range map[string]any{"max_retries": 0.5, "requests_per_second": 0.0} {
		config := protocolEncode(t, protocolValue(p.schema.Provider.ValueType(), protocolObject{argument: value}))
		validated, err := p.server.ValidateProviderConfig(p.ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
		p.must(err)
		if diags := p.diagnostics(validated.Diagnostics); len(diags.list) != 1 || !strings.Contains(diags.String(), argument) {
			t.Errorf("%s: %s", argument, diags)
		}
	}
}

func TestProtocolValidationNeedsNoConfiguration(t *testing.T) {
	t.Parallel()
	p := protocolBare(t)
	p.validate(protocolAcme()).wantNone()
	if plan := p.plan(p.nothing(), protocolAcme()); plan.action != "create" {
		t.Errorf("the plan is to %s:\n%s", plan.action, plan.diags)
	}
}
