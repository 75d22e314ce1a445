package provider

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// failing has every call with a method go wrong, and nothing else.
func (w *world) failing(method string, kind emulator.FaultKind) func() {
	return func() {
		w.ClearFaults()
		w.Fail(emulator.Fault{Method: method, Kind: kind})
	}
}

// failingOnce has the next call with a method go wrong.
func (w *world) failingOnce(method string, kind emulator.FaultKind) func() {
	return func() {
		w.ClearFaults()
		w.Fail(emulator.Fault{Method: method, Kind: kind, Nth: 1})
	}
}

// answering has every call with a method answered so.
func (w *world) answering(method, body string) func() {
	return func() {
		w.ClearFaults()
		w.Fail(emulator.Fault{Method: method, Kind: emulator.Answer, Body: body})
	}
}

// A wrong key is one call for each group, and is said so.
func TestAccWrongKey(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	wrong := w.provider(`api_key = "wrong-key"`)
	many := `
		resource "embed_user_group" "many" {
		  count         = 3
		  user_group_id = "group-${count.index}"
		  name          = "Group"
		}`
	said := []string{"status 401", "Check api_key", "the key is wrong"}
	w.run(
		step{
			does: "create", config: wrong + acmeWith(`name = "Acme"`),
			calls: "GET", fails: append(said, `Cannot create user group "acme"`, "The group was not created."), then: w.absent("acme"),
		},
		step{does: "create three", config: wrong + many, calls: "GET*3", fails: said, errors: 3},
		step{does: "right key", config: acmeWith(`name = "Acme"`), calls: "GET"},
		step{does: "refresh", config: wrong + acmeWith(`name = "Acme Inc."`), calls: "GET", fails: append(said, `Cannot look up user group "acme"`, "Nothing was changed.")},
		step{does: "right key again", config: acmeWith(`name = "Acme"`), calls: "GET", state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
	)
}

// Creating: nothing is in the state unless it is sure to be ours, and the message says what is known.
func TestAccBadAnswersToCreate(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`, `mapping = { main = "warehouse" }`)
	notMade := func() error { return errors.Join(w.absent("acme")(), w.stateLacks("embed_user_group")) }
	unknown := []string{`Cannot create user group "acme"`, "It is not known whether the group was created", "already exists"}
	w.run(
		step{
			does: "success 0", before: w.failing("GET", emulator.Refuse), config: config,
			calls: "GET", then: notMade, fails: []string{`Cannot create user group "acme"`, "The group was not created.", "does not want to"},
		},
		step{does: "HTML", before: w.failing("GET", emulator.HTML200), config: config, calls: "GET>GET>GET", then: notMade, fails: append(unknown, "HTML page")},
		step{does: "nothing", before: w.answering("GET", ""), config: config, calls: "GET>GET>GET", then: notMade, fails: unknown},
		step{does: "null", before: w.answering("GET", "null"), config: config, calls: "GET>GET>GET", then: notMade, fails: unknown},
		step{
			does: "no group", before: w.answering("GET", `{"success":1,"new_user_group":true}`), config: config,
			calls: "GET>GET>GET", then: notMade, fails: []string{`Cannot create user group "acme"`, "user_group is missing", "left at the service"},
		},
		step{does: "success in words", before: w.answering("GET", `{"success":"no"}`), config: config, calls: "GET>GET>GET", then: notMade, fails: unknown},
		step{does: "unavailable", before: w.failing("GET", emulator.Unavailable503), config: config, calls: "GET>GET>GET", then: notMade, fails: append(unknown, "status 503")},
		step{
			does: "throttled", before: w.failing("GET", emulator.TooMany429), config: config,
			calls: "GET>GET>GET", then: notMade, fails: []string{`Cannot create user group "acme"`, "The group was not created.", "requests_per_second"},
		},
		step{
			does: "redirected", before: w.failing("GET", emulator.Redirect307), config: config,
			calls: "GET", then: notMade, fails: []string{`Cannot create user group "acme"`, "The group was not created.", "base_url"},
		},
		step{
			does: "an answer about another group", before: w.answering("GET", `{"success":1,"new_user_group":false,"user_group":{"team_id":9,"token":"ugt_other","name":"Other","provided_id":"other"}}`), config: config,
			calls: "GET", then: notMade, fails: []string{"another group"},
		},
		step{
			does: "half a document, always", before: w.failing("GET", emulator.HalfDocument), config: config, calls: "GET>GET>GET", fails: unknown,
			then: func() error {
				return errors.Join(equal("name", w.group("acme").Name, "Acme"), w.stateLacks("embed_user_group"))
			},
		},
		step{does: "it was made", before: w.ClearFaults, config: config, calls: "GET", fails: []string{"already exists"}, then: func() error { w.Remove("acme"); return nil }},
		step{
			does: "half a document, once", before: w.failingOnce("GET", emulator.HalfDocument), config: config, calls: "GET>GET",
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}, then: func() error { return equal("creations", w.Creations("acme"), 1) },
		},
	)
}

// Refreshing: the state stays what it is.
func TestAccBadAnswersToRefresh(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`)
	kept := func() error { return w.stateSays(w.group("acme").Token) }
	failed := `Cannot look up user group "acme"`
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{does: "success 0", before: w.failing("GET", emulator.Refuse), config: config, calls: "GET>GET", then: kept, fails: []string{failed, "Nothing was changed."}},
		step{does: "HTML", before: w.failing("GET", emulator.HTML200), config: config, calls: "GET>GET>GET", then: kept, fails: []string{failed, "HTML page", "empty shell"}},
		step{does: "nothing", before: w.answering("GET", ""), config: config, calls: "GET>GET>GET", then: kept, fails: []string{failed, "empty shell"}},
		step{does: "no token", before: w.failing("GET", emulator.NoToken), config: config, calls: "GET>GET>GET", then: kept, fails: []string{failed, "user_group.token"}},
		step{
			does: "half a document, once", before: w.failingOnce("GET", emulator.HalfDocument), config: config,
			calls: "GET>GET", state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}

// Updating: the state keeps what it had, and the next apply sends it again.
func TestAccBadAnswersToUpdate(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	renamed := acmeWith(`name = "Acme Inc."`)
	failed := `Cannot update user group "acme"`
	old := func() error { return w.stateSays(`"name":"Acme"`) }
	unknown := []string{failed, "Whether the group was changed is not known", "updating it once more does no harm"}
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`), calls: "GET"},
		step{does: "success 0", before: w.failing("PUT", emulator.Refuse), config: renamed, calls: "GET>PUT", then: old, fails: []string{failed, "The group was not changed."}},
		step{does: "HTML", before: w.failing("PUT", emulator.HTML200), config: renamed, calls: "GET>PUT>PUT>PUT", then: old, fails: append(unknown, "HTML page")},
		step{does: "nothing", before: w.answering("PUT", ""), config: renamed, calls: "GET>PUT>PUT>PUT", then: old, fails: unknown},
		step{does: "half a document, always", before: w.failing("PUT", emulator.HalfDocument), config: renamed, calls: "GET>PUT>PUT>PUT", then: old, fails: unknown},
		step{
			does: "it was done, as the refresh shows", before: w.ClearFaults, config: renamed, calls: "GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "cut, once", before: w.failingOnce("PUT", emulator.CutAfterWork), config: acmeWith(`name = "Acme"`), calls: "GET>PUT>PUT",
			state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}

// Rotating: at most once, whatever is lost.
func TestAccBadAnswersToRotate(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	quarter := func(value string) string {
		return acmeWith(`name = "Acme"`, `rotate_token_when_changed = { q = "`+value+`" }`)
	}
	failed := `Cannot rotate the token of user group "acme"`
	kept := func() error {
		return errors.Join(w.rotations("acme", 0)(), w.stateSays(w.group("acme").Token), w.stateSays(`"q":"1"`))
	}
	open := []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag token token_fingerprint")}
	w.run(
		step{does: "create", config: quarter("1"), calls: "GET"},
		step{
			does: "success 0", before: w.failing("POST", emulator.Refuse), config: quarter("2"),
			calls: "GET>POST>GET", then: kept, fails: []string{failed, "The token was not rotated"},
		},
		step{
			does: "HTML", before: w.failing("POST", emulator.HTML200), config: quarter("2"),
			calls: "GET>POST>GET>POST>GET>POST>GET", then: kept, fails: []string{failed, "HTML page", "The token was not rotated"},
		},
		step{
			does: "nothing", before: w.answering("POST", ""), config: quarter("2"), plan: open,
			calls: "GET>POST>GET>POST>GET>POST>GET", then: kept, fails: []string{failed, "The token was not rotated"},
		},
		step{
			does: "half a document", before: w.failing("POST", emulator.HalfDocument), config: quarter("2"), plan: open, calls: "GET>POST>GET",
			then: w.rotations("acme", 1), state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
		step{
			does: "cut before, once", before: w.failingOnce("POST", emulator.CutBefore), config: quarter("3"), calls: "GET>POST>GET>POST",
			then: w.rotations("acme", 1), state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")},
		},
	)
}

// Deleting: what is not sure to be gone stays in the state.
func TestAccBadAnswersToDelete(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	config := acmeWith(`name = "Acme"`)
	failed := `Cannot delete user group "acme"`
	kept := func() error { return w.stateSays(w.group("acme").Token) }
	w.run(
		step{does: "create", config: config, calls: "GET"},
		step{
			does: "success 0", before: w.failing("DELETE", emulator.Refuse), config: config, more: destroying,
			calls: "GET>DELETE>GET", then: kept, fails: []string{failed, "still exists and stays in the state"},
		},
		step{
			does: "HTML", before: w.failing("DELETE", emulator.HTML200), config: config, more: destroying,
			calls: "GET>DELETE>DELETE>DELETE", then: kept, fails: []string{failed, "HTML page", "Whether the group was deleted is not known; it stays in the state."},
		},
		step{
			does: "nothing", before: w.answering("DELETE", ""), config: config, more: destroying,
			calls: "GET>DELETE>DELETE>DELETE", then: kept, fails: []string{failed, "stays in the state"},
		},
		step{
			does: "cut, once", before: w.failingOnce("DELETE", emulator.CutAfterWork), config: config, more: destroying,
			calls: "GET>DELETE>DELETE>GET>DELETE", then: w.absent("acme"),
		},
	)
}
