package acceptance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

const examplesDir = "../../examples"

// example is a configuration under examples/. Its test applies it, checks that the next plan is empty, and destroys
// it.
type example struct {
	// sources are the files of the configuration, or directories that contain them.
	sources []string
	needs   engine.Feature
	options emulator.Options
	// before maps the IDs of groups that already exist to their names. stays means that groups still exist at the end.
	before map[string]string
	stays  bool
	// secret means that no state or plan file contains a token. Otherwise, at least one file must contain one.
	secret bool
	// arguments are the arguments of plan and destroy, such as -var.
	arguments []string
	env       []string
	// prepare runs before the first plan. try runs between the empty plan and destroy.
	prepare, try func(w *workbench)
	// goodbye, if not nil, replaces arguments in another apply and in destroy.
	goodbye []string
}

var (
	acmeOnly    = map[string]string{"acme": "Acme Ltd"}
	acmeInitech = map[string]string{"acme": "Acme Ltd", "initech": "Initech Inc."}
	unprotected = []string{"-var=protected=false"}
)

// page returns a file that a page shows, and the versions.tf next to it, which the page leaves out.
func page(dir, name string) []string { return []string{dir + "/versions.tf", dir + "/" + name} }

func providerFile(name string) []string {
	return []string{"resources/embed_user_group/versions.tf", "provider/" + name}
}

func resourceFile(name string) []string { return page("resources/embed_user_group", name) }

func tokenFile(name string) []string { return page("ephemeral-resources/embed_user_group_token", name) }

func actionFile(name string) []string { return page("actions/embed_rotate_user_group_token", name) }

func dataFile(name string) []string { return page("data-sources/embed_user_group", name) }

var examples = map[string]example{
	"provider":         {sources: []string{"provider/provider.tf"}},
	"provider headers": {sources: providerFile("headers.tf")},
	"provider limits":  {sources: providerFile("limits.tf")},
	"provider certificates": {
		sources: providerFile("certificates.tf"), prepare: bringsCertificates, arguments: []string{"-var=certificates=."},
	},
	"API key from Vault": {
		sources: []string{"api-key-from-vault"}, needs: engine.EphemeralResource, env: []string{"EMBED_API_KEY="},
		prepare: func(w *workbench) { w.bringsStores() },
		try:     func(w *workbench) { w.wantNoFileWith(regexp.MustCompile(emulator.DefaultKey)) },
	},
	"provider environments": {
		sources: providerFile("environments.tf"), options: bothEnvironments,
		env: []string{"TF_VAR_environment=Customer"},
	},

	"resource":                {sources: resourceFile("resource.tf")},
	"mapping and properties":  {sources: resourceFile("mapping_and_properties.tf")},
	"data source provided id": {sources: resourceFile("data_source_provided_id.tf")},
	"for_each":                {sources: resourceFile("for_each.tf")},
	"store_token":             {sources: resourceFile("store_token.tf"), secret: true},
	"adoption":                {sources: resourceFile("adoption.tf"), before: map[string]string{"acme": "Acme"}},
	"protection":              {sources: resourceFile("protection.tf"), try: refusesDestruction, goodbye: unprotected},
	"rotation": {sources: resourceFile("rotation.tf"), try: func(w *workbench) {
		w.replace("rotation.tf", "2026-Q4", "2027-Q1")
		w.rotatesOnce("acme")
	}},
	"rotation by calendar": {sources: []string{"rotation-by-calendar"}, try: func(w *workbench) {
		w.fails("must have the form YYYY-Qn", "plan", "-var=quarter=soon")
		w.rotatesOnce("acme", "-var=quarter=2027-Q1")
	}},
	"rotation by age":              {sources: resourceFile("rotation_by_age.tf"), try: rotatesAfter90Days},
	"rotation by age, with output": {sources: []string{"rotation-by-age"}, try: rotatesAfter90Days},

	"demo": {sources: []string{"demo"}, try: func(w *workbench) {
		const customer = "name: Fjordlys Kraft AS\n  incident: "
		w.replace("customers.yaml", customer+"0", customer+"1")
		w.rotatesOnce("fjordlys-kraft")
	}},
	"from YAML": {sources: []string{"customers-from-yaml"}},
	"from CSV": {
		sources: []string{"customers-from-csv"}, try: editsSpreadsheet, goodbye: []string{"-var=max_deletions=3"},
	},
	"module": {
		sources: []string{"customers-module"}, needs: engine.OptionalMembers,
		prepare: bringsModule, goodbye: unprotected,
		try: func(w *workbench) { w.says("tokens = <sensitive>", "output") },
	},
	"data source":     {sources: dataFile("data-source.tf"), before: acmeOnly, stays: true},
	"data properties": {sources: dataFile("properties.tf"), before: acmeOnly, stays: true, secret: true},

	"data source of many": {
		sources: page("data-sources/embed_user_groups", "data-source.tf"), needs: engine.ForEachImport, before: acmeInitech,
		try: func(w *workbench) { w.has("acme", "initech", "umbrella") },
	},
	"function": {sources: page("functions/token_fingerprint", "function.tf"), needs: engine.Functions},

	"ephemeral": {sources: tokenFile("ephemeral-resource.tf"), needs: engine.EphemeralResource, secret: true},
	"ephemeral existing": {
		sources: tokenFile("existing.tf"), needs: engine.EphemeralResource, secret: true, before: acmeOnly, stays: true,
	},
	"action trigger": {sources: actionFile("trigger.tf"), needs: engine.Actions, try: func(w *workbench) {
		w.rotatesOnce("acme", "-var=incident=1")
	}},

	"import by string id": {sources: resourceFile("import-by-string-id.tf"), needs: engine.ImportBlock, before: acmeOnly},
	"import by identity":  {sources: resourceFile("import-by-identity.tf"), needs: engine.Identity, before: acmeOnly},
	"import for_each":     {sources: resourceFile("import_for_each.tf"), needs: engine.ForEachImport, before: acmeInitech},
	"imports by identity": {sources: []string{"import-by-identity"}, needs: engine.Identity, before: acmeInitech},
	"imports from CSV": {
		sources: []string{"import-from-csv"}, needs: engine.ForEachImport,
		before: map[string]string{"acme": "Acme Ltd", "initech": "Initech, Inc.", "umbrella": "Umbrella AG"},
	},
	"query, limited": {
		sources: page("list-resources/embed_user_group", "limit.tfquery.hcl"), needs: engine.Query, before: acmeInitech,
		prepare: queriesGroups,
	},
	"query from CSV": {
		sources: []string{"query-from-csv"}, needs: engine.Query, before: acmeInitech, prepare: queriesGroups,
	},
	"import command": {
		sources: append(resourceFile("resource.tf"), resourceFile("import.sh")...), before: acmeOnly,
		prepare: runsImportCommand,
	},
}

