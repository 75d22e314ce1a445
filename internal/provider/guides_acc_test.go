package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestAccGuideWrongEnvironment: a run with the other environment's key makes copies, and the guide's two ways undo that. No
// customer is changed, and no copy is left.
func TestAccGuideWrongEnvironment(t *testing.T) {
	t.Parallel()
	for name, hasOlderState := range map[string]bool{"older state": true, "no older state": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkbench(t, bothEnvironments)
			w.write("main.tf", requiredProviders+
				group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`)+group("initech", `user_group_id = "initech"`, `name = "Initech Inc."`))
			plain := w.env
			with := func(key, environment string) {
				w.env = append(slices.Clone(plain), "EMBED_API_KEY="+key, "EMBED_ENVIRONMENT="+environment)
			}
			with(customerKey, "")
			w.apply()
			customers := w.service.In("Customer").Groups()
			before := readPage(t, filepath.Join(w.dir, "terraform.tfstate"))

			with(testingKey, "")
			w.says("Plan: 2 to add, 0 to change, 0 to destroy.", "plan")
			if copies := w.service.In("Testing").Groups(); len(copies) > 0 {
				t.Fatalf("the plan has left %v", copies)
			}
			w.apply()
			wrong := readPage(t, filepath.Join(w.dir, "terraform.tfstate"))

			with(customerKey, "Customer")
			if hasOlderState {
				w.write("before.tfstate", before)
				w.must("state", "push", "-force", "before.tfstate")
			} else {
				w.says(`User group "acme" has been replaced`, "plan", "-out=planned")
				w.must("apply", "planned")
			}
			w.plansNothing()

			root := w.dir
			w.dir = t.TempDir()
			w.copy(filepath.Join(root, "main.tf"))
			w.write("terraform.tfstate", wrong)
			with(testingKey, "Testing")
			w.must("destroy", "-auto-approve")
			if left := w.service.In("Testing").Groups(); len(left) > 0 {
				t.Errorf("these copies are left: %v", left)
			}
			same := slices.EqualFunc(customers, w.service.In("Customer").Groups(), func(a, b emulator.Group) bool {
				return a.Token == b.Token && a.TeamID == b.TeamID && a.Name == b.Name
			})
			if !same {
				t.Error("a customer was changed")
			}
		})
	}
}
