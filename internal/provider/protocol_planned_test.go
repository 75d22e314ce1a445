package provider

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// One id at two new addresses: told at plan, and made for one of them alone.
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

// Engines order nothing between two addresses, in plans either.
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

	// While the provider is not configured yet, plans are made all the same.
	run := p.anotherProcess(protocolObject{"base_url": protocolUnknown})
	run.plan(old, nil).diags.wantNone()
	run.planToo(run.nothing(), protocolAcme()).diags.wantError(destroyedWanted)
	p.wantCalls("")
}

// Two addresses have the same group: it was imported a second time.
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

		// One of the two is to be destroyed: the group of the other with it.
		p.plan(one, config).diags.wantNone()
		p.planToo(another, nil).diags.wantError(destroyedWanted, "state rm", "deposed object")
		p.plan(another, nil).diags.wantNone()
		p.planToo(one, config).diags.wantError(destroyedWanted)
	}
	// Both are to be destroyed: that is what a group is destroyed for.
	p.plan(one, nil).diags.wantNone()
	p.planToo(another, nil).diags.wantNone()
	p.wantCalls("")
}

// Asked twice for one address, as engines ask where they cannot decide at once, or as if it were not there.
func TestProtocolPlanThatIsAskedForTwice(t *testing.T) {
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(state, protocolAcme("name", "New")).diags.wantNone()
	// A replacement that was asked for (-replace).
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantNone()
	// Kept after all, and destroyed after all.
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

// What has been carried out, or tried, is over: the old instance of a replacement is planned for deletion after the new
// one.
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

// States of version 0.1 name no instance until the first refresh.
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
