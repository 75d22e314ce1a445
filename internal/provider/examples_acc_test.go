package provider

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// An example is a configuration under examples/ that is applied, planned clean and destroyed.
type example struct {
	// sources are files that make up the configuration, or directories that hold it.
	sources []string
	needs   []engine.Feature
	options emulator.Options
	// before is what exists at the service, id to name, and after what still does when all is destroyed.
	before map[string]string
	after  []string
	// secret: no token is in any state or plan file.
	secret bool
	// arguments are those of plan and destroy, such as -var.
	arguments []string
	env       []string
	// prepare runs before the first plan, try between the clean plan and the destruction.
	prepare, try func(w *workbench)
	// goodbye are the arguments of the destruction, where they are others.
	goodbye []string
}

var (
	acme         = map[string]string{"acme": "Acme Ltd"}
	acmeInitech  = map[string]string{"acme": "Acme Ltd", "initech": "Initech Inc."}
	unprotected  = []string{"-var=protected=false"}
	resourceFile = func(name string) []string { return []string{"resources/embed_user_group/" + name} }
)

var examples = map[string]example{
	"provider":             {sources: []string{"provider/provider.tf"}},
	"provider environment": {sources: []string{"provider/environment.tf"}, options: emulator.Options{Environments: map[string]string{emulator.DefaultKey: "Customer", "key-of-testing": "Testing"}}, try: refusesKeyOfTesting},
	"provider headers":     {sources: []string{"provider/headers.tf"}, try: sentHeader},
	"provider limits":      {sources: []string{"provider/limits.tf"}, try: staysWithinLimit},

	"resource":                {sources: resourceFile("resource.tf")},
	"mapping and properties":  {sources: resourceFile("mapping_and_properties.tf")},
	"data source provided id": {sources: resourceFile("data_source_provided_id.tf"), try: deletesWithItsDataSource},
	"for_each":                {sources: resourceFile("for_each.tf")},
	"store_token":             {sources: resourceFile("store_token.tf"), secret: true},
	"adoption":                {sources: resourceFile("adoption.tf"), before: map[string]string{"acme": "Acme"}},
	"adoption of nothing":     {sources: resourceFile("adoption.tf")},
	"protection":              {sources: resourceFile("protection.tf"), try: refusesDestruction, goodbye: unprotected},
	"rotation": {sources: resourceFile("rotation.tf"), try: func(w *workbench) {
		w.replace("rotation.tf", "2026-Q4", "2027-Q1")
		w.rotatesOnce("acme")
	}},

	"rotation by calendar": {sources: []string{"rotation-by-calendar"}, try: func(w *workbench) {
		w.fails("must be a year and a quarter", "plan", "-var=token_period=soon")
		w.rotatesOnce("acme", "-var=token_period=2027-Q1")
	}},
	"rotation by age": {
		sources: []string{"rotation-by-age"}, needs: []engine.Feature{engine.PlanTimestamp},
		arguments: []string{"-var=now=2026-03-31T23:59:59Z"},
		try: func(w *workbench) {
			w.plansNothing("-var=now=2026-01-01T00:00:00Z")
			w.rotatesOnce("acme", "-var=now=2026-04-01T00:00:00Z")
			w.plansNothing("-var=now=2026-06-29T23:59:59Z")
			w.rotatesOnce("acme", "-var=now=2026-06-30T00:00:00Z")
		},
	},
	"rotation by age, now": {sources: []string{"rotation-by-age"}, needs: []engine.Feature{engine.PlanTimestamp}},

	"demo":            {sources: []string{"demo"}, try: raisesTokenIssue},
	"from YAML":       {sources: []string{"customers-from-yaml"}, try: hasWhatTheFileSays},
	"from CSV":        {sources: []string{"customers-from-csv"}, try: editsSpreadsheet},
	"module":          {sources: []string{"customers-module"}, needs: []engine.Feature{engine.OptionalMembers}, prepare: bringsModule, try: keepsTokensSensitive, goodbye: unprotected},
	"two envs":        twoEnvironments,
	"data source":     {sources: []string{"data-sources/embed_user_group/data-source.tf"}, before: acme, after: []string{"acme"}},
	"data properties": {sources: []string{"data-sources/embed_user_group/properties.tf"}, before: acme, after: []string{"acme"}, secret: true},

	"ephemeral": {
		sources: []string{"ephemeral-resources/embed_user_group_token/ephemeral-resource.tf"},
		needs:   []engine.Feature{engine.EphemeralResource}, secret: true,
	},
	"ephemeral existing": {
		sources: []string{"ephemeral-resources/embed_user_group_token/existing.tf"},
		needs:   []engine.Feature{engine.EphemeralResource}, secret: true, before: acme, after: []string{"acme"},
	},
	"action": {
		sources: []string{"actions/embed_rotate_user_group_token/action.tf"}, needs: []engine.Feature{engine.Actions},
		try: func(w *workbench) {
			w.must("apply", "-auto-approve", "-invoke=action.embed_rotate_user_group_token.acme")
			w.rotated("acme", 1)
			w.must("apply", "-auto-approve", "-refresh-only")
		},
	},
	"action trigger": {
		sources: []string{"actions/embed_rotate_user_group_token/trigger.tf"}, needs: []engine.Feature{engine.Actions},
		try: func(w *workbench) {
			w.rotatesOnce("acme", "-var=incident=1")
		},
	},

	"import by string id": {sources: resourceFile("import-by-string-id.tf"), needs: []engine.Feature{engine.ImportBlock}, before: acme},
	"import by identity":  {sources: resourceFile("import-by-identity.tf"), needs: []engine.Feature{engine.Identity}, before: acme},
	"import for_each":     {sources: resourceFile("import_for_each.tf"), needs: []engine.Feature{engine.ForEachImport}, before: acmeInitech},
	"import command": {
		sources: []string{"resources/embed_user_group/resource.tf", "resources/embed_user_group/import.sh"},
		before:  acme, prepare: runsImportCommand,
	},
	"imports from CSV": {
		sources: []string{"import-from-csv"}, needs: []engine.Feature{engine.ForEachImport},
		before: map[string]string{"acme": "Acme Ltd", "initech": "Initech, Inc.", "umbrella": "Umbrella AG"},
	},
	"imports by identity": {sources: []string{"import-by-identity"}, needs: []engine.Feature{engine.Identity}, before: acmeInitech},
}

