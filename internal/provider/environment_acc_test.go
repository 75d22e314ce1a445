package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The environment is told by updates and rotations only, and left open by a plan just while that is still to come.
func TestAccEnvironmentTag(t *testing.T) {
	w := newWorld(t, emulator.Options{Environments: map[string]string{emulator.DefaultKey: "Testing"}})
	tag := func(want any) []statecheck.StateCheck {
		return []statecheck.StateCheck{has(acmeGroup, attributes{"api_environment_tag": want})}
	}
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`), calls: "GET", state: tag(nil)},
		step{
			does: "no call, no tag", config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "1" }`), calls: "GET", state: tag(nil),
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "")},
		},
		step{
			does: "rotate", config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "2" }`), calls: "GET>POST", state: tag("Testing"),
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag token token_fingerprint")},
		},
		step{
			does: "known from then on", config: acmeWith(`name = "Acme Inc."`, `rotate_token_when_changed = { q = "3" }`), calls: "GET>PUT>POST", state: tag("Testing"),
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "token token_fingerprint")},
		},
	)
}

// A service without environments never tells one: it stays null.
func TestAccEnvironmentNone(t *testing.T) {
	w := newWorld(t, emulator.Options{Environments: map[string]string{emulator.DefaultKey: ""}})
	open := []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")}
	null := []statecheck.StateCheck{has(acmeGroup, attributes{"api_environment_tag": nil})}
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`), calls: "GET", state: null},
		step{does: "rename", config: acmeWith(`name = "Acme Inc."`), calls: "GET>PUT", plan: open, state: null},
		step{does: "rename again", config: acmeWith(`name = "Acme"`), calls: "GET>PUT", plan: open, state: null},
	)
}

// With the provider's environment the key of another one is noticed, and what was made there is removed again.
func TestAccEnvironmentDemanded(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	was := w.Seed(emulator.Group{ID: "existing", Name: "Existing"})
	w.keeps("existing")
	demanding := func(environment string) string { return w.provider(`environment = "` + environment + `"`) }
	adopting := acmeWith(`name = "Acme"`) + "resource \"embed_user_group\" \"existing\" {\n user_group_id = \"existing\"\n name = \"New name\"\n adopt_existing = true\n}\n"
	w.run(
		step{
			does: "create in the wrong one", config: demanding("Testing") + acmeWith(`name = "Acme"`), calls: "GET>PUT>DELETE",
			fails: []string{`User group "acme" is in another environment`, `"Testing"`, `"Customer"`, "removed again"}, then: w.absent("acme"),
		},
		step{
			does: "create in the right one", config: demanding("Customer") + acmeWith(`name = "Acme"`), calls: "GET>PUT",
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"api_environment_tag": "Customer"})},
		},
		step{
			does: "adopt in the wrong one", config: demanding("Testing") + adopting,
			fails: []string{`User group "existing" is in another environment`},
			then: func() error {
				return errors.Join(equal("group at the service", w.group("existing"), was), w.stateLacks(was.Token))
			},
		},
		step{
			does: "update in the wrong one, of which the state knows", config: demanding("Testing") + acmeWith(`name = "Acme Inc."`), calls: "GET",
			fails: []string{`Cannot update user group "acme"`, `"Testing"`, `"Customer"`, "No call was made."},
		},
		step{
			does: "destroy in the wrong one", config: demanding("Testing") + acmeWith(`name = "Acme"`), more: destroying, calls: "GET",
			fails: []string{`Cannot delete user group "acme"`, `"Testing"`, `"Customer"`, "No call was made."},
		},
		step{
			does: "back in the right one", config: demanding("Customer") + acmeWith(`name = "Acme Inc."`), calls: "GET>PUT",
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}
