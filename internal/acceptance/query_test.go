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
	for name, sources := range map[string][]string{
		"limit":    page("list-resources/embed_user_group", "limit.tfquery.hcl"),
		"from CSV": {"query-from-csv"},
	} {
		t.Run(name, func(t *testing.T) {
			w := parallelWorkbench(t, emulator.Options{}, engine.Query)
			for id, name := range acmeInitech {
				properties := json.RawMessage(`{"n":9007199254740993,"why":"${a} %{b}"}`)
				w.service.Seed(emulator.Group{ID: id, Name: name, Properties: properties})
			}
			for _, source := range sources {
				w.copy(filepath.Join(examplesDir, source))
			}
			out := w.must("query", "-generate-config-out=generated.tf")
			for id := range acmeInitech {
				if !strings.Contains(out, "user_group_id="+id) {
					t.Errorf("%q is not listed:\n%s", id, out)
				}
			}
			w.has("acme", "initech")
			w.service.ResetCounts()
			w.says("2 to import, 0 to add, 0 to change, 0 to destroy", "plan", "-out=planned")
			w.must("apply", "planned")
			w.plansNothing()
			w.onlyLooked()
			w.must("destroy", "-auto-approve")
			w.has()
		})
	}
}