// otherwiseCovered maps files and directories under examples/ to the tests that apply them instead of
// TestAccExamples.
var otherwiseCovered = map[string]func(*testing.T){
	"modules/customers":                                         TestAccModulePassesItsOwnTests,
	"modules/customers/tests":                                   TestAccModulePassesItsOwnTests,
	"token-to-secret-store":                                     TestAccPages, // keepsSecretCurrent
	"getting-started":                                           TestAccPages, // importsCustomers
	"getting-started/review":                                    TestAccPages, // importsCustomers
	"tokens-in-two-root-modules/groups":                         TestAccTokensInTwoRootModules,
	"tokens-in-two-root-modules/secrets":                        TestAccTokensInTwoRootModules,
	"customers-in-shards":                                       TestAccSplittingTheStateMakesOnlyLookups,
	"customers-in-shards/split":                                 TestAccSplittingTheStateMakesOnlyLookups,
	"list-resources/embed_user_group/list-resource.tfquery.hcl": TestAccPages, // queries
	"actions/embed_rotate_user_group_token/action.tf":           TestAccPages, // invokes
}

// TestAccExamples checks that each example can be applied, plans nothing afterwards, and can be destroyed.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	for name, it := range examples {
		t.Run(name, func(t *testing.T) {
			it.run(parallelWorkbench(t, it.options, it.needs))
		})
	}
}

func (it example) run(w *workbench) {
	w.env = append(w.env, it.env...)
	for id, name := range it.before {
		w.service.Seed(emulator.Group{ID: id, Name: name, Properties: json.RawMessage(`{"tier":"gold"}`)})
	}
	for _, source := range it.sources {
		w.copy(filepath.Join(examplesDir, source))
	}
	if it.prepare != nil {
		it.prepare(w)
	}
	w.apply(it.arguments...)
	w.plansNothing(it.arguments...)
	for id := range it.before {
		if w.service.Count("created", id)+w.service.Count("rotated", id)+w.service.Count("deleted", id) > 0 {
			w.t.Errorf("%q existed before, but was created, deleted or rotated", id)
		}
	}
	if it.try != nil {
		it.try(w)
	}
	if found := w.filesWith(tokenPattern); it.secret != (len(found) == 0) {
		// Finding tokens in the other examples proves that the search works.
		w.t.Errorf("the files with tokens are %q", found)
	}
	if it.goodbye != nil {
		it.arguments = it.goodbye
	}
	if w.unprotect() || it.goodbye != nil {
		w.apply(it.arguments...)
	}
	w.must(append([]string{"destroy", "-auto-approve"}, it.arguments...)...)
	if left := len(w.service.In("Customer").Groups()) + len(w.service.In("Testing").Groups()); it.stays != (left > 0) {
		w.t.Errorf("%d groups are left after destroy", left)
	}
}

