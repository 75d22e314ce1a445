package acceptance

import (
	"encoding/json"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// parts contains a test for each part of a page that has blocks, by page and anchor of the heading.
var parts = map[string]part{
	"README.md#the-smallest-safe-configuration": {follow: appliesReadme},
	"README.md#what-it-has-been-tested-with":    {options: clearing, follow: probesFromReadme},
	"README.md#development":                     {follow: quotesDemo},
	"index.md#example-usage": {follow: func(r *reader) {
		r.copy(examplesDir + "/provider/provider.tf")
		r.runs()
		r.has("acme")
		r.plansNothing()
	}},
	"actions/rotate_user_group_token.md#example-usage": {needs: engine.Actions, follow: invokes},
	"ephemeral-resources/user_group_token.md#writing-to-a-secret-store": {
		needs: engine.EphemeralResource, follow: writesSecret,
	},
	"list-resources/user_group.md#example-usage": {
		needs: engine.Query, follow: queries("user_group_id=acme", "user_group_id=initech"),
	},
	"list-resources/user_group.md#generate-import-blocks-and-configuration": {
		needs: engine.Query, follow: queries("2 to import, 0 to add, 0 to change"),
	},

	"guides/getting-started.md#one-plan-for-all-customers": {
		needs: engine.ForEachImport, options: bothEnvironments, follow: importsCustomers,
	},
	"guides/getting-started.md#one-group": {needs: engine.GenerateConfig, follow: importsOne},
	"guides/getting-started.md#ids-but-no-configuration": {
		needs: engine.Query, follow: queries("user_group_id=acme", "2 to import, 0 to add, 0 to change"),
	},
	"guides/getting-started.md#adoption":              {follow: adopts},
	"guides/getting-started.md#stop-managing-a-group": {needs: engine.Removed, follow: forgets},

	"guides/many-customers.md#use-the-module":      {needs: engine.OptionalMembers, follow: callsModule},
	"guides/many-customers.md#splitting-the-state": {needs: engine.ForEachImport, follow: splits},
	"guides/moving-groups.md#to-another-address":   {needs: engine.Moved, follow: moves},

	"guides/wrong-environment.md#with-environment-nothing-to-undo": {options: bothEnvironments, follow: stopsWithWrongKey},
	"guides/wrong-environment.md#the-plan-before-it-is-applied":    {options: bothEnvironments, follow: plansWithWrongKey},
	"guides/wrong-environment.md#undo-an-apply":                    {options: bothEnvironments, follow: undoesApply},

	"guides/test-your-module.md#with-the-emulator":      {needs: engine.Mocks, follow: testsWithEmulator},
	"guides/test-your-module.md#with-a-mocked-provider": {needs: engine.Mocks, follow: testsWithMocks},

	"guides/rotate-without-surprise.md#who-sees-the-new-token-and-when": {
		needs: engine.PlanTimestamp, follow: restarts,
	},
	"guides/rotate-without-surprise.md#scheduled-rotation": {
		needs: engine.PlanTimestamp, follow: rotatesBySchedule,
	},
	"guides/rotate-without-surprise.md#rotation-by-age":                    {follow: rotatesByAge},
	"guides/rotate-without-surprise.md#emergency-rotation":                 {follow: rotatesNow},
	"guides/rotate-without-surprise.md#check-for-rotations-made-elsewhere": {follow: looks},

	"guides/which-service.md#ask-your-service":                         {options: clearing, follow: probes},
	"guides/which-service.md#updates-that-clear-what-they-do-not-send": {options: clearing, follow: keepsEverything},
	"guides/which-service.md#different-ids-for-the-same-group":         {follow: rejectsTwins},
	"guides/which-service.md#try-it-without-a-service":                 {follow: probesEmulator},

	"guides/before-production.md#environment":         {follow: validates},
	"guides/before-production.md#deletion-protection": {follow: validates},
	"guides/before-production.md#limit-deletions":     {follow: validates},
	"guides/before-production.md#state":               {follow: parsesHCL},

	"guides/pipeline.md#plan-on-pull-requests-without-a-key": {follow: plansWithoutKey},
	"guides/pipeline.md#apply-what-was-planned":              {follow: appliesPlanned},
	"guides/pipeline.md#limit-what-one-apply-may-do":         {follow: limitsRotations},
	"guides/pipeline.md#detect-drift":                        {follow: findsDrift},
	"guides/pipeline.md#github-actions":                      {follow: isGitHub},
	"guides/pipeline.md#gitlab-ci":                           {follow: isGitLab},
	"guides/pipeline.md#lock-file-for-several-platforms":     {follow: locksPlatforms},

	"guides/tokens-and-state.md#protect-the-state":               {follow: encrypts},
	"guides/tokens-and-state.md#keep-the-token-out-of-the-state": {follow: keepsTokenOut},
	"guides/tokens-and-state.md#use-a-token-that-is-not-stored": {
		needs: engine.EphemeralResource, follow: keepsSecretCurrent,
	},
	"guides/tokens-and-state.md#check-that-the-secret-store-is-up-to-date": {
		needs: engine.Functions, follow: warnsOfOldSecret,
	},

	"guides/proxies-and-gateways.md#repeated-requests": {follow: readsProxies},
	"guides/proxies-and-gateways.md#proxies":           {follow: validates},

	"guides/troubleshooting.md#how-to-read-a-message": {follow: removesLeftover},
}

// importsOne imports a group whose values are hard to generate, first with an import block, and then on the command
// line. Without edits, the generated configuration plans nothing.
func importsOne(r *reader) {
	r.service.Seed(emulator.Group{
		ID: "acme", Name: `Acme "& Söhne" ${x} %{y}`, Mapping: map[string]string{"a": "b"},
		Properties: json.RawMessage(`{"z":1,"a":{"rows":90071992547409931,"rate":1e-7,"none":null,"empty":{},"list":[]},` +
			`"text":"<a> ${b}\n"}`),
	})
	r.starts("import {\n  to = embed_user_group.acme\n  id = \"acme\"\n}\n")
	r.quotes("1 to import, 0 to add, 0 to change, 0 to destroy", r.runs())
	// Older engines write JSON as a string literal.
	properties := "jsonencode({"
	if !engine.GenerateJSON.In(r.engine) {
		properties = `"{\"a\":`
	}
	r.quotes(properties, r.read("generated.tf"))
	r.apply()
	r.plansNothing()
	r.must("state", "rm", "embed_user_group.acme")
	r.write("main.tf", "")
	r.runs()
	r.plansNothing()
	r.onlyLooked()
}

// queries returns a function that lists two groups with the query of the page or, if it shows the example, with that.
// It checks that the next block prints the words.
func queries(words ...string) func(r *reader) {
	return func(r *reader) {
		for id, name := range acmeInitech {
			r.service.Seed(emulator.Group{ID: id, Name: name})
		}
		query := readPage(r.t, examplesDir+"/list-resources/embed_user_group/list-resource.tfquery.hcl")
		if r.left[0].language == "terraform" {
			query = r.take("terraform")
		}
		r.write("groups.tfquery.hcl", query)
		r.write("main.tf", requiredProviders+"\nprovider \"embed\" {}\n")
		r.init()
		r.quotes(strings.Join(words, "\n\n"), r.runs())
		r.has("acme", "initech")
	}
}

func adopts(r *reader) {
	r.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	r.begins(r.take("terraform"))
	r.plansNothing()
	r.rotated("acme", 0)
}

func forgets(r *reader) {
	removed := r.take("terraform")
	r.begins(group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`))
	r.write("main.tf", removed)
	r.service.ResetCounts()
	r.must("apply", "-auto-approve")
	r.onlyLooked()

	r.begins(group("customer", `for_each = { initech = "Initech Inc." }`, "user_group_id = each.key", "name = each.value"))
	r.shell(strings.ReplaceAll(r.take("shell"), "acme", "initech"))
	r.has("acme", "initech")
}

// callsModule also follows the next section, which says how to remove a customer.
func callsModule(r *reader) {
	r.writes("main.tf")
	r.copyModule("modules/customers")
	const leaving = "- { id: initech, name: Initech Inc., tier: trial"
	r.write("customers.yaml", "- { id: acme, name: Acme Ltd, tier: gold }\n"+leaving+" }\n")
	r.init()
	r.apply()
	r.plansNothing()
	const leaked = "- { id: acme, name: Acme Ltd, tier: gold, incident: 1 }\n"
	r.write("customers.yaml", leaked+leaving+" }\n")
	r.apply()
	r.rotated("acme", 1)
	r.rotated("initech", 0)
	const days, incident = "rotate_token_after_days = 90", `rotate_token_when_changed = { incident = "1" }`
	r.replace("main.tf", days, days+"\n  "+incident)
	r.apply()
	r.rotated("acme", 2)
	r.rotated("initech", 1)

	r.write("customers.yaml", leaked)
	r.fails("is protected from deletion", "plan")
	r.write("customers.yaml", leaked+leaving+", leaving: true }\n")
	r.apply()
	r.write("customers.yaml", leaked)
	r.apply()
	r.has("acme")
}

// moves follows the block, which moves a group without a change.
func moves(r *reader) {
	r.begins(group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`))
	customer := group("customer", `for_each = { acme = "Acme Ltd" }`, "user_group_id = each.key", "name = each.value")
	r.write("main.tf", customer+r.take("terraform"))
	r.service.ResetCounts()
	r.suspectsNothing("plan", "-out=planned")
	r.suspectsNothing("apply", "planned")
	r.onlyLooked()
	r.plansNothing()
}

