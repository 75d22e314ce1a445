package provider

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const acmeGroup = "embed_user_group.acme"

// acmeWith is a configuration of the group acme, with further lines.
func acmeWith(lines ...string) string {
	return "resource \"embed_user_group\" \"acme\" {\n  user_group_id = \"acme\"\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

func refreshing(s *resource.TestStep) { s.RefreshState = true }

// driftShown: the plan after a refresh has something to do.
func driftShown(s *resource.TestStep) { s.RefreshState, s.ExpectNonEmptyPlan = true, true }

func destroying(s *resource.TestStep) { s.Destroy = true }

// A group's whole life: each change costs one call, and each refresh one.
func TestAccUserGroupLife(t *testing.T) {
	w := newWorld(t, emulator.Options{FirstTeamID: 9007199254740993})
	var born emulator.Group
	sameToken := func() error { return equal("token", w.group("acme").Token, born.Token) }
	changed := []string{`name = "Acme Inc."`, `mapping = { main = "lake", extra = "warehouse" }`, `properties = jsonencode({ tier = "platinum" })`}
	w.run(
		step{
			does:   "create",
			config: acmeWith(`name = "Acme"`, `mapping = { main = "warehouse" }`, `properties = jsonencode({ tier = "gold" })`),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "create", everythingComputed), plancheck.ExpectSensitiveValue(acmeGroup, atToken)},
			calls:  "GET",
			state: []statecheck.StateCheck{
				w.mirrors(acmeGroup, "acme"),
				has(acmeGroup, attributes{"team_id": int64(9007199254740993), "api_environment_tag": nil, "properties": `{"tier":"gold"}`}),
			},
			then: func() error {
				born = w.group("acme")
				return equal("mapping at the service", born.Mapping, map[string]string{"main": "warehouse"})
			},
		},
		step{does: "refresh", more: refreshing, calls: "GET", then: sameToken},
		step{
			does:   "rename, which never makes the token unknown",
			config: acmeWith(`name = "Acme Inc."`, `mapping = { main = "warehouse" }`, `properties = jsonencode({ tier = "gold" })`),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")},
			calls:  "GET>PUT",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"api_environment_tag": "Customer"})},
			then:   sameToken,
		},
		step{
			does:   "change mapping and properties, all known",
			config: acmeWith(changed...),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "")},
			calls:  "GET>PUT",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"properties": `{"tier":"platinum"}`})},
			then: func() error {
				return errors.Join(sameToken(), equal("mapping at the service", w.group("acme").Mapping, map[string]string{"main": "lake", "extra": "warehouse"}))
			},
		},
		step{
			does: "what only matters to the provider makes no call",
			config: acmeWith(append(changed, `data_source_provided_id = "ds-7"`, `adopt_existing = true`, `deletion_protection = false`,
				`rotate_token_when_changed = { quarter = "1" }`)...),
			plan:  []plancheck.PlanCheck{plans(acmeGroup, "update", "")},
			calls: "GET",
			state: []statecheck.StateCheck{has(acmeGroup, attributes{"data_source_provided_id": "ds-7", "rotate_token_when_changed": map[string]string{"quarter": "1"}})},
			then:  sameToken,
		},
		step{
			does:   "rotate",
			config: acmeWith(append(changed, `data_source_provided_id = "ds-7"`, `rotate_token_when_changed = { quarter = "2" }`)...),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "token token_fingerprint")},
			calls:  "GET>POST",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"team_id": int64(9007199254740993)})},
			then: func() error {
				if w.group("acme").Token == born.Token {
					return errors.New("the token is the old one")
				}
				return equal("team", w.group("acme").TeamID, born.TeamID)
			},
		},
		step{
			does:   "destroy",
			config: acmeWith(append(changed, `data_source_provided_id = "ds-7"`, `rotate_token_when_changed = { quarter = "2" }`)...),
			more:   destroying,
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "delete", "")},
			calls:  "GET>DELETE",
			then: func() error {
				if body := w.body("DELETE"); !strings.Contains(body, `"data_source_provided_id":"ds-7"`) {
					return errors.New("the delete did not carry data_source_provided_id")
				}
				return nil
			},
		},
	)
}

