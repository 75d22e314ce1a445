package protocoltest_test

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestOneIDAtTwoNewAddressesIsCreatedOnce checks that a plan warns of the same ID at two new addresses, and that the
// apply creates the group for only one of them.
func TestOneIDAtTwoNewAddressesIsCreatedOnce(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]Object{"plain": Acme(), "adopting": adopting()} {
		t.Run(name, func(t *testing.T) {
			p := start(t, emulator.Options{})
			one := p.Plan(p.Nothing(), config)
			one.Diags.WantNone()
			another := p.PlanToo(p.Nothing(), config)
			another.Diags.WantWarning(`User group "acme" is planned twice`, "fail for the other", "Remove one of the two")
			p.PlanToo(p.Nothing(), With(config, "user_group_id", "other")).Diags.WantNone()

			state := Silent(p.Apply(one))
			second(p.ApplyToo(another)).WantError(alreadyExists, "Nothing was changed", "another resource block")
			p.WantTruth(state, "acme")
			p.WantCalls("GET > GET")
		})
	}
}

// TestPlanRefusesToDeleteAndCreateTheSameID checks that a plan that deletes and creates the same ID at two addresses is
// refused, in whichever order the engine plans them.
func TestPlanRefusesToDeleteAndCreateTheSameID(t *testing.T) {
	p := start(t, emulator.Options{})
	old := p.Created(Acme())

	p.Plan(old, nil).Diags.WantNone()
	p.PlanToo(p.Nothing(), Acme()).Diags.WantErrorAt("user_group_id", destroyedWanted,
		"moved block", "Nothing was changed")
	p.Plan(p.Nothing(), Acme()).Diags.WantNone()
	p.PlanToo(old, nil).Diags.WantErrorAt("user_group_id", destroyedWanted, "-refresh=false")

	p.Plan(p.Nothing(), Acme("user_group_id", "other")).Diags.WantNone()
	p.PlanToo(p.Nothing(), Acme("user_group_id", Unknown)).Diags.WantNone()
	p.PlanToo(p.Nothing(), Acme("user_group_id", Unknown)).Diags.WantNone()
	p.PlanToo(old, nil).Diags.WantNone()

	// Two groups cannot exchange their IDs.
	other := p.Created(Acme("user_group_id", "other"))
	p.Plan(old, Acme("user_group_id", "other")).Diags.WantNone()
	p.PlanToo(other, Acme()).Diags.WantError(`User group "other" is both managed and destroyed`)

	// A provider that is not configured yet refuses such plans as well.
	run := p.AnotherProcess(Object{"base_url": Unknown})
	run.Plan(old, nil).Diags.WantNone()
	run.PlanToo(run.Nothing(), Acme()).Diags.WantError(destroyedWanted)
	p.WantCalls("")
}

// TestPlanRefusesAGroupAtTwoAddresses checks that a plan is refused if a group was imported a second time, to another
// address, unless both are destroyed.
func TestPlanRefusesAGroupAtTwoAddresses(t *testing.T) {
	p := start(t, emulator.Options{})
	one := p.Created(Acme())
	another := p.Imported("acme")
	another, _ = p.Update(another, Acme())
	p.Service.ResetCounts()
	for _, config := range []Object{Acme(), Acme("name", "New")} {
		p.Plan(one, config).Diags.WantNone()
		p.PlanToo(another, config).Diags.WantErrorAt("user_group_id", `User group "acme" is in the state twice`,
			"Nothing was changed", "terraform state rm", "does not delete the group")

		// Destroying one of the two would destroy the group of the other.
		p.Plan(one, config).Diags.WantNone()
		p.PlanToo(another, nil).Diags.WantError(destroyedWanted, "state rm", "deposed object")
		p.Plan(another, nil).Diags.WantNone()
		p.PlanToo(one, config).Diags.WantError(destroyedWanted)
	}
	// Destroying both is allowed.
	p.Plan(one, nil).Diags.WantNone()
	p.PlanToo(another, nil).Diags.WantNone()
	p.WantCalls("")
}

// TestPlanOfOneAddressCanBeRepeated checks that an engine can request more than one plan for an address, possibly
// without its prior state.
func TestPlanOfOneAddressCanBeRepeated(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	p.Plan(state, Acme()).Diags.WantNone()
	p.PlanToo(state, Acme("name", "New")).Diags.WantNone()
	// With -replace, an engine also plans a creation.
	p.Plan(state, Acme()).Diags.WantNone()
	p.PlanToo(p.Nothing(), Acme()).Diags.WantNone()
	// The engine changes its mind from destroying to keeping the group, and back.
	p.Plan(state, nil).Diags.WantNone()
	p.PlanToo(state, Acme()).Diags.WantNone()
	p.PlanToo(state, nil).Diags.WantNone()
	p.WantCalls("")
}

// TestPlanConflictsOnlyWithWhatIsNotAppliedYet checks that a creation or a deletion no longer conflicts with later
// plans once it was applied, even if it failed. With a replacement, the deletion of the old instance can be planned
// after the new one was created. Terraform 1.16 uses one process for all runs of a test file with a provider block.
func TestPlanConflictsOnlyWithWhatIsNotAppliedYet(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	creation := p.Plan(p.Nothing(), Acme())
	second(p.Apply(creation)).WantError(alreadyExists)
	deletion := p.PlanToo(state, nil)
	deletion.Diags.WantNone()
	second(p.ApplyToo(deletion)).WantNone()
	made, diags := p.ApplyToo(creation)
	diags.WantWarning(recreated, "has a new token and a new team_id", "moved block")
	made, diags = p.ApplyToo(p.PlanToo(made, Acme("name", "New")))
	diags.WantNone() // The warning appears only once.
	second(p.ReadToo(made)).WantNone()
	second(p.ApplyToo(p.PlanToo(made, nil))).WantNone()
	p.WantGroups()
	// In one process, the engine plans a creation twice.
	made, _ = p.ApplyToo(p.PlanToo(p.Nothing(), Acme()))
	p.PlanToo(made, nil).Diags.WantNone()
}

// TestPlanOfStatesOfVersion01 checks that states of version 0.1, which do not identify the instance until the first
// refresh, can be planned.
func TestPlanOfStatesOfVersion01(t *testing.T) {
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	state.Private = nil
	p.WantSettled(state, Acme())
	p.Plan(state, nil).Diags.WantNone()
	p.PlanToo(p.Nothing(), Acme()).Diags.WantError(destroyedWanted)
	again := state
	state, again = p.Refreshed(state), p.Refreshed(again)
	p.Plan(state, Acme()).Diags.WantNone()
	p.PlanToo(again, Acme()).Diags.WantError(`User group "acme" is in the state twice`)
	p.WantDestroyed(state)
}
