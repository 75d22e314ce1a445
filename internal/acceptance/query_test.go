package acceptance

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccQueryExamples checks that the groups that the example queries find can be imported unchanged.
func TestAccQueryExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"list-resource", "limit"} {
		t.Run(name, func(t *testing.T) {
			findsAndImports(t, page("list-resources/embed_user_group", name+".tfquery.hcl")...)
		})
	}
}

// TestAccQueryFromCSV checks that the groups that a query with the IDs of a file finds can be imported unchanged.
func TestAccQueryFromCSV(t *testing.T) {
	findsAndImports(t, "query-from-csv")
}

// findsAndImports runs a query, lets it generate configuration, and applies that. The groups must be imported
// unchanged.
func findsAndImports(t *testing.T, sources ...string) {
	t.Helper()
	w := parallelWorkbench(t, emulator.Options{}, engine.Query)
	for id, name := range acmeInitech {
		properties := json.RawMessage(`{"n":9007199254740993,"why":"${a} %{b}"}`)
		w.service.Seed(emulator.Group{ID: id, Name: name, Properties: properties})
	}
	for _, source := range sources {
		w.copy(filepath.Join(examplesDir, source))
	}
	out := w.must("query")
	for id := range acmeInitech {
		if !strings.Contains(out, "user_group_id="+id) {
			t.Errorf("%q is not listed:\n%s", id, out)
		}
	}
	w.has("acme", "initech")
	w.must("query", "-generate-config-out=generated.tf")
	w.service.ResetCounts()
	w.says("2 to import, 0 to add, 0 to change, 0 to destroy", "plan", "-out=planned")
	w.must("apply", "planned")
	w.plansNothing()
	w.onlyLooked()
	w.must("destroy", "-auto-approve")
	w.has()
}
