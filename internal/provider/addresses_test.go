package provider_test

import (
	"fmt"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// A group that this run has created belongs to one address, even with adopt_existing.
func TestOneIDAtTwoNewAddressesIsCreatedOnce(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]Object{"plain": Acme(), "adopting": adopting()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, emulator.Options{})
			one, two := p.Plan(p.Nothing(), config), p.PlanToo(p.Nothing(), config)
			two.Diags.WantNone()
			state := Silent(p.Apply(one))
			second(p.ApplyToo(two)).WantError(alreadyExists, "Nothing was changed", "another resource")
			p.WantTruth(state, "acme")
			p.WantCalls("GET > GET")
		})
	}
}

// TestPlansOfOneRunConflict checks which plans for one ID exclude each other in one run, in whichever order the engine
// requests them. The last plan of each row is refused if the row conflicts. A provider that is not configured yet
// refuses the same plans.
func TestPlansOfOneRunConflict(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	// The group was imported a second time, to another address.
	again, _ := p.Update(p.Imported("acme"), Acme())
	none, renamed, unknown := p.Nothing(), Acme("name", "New"), Acme("user_group_id", Unknown)
	// A state that another tool has written has no private state.
	old := acme
	old.Private = nil
	type plan struct {
		state  State
		config Object
	}
	for name, row := range map[string]struct {
		plans     []plan
		conflicts bool
	}{
		"destroyed and created": {[]plan{{acme, nil}, {none, Acme()}}, true},
		"created and destroyed": {[]plan{{none, Acme()}, {acme, nil}}, true},
		"unknown IDs":           {[]plan{{none, unknown}, {none, unknown}, {acme, nil}}, false},
		"another ID":            {[]plan{{none, Acme("user_group_id", "new")}, {acme, nil}}, false},
		"exchanged IDs":         {[]plan{{other, Acme()}, {acme, Acme("user_group_id", "other")}}, true},
		"kept twice":            {[]plan{{acme, Acme()}, {again, Acme()}}, false},
		"kept and destroyed":    {[]plan{{acme, Acme()}, {again, nil}}, true},
		"destroyed and kept":    {[]plan{{again, nil}, {acme, Acme()}}, true},
		"changed and destroyed": {[]plan{{acme, renamed}, {again, nil}}, true},
		"destroyed and changed": {[]plan{{again, nil}, {acme, renamed}}, true},
		"destroyed twice":       {[]plan{{acme, nil}, {again, nil}}, false},
		"one address, repeated": {[]plan{{acme, Acme()}, {acme, renamed}}, false},
		"-replace":              {[]plan{{acme, Acme()}, {none, Acme()}}, false},
		"a change of mind":      {[]plan{{acme, nil}, {acme, Acme()}, {acme, nil}}, false},
		"no private state":      {[]plan{{old, Acme()}}, false},
		"nor with a conflict":   {[]plan{{old, nil}, {none, Acme()}}, true},
	} {
		t.Log(name)
		p.Service.ResetCounts()
		for _, p := range []*Provider{p, p.AnotherProcess(Object{"base_url": Unknown})} {
			p.Walk().WantNone()
			for i, plan := range row.plans {
				diags := p.PlanToo(plan.state, plan.config).Diags
				if !row.conflicts || i < len(row.plans)-1 {
					diags.WantNone()
				} else {
					diags.WantErrorAt("user_group_id", destroyedWanted, "moved block", "Nothing was changed", "deposed object",
						"terraform state rm", unlessForgotten)
				}
			}
		}
		p.WantCalls("")
	}
}

