package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// A group that was deleted elsewhere is planned anew, and no lookup leaves a shell of it.
func TestAccDeletedElsewhere(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	remove := func() { w.Remove("acme") }
	config := acmeWith(`name = "Acme"`, `mapping = { main = "warehouse" }`, `rotate_token_when_changed = { q = "1" }`)
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{
			does: "refresh", before: remove, more: driftShown, calls: "GET>DELETE", then: w.absent("acme"),
			plan: []plancheck.PlanCheck{plans(acmeGroup, "create", everythingComputed), planCheck{w.absent("acme")}},
		},
		step{does: "heal", config: config, calls: "GET", state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
		step{
			does: "notice and heal at once", before: remove, config: config, calls: "GET>DELETE>GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "create", everythingComputed), planCheck{w.absent("acme")}},
			then: func() error {
				return equal("mapping at the service", w.group("acme").Mapping, map[string]string{"main": "warehouse"})
			},
		},
		step{
			does: "between plan and update", before: func() { w.meanwhile("PUT", remove) },
			config: acmeWith(`name = "Acme Inc."`, `rotate_token_when_changed = { q = "1" }`),
			fails:  []string{`Cannot update user group "acme"`, "The group was not changed.", "if the group was deleted meanwhile"},
			calls:  "GET>PUT", then: w.absent("acme"),
		},
		step{does: "heal after that", config: config, calls: "GET>DELETE>GET", state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
		step{
			does: "between plan and rotation", before: func() { w.meanwhile("POST", remove) },
			config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "2" }`),
			fails:  []string{`User group "acme" does not exist`, "as one to create"},
			calls:  "GET>POST>GET>DELETE", then: w.absent("acme"),
		},
		step{does: "heal once more", config: config, calls: "GET>DELETE>GET", state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
		step{
			does: "between plan and destruction", before: func() { w.meanwhile("DELETE", remove) }, config: config, more: destroying,
			calls: "GET>DELETE>GET>DELETE", then: w.absent("acme"),
		},
	)
}

// Destroying what the refresh finds gone has nothing left to do.
func TestAccDestroyGone(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`)
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{does: "destroy", before: func() { w.Remove("acme") }, config: config, more: destroying, calls: "GET>DELETE", then: w.absent("acme")},
	)
}

// Another group under the same id: whatever is managed is sent again, and the new token and team are taken over.
func TestAccReplacedElsewhere(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`, `mapping = { main = "warehouse" }`, `properties = jsonencode({ tier = "gold" })`, `rotate_token_when_changed = { q = "1" }`)
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{
			does: "notice", before: func() { w.Replace("acme") }, more: driftShown, calls: "GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")},
		},
		step{
			does: "heal", config: config, calls: "GET>PUT", plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")},
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"properties": `{"tier":"gold"}`, "mapping": map[string]string{"main": "warehouse"}})},
			then: func() error {
				group := w.group("acme")
				return errors.Join(
					equal("mapping at the service", group.Mapping, map[string]string{"main": "warehouse"}),
					equal("properties at the service", string(group.Properties), `{"tier":"gold"}`),
				)
			},
		},
		step{
			does: "between plan and update", before: func() { w.meanwhile("PUT", func() { w.Replace("acme") }) },
			config: acmeWith(`name = "Acme Inc."`), calls: "GET>PUT", fails: []string{`User group "acme" has been replaced`, "team_id 1002", "team_id 1003"},
		},
		step{does: "heal after that", config: config, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}, calls: "GET>PUT"},
		step{
			does: "between plan and rotation", before: func() { w.meanwhile("POST", func() { w.Replace("acme") }) },
			config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "2" }`), calls: "GET>POST>GET",
			fails: []string{`User group "acme" has been replaced`, "not rotated"}, then: w.rotations("acme", 0),
		},
		step{does: "heal once more", config: config, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}, calls: "GET>PUT"},
		step{
			does: "between plan and destruction", before: func() { w.meanwhile("DELETE", func() { w.Replace("acme") }) },
			config: config, more: destroying, calls: "GET>DELETE>GET", fails: []string{`User group "acme" has been replaced`, "not deleted"},
			then: func() error { return equal("deletions", w.Deletions("acme"), 0) },
		},
		step{does: "destroy the one that is there now", config: config, more: destroying, calls: "GET>DELETE"},
	)
}

// What was changed elsewhere is shown and healed, in one PUT.
func TestAccDrift(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`, `properties = jsonencode({ tier = "gold", rows = 10 })`)
	drift := func() {
		w.Change("acme", func(group *emulator.Group) {
			group.Name, group.Properties = "Somebody else's", []byte(`{ "rows": 11, "tier": "gold", "more": [1.0] }`)
		})
	}
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{
			does: "shown", before: drift, config: config, more: func(s *resource.TestStep) { s.PlanOnly, s.ExpectNonEmptyPlan = true, true },
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")}, calls: "GET",
		},
		step{does: "in the state", more: driftShown, calls: "GET", then: func() error {
			return errors.Join(w.stateSays(`Somebody else's`), w.stateSays(`{\"more\":[1],\"rows\":11,\"tier\":\"gold\"}`))
		}},
		step{
			does: "healed", config: config, calls: "GET>PUT", plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")},
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"properties": `{"rows":10,"tier":"gold"}`})},
			then: func() error {
				return equal("properties at the service", string(w.group("acme").Properties), `{"rows":10,"tier":"gold"}`)
			},
		},
	)
}
