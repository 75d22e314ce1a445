package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// customers writes customers.csv with the listed customers, and creates the groups of the first existing ones in
// Customer. An update would change the properties of all of them except the last fifty.
func (r *reader) customers(listed, existing int) {
	csv := "id,name,tier\n"
	for i := 1; i <= listed; i++ {
		id, name := fmt.Sprintf("customer-%03d", i), fmt.Sprintf("Customer %03d", i)
		tier := []string{"gold", "silver", "trial"}[i%3]
		csv += fmt.Sprintf("%s,%s,%s\n", id, name, tier)
		properties := `{"legacy":true}`
		if i > existing-50 {
			properties = fmt.Sprintf(`{"tier":%q}`, tier)
		}
		if i <= existing {
			r.service.In("Customer").Seed(emulator.Group{ID: id, Name: name, Properties: json.RawMessage(properties)})
		}
	}
	r.write("customers.csv", csv)
}

var tokenOfItsOwn = regexp.MustCompile(`(token_fingerprint +=) "[0-9a-f]{12}"`)

// importsCustomers brings 400 customers, 150 of which exist, under management with one plan, after a rehearsal with
// five, and compares the output with the page. At last, it moves the state to another backend.
func importsCustomers(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	customers := r.service.In("Customer")
	r.dir = filepath.Join(r.dir, "customers")
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.copy(examplesDir + "/getting-started")
	r.copy(examplesDir + "/getting-started/review/review.tf")
	r.copyModule("modules/customers")
	r.customers(400, 150)
	before := customers.Groups()
	r.probesFirst(r.take("shell"))
	if list := r.take("text"); !strings.HasPrefix(r.read("customers.csv"), list) {
		r.t.Errorf("the page shows another list:\n%s", list)
	}
	r.rehearses()
	if !reflect.DeepEqual(before, customers.Groups()) {
		r.t.Error("the rehearsal has changed customers")
	}

	r.service.ResetCounts()
	planned := r.runs()
	r.quotes(r.take("text"), planned)
	r.quotes(`+ "customer-151",`, planned)
	if changed := strings.Fields(r.runs()); len(changed) != 100 || changed[0] != "customer-001" {
		r.t.Errorf("want the 100 groups whose properties differ, got %q", changed)
	}
	r.quotes(r.take("text"), oneLine(planned))
	r.keepsProperty()
	r.backsUp()
	shown := tokenOfItsOwn.ReplaceAllString(r.must("show", "tfplan"), "$1")
	if imported := tokenOfItsOwn.ReplaceAllString(r.take("text"), "$1"); !strings.Contains(shown, imported) {
		_, from, _ := strings.Cut(shown, `customer["customer-001"]`)
		r.t.Errorf("the page shows\n%s\nbut the plan shows\n%.900s", imported, from)
	}
	applied := r.runs()
	r.quotes("Resources: 150 imported, 250 added, 150 changed, 0 destroyed", applied)
	r.quotes("- missing_ids", applied)
	r.quotes(onlyOutputs, applied)
	r.wantNoFileWith(tokenPattern)
	if there := len(customers.Groups()); there != 400 {
		r.t.Errorf("the service has %d groups, want 400", there)
	}
	for i := 1; i <= 400; i++ {
		id := fmt.Sprintf("customer-%03d", i)
		touched := r.service.Count("created", id)+r.service.Count("deleted", id) > 0
		if r.service.Count("rotated", id) > 0 || i <= 150 && touched {
			r.t.Errorf("%s was rotated, or existed and was created or deleted", id)
		}
	}
	r.addsColumns()
}

// addsColumns adds the columns that turn off the protection of a customer and rotate the token of another one, as the
// table of changes says.
func (r *reader) addsColumns() {
	r.t.Helper()
	list := strings.ReplaceAll(r.read("customers.csv"), "\n", ",,\n")
	r.write("customers.csv", strings.NewReplacer(
		"tier,,\n", "tier,leaving,incident\n",
		",Customer 002,trial,,", ",Customer 002,trial,yes,",
		",Customer 003,gold,,", ",Customer 003,gold,,1",
	).Replace(list))
	planned := r.must("plan", "-refresh=false")
	r.quotes("0 to add, 2 to change, 0 to destroy", planned)
	if rotated := strings.Count(planned, "~ token_fingerprint "); rotated != 1 {
		r.t.Errorf("the plan rotates %d tokens, want 1:\n%.900s", rotated, planned)
	}
}

// onlyOutputs is what a plan says that changes no resource.
const onlyOutputs = "without changing any real infrastructure"

// probesFirst checks that the page runs the probe, which other tests do, and sets the key for the rehearsal.
func (r *reader) probesFirst(script string) {
	r.t.Helper()
	if !strings.HasPrefix(script, "make install\n") || !strings.HasSuffix(script, "go run ./cmd/embed-probe\n") {
		r.t.Errorf("the page does not run the probe:\n%s", script)
	}
}

// rehearses follows the rehearsal in an empty Testing: an apply that creates five groups, and one that imports them.
func (r *reader) rehearses() {
	r.t.Helper()
	testing, env := r.service.In("Testing"), r.env
	r.env = append(slices.Clone(env), "EMBED_API_KEY="+testingKey)
	rehearsal := r.runs()
	r.quotes("Plan: 5 to add, 0 to change", rehearsal)
	r.quotes("5 to import, 0 to add, 5 to change", rehearsal)
	r.quotes("No changes", rehearsal)
	if there := len(testing.Groups()); there != 5 {
		r.t.Errorf("after the rehearsal, there are %d groups, want 5", there)
	}
	cleanup, _, _ := strings.Cut(r.take("shell"), "cd -")
	r.shell("cd ../rehearsal\n" + cleanup)
	if left := testing.Groups(); len(left) > 0 {
		r.t.Errorf("the rehearsal has left %v", left)
	}
	r.env = env
}

// keepsProperty adds a column for the property that the plan would remove, and checks that no plan changes it.
func (r *reader) keepsProperty() {
	r.t.Helper()
	list, before := r.read("customers.csv"), r.read("main.tf")
	added := strings.Replace(strings.ReplaceAll(list, "\n", ",\n"), "tier,\n", "tier,legacy\n", 1)
	r.write("customers.csv", strings.Replace(added, "Customer 001,silver,", "Customer 001,silver,true", 1))
	r.write("main.tf", strings.Replace(before, "properties = jsonencode({ tier = row.tier })", r.take("hcl"), 1))
	planned := oneLine(r.must("plan"))
	r.quotes("legacy = true + tier", planned)
	r.quotes("The plan removes the property legacy from customer-002, ", planned)
	r.write("customers.csv", list)
	r.write("main.tf", before)
}

// backsUp runs the block that makes a backup of the plan, and checks that a plan compares the names.
func (r *reader) backsUp() {
	r.t.Helper()
	r.runs()
	var backup map[string]struct{ Name, Properties string }
	err := json.Unmarshal([]byte(r.read("backup.json")), &backup)
	if one := backup["customer-001"]; err != nil || len(backup) != 150 || one.Name != "Customer 001" ||
		one.Properties != `{"legacy":true}` {
		r.t.Errorf("the backup has %d groups, %+v, %v", len(backup), one, err)
	}
	r.replace("customers.csv", "Customer 001", "Another customer")
	r.says("These groups have names other than those in the list, and may belong to someone else: customer-001 ", "plan")
	r.replace("customers.csv", "Another customer", "Customer 001")
}
