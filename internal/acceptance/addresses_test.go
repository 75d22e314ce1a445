package acceptance

import (
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// The service has one group per ID, regardless of addresses. Only an engine decides which addresses a plan contains,
// and the provider does not see them. Therefore, these tests run on every engine. What the provider makes of the
// addresses is tested in internal/protocoltest.

const createBeforeDestroy = "lifecycle {\n    create_before_destroy = true\n  }"

var acmeLines = []string{`user_group_id = "acme"`, `name = "Acme"`}

// wrongSuspicions are messages about several addresses for one ID. No run that involves a single address may print
// them.
var wrongSuspicions = []string{
	"is planned twice", "is in the state twice", "is both managed and destroyed", "deleted the group at another address",
}

// suspectsNothing is like must, and checks that the output contains none of wrongSuspicions.
func (w *workbench) suspectsNothing(args ...string) {
	w.t.Helper()
	out := oneLine(w.must(args...))
	for _, suspicion := range wrongSuspicions {
		if strings.Contains(out, suspicion) {
			w.t.Errorf("%s printed %q:\n%s", args, suspicion, out)
		}
	}
}

// TestAccReplacementIsNotTakenForTwoAddresses checks that no message about two addresses appears during a replacement,
// which involves a single one.
func TestAccReplacementIsNotTakenForTwoAddresses(t *testing.T) {
	t.Parallel()
	const first, changed = `user_group_id = "acme"`, `user_group_id = "acme-2"`
	createFirst, adopting := []string{createBeforeDestroy}, []string{createBeforeDestroy, "adopt_existing = true"}
	replace := []string{"-replace=embed_user_group.acme"}
	anotherID, anotherName := [2]string{first, changed}, [2]string{`name = "Acme"`, `name = "Acme Ltd"`}
	for name, test := range map[string]struct {
		lines []string // besides the ID and the name
		edit  [2]string
		taint bool
		args  []string
		keeps bool // the group and its token
		left  string
	}{
		"another id":                          {edit: anotherID, left: "acme-2"},
		"another id, create first":            {lines: createFirst, edit: anotherID, left: "acme-2"},
		"-replace":                            {args: replace, left: "acme"},
		"tainted, create first, adopting":     {lines: adopting, taint: true, keeps: true, left: "acme"},
		"-replace beside a change of its own": {edit: anotherName, args: replace, left: "acme"},
	} {
		t.Run(name, func(t *testing.T) {
			w := parallelWorkbench(t, emulator.Options{})
			w.applied(group("acme", slices.Concat(test.lines, acmeLines)...))
			before, _ := w.service.Group("acme")
			if test.edit[0] != "" {
				w.replace("main.tf", test.edit[0], test.edit[1])
			}
			if test.taint {
				w.must("taint", "embed_user_group.acme")
			}
			w.suspectsNothing(append([]string{"plan", "-out=planned"}, test.args...)...)
			w.suspectsNothing("apply", "planned")
			w.suspectsNothing("plan", "-detailed-exitcode")
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
// customer, is refused. With adopt_existing, it would seem to work whenever the engine happens to create first.
func TestAccRenamedResourceDeletesNoGroup(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	adopting := append([]string{"adopt_existing = true"}, acmeLines...)
	w.applied(group("acme", adopting...))
	w.configure(group("renamed", adopting...))
	w.fails(`User group "acme" is both managed and destroyed`, "apply", "-auto-approve")
	w.fails("moved block", "plan")
	w.onlyLooked()
	w.must("destroy", "-auto-approve", "-refresh=false")
	w.has()
}