// With a replacement, the deletion of the old instance can be planned after the new one was created. Terraform 1.16
// uses one process for all runs of a test file with a provider block.
func TestPlanConflictsOnlyWithWhatIsNotAppliedYet(t *testing.T) {
	t.Parallel()
	p := start(t, emulator.Options{})
	state := p.Created(Acme())
	creation := p.Plan(p.Nothing(), Acme())
	second(p.Apply(creation)).WantError(alreadyExists)
	deletion := p.PlanToo(state, nil)
	deletion.Diags.WantNone()
	Silent(p.ApplyToo(deletion))
	made := Silent(p.ApplyToo(creation))
	made = Silent(p.ReadToo(Silent(p.ApplyToo(p.PlanToo(made, Acme("name", "New"))))))
	Silent(p.ApplyToo(p.PlanToo(made, nil)))
	p.WantGroups()
	// In one process, the engine plans a creation twice.
	made = Silent(p.ApplyToo(p.PlanToo(p.Nothing(), Acme())))
	p.PlanToo(made, nil).Diags.WantNone()
}

// A group that this run has deleted belongs to no address any more. Whoever has created it again, it can be adopted.
func TestWhatThisRunHasDeletedCanBeAdopted(t *testing.T) {
	t.Parallel()
	inVirtualTime(t, emulator.Options{}, func(_ *testing.T, p *Provider) {
		made := Silent(p.Apply(p.Plan(p.Nothing(), Acme())))
		Silent(p.ApplyToo(p.PlanToo(made, nil)))
		theirs := p.Service.Seed(emulator.Group{ID: "acme", Name: "Theirs"})
		p.Service.ResetCounts()
		state, diags := p.ApplyToo(p.PlanToo(p.Nothing(), adopting()))
		diags.WantWarning(adopted, "did not rotate its token")
		p.WantState(state, "token", theirs.Token)
		p.WantCalls("GET > GET > PUT")
	})
}

// A rename of a module conflicts for each of its groups. One error explains it, and one the protection of them all.
func TestOneErrorExplainsTheRefusalsOfManyGroups(t *testing.T) {
	t.Parallel()
	p, states := customers(start(t, emulator.Options{}), 4, "a", "b", "c")
	imported, alsoImported := p.Imported("a"), p.Imported("b")
	p.Service.ResetCounts()
	protected := func(i int) State { return p.Edited(states[i], "deletion_protection", true) }
	isProtectedGroup := func(id string) string { return fmt.Sprintf("User group %q is protected from deletion", id) }
	isTwice := func(id string) string { return fmt.Sprintf("User group %q is both managed and destroyed", id) }
	p.Walk().WantNone()
	for i, id := range []string{"a", "b", "c"} {
		advice := [2]string{"terraform untaint", "moved block"}
		if i > 0 {
			advice = [2]string{"See the error: " + isProtectedGroup("a") + ".", "See the error: " + isTwice("a") + "."}
		}
		p.PlanToo(protected(i), nil).Diags.WantErrorAt(
			"deletion_protection", isProtectedGroup(id), advice[0], "The group was not deleted.")
		p.PlanToo(p.Nothing(), Acme("user_group_id", id)).Diags.WantErrorAt(
			"user_group_id", isTwice(id), advice[1], "Nothing was changed.")
	}
	isReplaced := func(id string) string { return fmt.Sprintf("Import of user group %q would delete it", id) }
	p.PlanToo(imported, Acme("user_group_id", "x")).Diags.WantErrorAt(
		"user_group_id", isReplaced("a"), "terraform state rm", `is "x"`, "Nothing was changed.")
	p.PlanToo(alsoImported, Acme("user_group_id", "y")).Diags.WantErrorAt(
		"user_group_id", isReplaced("b"), "See the error: "+isReplaced("a")+".", `is "y"`, "Nothing was changed.")
	// What means something else is explained, too, as is everything in another run.
	p.Walk().WantNone()
	p.PlanToo(protected(2), nil).Diags.WantErrorAt("deletion_protection", isProtectedGroup("c"), "terraform untaint")
	p.PlanToo(protected(1), Acme("user_group_id", "d")).Diags.WantErrorAt(
		"deletion_protection", isProtectedGroup("b"), "user_group_id changes", "terraform untaint")
	p.WantCalls("")
}
