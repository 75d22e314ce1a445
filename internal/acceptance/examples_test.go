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

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
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
)

// page returns files that a page shows, and the versions.tf next to them, which the page leaves out.
func page(dir string, names ...string) []string {
	files := []string{dir + "/versions.tf"}
	for _, name := range names {
		files = append(files, dir+"/"+name)
	}
	return files
}

func resourceFile(name string) []string { return page("resources/embed_user_group", name) }

// providerFile returns a provider block, and the resource.
func providerFile(name string) []string { return append(resourceFile("resource.tf"), "provider/"+name) }

var examples = map[string]example{
	"provider":        {sources: []string{"provider/provider.tf"}},
	"provider limits": {sources: providerFile("limits.tf")},
	"provider certificates": {
		sources: providerFile("certificates.tf"), prepare: bringsCertificates,
		try: func(w *workbench) { w.wantNoFileWith(regexp.MustCompile("PRIVATE KEY")) },
	},
	"API key from Vault": {
		sources: []string{"api-key-from-vault"}, needs: engine.EphemeralResource, env: []string{"EMBED_API_KEY="},
		prepare: func(w *workbench) { w.bringsStores() },
		try:     func(w *workbench) { w.wantNoFileWith(regexp.MustCompile(emulator.DefaultKey)) },
	},

	"resource": {sources: resourceFile("resource.tf"), try: func(w *workbench) {
		w.fails("is protected from deletion", "destroy", "-auto-approve")
		w.replace("resource.tf", "2026-Q4", "2027-Q1")
		w.rotatesOnce("acme")
	}},
	"demo": {sources: []string{"demo"}, try: func(w *workbench) {
		const customer = "name: Fjordlys Kraft AS\n  incident: "
		w.replace("customers.yaml", customer+"0", customer+"1")
		w.rotatesOnce("fjordlys-kraft")
	}},
	"from CSV": {
		sources: []string{"customers-from-csv"}, try: editsSpreadsheet, goodbye: []string{"-var=max_deletions=3"},
	},
	"data source": {
		sources: page("data-sources/embed_user_group", "data-source.tf"), before: acmeOnly, stays: true, secret: true,
		try: func(w *workbench) { w.says(`"gold"`, "output") },
	},
	"data source of many": {
		sources: page("data-sources/embed_user_groups", "data-source.tf"), needs: engine.ForEachImport, before: acmeOnly,
		try: func(w *workbench) { w.has("acme", "initech") },
	},
	"function": {sources: page("functions/token_fingerprint", "function.tf"), needs: engine.Functions},
	"ephemeral": {
		sources: page("ephemeral-resources/embed_user_group_token", "ephemeral-resource.tf"),
		needs:   engine.EphemeralResource, secret: true,
	},

	"import by string id": {sources: resourceFile("import-by-string-id.tf"), before: acmeOnly},
	"import by identity":  {sources: resourceFile("import-by-identity.tf"), needs: engine.Identity, before: acmeOnly},
	"import command": {
		sources: append(resourceFile("resource.tf"), "resources/embed_user_group/import.sh"), before: acmeOnly,
		prepare: runsImportCommand,
	},
}

// otherwiseCovered maps files and directories under examples/ to the tests that apply them instead of
// TestAccExamples.
var otherwiseCovered = map[string]func(*testing.T){
	"modules/customers":                     TestAccModulePassesItsOwnTests,
	"modules/customers/tests":               TestAccModulePassesItsOwnTests,
	"token-to-secret-store":                 TestAccTokenToSecretStore,
	"token-rotation":                        TestAccTokenRotation,
	"ci":                                    TestAccPipelines,
	"getting-started":                       TestAccPages, // importsCustomers
	"getting-started/emulator":              TestAccPages, // importsCustomers
	"getting-started/undo":                  TestAccPages, // importsCustomers
	"tokens-in-two-root-modules/groups":     TestAccTokensInTwoRootModules,
	"tokens-in-two-root-modules/secrets":    TestAccTokensInTwoRootModules,
	"customers-in-shards":                   TestAccSplittingTheStateMakesOnlyLookups,
	"customers-in-shards/split":             TestAccSplittingTheStateMakesOnlyLookups,
	"gateway":                               TestGatewaysRunTheExamples,
	"list-resources/embed_user_group":       TestAccPages, // queries
	"actions/embed_rotate_user_group_token": TestAccPages, // invokes
}

// TestAccExamples checks that each example can be applied, plans nothing afterwards, and can be destroyed.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	for name, it := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			it.run(workbenchWith(t, it.options, it.needs))
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

// runsImportCommand runs the shell script unchanged.
func runsImportCommand(w *workbench) {
	if code, out := w.execute("sh", "import.sh"); code != 0 {
		w.t.Fatalf("import.sh exited with %d:\n%s", code, out)
	}
}

const customerKey, testingKey = emulator.DefaultKey, emulator.TestingKey

var bothEnvironments = emulator.Options{Environments: map[string]string{customerKey: "Customer", testingKey: "Testing"}}

func bringsCertificates(w *workbench) {
	certificate, key := protocoltest.CertificatePair(w.t, time.Hour)
	w.write("ca.pem", certificate)
	w.write("client.pem", certificate)
	w.env = append(w.env, "EMBED_CLIENT_KEY_PEM="+key)
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
		} else if slices.Contains([]string{".tf", ".hcl", ".sh", ".yml", ".conf", ".cfg"}, filepath.Ext(path)) {
			t.Errorf("no test covers examples/%s", path)
		}
	}
	for source, exists := range covered {
		if !exists {
			t.Errorf("a test names examples/%s, which does not exist", source)
		}
	}
}

// TestGatewaysRunTheExamples checks that TestProxies runs a program with each file for a gateway.
func TestGatewaysRunTheExamples(t *testing.T) {
	t.Parallel()
	used := ""
	for _, program := range []string{"nginx", "haproxy"} {
		used += readPage(t, "testdata/proxies/"+program+".conf")
	}
	for name := range exampleFiles(t) {
		file, isGateway := strings.CutPrefix(name, "gateway/")
		if isGateway && !strings.Contains(used, `{{.Example "`+file+`"}}`) {
			t.Errorf("no configuration in testdata/proxies has examples/%s", name)
		}
	}
}
