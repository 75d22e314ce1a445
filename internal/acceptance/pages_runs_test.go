package acceptance

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// The tests in this file hold what the pages state about plans and applies against runs: a plan and an apply are two
// processes, and neither knows what the other has found out.

// pageSays checks that a page has the words.
func pageSays(t *testing.T, page, words string) {
	t.Helper()
	if !strings.Contains(readPage(t, filepath.Join(docsDir, page)), words) {
		t.Errorf("%s does not say %q", page, words)
	}
}

// makes runs the engine, which has to make these calls. One preflight is one of them.
func (w *workbench) makes(want string, args ...string) {
	w.t.Helper()
	w.service.ResetCounts()
	w.must(args...)
	var calls []string
	for _, call := range w.service.Calls() {
		switch {
		case !protocoltest.IsPreflight(call):
			calls = append(calls, call.Method+" "+call.ID)
		case call.Did() == "created":
			calls = append(calls, "preflight")
		}
	}
	if got := strings.Join(calls, ", "); got != want {
		w.t.Errorf("%s made these calls: %s; want %s", args, got, want)
	}
}

// TestAccFactsOfProofs checks what proves the key in plans and applies, and how often the preflight runs.
func TestAccFactsOfProofs(t *testing.T) {
	t.Parallel()
	const page = "guides/service-behavior.md"
	pageSays(t, page, "no customer's group is changed before the key is proved, by a lookup that shows a known token, or "+
		"by a test group.")
	pageSays(t, page, "An apply begins without a proof, so its first change begins with a lookup or, if it creates "+
		"a group, with the test group.")
	w := workbenchWith(t, emulator.Options{})
	named := func(name string) string { return group("acme", `user_group_id = "acme"`, `name = "`+name+`"`) }
	w.applied(named("Acme"))
	w.env = append(slices.Clone(w.env), "EMBED_ENVIRONMENT=Customer")
	w.configure(named("Acme Ltd"))
	w.makes("GET acme", "plan", "-out=planned")
	w.makes("GET acme, preflight, PUT acme", "apply", "planned") // The state did not know the environment.
	w.configure(named("Acme Inc."))
	w.makes("GET acme", "plan", "-out=planned")
	w.makes("GET acme, PUT acme", "apply", "planned")
	w.configure(named("Acme Inc."), group("new", `user_group_id = "new"`, `name = "New"`),
		"data \"embed_user_group\" \"other\" {\n  user_group_id = \"other\"\n}\n")
	w.service.Seed(emulator.Group{ID: "other"})
	w.makes("preflight, GET other", "plan", "-refresh=false", "-out=planned")
	w.makes("preflight, GET new", "apply", "planned")
}

// TestAccFactsOfEphemeralLookups checks when the ephemeral resource looks its group up in runs that destroy it.
func TestAccFactsOfEphemeralLookups(t *testing.T) {
	t.Parallel()
	const page, where = "ephemeral-resources/user_group_token.md", " | only if a provider block uses the token |"
	pageSays(t, page, "| Plan with `-destroy` and `-refresh=false`"+where)
	pageSays(t, page, "| Apply of a plan with `-destroy`"+where)
	token := "ephemeral \"embed_user_group_token\" \"acme\" {\n  user_group_id = embed_user_group.acme.id\n}\n"
	used := "provider \"embed\" {\n  alias   = \"other\"\n  headers = { X-Token = ephemeral.embed_user_group_token." +
		"acme.token }\n}\n" + group("other", "provider = embed.other", `user_group_id = "other"`, `name = "Other"`)
	for more, want := range map[string]struct{ plan, apply string }{
		"":   {"", "DELETE acme"},
		used: {"GET acme", "GET acme, DELETE other, DELETE acme"},
	} {
		w := workbenchWith(t, emulator.Options{}, engine.EphemeralResource)
		w.applied(group("acme", `user_group_id = "acme"`, `name = "Acme"`), token, more)
		w.makes(want.plan, "plan", "-destroy", "-refresh=false", "-out=planned")
		w.makes(want.apply, "apply", "planned")
		w.applied(group("acme", `user_group_id = "acme"`, `name = "Acme"`), token, more)
		w.must("plan", "-destroy", "-out=planned")
		w.makes(want.apply, "apply", "planned")
	}
}
