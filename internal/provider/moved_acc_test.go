package provider

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// A resource that is renamed without saying so would be a deleted customer. With adopt_existing it would look as if it worked,
// whenever the engine happens to create first.
func TestAccRenamedResource(t *testing.T) {
	engine.Needs(t, engine.ImportBlock)
	for name, more := range map[string][]string{"plain": nil, "adopting": {"adopt_existing = true"}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, emulator.Options{})
			before := acmeWith(append([]string{`name = "Acme"`}, more...)...)
			after := strings.Replace(before, `"embed_user_group" "acme"`, `"embed_user_group" "renamed"`, 1)
			if after == before {
				t.Fatal("nothing was renamed")
			}
			// The error may come before the engine has looked at everything: what was asked for differs, what was done must not.
			untouched := func() error {
				return errors.Join(
					equal("POST", w.Count("POST"), 0),
					equal("DELETE", w.Count("DELETE"), 0), equal("PUT", w.Count("PUT"), 0),
					equal("rotations", w.Rotations("acme"), 0), equal("deletions", w.Deletions("acme"), 0), equal("groups", len(w.Groups()), 1))
			}
			const refusal = `User group "acme" is to be destroyed at one address and is wanted at another`
			w.run(
				step{does: "create", config: before, calls: "GET"},
				step{
					does: "rename it", config: after,
					fails: []string{refusal, "moved block", "Nothing was changed"}, then: untouched,
				},
				step{
					does: "import it beside the old address", config: after + "import {\n  to = embed_user_group.renamed\n  id = \"acme\"\n}\n",
					fails: []string{refusal}, then: untouched,
				},
				step{
					does: "say that it is a move", config: after + "moved {\n  from = embed_user_group.acme\n  to   = embed_user_group.renamed\n}\n", calls: "GET",
					plan: []plancheck.PlanCheck{plancheck.ExpectResourceAction("embed_user_group.renamed", plancheck.ResourceActionNoop)},
					then: untouched,
				},
			)
		})
	}
}
