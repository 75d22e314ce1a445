package acceptance

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestAccGeneratedConfigurationPlansNothing checks that the configuration that the engine generates for an import has
// an empty plan without edits, even with unusual properties.
func TestAccGeneratedConfigurationPlansNothing(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.GenerateConfig)
	w.service.Seed(emulator.Group{
		ID: "acme", Name: `Acme "& Söhne" ${x} %{y}`, Mapping: map[string]string{"a": "b"},
		Properties: json.RawMessage(`{"z":1,"a":{"rows":90071992547409931,"rate":1e-7,"none":null,"empty":{},"list":[]},` +
			`"text":"<a> ${b}\n"}`),
	})
	w.configure("import {\n  to = embed_user_group.acme\n  id = \"acme\"\n}\n")
	w.says("1 to import, 0 to add, 0 to change, 0 to destroy",
		"plan", "-generate-config-out=generated.tf", "-out=planned")
	w.must("apply", "planned")
	w.plansNothing()
	// Older engines write JSON as a string literal.
	reads := "jsonencode({"
	if !engine.GenerateJSON.In(w.engine) {
		reads = `"{\"a\":`
	}
	if text := w.read("generated.tf"); !strings.Contains(text, reads) {
		t.Errorf("the properties in the generated configuration have the wrong form:\n%s", text)
	}
	w.onlyLooked()
}
