package provider

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// Without a stored token nothing that the engine writes has it, and everything else goes on.
func TestAccStoreToken(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	var tokens []string
	nowhere := func() error {
		tokens = append(tokens, w.group("acme").Token)
		files, err := unpacked(w.dir)
		written := bytes.Join(slices.Collect(maps.Values(files)), nil)
		if !bytes.Contains(written, []byte("token_fingerprint")) {
			return errors.New("nothing was written")
		}
		for _, token := range tokens {
			if bytes.Contains(written, []byte(token)) {
				return errors.New("a token was written")
			}
		}
		return err
	}
	printed := []statecheck.StateCheck{stateAttributes{acmeGroup, func() attributes {
		return attributes{"token": nil, "token_fingerprint": fingerprint(w.group("acme").Token), "team_id": 1001}
	}}}
	silent := []string{"store_token = false"}
	w.run(
		step{
			does: "create", config: acmeWith(append(silent, `name = "Acme"`, `rotate_token_when_changed = { q = "1" }`)...), calls: "GET",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "create", "api_environment_tag id team_id token_fingerprint")}, state: printed, then: nowhere,
		},
		step{does: "refresh", more: refreshing, calls: "GET", then: nowhere},
		step{
			does: "rename", config: acmeWith(append(silent, `name = "Acme Inc."`, `rotate_token_when_changed = { q = "1" }`)...), calls: "GET>PUT",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "api_environment_tag")}, state: printed, then: nowhere,
		},
		step{
			does: "rotate", config: acmeWith(append(silent, `name = "Acme Inc."`, `rotate_token_when_changed = { q = "2" }`)...), calls: "GET>GET>POST",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "token_fingerprint")}, state: printed, then: nowhere,
		},
		step{
			does: "rename and rotate", config: acmeWith(append(silent, `name = "Acme"`, `rotate_token_when_changed = { q = "3" }`)...), calls: "GET>PUT>POST",
			plan: []plancheck.PlanCheck{plans(acmeGroup, "update", "token_fingerprint")}, state: printed, then: nowhere,
		},
		step{
			does: "rotated elsewhere", before: func() { w.RotateBehind("acme") }, config: acmeWith(append(silent, `name = "Acme"`, `rotate_token_when_changed = { q = "3" }`)...),
			calls: "GET", plan: []plancheck.PlanCheck{plans(acmeGroup, "no-op", "")}, state: printed, then: nowhere,
		},
		step{
			does: "destroy", config: acmeWith(append(silent, `name = "Acme"`, `rotate_token_when_changed = { q = "3" }`)...), more: destroying,
			calls: "GET>GET>DELETE", plan: []plancheck.PlanCheck{plans(acmeGroup, "delete", "")},
		},
	)
}

// Changing store_token neither rotates nor calls.
func TestAccStoreTokenFlipped(t *testing.T) {
	w := newWorld(t, emulator.Options{})
	var token string
	same := func() error { return equal("token", w.group("acme").Token, token) }
	update := []plancheck.PlanCheck{plans(acmeGroup, "update", "")}
	w.run(
		step{does: "create", config: acmeWith(`name = "Acme"`), calls: "GET", then: func() error { token = w.group("acme").Token; return w.stateSays(token) }},
		step{
			does: "off", config: acmeWith(`name = "Acme"`, "store_token = false"), calls: "GET", plan: update,
			then: func() error { return errors.Join(same(), w.stateLacks(token)) },
		},
		step{does: "on", config: acmeWith(`name = "Acme"`, "store_token = true"), calls: "GET", plan: update, then: same},
		step{does: "and seen by the next refresh", config: acmeWith(`name = "Acme"`, "store_token = true"), calls: "GET", then: same, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
		step{does: "unset is on", config: acmeWith(`name = "Acme"`), calls: "GET", plan: update, then: same, state: []statecheck.StateCheck{w.mirrors(acmeGroup, "acme")}},
	)
}
