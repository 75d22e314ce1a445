package acceptance

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The service has one group for each ID, whatever its addresses in the state. Only Terraform decides in which order a
// plan creates and destroys at several addresses, and the provider does not see them. What the provider makes of it is
// tested in internal/protocoltest.

const createFirst = "lifecycle {\n    create_before_destroy = true\n  }"

// TestAccReplacement checks that a replacement is not taken for a group with two addresses, and that it does not delete
// what it has just created or adopted.
func TestAccReplacement(t *testing.T) {
	t.Parallel()
	const id, name = `user_group_id = "acme"`, `name = "Acme"`
	for what, test := range map[string]struct {
		lines   []string
		another bool // the user_group_id changes
		taint   bool
		args    []string
		keeps   bool // the group and its token
		left    string
	}{
		"another id":               {lines: []string{id, name}, another: true, left: "acme-2"},
		"another id, create first": {lines: []string{id, name, createFirst}, another: true, left: "acme-2"},
		"-replace": {
			lines: []string{id, name}, args: []string{"-replace=embed_user_group.acme"}, left: "acme",
		},
		"tainted, create first, adopting": {
			lines: []string{id, name, createFirst, "adopt_existing = true"}, taint: true, keeps: true, left: "acme",
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := workbenchWith(t, emulator.Options{})
			w.applied(group("acme", test.lines...))
			before, _ := w.service.Group("acme")
			if test.another {
				w.replace("main.tf", id, `user_group_id = "acme-2"`)
			}
			if test.taint {
				w.must("taint", "embed_user_group.acme")
			}
			w.apply(test.args...)
			w.plansNothing()
			w.has(test.left)
			after, _ := w.service.Group(test.left)
			if same := after.TeamID == before.TeamID && after.Token == before.Token; same != test.keeps {
				t.Errorf("the replacement kept the group and its token: %t", same)
			}
			w.must("destroy", "-auto-approve")
			w.has()
		})
	}
}

// TestAccRenamedResourceDeletesNoGroup checks that renaming a resource without a moved block, which would delete a
// customer, is refused. With adopt_existing, it would seem to work whenever Terraform happens to create first.
func TestAccRenamedResourceDeletesNoGroup(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	adopting := []string{`user_group_id = "acme"`, `name = "Acme"`, "adopt_existing = true"}
	w.applied(group("acme", adopting...))
	w.configure(group("renamed", adopting...))
	w.fails(`User group "acme" is both managed and destroyed`, "apply", "-auto-approve")
	w.fails("moved block", "plan")
	w.onlyLooked()
	w.must("destroy", "-auto-approve", "-refresh=false")
	w.has()
}

// TestAccForgottenGroupsStay: the engine forgets a group in place of deleting it, which the provider does not see. A
// message that refuses the plan nevertheless says so.
func TestAccForgottenGroupsStay(t *testing.T) {
	t.Parallel()
	const id, other, protected = `user_group_id = "acme"`, `user_group_id = "acme-2"`, "deletion_protection = true"
	w := workbenchWith(t, emulator.Options{}, engine.Forgetting)
	w.applied(group("acme", id, `name = "Acme"`, protected, "lifecycle {\n    destroy = false\n  }"))
	w.replace("main.tf", id, other)
	w.fails("unless the resource has lifecycle { destroy = false }", "plan")
	w.replace("main.tf", other, id)
	w.replace("main.tf", protected, "")
	w.apply()
	w.replace("main.tf", id, other)
	w.apply()
	w.run("destroy", "-auto-approve") // OpenTofu fails then, because something is left.
	w.has("acme", "acme-2")
}
