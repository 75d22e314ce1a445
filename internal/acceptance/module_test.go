package acceptance

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

const customersModule = examplesDir + "/modules/customers"

// TestModuleReadmeListsVariablesAndOutputs checks that the README lists each variable and each output with its
// description, in the format of terraform-docs.
func TestModuleReadmeListsVariablesAndOutputs(t *testing.T) {
	t.Parallel()
	_, generated, _ := strings.Cut(readPage(t, customersModule+"/README.md"), "<!-- BEGIN_TF_DOCS -->\n")
	for kind, file := range map[string]string{"input": "variables.tf", "output": "outputs.tf"} {
		text := readPage(t, customersModule+"/"+file)
		const described = `(?s)\n?(?:variable|output) "(\w+)" \{\n  description = (?:"(.*?)"|<<-EOT\n(.*?)\n  EOT)\n`
		blocks := regexp.MustCompile(described).FindAllStringSubmatch(text, -1)
		if len(blocks) < 4 || len(blocks) != strings.Count(generated, `<a name="`+kind+`_`) {
			t.Errorf("%s has %d blocks, want at least 4 and as many as the README lists", file, len(blocks))
		}
		for _, block := range blocks {
			description := block[2] + strings.ReplaceAll(strings.TrimPrefix(block[3], "    "), "\n    ", "<br/>")
			row := fmt.Sprintf(`<a name="%[1]s_%[2]s"></a> [%[2]s](#%[1]s\_%[3]s) | %[4]s |`, kind, block[1],
				strings.ReplaceAll(block[1], "_", `\_`), strings.ReplaceAll(description, "\n", "<br/>"))
			if !strings.Contains(generated, row) {
				t.Errorf("the README has no row %s", row)
			}
		}
	}
}

// TestAccModulePassesItsOwnTests checks that the module's own tests pass as its users run them. The mocked tests need
// neither a service nor a key.
func TestAccModulePassesItsOwnTests(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.Mocks)
	w.copy(customersModule)
	settings := w.env
	w.env = append(slices.Clone(settings), "EMBED_BASE_URL=", "EMBED_API_KEY=")
	w.must("test", "-filter=tests/mocked.tftest.hcl")
	w.madeNoCall()
	w.env = settings
	out := w.must("test")
	for _, words := range []string{"Success!", "mocked.tftest.hcl", "service.tftest.hcl"} {
		if !strings.Contains(out, words) {
			t.Errorf("not every test was run:\n%s", out)
		}
	}
	if w.service.Creations("module-test-a") != 1 || w.service.Rotations("module-test-b") != 2 {
		t.Errorf("the calls did not create module-test-a once and rotate module-test-b twice: %v", w.service.Calls())
	}
	w.has()
}

// TestAccModuleMessagesNameTheCustomers checks that the messages of the module name the customers whose values are
// invalid, and do not show properties.
func TestAccModuleMessagesNameTheCustomers(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{}, engine.OptionalMembers)
	w.copy(customersModule)
	for customers, words := range map[string]string{
		`{ " acme" = { name = "Acme" }, fine = { name = "Fine" } }`: `Invalid IDs: [" acme"].`,
		`{ acme = { name = "" }, fine = { name = "Fine" } }`:        `Customers without one: acme.`,
		`{ acme = {} }`: `attribute "name" is required`,
		`{ acme = { name = "A", properties = "{personal: 1" } }`:                `Customers with other properties: acme.`,
		`{ acme = { name = "A", mapping = { a = null } }, b = { name = "B" } }`: `Customers with null in the mapping: acme.`,
	} {
		// The engine quotes the line of a variable file, but not of -var.
		if said := w.fails(words, "plan", "-var=customers="+customers); strings.Contains(said, "personal") {
			t.Errorf("a message shows the properties:\n%s", said)
		}
	}
	w.madeNoCall()
}
