package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// A protected group is neither destroyed nor replaced, until the protection has been taken away by an apply.
func TestAccDeletionProtection(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	protected := acmeWith(`name = "Acme"`, "deletion_protection = true")
	there := func() error { return equal("name", w.group("acme").Name, "Acme") }
	refusal := []string{`User group "acme" is protected from deletion`, "deletion_protection = false", "nothing was deleted"}
	w.run(
		step{does: "create", config: protected, calls: "GET"},
		step{does: "destroy", config: protected, more: destroying, calls: "GET", fails: refusal, then: there},
		step{
			does: "replace", config: "resource \"embed_user_group\" \"acme\" {\n user_group_id = \"other\"\n name = \"Acme\"\n deletion_protection = true\n}\n",
			calls: "GET", fails: append(refusal, "user_group_id changes"), then: there,
		},
		step{
			does: "replace and take the protection away at once", config: "resource \"embed_user_group\" \"acme\" {\n user_group_id = \"other\"\n name = \"Acme\"\n}\n",
			calls: "GET", fails: refusal, then: there,
		},
		step{
			// Engines differ in whether they refresh it before.
			does: "take it out of the configuration", config: w.provider(), fails: refusal,
			then: func() error { return errors.Join(there(), equal("DELETE", w.Count("DELETE"), 0)) },
		},
		step{does: "updates go on", config: acmeWith(`name = "Acme Inc."`, "deletion_protection = true"), calls: "GET>PUT"},
		step{
			does: "take the protection away", config: acmeWith(`name = "Acme Inc."`, "deletion_protection = false"), calls: "GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "")},
		},
		step{does: "destroy after that", config: acmeWith(`name = "Acme Inc."`, "deletion_protection = false"), more: destroying, calls: "GET>DELETE"},
	)
}

// Engines that ask the provider about a destroy say so in the plan already, so that nothing else of it is done either.
func TestAccDeletionProtectionAtPlan(t *testing.T) {
	engine.Needs(t, engine.PlannedDestroy)
	w := newWorld(t, emulator.Options{})
	protected := acmeWith(`name = "Acme"`, "deletion_protection = true")
	w.run(
		step{does: "create", config: protected, calls: "GET"},
		step{
			does: "plan to destroy", config: protected, calls: none, fails: []string{"This plan destroys it."},
			more: func(s *resource.TestStep) { s.PlanOnly, s.Destroy = true, true },
		},
		step{does: "take the protection away", config: acmeWith(`name = "Acme"`), calls: "GET"},
	)
}