// A changed user_group_id is another group.
func TestAccUserGroupReplacement(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`), calls: "GET"},
		step{
			does:   "replace",
			config: `resource "embed_user_group" "acme" {` + "\n user_group_id = \"acme-2\"\n name = \"Acme\"\n}",
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "delete+create", everythingComputed)},
			calls:  "GET>DELETE>GET",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme-2")},
		},
		step{
			does:   "replace, the new one first",
			config: `resource "embed_user_group" "acme" {` + "\n user_group_id = \"acme-3\"\n name = \"Acme\"\n lifecycle {\n create_before_destroy = true\n }\n}",
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "create+delete", everythingComputed)},
			calls:  "GET>GET>DELETE",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme-3")},
		},
	)
}

// What the provider does not manage it does not send, and what is empty it does.
func TestAccUserGroupMapping(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	sent := func(method, want string) func() error {
		return func() error {
			_, mapping, _ := strings.Cut(w.body(method), `"mapping":`)
			mapping, _, _ = strings.Cut(mapping, "}")
			return equal("mapping that was sent", mapping, want)
		}
	}
	stored := func(want map[string]string) func() error {
		return func() error { return equal("mapping at the service", w.group("acme").Mapping, want) }
	}
	w.run(
		step{does: "create without", config: acmeWith(`name = "Acme"`), calls: "GET", then: sent("GET", "")},
		step{
			does:   "empty one where there was none",
			config: acmeWith(`name = "Acme"`, `mapping = {}`),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")},
			calls:  "GET>PUT",
			then:   sent("PUT", "{"),
			state:  []statecheck.StateCheck{has(acmeGroup, attributes{"mapping": map[string]string{}})},
		},
		step{does: "two", config: acmeWith(`name = "Acme"`, `mapping = { b = "2", "a \"quoted\"" = "1" }`), calls: "GET>PUT", then: stored(map[string]string{"b": "2", `a "quoted"`: "1"})},
		step{does: "other order", config: acmeWith(`name = "Acme"`, `mapping = { "a \"quoted\"" = "1", b = "2" }`), plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}, calls: "GET"},
		step{
			does:   "not managed any more",
			config: acmeWith(`name = "Acme"`),
			calls:  "GET",
			then:   stored(map[string]string{"b": "2", `a "quoted"`: "1"}),
			state:  []statecheck.StateCheck{has(acmeGroup, attributes{"mapping": nil})},
		},
		step{does: "a rename does not send it", config: acmeWith(`name = "Acme Inc."`), calls: "GET>PUT", then: sent("PUT", "")},
		step{does: "emptied", config: acmeWith(`name = "Acme Inc."`, `mapping = {}`), calls: "GET>PUT", then: stored(map[string]string{})},
	)
}

// Ids are texts: nothing in them is a separator.
func TestAccUserGroupIDs(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	ids := []string{"two words", "a/b/../c", `quo"ted`, "it's", "Müller & Söhne", "顧客", `back\slash`, "${not} %{a} template", "<b>?x=1#y", "123"}
	var list []string
	for _, id := range ids {
		list = append(list, quoted(id))
	}
	// By count, since terraform-plugin-testing cannot read states with for_each.
	config := "locals {\n  ids = [" + strings.Join(list, ", ") + "]\n}\n" +
		"resource \"embed_user_group\" \"each\" {\n  count = length(local.ids)\n  user_group_id = local.ids[count.index]\n  name = local.ids[count.index]\n}\n"
	exist := func() error {
		for _, id := range ids {
			if group := w.group(id); group.Name != id {
				return errors.New("another group than " + id)
			}
		}
		return nil
	}
	w.run(
		step{does: "create", config: config, calls: "GET*10", then: exist},
		step{does: "refresh", more: refreshing, calls: "GET*10", then: exist},
		step{
			does: "import one by its id",
			more: func(s *resource.TestStep) {
				s.ImportState, s.ImportStateVerify = true, true
				s.ImportStateId, s.ResourceName = `Müller & Söhne`, "embed_user_group.each[4]"
			},
			calls: "GET",
		},
	)
}
