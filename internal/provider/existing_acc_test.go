package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// unchanged checks that a group is still as it was.
func (w *world) unchanged(was emulator.Group) func() error {
	return func() error {
		return errors.Join(w.stateLacks("embed_user_group"), equal("group at the service", w.group(was.ID), was))
	}
}

// Creating a group that exists changes nothing and tells the two ways out; adopting is one of them.
func TestAccExisting(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	was := w.Seed(emulator.Group{ID: "acme", Name: "Acme", Mapping: map[string]string{"old": "lake"}, Properties: []byte(`{"tier":"gold"}`)})
	kept := func() error {
		group := w.group("acme")
		return errors.Join(equal("token", group.Token, was.Token), equal("team", group.TeamID, was.TeamID))
	}
	lines := []string{`name = "Acme Inc."`, `mapping = { main = "warehouse" }`, `properties = jsonencode({ tier = "platinum" })`, `rotate_token_when_changed = { q = "1" }`}
	refused := []string{`User group "acme" already exists`, "nothing was changed", "import block", "adopt_existing = true"}
	w.run(
		step{does: "create", config: acmeWith(lines...), calls: "GET", fails: refused, then: w.unchanged(was)},
		step{does: "create, explicitly without adoption", config: acmeWith(append(lines, "adopt_existing = false")...), calls: "GET", fails: refused, then: w.unchanged(was)},
		step{
			does: "adopt, refused", before: func() { w.Fail(emulator.Fault{Method: "PUT", Nth: 1, Kind: emulator.Refuse}) },
			config: acmeWith(append(lines, "adopt_existing = true")...), calls: "GET>PUT", then: w.unchanged(was),
			fails: []string{`Cannot adopt user group "acme"`, "The group was not changed. It is not in the state"},
		},
		step{
			does: "adopt, without a usable answer", before: func() { w.Fail(emulator.Fault{Method: "PUT", Kind: emulator.HTML200}) },
			config: acmeWith(append(lines, "adopt_existing = true")...), calls: "GET>PUT>PUT>PUT", then: w.unchanged(was),
			fails: []string{`Cannot adopt user group "acme"`, "Whether the group was updated is not known", "not in the state"},
		},
		step{
			does: "adopt", before: w.ClearFaults, config: acmeWith(append(lines, "adopt_existing = true")...), calls: "GET>PUT", then: kept,
			plan:  []plancheck.PlanCheck{plans(acmeGroup, "create", everythingComputed)},
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"api_environment_tag": "Customer", "properties": `{"tier":"platinum"}`})},
		},
		step{does: "the flag has done its work", config: acmeWith(lines...), calls: "GET", then: kept, plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "")}},
		step{does: "managed like any other", config: acmeWith(lines...), more: destroying, calls: "GET>DELETE"},
	)
}

// Where the engine creates the replacement first, it adopts the very group that it is about to delete: it is kept.
func TestAccAdoptionCreateBeforeDestroy(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	was := w.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	kept := func() error {
		group := w.group("acme")
		return errors.Join(equal("token", group.Token, was.Token), equal("team", group.TeamID, was.TeamID), equal("deletions", w.Deletions("acme"), 0))
	}
	config := acmeWith(`name = "Acme"`, "adopt_existing = true", "lifecycle {\n create_before_destroy = true\n }")
	w.run(
		step{does: "adopt", config: config, calls: "GET>PUT", then: kept},
		step{
			does: "replace", config: config, more: func(s *resource.TestStep) { s.Taint = []string{acmeGroup} }, calls: "GET>GET>PUT", then: kept,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "create+delete", everythingComputed)}, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{does: "and once more", config: config, calls: "GET", then: kept, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
		step{
			does: "replace without adoption", config: acmeWith(`name = "Acme"`, "lifecycle {\n create_before_destroy = true\n }"),
			more: func(s *resource.TestStep) { s.Taint = []string{acmeGroup} }, calls: "GET>GET", then: kept,
			fails: []string{`User group "acme" already exists`, "adopt_existing = true"},
		},
		step{
			does: "replace, the old one first", config: acmeWith(`name = "Acme"`), calls: "GET>DELETE>GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "delete+create", everythingComputed)}, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}

// Adopting brings no group into being where there is none to adopt.
func TestAccAdoptionOfNothing(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.run(step{
		does: "create", config: acmeWith(`name = "Acme"`, "adopt_existing = true"), calls: "GET",
		state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"api_environment_tag": nil})},
	})
}