// unprotect turns off deletion_protection in the files of the workbench, and reports whether it was on.
func (w *workbench) unprotect() (was bool) {
	w.t.Helper()
	files, _ := filepath.Glob(filepath.Join(w.dir, "*.tf"))
	protection := regexp.MustCompile(`(?m)^( *deletion_protection += )true$`)
	for _, file := range files {
		text := readPage(w.t, file)
		if off := protection.ReplaceAllString(text, "${1}false"); off != text {
			w.write(filepath.Base(file), off)
			was = true
		}
	}
	return was
}

// rotatesOnce applies the configuration and checks that this rotates the group once.
func (w *workbench) rotatesOnce(id string, arguments ...string) {
	w.t.Helper()
	before := w.service.Count("rotated", id)
	w.apply(arguments...)
	w.plansNothing(arguments...)
	w.rotated(id, before+1)
}

func rotatesAfter90Days(w *workbench) {
	w.ages("acme", 89)
	w.must("apply", "-auto-approve", "-refresh-only") // An output may depend on the day.
	w.plansNothing()
	w.ages("acme", 91)
	w.rotatesOnce("acme", "-refresh=false")
}

func refusesDestruction(w *workbench) {
	w.fails("is protected from deletion", "destroy", "-auto-approve")
	w.rotated("acme", 0)
	if w.service.Count("deleted", "acme") > 0 {
		w.t.Error("the group was deleted")
	}
}

// editsSpreadsheet adds a customer, removes one, and rotates the token of one. No other group changes.
func editsSpreadsheet(w *workbench) {
	w.service.ResetCounts()
	w.replace("customers.csv", "acme,Acme Ltd,gold,250000,acme_sales,acme_billing,0", "globex,Globex,gold,,,,0")
	w.replace("customers.csv", "trial,,,,2", "trial,,,,3")
	w.rotatesOnce("0042")
	if w.service.Count("deleted", "acme") != 1 || w.service.Count("created", "globex") != 1 ||
		w.service.Count("updated", "initech") > 0 {
		w.t.Errorf("the calls did not only add globex, delete acme and rotate 0042: %v", w.service.Calls())
	}
}

// copyModule copies the module customers to a directory in the workbench.
func (w *workbench) copyModule(dir string) {
	w.t.Helper()
	if err := os.CopyFS(filepath.Join(w.dir, dir), os.DirFS(customersModule)); err != nil {
		w.t.Fatal(err)
	}
}

func bringsModule(w *workbench) {
	w.replace("main.tf", "../modules/customers", "./customers")
	w.copyModule("customers")
	w.must("get")
}

// queriesGroups lists the groups, and generates the configuration that imports them unchanged.
func queriesGroups(w *workbench) {
	w.service.Change("acme", func(group *emulator.Group) {
		group.Properties = json.RawMessage(`{"n":9007199254740993,"why":"${a} %{b}"}`)
	})
	out := w.must("query", "-generate-config-out=generated.tf")
	for id := range acmeInitech {
		if !strings.Contains(out, "user_group_id="+id) {
			w.t.Errorf("%q is not listed:\n%s", id, out)
		}
	}
	w.has("acme", "initech")
	w.says("2 to import, 0 to add, 0 to change, 0 to destroy", "plan")
}

// runsImportCommand runs the shell script unchanged.
func runsImportCommand(w *workbench) {
	if code, out := w.execute("sh", "import.sh"); code != 0 {
		w.t.Fatalf("import.sh exited with %d:\n%s", code, out)
	}
}

const customerKey, testingKey = emulator.DefaultKey, "key-of-testing"

var bothEnvironments = emulator.Options{Environments: map[string]string{customerKey: "Customer", testingKey: "Testing"}}

func bringsCertificates(w *workbench) {
	certificate, key := protocoltest.CertificatePair(w.t, time.Hour)
	w.write("ca.pem", certificate)
	w.write("client.pem", certificate)
	w.write("client-key.pem", key)
}

// TestEveryExampleIsTested checks that each example has a test, because one that no test applies would rot. It needs no
// engine.
func TestEveryExampleIsTested(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, it := range examples {
		for _, source := range it.sources {
			covered[source] = false
		}
	}
	for source := range otherwiseCovered {
		covered[source] = false
	}
	for path, text := range exampleFiles(t) {
		// A set of 1,000 elements costs an engine about nine times as much as the same map.
		if strings.Contains(text, "toset(") {
			t.Errorf("examples/%s has a set, which is slow", path)
		}
		source := path
		if _, is := covered[source]; !is {
			source = filepath.ToSlash(filepath.Dir(path))
		}
		if _, is := covered[source]; is {
			covered[source] = true
		} else if slices.Contains([]string{".tf", ".hcl", ".sh"}, filepath.Ext(path)) {
			t.Errorf("no test covers examples/%s", path)
		}
	}
	for source, exists := range covered {
		if !exists {
			t.Errorf("a test names examples/%s, which does not exist", source)
		}
	}
}
