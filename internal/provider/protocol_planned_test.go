package provider

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const protocolDestroyedAndWanted = `User group "acme" is both destroyed and wanted`

// Engines order nothing between two addresses, in plans either.
func TestProtocolPlanOfADeletionAndACreation(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	old := p.created(protocolAcme())

	p.plan(old, nil).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantErrorAt("user_group_id", protocolDestroyedAndWanted, "moved block", "Nothing was changed", "-refresh=false")

	p.plan(p.nothing(), protocolAcme()).diags.wantNone()
	p.planToo(old, nil).diags.wantError(protocolDestroyedAndWanted)

	p.plan(p.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": "other"})).diags.wantNone()
	p.planToo(p.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": protocolUnknown})).diags.wantNone()
	p.planToo(p.nothing(), protocolWith(protocolAcme(), protocolObject{"user_group_id": protocolUnknown})).diags.wantNone()
	p.planToo(old, nil).diags.wantNone()

	// While the provider is not configured yet, plans are made all the same.
	run := protocolBare(t)
	run.service = p.service
	run.configure(protocolObject{"base_url": protocolUnknown, "api_key": protocolUnknown}).wantNone()
	run.plan(old, nil).diags.wantNone()
	run.planToo(run.nothing(), protocolAcme()).diags.wantError(protocolDestroyedAndWanted)
	p.wantCalls("")
}

// Two addresses have the same group: it was imported a second time.
func TestProtocolPlanOfAGroupAtTwoAddresses(t *testing.T) {
	t.Parallel()
	const title = `User group "acme" is in the state twice`
	p := protocolStart(t, emulator.Options{})
	first := p.created(protocolAcme())
	second, diags := p.imported("acme")
	diags.wantNone()
	second, _ = p.update(second, protocolAcme())
	p.service.ResetCounts()

	for _, config := range []protocolObject{protocolAcme(), protocolWith(protocolAcme(), protocolObject{"name": "New"})} {
		p.plan(first, config).diags.wantNone()
		p.planToo(second, config).diags.wantErrorAt("user_group_id", title, "Nothing was changed", "terraform state rm", "deletes nothing")

		// One of the two is to be destroyed: the group of the other with it.
		p.plan(first, config).diags.wantNone()
		p.planToo(second, nil).diags.wantError(protocolDestroyedAndWanted, "state rm", "deposed object")
		p.plan(second, nil).diags.wantNone()
		p.planToo(first, config).diags.wantError(protocolDestroyedAndWanted)
	}
	// Both are to be destroyed: that is what a group is destroyed for.
	p.plan(first, nil).diags.wantNone()
	p.planToo(second, nil).diags.wantNone()
	p.wantCalls("")
}

// Asked twice for one address, as engines ask where they cannot decide at once, and of a tainted one as if it were not there.
func TestProtocolPlanThatIsAskedForTwice(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(state, protocolAcme()).diags.wantNone()
	p.planToo(state, protocolWith(protocolAcme(), protocolObject{"name": "New"})).diags.wantNone()

	// A replacement that was asked for (-replace), and one of a tainted instance.
	p.plan(state, protocolAcme()).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantNone()
	p.plan(p.nothing(), protocolAcme()).diags.wantNone()

	// The answer changed its mind: kept after all, and destroyed after all.
	p.plan(state, nil).diags.wantNone()
	p.planToo(state, protocolAcme()).diags.wantNone()
	p.planToo(state, nil).diags.wantNone()
	p.wantCalls("")
}

func TestProtocolPlanOfExchangedIDs(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	other := protocolWith(protocolAcme(), protocolObject{"user_group_id": "other"})
	first, second := p.created(protocolAcme()), p.created(other)

	p.plan(first, other).diags.wantNone()
	p.planToo(second, protocolAcme()).diags.wantTitles(`User group "other" is both destroyed and wanted`)
	p.wantCalls("")
}

// What has been carried out, or tried, is over: the old instance of a replacement is planned for deletion after the new one.
func TestProtocolPlanAfterTheOtherHalf(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	creation := p.plan(p.nothing(), protocolAcme())
	_, diags := p.apply(creation)
	diags.wantError(`User group "acme" already exists`)
	deletion := p.planToo(state, nil)
	deletion.diags.wantNone()
	_, diags = p.applyToo(deletion)
	diags.wantNone()
	made, diags := p.applyToo(creation)
	diags.wantWarning(`User group "acme" was recreated`)
	p.planToo(made, nil).diags.wantNone()
}

// States of version 0.1 name no instance until the first refresh.
func TestProtocolPlanOfStatesWithoutMemory(t *testing.T) {
	t.Parallel()
	p := protocolStart(t, emulator.Options{})
	state := p.created(protocolAcme())
	state.private = nil
	p.wantSettled(state, protocolAcme())
	p.plan(state, nil).diags.wantNone()
	p.planToo(p.nothing(), protocolAcme()).diags.wantError(protocolDestroyedAndWanted)
	state = p.refreshed(state)
	p.plan(state, protocolAcme()).diags.wantNone()
	again, _ := p.imported("acme")
	p.planToo(state, protocolAcme()).diags.wantNone()
	p.planToo(again, protocolWith(protocolAcme(), protocolObject{"mapping": nil})).diags.wantError(`User group "acme" is in the state twice`)
	gone, diags := p.destroy(state)
	diags.wantNone()
	p.wantNoState(gone)
}
