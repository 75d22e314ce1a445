package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	acctest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// Those that exist are listed, with identity, name and resource; those that do not are skipped; none is made.
func TestAccQuery(t *testing.T) {
	engine.Needs(t, engine.Query)
	service, block := serviceFor(t, emulator.Options{})
	service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd", Properties: json.RawMessage(`{"tier":"gold"}`)})
	service.Seed(emulator.Group{ID: "no-name"})
	identity := func(id string) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{"user_group_id": knownvalue.StringExact(id)}
	}
	named := func(id, name string) querycheck.QueryResultCheck {
		return querycheck.ExpectResourceDisplayName("embed_user_group.known", queryfilter.ByResourceIdentity(identity(id)), knownvalue.StringExact(name))
	}
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{{
			Query: true,
			Config: block + `
list "embed_user_group" "known" {
  provider         = embed
  include_resource = true

  config {
    user_group_ids = ["acme", "nobody", "no-name", "acme"]
  }
}
`,
			QueryResultChecks: []querycheck.QueryResultCheck{
				querycheck.ExpectLength("embed_user_group.known", 2),
				querycheck.ExpectIdentity("embed_user_group.known", identity("acme")),
				querycheck.ExpectIdentity("embed_user_group.known", identity("no-name")),
				querycheck.ExpectNoIdentity("embed_user_group.known", identity("nobody")),
				named("acme", "Acme Ltd (acme)"),
				named("no-name", "no-name"),
				querycheck.ExpectResourceKnownValues("embed_user_group.known", queryfilter.ByResourceIdentity(identity("acme")), []querycheck.KnownValueCheck{
					{Path: tfjsonpath.New("name"), KnownValue: knownvalue.StringExact("Acme Ltd")},
					{Path: tfjsonpath.New("properties"), KnownValue: knownvalue.StringExact(`{"tier":"gold"}`)},
					{Path: tfjsonpath.New("token"), KnownValue: knownvalue.Null()},
				}),
			},
		}},
	})
	if len(service.Groups()) != 2 || service.Creations("nobody") != service.Deletions("nobody") || service.Creations("acme") != 0 {
		t.Errorf("a query should leave everything as it was: %v", service.Groups())
	}
}

func TestAccQueryOfBadIDs(t *testing.T) {
	engine.Needs(t, engine.Query)
	service, block := serviceFor(t, emulator.Options{})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{{
			Query:       true,
			Config:      block + "list \"embed_user_group\" \"known\" {\n  provider = embed\n  config {\n    user_group_ids = [\"acme \"]\n  }\n}\n",
			ExpectError: regexp.MustCompile(`Invalid user_group_id`),
		}},
	})
	if calls := service.Calls(); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// The engine stops at its limit, and so do the lookups.
func TestAccQueryLimit(t *testing.T) {
	engine.Needs(t, engine.Query)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	const many = 105
	for i := range many {
		w.service.Seed(emulator.Group{ID: fmt.Sprintf("customer-%03d", i)})
	}
	w.write("main.tf", requiredProviders)
	for limit, listed := range map[string]int{"": 100, "limit = 100000": many, "limit = 7": 7} {
		w.service.ResetCounts()
		w.write("all.tfquery.hcl", "list \"embed_user_group\" \"all\" {\n  provider = embed\n  "+limit+
			"\n  config {\n    user_group_ids = [for i in range(105) : format(\"customer-%03d\", i)]\n  }\n}\n")
		out := w.must("query")
		if got := strings.Count(out, "user_group_id=customer-"); got != listed || w.service.Count("GET") != listed {
			t.Errorf("with %q %d groups are listed, with %d lookups, and there should be %d:\n%s", limit, got, w.service.Count("GET"), listed, out)
		}
	}
}

// The query files of the list resource's page, beside any configuration that has the provider.
func TestAccQueryExamples(t *testing.T) {
	builtProvider(t)
	t.Parallel()
	for _, name := range []string{"list-resource", "limit"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine.Needs(t, engine.Query)
			w := newWorkbench(t, emulator.Options{})
			for id, name := range acmeInitech {
				w.service.Seed(emulator.Group{ID: id, Name: name})
			}
			w.copy(examplesDir+"/provider/provider.tf", examplesDir+"/list-resources/embed_user_group/"+name+".tfquery.hcl")
			w.findsAndImports()
		})
	}
}

func TestAccQueryFromCSV(t *testing.T) {
	engine.Needs(t, engine.Query)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	for id, name := range acmeInitech {
		w.service.Seed(emulator.Group{ID: id, Name: name, Properties: json.RawMessage(`{"id":9007199254740993,"why":"\"${quoted}\" %{x}"}`)})
	}
	w.copy(examplesDir + "/query-from-csv")
	w.findsAndImports()
}

