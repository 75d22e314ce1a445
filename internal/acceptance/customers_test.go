package acceptance

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

const customersModule = examplesDir + "/modules/customers"

// TestModuleReadmeListsVariablesAndOutputs checks that the README lists each variable and each output with its
// description, in the format of terraform-docs.
func TestModuleReadmeListsVariablesAndOutputs(t *testing.T) {
	t.Parallel()
	_, generated, _ := strings.Cut(readPage(t, customersModule+"/README.md"), "<!-- BEGIN_TF_DOCS -->\n")
	const described = `(?s)\n?(?:variable|output) "(\w+)" \{\n  description = (?:"(.*?)"|<<-EOT\n(.*?)\n  EOT)\n`
	for kind, file := range map[string]string{"input": "variables.tf", "output": "outputs.tf"} {
		blocks := regexp.MustCompile(described).FindAllStringSubmatch(readPage(t, customersModule+"/"+file), -1)
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
// neither a service nor a key. The others use the emulator even if the variables of a real service are exported.
func TestAccModulePassesItsOwnTests(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{}, engine.Mocks)
	w.copy(customersModule)
	production := protocoltest.StartService(t, emulator.Options{})
	w.env = append(w.env, "EMBED_BASE_URL=", "EMBED_API_KEY=")
	w.must("test", "-filter=tests/mocked.tftest.hcl")
	w.env = append(w.env, "EMBED_BASE_URL="+production.URL(), "EMBED_API_KEY="+emulator.DefaultKey,
		"EMBED_ENVIRONMENT=Testing", "EMBED_MAX_DELETIONS=0")
	w.replace("tests/service.tftest.hcl", emulatorsAddress, w.service.URL())
	out := w.must("test")
	for _, words := range []string{"Success!", "mocked.tftest.hcl", "service.tftest.hcl"} {
		if !strings.Contains(out, words) {
			t.Errorf("not every test was run:\n%s", out)
		}
	}
	if w.service.Count("created", "module-test-a") != 1 || w.service.Count("rotated", "module-test-b") != 2 {
		t.Errorf("the calls did not create module-test-a once and rotate module-test-b twice: %v", w.service.Calls())
	}
	w.has()
	if calls := production.Calls(); len(calls) > 0 {
		t.Errorf("the tests made calls to the exported address: %v", calls)
	}
}

// emulatorsAddress is where the emulator listens unless told otherwise. Tests let it listen on a free port instead.
const emulatorsAddress = "http://127.0.0.1:8642"

// TestAccModuleReadmeIsFollowed applies the blocks of the README.
func TestAccModuleReadmeIsFollowed(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	blocks := fence.FindAllStringSubmatch(readPage(t, customersModule+"/README.md"), -1)
	w.write("main.tf", requiredProviders+blocks[0][3])
	w.copyModule("modules/customers")
	w.must("get")
	w.apply()
	w.plansNothing()
	w.replace("main.tf", "  rotate_token_after_days = 90\n", blocks[1][3]+"  rotate_token_after_days = 90\n")
	w.apply()
	w.rotated("acme", 1)
	w.rotated("initech", 1)
}

// TestAccSplittingTheStateMakesOnlyLookups checks that splitting the customers of one root module over two, as the
// README of the example describes, makes only lookups.
func TestAccSplittingTheStateMakesOnlyLookups(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{}, engine.ForEachImport, engine.Removed)
	const shards = examplesDir + "/customers-in-shards/"
	shard := func(number int) *workbench {
		one := *w
		one.dir = t.TempDir()
		one.env = append(slices.Clone(w.env), "TF_VAR_shards=1", fmt.Sprintf("TF_VAR_shard=%d", number))
		for _, name := range []string{"main.tf", "outputs.tf", "customers.yaml"} {
			one.copy(shards + name)
		}
		return &one
	}
	first, second := shard(0), shard(1)
	first.apply()
	before := w.service.Groups()
	if len(before) != 5 {
		t.Fatalf("there are %d groups, want 5", len(before))
	}
	w.service.ResetCounts()
	for _, one := range []*workbench{first, second} {
		one.env = append(one.env, "TF_VAR_shards=2")
	}

	second.copy(shards + "split/arriving.tf")
	second.says("2 to import, 0 to add, 2 to change, 0 to destroy", "plan")
	second.apply()
	first.copy(shards + "split/leaving.tf")
	first.says("0 to add, 0 to change, 0 to destroy", "plan")
	first.apply()
	first.write("leaving.tf", "")
	second.plansNothing()
	first.plansNothing()
	w.onlyLooked()
	if !reflect.DeepEqual(before, w.service.Groups()) {
		t.Error("a group was changed")
	}
}