func TestAccExamples(t *testing.T) {
	builtProvider(t)
	t.Parallel()
	for name, it := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, one := range it.needs {
				engine.Needs(t, one)
			}
			it.run(t)
		})
	}
}

func (it example) run(t *testing.T) {
	t.Helper()
	w := newWorkbench(t, it.options)
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
		if w.service.Creations(id) != 0 || w.service.Rotations(id) != 0 || w.service.Deletions(id) != 0 {
			t.Errorf("%q, which was there before, was made, deleted or rotated: %v", id, w.service.Calls())
		}
	}
	if it.try != nil {
		it.try(w)
	}
	if it.secret {
		w.holdsNoToken()
	} else if len(w.filesWithTokens()) == 0 {
		t.Error("there is no token in the state, so looking for tokens proves nothing")
	}
	if it.goodbye != nil {
		it.arguments = it.goodbye
		w.apply(it.arguments...)
	}
	w.must(append([]string{"destroy", "-auto-approve"}, it.arguments...)...)
	var left []string
	for _, tag := range []string{"Customer", "Testing"} {
		for _, group := range w.service.In(tag).Groups() {
			left = append(left, group.ID)
		}
	}
	if !slices.Equal(left, it.after) {
		t.Errorf("after all is destroyed there are the groups %q, and should be %q", left, it.after)
	}
}

// rotatesOnce applies what is said to rotate the group once.
func (w *workbench) rotatesOnce(id string, arguments ...string) {
	w.t.Helper()
	before := w.service.Rotations(id)
	w.apply(arguments...)
	w.rotated(id, before+1)
	w.plansNothing(arguments...)
	w.rotated(id, before+1)
}

func sentHeader(w *workbench) {
	w.t.Helper()
	for _, call := range w.service.Calls() {
		if call.Header.Get("X-Gateway-Token") != "not-a-real-one" {
			w.t.Errorf("a %s went without the header", call.Method)
		}
	}
}