// findsAndImports runs the query, has it write configuration, and applies that: the groups of acmeInitech are imported as
// they are.
func (w *workbench) findsAndImports() {
	t := w.t
	t.Helper()
	out := w.must("query")
	for id := range acmeInitech {
		if !strings.Contains(out, "user_group_id="+id) {
			t.Errorf("%q is not listed:\n%s", id, out)
		}
	}
	if len(w.service.Groups()) != len(acmeInitech) {
		t.Errorf("the query has left groups behind: %v", w.service.Groups())
	}
	w.must("query", "-generate-config-out=generated.tf")
	// What is found is imported, and the provider's own example, which manages one of the groups, makes way.
	if _, err := os.Stat(filepath.Join(w.dir, "provider.tf")); err == nil {
		w.write("provider.tf", requiredProviders+"provider \"embed\" {}\n")
	}
	w.service.ResetCounts()
	out = w.must("plan", "-out=planned")
	if !strings.Contains(out, fmt.Sprintf("%d to import, 0 to add, 0 to change, 0 to destroy", len(acmeInitech))) {
		t.Errorf("the generated configuration does not plan clean:\n%s", out)
	}
	w.must("apply", "planned")
	w.plansNothing()
	if calls := w.service.Calls(); w.service.Count("GET") != len(calls) {
		t.Errorf("importing should only look: %v", calls)
	}
	w.must("destroy", "-auto-approve")
	if left := w.service.Groups(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What an import block generates plans clean as it stands, by id and by identity, whatever is in the properties.
func TestAccGeneratedConfiguration(t *testing.T) {
	builtProvider(t)
	t.Parallel()
	for name, test := range map[string]struct {
		needs engine.Feature
		by    string
	}{
		"by id":       {engine.GenerateConfig, `id = "acme"`},
		"by identity": {engine.Identity, "identity = {\n    user_group_id = \"acme\"\n  }"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine.Needs(t, test.needs)
			w := newWorkbench(t, emulator.Options{})
			w.service.Seed(emulator.Group{
				ID: "acme", Name: `Acme "& Söhne" ${x} %{y}`, Mapping: map[string]string{"a": "b"},
				Properties: json.RawMessage(`{"z":1,"a":{"rows":90071992547409931,"rate":1e-7,"none":null,"empty":{},"list":[]},"text":"<a> ${b}\n"}`),
			})
			w.write("main.tf", requiredProviders+"import {\n  to = embed_user_group.acme\n  "+test.by+"\n}\n")
			out := w.must("plan", "-generate-config-out=generated.tf", "-out=planned")
			if !strings.Contains(out, "1 to import, 0 to add, 0 to change, 0 to destroy") {
				t.Errorf("the generated configuration does not plan clean:\n%s", out)
			}
			w.must("apply", "planned")
			w.plansNothing()
			// Terraform 1.5 and OpenTofu 1.6 write JSON as one text.
			found, err := engine.AtHand()
			if err != nil {
				t.Fatal(err)
			}
			reads := "jsonencode({"
			if !engine.GenerateJSON.In(found) {
				reads = `"{\"a\":`
			}
			if text, err := os.ReadFile(filepath.Join(w.dir, "generated.tf")); err != nil || !strings.Contains(string(text), reads) {
				t.Errorf("the generated configuration (%v):\n%s", err, text)
			}
			if calls := w.service.Calls(); w.service.Count("GET") != len(calls) || w.service.Creations("acme") > 0 {
				t.Errorf("importing should only look: %v", calls)
			}
		})
	}
}

// In bulk, one that does not exist stops the whole plan, and nobody is left behind.
func TestAccBulkImportOfNobody(t *testing.T) {
	engine.Needs(t, engine.ForEachImport)
	w := newWorkbench(t, emulator.Options{})
	t.Parallel()
	w.service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd"})
	w.copy(examplesDir + "/resources/embed_user_group/import_for_each.tf")
	w.fails(`User group "initech" does not exist`, "plan")
	if left := w.service.Groups(); len(left) != 1 || w.service.Creations("acme") > 0 {
		t.Errorf("left: %v", left)
	}
}

// The identity that a group gets is the one that it is imported by.
func TestAccIdentity(t *testing.T) {
	engine.Needs(t, engine.Identity)
	service, block := serviceFor(t, emulator.Options{})
	acctest.ParallelTest(t, acctest.TestCase{
		ProtoV6ProviderFactories: factories("embed"),
		Steps: []acctest.TestStep{
			{
				Config: block + "resource \"embed_user_group\" \"acme\" {\n  user_group_id = \"acme\"\n  name = \"Acme Ltd\"\n  properties = jsonencode({ tier = \"gold\" })\n}\n",
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity("embed_user_group.acme", map[string]knownvalue.Check{"user_group_id": knownvalue.StringExact("acme")}),
					statecheck.ExpectIdentityValueMatchesState("embed_user_group.acme", tfjsonpath.New("user_group_id")),
				},
			},
			{ResourceName: "embed_user_group.acme", ImportState: true, ImportStateKind: acctest.ImportBlockWithResourceIdentity},
			{ResourceName: "embed_user_group.acme", ImportState: true, ImportStateKind: acctest.ImportBlockWithID},
		},
	})
	if service.Creations("acme") != 1 || service.Rotations("acme") != 0 {
		t.Errorf("calls: %v", service.Calls())
	}
}
