package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// Those that exist are listed, with identity, name and resource; those that do not are skipped; none is made.
func TestAccQuery(t *testing.T) {
	engine.Needs(t, engine.Query)
	service := startService(t, emulator.Options{})
	service.Seed(emulator.Group{ID: "acme", Name: "Acme Ltd", Properties: json.RawMessage(`{"tier":"gold"}`)})
	service.Seed(emulator.Group{ID: "no-name"})
	identity := func(id string) map[string]knownvalue.Check {
		return map[string]knownvalue.Check{"user_group_id": knownvalue.StringExact(id)}
	}
	named := func(id, name string) querycheck.QueryResultCheck {
		return querycheck.ExpectResourceDisplayName("embed_user_group.known", queryfilter.ByResourceIdentity(identity(id)), knownvalue.StringExact(name))
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Query: true,
			Config: providerFor(service) + `
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
					{Path: at("name"), KnownValue: knownvalue.StringExact("Acme Ltd")},
					{Path: at("properties"), KnownValue: knownvalue.StringExact(`{"tier":"gold"}`)},
					{Path: at("token"), KnownValue: knownvalue.Null()},
				}),
			},
		}},
	})
	if len(service.Groups()) != 2 || service.Creations("nobody") != service.Deletions("nobody") || service.Creations("acme") != 0 {
		t.Errorf("a query should leave everything as it was: %v", service.Groups())
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
	w.onlyLooked()
	w.must("destroy", "-auto-approve")
	w.has()
}
