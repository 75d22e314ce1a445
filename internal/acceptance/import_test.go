package acceptance

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccGeneratedConfigurationPlansNothing checks that the configuration that the engine generates for an import by ID
// or by identity has an empty plan without edits, even with unusual properties.
func TestAccGeneratedConfigurationPlansNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		needs engine.Feature
		by    string
	}{
		"by id":       {engine.GenerateConfig, `id = "acme"`},
		"by identity": {engine.Identity, "identity = {\n    user_group_id = \"acme\"\n  }"},
	} {
		t.Run(name, func(t *testing.T) {
			w := parallelWorkbench(t, emulator.Options{}, test.needs)
			w.service.Seed(emulator.Group{
				ID: "acme", Name: `Acme "& Söhne" ${x} %{y}`, Mapping: map[string]string{"a": "b"},
				Properties: json.RawMessage(`{"z":1,"a":{"rows":90071992547409931,"rate":1e-7,"none":null,"empty":{},"list":[]},` +
					`"text":"<a> ${b}\n"}`),
			})
			w.configure(importBlock("acme", test.by))
			w.says("1 to import, 0 to add, 0 to change, 0 to destroy",
				"plan", "-generate-config-out=generated.tf", "-out=planned")
			w.must("apply", "planned")
			w.plansNothing()
			// Older engines write JSON as a string literal.
			reads := "jsonencode({"
			if !engine.GenerateJSON.In(w.engine) {
				reads = `"{\"a\":`
			}
			if text := readPage(t, filepath.Join(w.dir, "generated.tf")); !strings.Contains(text, reads) {
				t.Errorf("the properties in the generated configuration have the wrong form:\n%s", text)
			}
			w.onlyLooked()
		})
	}
}

// TestAccAnImportStartsToCount checks that the first plan after an import shows that it sets token_rotated_at, and that
// the apply makes no call for that.
func TestAccAnImportStartsToCount(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.ImportBlock)
	w.service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	w.configure(group("acme", append(acmeLines, "rotate_token_after_days = 90")...), importBlock("acme", `id = "acme"`))
	w.says("+ token_rotated_at = (known after apply)", "plan", "-out=planned")
	w.service.ResetCounts()
	w.must("apply", "planned")
	w.madeNoCall()
	w.plansNothing()
	w.ages("acme", 90)
	w.rotatesOnce("acme")
}
