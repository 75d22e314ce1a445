package provider

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// TestProtocolOneIDAtTwoNewAddresses checks that a plan warns of the same ID at two new addresses, and that the apply
// creates the group for only one of them.
func TestProtocolOneIDAtTwoNewAddresses(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]protocolObject{"plain": protocolAcme(), "adopting": protocolAdopting()} {
		t.Run(name, func(t *testing.T) {
			p := protocolStart(t, emulator.Options{})
			one := p.plan(p.nothing(), config)
			one.diags.wantNone()
			another := p.planToo(p.nothing(), config)
			another.diags.wantWarning(`User group "acme" is planned twice`, "fails for the other", "Remove one of the two")
			p.planToo(p.nothing(), protocolWith(config, "user_group_id", "other")).diags.wantNone()

			state, diags := p.apply(one)
			diags.wantNone()
			none, diags := p.applyToo(another)
			diags.wantError(alreadyExists, "Nothing was changed", "another resource block")
			p.wantNoState(none)
			p.wantTruth(state, "acme")
			p.wantCalls("GET > GET")
		})
	}
}

// TestProtocolPlanOfADeletionAndACreation plans both orders, because engines plan two addresses in any order.
func TestProtocolPlanOfADeletionAndACreation(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())

	p.plan(old, nil).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantErrorAt("user_group_id", destroyedWanted,
		"moved block", "Nothing was changed")
	p.plan(p.nothing(), protocolAcme()).diags.wantNone()
	p.planToo(old, nil).diags.wantErrorAt("user_group_id", destroyedWanted, "-refresh=false")

	p.plan(p.nothing(), protocolAcme("user_group_id", "other")).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme("user_group_id", protocolUnknown)).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme("user_group_id", protocolUnknown)).diags.wantNone()
	p.planToo(old, nil).diags.wantNone()

	// A provider that is not configured yet refuses such plans as well.
	run := p.anotherProcess(protocolObject{"base_url": protocolUnknown})
	run.plan(old, nil).diags.wantNone()
	run.planToo(run.nothing(), protocolAcme()).diags.wantError(destroyedWanted)
	p.wantCalls("")
}

// TestProtocolPlanOfAGroupAtTwoAddresses covers a group that was imported a second time, to another address.
func TestProtocolPlanOfAGroupAtTwoAddresses(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	one := p.created(protocolAcme())
	another := p.imported("acme")
	another, _ = p.update(another, protocolAcme())
	p.service.ResetCounts()
	for _, config := range []protocolObject{protocolAcme(), protocolAcme("name", "New")} {
		p.plan(one, config).diags.wantNone()
		p.planToo(another, config).diags.wantErrorAt("user_group_id", `User group "acme" is in the state twice`,
			"Nothing was changed", "terraform state rm", "deletes nothing")

		// Destroying one of the two would destroy the group of the other.
		p.plan(one, config).diags.wantNone()
		p.planToo(another, nil).diags.wantError(destroyedWanted, "state rm", "deposed object")
		p.plan(another, nil).diags.wantNone()
		p.planToo(one, config).diags.wantError(destroyedWanted)
	}
	// Destroying both is allowed.
	p.plan(one, nil).diags.wantNone()
	p.planToo(another, nil).diags.wantNone()
	p.wantCalls("")
}

// TestProtocolPlanThatIsAskedForTwice covers engines that request more than one plan for an address, possibly without
// its prior state.
func TestProtocolPlanThatIsAskedForTwice(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(state, protocolAcme("name", "New")).diags.wantNone()
	// With -replace, an engine also plans a creation.
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantNone()
	// The engine changes its mind from destroying to keeping the group, and back.
	p.plan(state, nil).diags.wantNone()
	p.planToo(state, protocolAcme()).diags.wantNone()
	p.planToo(state, nil).diags.wantNone()
	p.wantCalls("")
}

func TestProtocolPlanOfExchangedIDs(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	one, another := p.created(protocolAcme()), p.created(protocolAcme("user_group_id", "other"))
	p.plan(one, protocolAcme("user_group_id", "other")).diags.wantNone()
	p.planToo(another, protocolAcme()).diags.wantErrors(`User group "other" is both managed and destroyed`)
	p.wantCalls("")
}

// TestProtocolPlanAfterTheOtherHalf checks that a creation or a deletion no longer conflicts with later plans once it
// was applied, even if it failed. With a replacement, the deletion of the old instance can be planned after the new
// one was created.
func TestProtocolPlanAfterTheOtherHalf(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	creation := p.plan(p.nothing(), protocolAcme())
	second(p.apply(creation)).wantError(alreadyExists)
	deletion := p.planToo(state, nil)
	deletion.diags.wantNone()
	second(p.applyToo(deletion)).wantNone()
	made, diags := p.applyToo(creation)
	diags.wantWarning(recreated)
	p.planToo(made, nil).diags.wantNone()
}

// TestProtocolPlanOfStatesWithoutMemory covers states of version 0.1, which do not identify the instance until the
// first refresh.
func TestProtocolPlanOfStatesWithoutMemory(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	state.private = nil
	p.wantSettled(state, protocolAcme())
	p.plan(state, nil).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantError(destroyedWanted)
	again := state
	state, again = p.refreshed(state), p.refreshed(again)
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(again, protocolAcme()).diags.wantError(`User group "acme" is in the state twice`)
	p.wantDestroyed(state)
}