func refusesKeyOfTesting(w *workbench) {
	w.t.Helper()
	w.env = append(w.env, "EMBED_API_KEY=key-of-testing")
	w.fails("The API key belongs to another environment", "plan")
	w.env = append(w.env, "EMBED_API_KEY="+emulator.DefaultKey)
}

// staysWithinLimit has more to do than the limit allows at once.
func staysWithinLimit(w *workbench) {
	w.t.Helper()
	w.service.ResetCounts()
	w.write("more.tf", "resource \"embed_user_group\" \"more\" {\n  count = 20\n  user_group_id = \"more-${count.index}\"\n  name = \"More\"\n}\n")
	w.must("apply", "-auto-approve", "-refresh=false")
	calls := w.service.Calls()
	if took := calls[len(calls)-1].At.Sub(calls[0].At); len(calls) != 20 || took < time.Second/2 {
		w.t.Errorf("%d calls took %s", len(calls), took)
	}
	if agent := calls[0].Header.Get("User-Agent"); !strings.HasSuffix(agent, " customers-pipeline") {
		w.t.Errorf("the user agent is %q", agent)
	}
}

func deletesWithItsDataSource(w *workbench) {
	w.t.Helper()
	w.must("destroy", "-auto-approve")
	calls := w.service.Calls()
	if last := calls[len(calls)-1]; last.Method != http.MethodDelete || !strings.Contains(string(last.Body), `"data_source_provided_id":"acme_sales"`) {
		w.t.Errorf("the last call is %s %s", last.Method, last.Body)
	}
}

func raisesTokenIssue(w *workbench) {
	w.t.Helper()
	w.replace("customers.yaml", "name: Fjordlys Kraft AS\n  token_issue: 1", "name: Fjordlys Kraft AS\n  token_issue: 2")
	w.rotatesOnce("fjordlys-kraft")
}

func hasWhatTheFileSays(w *workbench) {
	w.t.Helper()
	acme, _ := w.service.Group("acme")
	umbrella, _ := w.service.Group("umbrella")
	if got := string(acme.Properties); got != `{"limits":{"rows":250000},"regions":["north","south"],"tier":"gold"}` || acme.Mapping["billing"] != "acme_billing" {
		w.t.Errorf("acme has %s and %v", got, acme.Mapping)
	}
	if umbrella.Properties != nil || umbrella.Mapping != nil {
		w.t.Errorf("umbrella has %s and %v", umbrella.Properties, umbrella.Mapping)
	}
}

func refusesDestruction(w *workbench) {
	w.t.Helper()
	w.fails("is protected from deletion", "destroy", "-auto-approve")
	if w.service.Deletions("acme") != 0 {
		w.t.Error("the group was deleted")
	}
}

func bringsModule(w *workbench) {
	w.replace("main.tf", "../modules/customers", "./customers")
	if err := os.CopyFS(filepath.Join(w.dir, "customers"), os.DirFS(customersModule)); err != nil {
		w.t.Fatal(err)
	}
	w.must("get")
}

func keepsTokensSensitive(w *workbench) {
	w.t.Helper()
	if said := w.must("output"); !strings.Contains(said, "tokens = <sensitive>") || !strings.Contains(said, `"initech" = "`) {
		w.t.Errorf("outputs:\n%s", said)
	}
	refusesDestruction(w)
}

// editsSpreadsheet: a customer comes, one goes, one has another issue, and nobody else is touched.
func editsSpreadsheet(w *workbench) {
	w.t.Helper()
	w.service.ResetCounts()
	w.replace("customers.csv", "acme,Acme Ltd,gold,250000,acme_sales,acme_billing,1", "globex,Globex,gold,,,,1")
	w.replace("customers.csv", "trial,,,,3", "trial,,,,4")
	w.apply()
	w.plansNothing()
	if w.service.Deletions("acme") != 1 || w.service.Creations("globex") != 1 || w.service.Rotations("0042") != 1 ||
		w.service.Rotations("initech") != 0 || w.service.Updates("initech") != 0 {
		w.t.Errorf("calls: %v", w.service.Calls())
	}
	w.write("customers.csv", "id,name,tier,rows,sales_source,billing_source,token_issue\na,A,,,,,1\na,B,,,,,1\n")
	w.fails("Duplicate object key", "plan")
	w.write("customers.csv", "id,name,tier,rows,sales_source,billing_source,token_issue\na,A,,,,,1\n")
}

