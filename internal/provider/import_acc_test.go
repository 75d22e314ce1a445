package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

func importing(s *resource.TestStep) { s.ImportState, s.ResourceName = true, acmeGroup }

func importingID(id string) func(*resource.TestStep) {
	return func(s *resource.TestStep) {
		importing(s)
		s.ImportStateId = id
	}
}

// A group that exists is taken into the state by the import command, and then managed like any other.
func TestAccImportCommand(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	was := w.Seed(emulator.Group{ID: "acme", Name: "Acme", Mapping: map[string]string{"main": "lake"}, Properties: []byte(`{"tier":"gold"}`)})
	untouched := func() error { return equal("group at the service", w.group("acme"), was) }
	lines := []string{`name = "Acme"`, `properties = jsonencode({ tier = "gold" })`, `rotate_token_when_changed = { q = "1" }`}
	w.run(
		step{does: "it exists", config: acmeWith(lines...), calls: "GET", fails: []string{"already exists", "import"}},
		step{
			does: "import", calls: "GET", then: untouched,
			more: func(s *resource.TestStep) {
				importingID("acme")(s)
				s.ImportStatePersist = true
				s.ImportStateCheck = func(states []*terraform.InstanceState) error {
					if len(states) != 1 {
						return errors.New("there should be one resource")
					}
					got := states[0].Attributes
					return errors.Join(
						equal("id", got["id"], "acme"), equal("name", got["name"], "Acme"), equal("token", got["token"], was.Token),
						equal("properties", got["properties"], `{"tier":"gold"}`),
					)
				}
			},
		},
		step{
			does: "apply, which only notes the trigger", config: acmeWith(lines...), calls: "GET", then: untouched,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "")}, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{does: "nothing to do", config: acmeWith(lines...), calls: "GET", plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}},
		step{
			does: "the mapping, which no import can see, is sent", config: acmeWith(append(lines, `mapping = { main = "lake" }`)...), calls: "GET>PUT", then: untouched,
		},
	)
}

// An import tells the same as a creation.
func TestAccImportVerify(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`, `properties = jsonencode({ tier = "gold", n = 1e30 })`), calls: "GET"},
		step{does: "import", calls: "GET", more: func(s *resource.TestStep) {
			importing(s)
			s.ImportStateVerify = true
		}},
		step{
			does: "what is neither there nor a proper id", calls: none, fails: []string{"Invalid import id", "the user_group_id alone", "must not begin or end with a space"},
			more: importingID(" acme"),
		},
		step{
			does: "what is not there", calls: "GET>DELETE", fails: []string{`User group "amce" does not exist`}, then: w.absent("amce"),
			more: importingID("amce"),
		},
	)
}

// An import block does it in the plan.
func TestAccImportBlock(t *testing.T) {
	engine.Needs(t, engine.ImportBlock)
	w := newWorld(t, emulator.Options{})
	was := w.Seed(emulator.Group{ID: "acme", Name: "Acme", Properties: []byte(`{"tier":"gold"}`)})
	block := func(id string) string {
		return "import {\n  to = embed_user_group.acme\n  id = " + quoted(id) + "\n}\n"
	}
	config := acmeWith(`name = "Acme"`, `properties = jsonencode({ tier = "gold" })`)
	untouched := func() error { return equal("group at the service", w.group("acme"), was) }
	w.run(
		step{does: "what is not there", config: block("amce") + config, calls: "GET>DELETE", fails: []string{`User group "amce" does not exist`}, then: w.absent("amce")},
		step{
			does: "import", config: block("acme") + config, calls: "GET", plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")},
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}, then: untouched,
		},
		step{does: "without the block", config: config, calls: "GET", then: untouched},
		step{does: "import anew", calls: "GET", then: untouched, more: func(s *resource.TestStep) {
			importing(s)
			s.ImportStateKind = resource.ImportBlockWithID
		}},
	)
}

// The configuration that the engine writes for an imported group plans clean.
func TestAccImportGeneratesConfiguration(t *testing.T) {
	engine.Needs(t, engine.GenerateConfig)
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme \"& Co\""`, `properties = jsonencode({ tier = "gold", n = 9007199254740993, large = 1e30, html = "<b>&</b>", nested = { list = [1, null, {}] } })`)
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{does: "import by id", calls: "GET>GET", more: func(s *resource.TestStep) {
			importing(s)
			s.ImportStateKind, s.GenerateConfig = resource.ImportBlockWithID, true
		}},
	)
}

// Identity is another way to say which group is meant.
func TestAccImportByIdentity(t *testing.T) {
	engine.Needs(t, engine.Identity)
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`, `properties = jsonencode({ tier = "gold" })`)
	w.run(
		step{does: "create", config: config, calls: "GET", state: []statecheck.StateCheck{
			statecheck.ExpectIdentity(acmeGroup, map[string]knownvalue.Check{"user_group_id": knownvalue.StringExact("acme")}),
		}},
		step{does: "import", calls: "GET", more: func(s *resource.TestStep) {
			importing(s)
			s.ImportStateKind = resource.ImportBlockWithResourceIdentity
		}},
		step{does: "import, with the configuration written by the engine", calls: "GET>GET", more: func(s *resource.TestStep) {
			importing(s)
			s.ImportStateKind, s.GenerateConfig = resource.ImportBlockWithResourceIdentity, true
		}},
		step{
			does: "what is not there", fails: []string{`User group "amce" does not exist`},
			then: func() error {
				return errors.Join(w.absent("amce")(), equal("GET", w.Count("GET"), 2), equal("DELETE", w.Count("DELETE"), 1))
			},
			config: config + "resource \"embed_user_group\" \"typo\" {\n user_group_id = \"amce\"\n name = \"Acme\"\n}\n" +
				"import {\n to = embed_user_group.typo\n identity = {\n user_group_id = \"amce\"\n }\n}\n",
		},
		step{does: "after an update", config: acmeWith(`name = "Acme Inc."`), calls: "GET>PUT", state: []statecheck.StateCheck{
			statecheck.ExpectIdentity(acmeGroup, map[string]knownvalue.Check{"user_group_id": knownvalue.StringExact("acme")}),
		}},
	)
}
