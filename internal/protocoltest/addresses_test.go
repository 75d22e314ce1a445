package protocoltest_test

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

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

// TestPlansOfOneRunConflict checks which plans for one ID exclude each other in one run, in whichever order the engine
// requests them. The last plan of each row is refused if the row has a title. A provider that is not configured yet
// refuses the same plans.
func TestPlansOfOneRunConflict(t *testing.T) {
	const twice = `User group "acme" is in the state twice`
	says := map[string][]string{
		destroyedWanted: {"moved block", "Nothing was changed", "-refresh=false", "state rm", "deposed object"},
		twice:           {"Nothing was changed", "terraform state rm", "does not delete the group"},
	}
	p := start(t, emulator.Options{})
	acme, other := p.Created(Acme()), p.Created(Acme("user_group_id", "other"))
	// The group was imported a second time, to another address.
	again, _ := p.Update(p.Imported("acme"), Acme())
	// States of version 0.1 do not identify the instance until the first refresh.
	old := acme
	old.Private = nil
	p.Service.ResetCounts()
	none, renamed, unknown := p.Nothing(), Acme("name", "New"), Acme("user_group_id", Unknown)
	type plan struct {
		state  State
		config Object
	}
	for name, row := range map[string]struct {
		plans []plan
		title string
	}{
		"destroyed and created":   {[]plan{{acme, nil}, {none, Acme()}}, destroyedWanted},
		"created and destroyed":   {[]plan{{none, Acme()}, {acme, nil}}, destroyedWanted},
		"unknown IDs":             {[]plan{{none, unknown}, {none, unknown}, {acme, nil}}, ""},
		"another ID":              {[]plan{{none, Acme("user_group_id", "new")}, {acme, nil}}, ""},
		"exchanged IDs":           {[]plan{{other, Acme()}, {acme, Acme("user_group_id", "other")}}, destroyedWanted},
		"kept twice":              {[]plan{{acme, Acme()}, {again, Acme()}}, twice},
		"changed twice":           {[]plan{{acme, renamed}, {again, renamed}}, twice},
		"kept and destroyed":      {[]plan{{acme, Acme()}, {again, nil}}, destroyedWanted},
		"destroyed and kept":      {[]plan{{again, nil}, {acme, Acme()}}, destroyedWanted},
		"changed and destroyed":   {[]plan{{acme, renamed}, {again, nil}}, destroyedWanted},
		"destroyed and changed":   {[]plan{{again, nil}, {acme, renamed}}, destroyedWanted},
		"destroyed twice":         {[]plan{{acme, nil}, {again, nil}}, ""},
		"one address, repeated":   {[]plan{{acme, Acme()}, {acme, renamed}}, ""},
		"-replace":                {[]plan{{acme, Acme()}, {none, Acme()}}, ""},
		"a change of mind":        {[]plan{{acme, nil}, {acme, Acme()}, {acme, nil}}, ""},
		"old state":               {[]plan{{old, Acme()}}, ""},
		"old state, destroyed":    {[]plan{{old, nil}, {none, Acme()}}, destroyedWanted},
		"old states after a read": {[]plan{{p.Refreshed(old), Acme()}, {p.Refreshed(old), Acme()}}, twice},
	} {
		t.Log(name)
		p.Service.ResetCounts()
		for _, p := range []*Provider{p, p.AnotherProcess(Object{"base_url": Unknown})} {
			p.Walk().WantNone()
			for i, plan := range row.plans {
				diags := p.PlanToo(plan.state, plan.config).Diags
				if row.title == "" || i < len(row.plans)-1 {
					diags.WantNone()
				} else {
					diags.WantErrorAt("user_group_id", row.title, says[row.title]...)
				}
			}
		}
		p.WantCalls("")
	}
}

// With a replacement, the deletion of the old instance can be planned after the new one was created. Terraform 1.16
// uses one process for all runs of a test file with a provider block.
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