// runsImportCommand runs the shell script as it stands, with the engine under the name terraform.
func runsImportCommand(w *workbench) {
	bin := w.t.TempDir()
	if err := os.Symlink(engineProgram(w.t), filepath.Join(bin, "terraform")); err != nil {
		w.t.Fatal(err)
	}
	w.env = append(w.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if code, out := w.execute("sh", "import.sh"); code != 0 {
		w.t.Fatalf("import.sh ended with %d:\n%s", code, out)
	}
}

var twoEnvironments = example{
	sources: []string{"two-environments"},
	options: emulator.Options{Environments: map[string]string{"key-of-customer": "Customer", "key-of-testing": "Testing"}},
	env:     []string{"TF_VAR_customer_api_key=key-of-customer", "TF_VAR_testing_api_key=key-of-testing", "EMBED_API_KEY="},
	try: func(w *workbench) {
		for tag, name := range map[string]string{"Customer": "Acme Ltd", "Testing": "Acme Ltd (test)"} {
			if group, there := w.service.In(tag).Group("acme"); !there || group.Name != name || len(w.service.In(tag).Groups()) != 2 {
				w.t.Errorf("%s has %v", tag, w.service.In(tag).Groups())
			}
		}
		// Keys that are mixed up are noticed before anything goes to the wrong side.
		w.env = append(w.env, "TF_VAR_customer_api_key=key-of-testing", "TF_VAR_testing_api_key=key-of-customer")
		w.replace("main.tf", `initech = "Initech Inc."`, `globex  = "Globex"`)
		w.fails("The API key belongs to another environment", "apply", "-auto-approve", "-refresh=false", "-target=embed_user_group.testing[\"globex\"]")
		if left := w.service.Groups(); len(left) != 2 || len(w.service.In("Testing").Groups()) != 2 {
			w.t.Errorf("the environment Customer has %v", left)
		}
		w.env = append(w.env, "TF_VAR_customer_api_key=key-of-customer", "TF_VAR_testing_api_key=key-of-testing")
		w.apply()
		w.plansNothing()
	},
}

// Files under examples/ that other tests apply, and where.
var otherwiseCovered = map[string]func(*testing.T){
	"modules/customers":         TestAccModuleCustomersTests,
	"modules/customers/tests":   TestAccModuleCustomersTests,
	"token-to-secret-store":     TestAccEphemeralRecipe,
	"query-from-csv":            TestAccQueryFromCSV,
	"customers-in-shards":       TestAccShards,
	"customers-in-shards/split": TestAccShards,
	"list-resources/embed_user_group/list-resource.tfquery.hcl": TestAccQueryExamples,
	"list-resources/embed_user_group/limit.tfquery.hcl":         TestAccQueryExamples,
}

// An example that no test applies is one that will rot. It needs no engine.
func TestEveryExampleIsTested(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, it := range examples {
		for _, source := range it.sources {
			covered[source] = true
		}
	}
	for source := range otherwiseCovered {
		covered[source] = true
	}
	used := map[string]bool{}
	err := fs.WalkDir(os.DirFS(examplesDir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		directory := filepath.ToSlash(filepath.Dir(path))
		switch {
		case covered[path]:
			used[path] = true
		case covered[directory]:
			used[directory] = true
		case slices.Contains([]string{".tf", ".hcl", ".sh"}, filepath.Ext(path)):
			t.Errorf("examples/%s is in no test", path)
		}
		// A set of a thousand costs an engine about nine times what the same map does.
		text, err := os.ReadFile(filepath.Join(examplesDir, path))
		if strings.Contains(string(text), "toset(") {
			t.Errorf("examples/%s has a set", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for source := range covered {
		if !used[source] {
			t.Errorf("a test names examples/%s, which is not there", source)
		}
	}
}
