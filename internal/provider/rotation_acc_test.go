package provider

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Only a changed value of a key that was there before rotates, by one POST, and what depends on the token sees the new
// one in the same apply.
func TestAccRotationTrigger(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	const dependants = `
		resource "embed_user_group" "dependant" {
		  user_group_id = "dependant"
		  name          = "saw ${embed_user_group.acme.token_fingerprint}"
		}
		output "fingerprint" {
		  value = embed_user_group.acme.token_fingerprint
		}
		output "token" {
		  value     = embed_user_group.acme.token
		  sensitive = true
		}`
	seen := []statecheck.StateCheck{
		w.mirrors(acmeGroup, "acme"),
		w.mirrors("embed_user_group.dependant", "dependant"),
		output("fingerprint", func() string { return fingerprint(w.group("acme").Token) }),
		output("token", func() string { return w.group("acme").Token }),
	}
	trigger := func(does, value, action string) step {
		lines := []string{`name = "Acme"`}
		if value != "" {
			lines = append(lines, "rotate_token_when_changed = "+value)
		}
		return step{
			does: does, config: acmeWith(lines...) + dependants, plan: []plancheck.PlanCheck{plans(acmeGroup, action, "")},
			calls: "GET*2", then: w.rotations("acme", 0), state: seen,
		}
	}
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`) + dependants, calls: "GET*2", state: seen},
		trigger("adding the map", `{ quarter = "1" }`, "update"),
		trigger("adding a key", `{ quarter = "1", person = "ann" }`, "update"),
		trigger("another order", `{ person = "ann", quarter = "1" }`, "no-op"),
		step{
			does:   "changing a value",
			config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { quarter = "2", person = "ann" }`) + dependants,
			plan: []plancheck.PlanCheck{
				plans(acmeGroup, "update", "api_environment_tag token token_fingerprint"),
				plans("embed_user_group.dependant", "update", "api_environment_tag name"),
			},
			then: func() error {
				return errors.Join(
					w.rotations("acme", 1)(), equal("updates of acme", w.Updates("acme"), 0),
					equal("POST", w.Count("POST"), 1), equal("PUT", w.Count("PUT"), 1),
					equal("name of the dependant", w.group("dependant").Name, "saw "+fingerprint(w.group("acme").Token)),
				)
			},
			state: seen,
		},
		trigger("dropping a key", `{ quarter = "2" }`, "update"),
		trigger("dropping the map", "", "update"),
		trigger("another map", `{ quarter = "9" }`, "update"),
		trigger("the empty map", `{}`, "update"),
	)
}

// An update and a rotation in one apply: first PUT, then POST. When the second fails, the first is in the state.
func TestAccRotationAfterUpdate(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "1" }`), calls: "GET"},
		step{
			does:   "both",
			config: acmeWith(`name = "Acme Inc."`, `rotate_token_when_changed = { q = "2" }`),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag token token_fingerprint")},
			calls:  "GET>PUT>POST",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme"), has(acmeGroup, attributes{"api_environment_tag": "Customer"})},
		},
		step{
			does:   "both, of which the second is refused",
			before: func() { w.Fail(emulator.Fault{Method: "POST", Nth: 1, Kind: emulator.Refuse}) },
			config: acmeWith(`name = "Acme Ltd."`, `rotate_token_when_changed = { q = "3" }`),
			fails:  []string{`Cannot rotate the token of user group "acme"`, "The token was not rotated"},
			calls:  "GET>PUT>POST>GET",
			then:   w.rotations("acme", 0),
		},
		step{
			does:   "the rest",
			config: acmeWith(`name = "Acme Ltd."`, `rotate_token_when_changed = { q = "3" }`),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "token token_fingerprint")},
			calls:  "GET>POST",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does:   "both, of which the first is refused",
			before: func() { w.Fail(emulator.Fault{Method: "PUT", Nth: 1, Kind: emulator.Refuse}) },
			config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "4" }`),
			fails:  []string{`Cannot update user group "acme"`, "The group was not changed."},
			calls:  "GET>PUT",
		},
		step{
			does:   "both again",
			config: acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "4" }`),
			plan:   []plancheck.PlanCheck{plans(acmeGroup, "update", "token token_fingerprint")},
			calls:  "GET>PUT>POST",
			state:  []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}

// While a trigger is unknown the plan leaves the token open, and the apply rotates only if the value has changed.
func TestAccRotationUnknownTrigger(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	// The id of source is unknown while source is replaced, and then the same; its fingerprint is another one.
	const source = `
		resource "embed_user_group" "source" {
		  user_group_id = "source"
		  name          = "Source"
		}`
	replaceSource := func(s *resource.TestStep) { s.Taint = []string{"embed_user_group.source"} }
	config := func(trigger string) string {
		return acmeWith(`name = "Acme"`, "rotate_token_when_changed = "+trigger) + source
	}
	const open = "api_environment_tag rotate_token_when_changed token token_fingerprint"
	var token string
	remember := func() error { token = w.group("acme").Token; return nil }
	same := func() error {
		return errors.Join(w.rotations("acme", 0)(), equal("POST", w.Count("POST"), 0), equal("token", w.group("acme").Token, token))
	}
	w.run(
		step{does: "create", config: config(`{ id = embed_user_group.source.id }`), then: remember},
		step{
			does: "an unknown value that turns out the same", config: config(`{ id = embed_user_group.source.id }`), more: replaceSource,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", open)}, then: same, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "an unknown value of a new key", config: config(`{ id = "source", print = embed_user_group.source.token_fingerprint }`), more: replaceSource,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "rotate_token_when_changed")}, then: same, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "an unknown value that turns out another", config: config(`{ id = "source", print = embed_user_group.source.token_fingerprint }`), more: replaceSource,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", open)}, then: w.rotations("acme", 1), state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{does: "a map by its keys", config: config(`{ for id in [embed_user_group.source.id] : id => "1" }`), then: remember},
		step{
			does: "an unknown map that turns out the same", config: config(`{ for id in [embed_user_group.source.id] : id => "1" }`), more: replaceSource,
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "rotate_token_when_changed token token_fingerprint")}, then: same,
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}

// A token that was rotated elsewhere is noticed by a refresh, and cured when that comes after it.
func TestAccRotatedElsewhere(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	behind := func() { w.RotateBehind("acme") }
	config := func(quarter int, name string) string {
		return acmeWith(fmt.Sprintf("name = %q", name), fmt.Sprintf(`rotate_token_when_changed = { q = "%d" }`, quarter))
	}
	w.run(
		step{does: "create", config: config(1, "Acme")},
		step{
			does: "before a plan", before: behind, config: config(1, "Acme"), calls: "GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "just before a rotation", before: func() { w.meanwhile("POST", behind) }, config: config(2, "Acme"), calls: "GET>POST>GET>POST",
			then: w.rotations("acme", 1), state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "just before an update", before: func() { w.meanwhile("PUT", behind) }, config: config(2, "Acme Inc."), calls: "GET>PUT",
			then: func() error {
				if strings.Contains(w.state(), w.group("acme").Token) {
					return errors.New("the state has another token than was planned")
				}
				return nil
			},
		},
		step{does: "after that", config: config(2, "Acme Inc."), calls: "GET", state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
		step{
			does: "just before a deletion", before: func() { w.meanwhile("DELETE", behind) }, config: config(2, "Acme Inc."), more: destroying,
			calls: "GET>DELETE>GET>DELETE",
		},
	)
}
