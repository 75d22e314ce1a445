package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// textBlocks are the parts of a page that show a file or what a command prints.
func textBlocks(page string) []string {
	var blocks []string
	for _, found := range regexp.MustCompile("(?ms)^```text\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, found[1])
	}
	return blocks
}

var tokenOfItsOwn = regexp.MustCompile(`(token_fingerprint +=) "[0-9a-f]{12}"`)

// TestAccGuideGettingStarted follows the guide: 400 customers of which 150 exist, one plan, and what the page says is
// printed.
func TestAccGuideGettingStarted(t *testing.T) {
	engine.Needs(t, engine.ForEachImport)
	t.Parallel()
	blocks := textBlocks(readPage(t, docsDir+"/guides/getting-started.md"))
	if len(blocks) != 4 {
		t.Fatalf("the page has %d blocks of text", len(blocks))
	}
	list, summary, imported, applied := blocks[0], blocks[1], blocks[2], blocks[3]

	w := newWorkbench(t, emulator.Options{})
	w.copy(examplesDir + "/getting-started")
	if err := os.CopyFS(filepath.Join(w.dir, "modules/customers"), os.DirFS(customersModule)); err != nil {
		t.Fatal(err)
	}
	csv := "id,name,tier\n"
	for i := 1; i <= 400; i++ {
		id, name := fmt.Sprintf("customer-%03d", i), fmt.Sprintf("Customer %03d", i)
		csv += fmt.Sprintf("%s,%s,%s\n", id, name, []string{"gold", "silver", "trial"}[i%3])
		if i <= 150 {
			w.service.Seed(emulator.Group{ID: id, Name: name, Properties: json.RawMessage(`{"legacy":true}`)})
		}
	}
	if !strings.HasPrefix(csv, list) {
		t.Errorf("the page shows another list:\n%s", list)
	}
	w.write("customers.csv", csv)

	w.must("get")
	w.says(strings.TrimSpace(summary), "plan", "-out=tfplan")
	shown := tokenOfItsOwn.ReplaceAllString(w.must("show", "tfplan"), "$1")
	if expected := tokenOfItsOwn.ReplaceAllString(imported, "$1"); !strings.Contains(shown, expected) {
		_, from, _ := strings.Cut(shown, `customer["customer-001"]`)
		t.Errorf("the page shows\n%s\nand the plan\n%.900s", expected, from)
	}
	w.says(strings.TrimSpace(applied), "apply", "tfplan")
	if err := os.Remove(filepath.Join(w.dir, "import.tf")); err != nil {
		t.Fatal(err)
	}
	w.plansNothing()
	if there := len(w.service.Groups()); there != 400 {
		t.Errorf("the service has %d groups", there)
	}
	for i := 1; i <= 400; i++ {
		id := fmt.Sprintf("customer-%03d", i)
		touched := w.service.Creations(id)+w.service.Deletions(id) > 0
		if w.service.Rotations(id) > 0 || i <= 150 && touched {
			t.Errorf("%s was rotated, or existed and was created or deleted", id)
		}
	}
}

// TestAccReadme applies the configuration of README.md as it stands.
func TestAccReadme(t *testing.T) {
	t.Parallel()
	configuration := regexp.MustCompile("(?ms)^```hcl\n(.*?)^```$").FindStringSubmatch(readPage(t, "../../README.md"))
	if configuration == nil {
		t.Fatal("README.md has no configuration")
	}
	w := newWorkbench(t, emulator.Options{})
	w.write("main.tf", configuration[1])
	w.apply()
	w.plansNothing()
	w.says("acme_token = <sensitive>", "output")
	refusesDestruction(w)
}
