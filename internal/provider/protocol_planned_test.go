package provider

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const protocolDestroyedAndWanted = `User group "acme" is to be destroyed at one address and is wanted at another`

// Engines order nothing between two addresses, in plans either.
func TestProtocolPlanOfADeletionAndACreation(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())

	run := p.anotherProcess(nil)
	run.plan(old, nil).diags.wantNone()
	run.plan(run.nothing(), protocolAcme()).diags.wantError(protocolDestroyedAndWanted, "moved block", "Nothing was changed", "-refresh=false")

	run = p.anotherProcess(nil)
	run.plan(run.nothing(), protocolAcme()).diags.wantNone()
	run.plan(old, nil).diags.wantError(protocolDestroyedAndWanted)

	run = p.anotherProcess(nil)
	run.plan(run.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": "other"})).diags.wantNone()
	run.plan(run.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": protocolUnknown})).diags.wantNone()
	run.plan(old, nil).diags.wantNone()
	p.wantCalls("")
}

// Two addresses have the same group, by an import beside the old address or by a replacement that was cut short.
func TestProtocolPlanOfADeletionOfAGroupThatIsKept(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())

	for name, config := range map[string]protocolObject{"as it is": protocolAcme(), "with an update": protocolWith(protocolAcme(), protocolObject{"name": "New"})} {
		run := p.anotherProcess(nil)
		run.plan(state, config).diags.wantNone()
		run.plan(state, nil).diags.wantError(protocolDestroyedAndWanted, "state rm", "deposed object")
		run = p.anotherProcess(nil)
		run.plan(state, nil).diags.wantNone()
		if plan := run.plan(state, config); plan.action != "refused" {
			t.Errorf("%s: the plan is to %s", name, plan.action)
		}
	}
	p.wantCalls("")
}

func TestProtocolPlanOfExchangedIDs(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	other := protocolWith(protocolAcme(), protocolObject{"user_group_id": "other"})
	first, second := p.created(protocolAcme()), p.created(other)

	run := p.anotherProcess(nil)
	run.plan(first, other).diags.wantNone()
	diags := run.plan(second, protocolAcme()).diags
	if len(diags.list) != 2 {
		t.Errorf("want an error for each group, got %v", diags)
	}
	p.wantCalls("")
}

// What has been carried out is over: the old instance of a replacement is planned for deletion only after the new one was made.
func TestProtocolPlanAfterTheOtherHalfWasDone(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	_, diags := p.apply(p.plan(state, nil))
	diags.wantNone()
	state, diags = p.create(protocolAcme())
	diags.wantNone()
	p.plan(state, nil).diags.wantNone()
}

// So is what was tried and failed.
func TestProtocolPlanAfterTheOtherHalfFailed(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	run := p.anotherProcess(nil)
	deletion := run.plan(state, nil)
	deletion.diags.wantNone()
	p.service.Fail(emulator.Fault{Method: http.MethodDelete, Kind: emulator.TooMany429})
	_, diags := run.apply(deletion)
	diags.wantError(`Cannot delete user group "acme"`)
	creation := run.plan(run.nothing(), protocolAcme())
	creation.diags.wantNone()
	_, diags = run.apply(creation)
	diags.wantError(`User group "acme" already exists`)
	run.plan(state, nil).diags.wantNone()
}

// While the provider is not configured yet, plans are made all the same.
func TestProtocolPlanOfADeletionAndACreationUnconfigured(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())
	run := protocolBare(t)
	run.service = p.service
	run.configure(protocolObject{"base_url": protocolUnknown, "api_key": protocolUnknown}).wantNone()
	run.plan(old, nil).diags.wantNone()
	run.plan(run.nothing(), protocolAcme()).diags.wantError(protocolDestroyedAndWanted)
}