func appliesReadme(r *reader) {
	r.write("main.tf", r.take("hcl"))
	printed := r.runs()
	if acme, _ := r.service.Group("acme"); !strings.HasSuffix(printed, acme.Token) || acme.Name != "Acme Ltd" {
		r.t.Error("the commands do not print the group's token at the end, or its name is wrong")
	}
	r.plansNothing()
	r.says("acme_token = <sensitive>", "output")
}

// quotesDemo checks only that the make targets exist, and that the demo has the steps that the page quotes.
func quotesDemo(r *reader) {
	makefile, demo := readPage(r.t, "../../GNUmakefile"), readPage(r.t, "../demo/demo.txtar")
	targets, quoted := r.take("shell"), r.take("text")
	for line := range strings.Lines(targets + r.take("shell")) {
		if words := strings.Fields(line); words[0] != "make" || !strings.Contains(makefile, "\n"+words[1]+": ") {
			r.t.Errorf("there is no target for %q", line)
		}
	}
	for line := range strings.Lines(quoted) {
		_, said, _ := strings.Cut(strings.TrimSpace(line), " ")
		for part := range strings.SplitSeq(strings.TrimSuffix(said, "; state and service agree"), "; ") {
			words := strings.TrimPrefix(strings.Trim(part, "“”"), "the service got ")
			if !strings.Contains(demo, "'"+words+"'") {
				r.t.Errorf("the demo has no step that says %q", words)
			}
		}
	}
}

func invokes(r *reader) {
	r.copy(examplesDir + "/actions/embed_rotate_user_group_token/action.tf")
	r.init()
	r.apply()
	r.quotes("Rotated; the new token has the fingerprint", r.runs())
	r.rotated("acme", 1)
	r.quotes("token_fingerprint", r.runs())
	r.plansNothing()
}

// removesLeftover runs the command that the provider's messages contain, too.
func removesLeftover(r *reader) {
	engine.NeedsProgram(r.t, "curl")
	r.service.Seed(emulator.Group{ID: "acme"})
	r.runs()
	r.has()
}
