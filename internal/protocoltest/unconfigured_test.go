package protocoltest_test

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// A refresh keeps the state, and a plan succeeds. Every operation that needs a call returns an error that explains why
// it cannot make one.
func TestUnknownProviderArgumentsMakeNoCall(t *testing.T) {
	says := func(what string) []string {
		return []string{what, "provider block", "only known after apply", "No call was made", "-target"}
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
	second(p.Destroy(state)).WantError(notConfigured, says("Deleting a user group")...)
	second(p.Importing("acme", nil)).WantError(notConfigured, says("Importing a user group")...)
	second(p.DataSource(ByID("acme"))).WantError(notConfigured, says("Looking up a user group")...)
	second(userGroups(p, "acme")).WantError(notConfigured, says("Looking up user groups")...)
	second(p.Open(ByID("acme"))).WantError(notConfigured, says("Reading a user group token")...)
	second(p.Invoke(ByID("acme"))).WantError(notConfigured, says("Rotating a user group token")...)
	second(p.List(0, false, "acme")).WantError(notConfigured, says("Listing user groups")...)
	p.WantCalls("")
}

// TestUnknownProviderArgumentsMakeNoCall is about engines that do not allow deferral.
func TestUnknownProviderArgumentDefersIfTheEngineAllowsIt(t *testing.T) {
	known := start(t, emulator.Options{})
	state := known.Created(Acme("deletion_protection", true))
	config := Acme("user_group_id", "new")
	for _, argument := range known.Schema.Provider.Block.Attributes {
		p := known.AnotherProcess(Object{argument.Name: Unknown})
		p.WalkDeferring().WantNone()
		p.PlanToo(p.Nothing(), config).Diags.WantNone()
		p.WantDeferred("with an unknown "+argument.Name, 1)
	}
	known.WalkDeferring().WantNone()
	known.PlanToo(known.Nothing(), config).Diags.WantNone()
	known.WantDeferred("with known arguments", 0)

	p := known.AnotherProcess(Object{"api_key": Unknown})
	p.WalkDeferring().WantNone()
	p.WantSame(p.Refreshed(state), state)
	p.WantDeferred("a refresh", 1)
	second(p.Importing("acme", nil)).WantNone()
	p.WantDeferred("an import", 1)
	second(p.DataSource(ByID("acme"))).WantNone()
	second(userGroups(p, "acme")).WantNone()
	p.WantDeferred("two data sources", 2)
	second(p.Open(ByID("acme"))).WantNone()
	p.WantDeferred("an ephemeral resource", 1)
	second(p.Invoke(ByID("acme"))).WantNone()
	p.WantDeferred("an action", 1)
	// Plans are complete, and refuse what they refuse otherwise.
	plan := p.Plan(p.Nothing(), config)
	plan.Diags.WantNone()
	p.WantDeferred("a plan", 1)
	for _, name := range []string{"id", "token", "token_fingerprint", "team_id"} {
		if plan.Get(name) != Unknown {
			t.Errorf("%s is planned as %v, want unknown", name, plan.Get(name))
		}
	}
	p.Plan(state, nil).Diags.WantErrorAt("deletion_protection", isProtected)
	p.WantCalls("")
}
