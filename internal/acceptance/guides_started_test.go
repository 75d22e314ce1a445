package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
)

var tokenOfItsOwn = regexp.MustCompile(`(token_fingerprint +=) "[0-9a-f]{12}"`)

// importsCustomers follows the whole page: it brings 400 customers, 150 of which exist, under management with one plan,
// after a rehearsal with five, and compares the output with the page.
func importsCustomers(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	customers := r.service.In("Customer")
	r.dir = filepath.Join(r.dir, "customers")
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.prepares()
	r.copy(examplesDir + "/getting-started")
	r.copy(examplesDir + "/getting-started/review/review.tf")
	r.copyModule("modules/customers")
	before := customers.Groups()
	if list := r.take("text"); !strings.HasPrefix(r.read("customers.csv"), list) {
		r.t.Errorf("the page shows another list:\n%s", list)
	}
	r.rehearses()
	if !reflect.DeepEqual(before, customers.Groups()) {
		r.t.Error("the rehearsal has changed customers")
	}

	r.service.ResetCounts()
	planned := r.runs("CUSTOMER_KEY=" + customerKey)
	r.quotes(r.take("text"), planned)
	r.quotes(`+ "customer-151",`, planned)
	if lines := strings.Count(planned, "\n"); lines < 9500 || lines > 10500 {
		r.t.Errorf("the page says about 10,000 lines, but the plan has %d", lines)
	}
	r.asksAboutName(r.take("text"))
	r.quotes(r.take("text"), oneLine(planned))
	r.quotes(r.take("text"), oneLine(planned))
	r.keepsProperty()
	if changed := strings.Fields(r.runs()); len(changed) != 150 || changed[0] != "customer-001" {
		r.t.Errorf("want the 150 groups whose properties differ, got %q", changed)
	}
	r.backsUp()
	plan := r.must("show", "tfplan")
	applied := r.shell(r.takeScripts(2))
	r.quotes("Resources: 150 imported, 250 added, 150 changed, 0 destroyed", applied)
	r.quotes("- missing_ids", applied)
	r.quotes(onlyOutputs, applied)
	r.wantNoFileWith(tokenPattern)
	if there := len(customers.Groups()); there != 400 {
		r.t.Errorf("the service has %d groups, want 400", there)
	}
	r.restores()
	shown := tokenOfItsOwn.ReplaceAllString(plan, "$1")
	if imported := tokenOfItsOwn.ReplaceAllString(r.take("text"), "$1"); !strings.Contains(shown, imported) {
		_, from, _ := strings.Cut(shown, `customer["customer-001"]`)
		r.t.Errorf("the page shows\n%s\nbut the plan shows\n%.900s", imported, from)
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
		",Customer 002,silver,,", ",Customer 002,silver,yes,",
		",Customer 003,silver,,", ",Customer 003,silver,,1",
	).Replace(list))
	planned := r.must("plan", "-refresh=false")
	r.quotes("0 to add, 2 to change, 0 to destroy", planned)
	if rotated := strings.Count(planned, "~ token_fingerprint "); rotated != 1 {
		r.t.Errorf("the plan rotates %d tokens, want 1:\n%.900s", rotated, planned)
	}
}

// onlyOutputs is what a plan says that changes no resource.
const onlyOutputs = "without changing any real infrastructure"

// prepares takes the blocks up to the probe, which other tests run. It makes the list and the groups of the emulator.
func (r *reader) prepares() {
	r.t.Helper()
	r.followsMake(r.take("shell"), "")
	ofService, runs, ofEmulator := r.take("shell"), r.take("shell"), r.take("shell")
	variable := regexp.MustCompile(`(?m)^export (\w+)=`)
	if names := variable.FindAllString(ofService, -1); !slices.Equal(names, variable.FindAllString(ofEmulator, -1)) {
		r.t.Errorf("with and without a service, other variables are set: %q", names)
	}
	r.followsMake(runs, "go run ./cmd/embed-emulator")
	for _, line := range []string{"TESTING_KEY=" + testingKey, "CUSTOMER_KEY=" + customerKey, emulatorsAddress} {
		if !strings.Contains(ofEmulator, line) {
			r.t.Errorf("the page does not set %s", line)
		}
	}
	engine.NeedsProgram(r.t, "curl")
	r.runs()
	r.followsMake(r.take("shell"), "go run ./cmd/embed-probe")
}

// rehearses follows the rehearsal in an empty Testing: an apply that creates five groups, and one that imports them.
func (r *reader) rehearses() {
	r.t.Helper()
	testing, env := r.service.In("Testing"), r.env
	r.env = append(slices.Clone(env), "EMBED_API_KEY="+testingKey)
	rehearsal := r.shell(r.takeScripts(3))
	r.quotes("Plan: 5 to add, 0 to change", rehearsal)
	r.quotes("5 to import, 0 to add, 5 to change", rehearsal)
	r.quotes("No changes", rehearsal)
	if there := len(testing.Groups()); there != 5 {
		r.t.Errorf("after the rehearsal, there are %d groups, want 5", there)
	}
	r.shell("cd ../rehearsal\n" + r.takeScripts(3))
	if left := testing.Groups(); len(left) > 0 {
		r.t.Errorf("the rehearsal has left %v", left)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "../rehearsal")); !errors.Is(err, fs.ErrNotExist) {
		r.t.Errorf("the directory of the rehearsal is still there: %v", err)
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
	r.must("fmt")
	planned := oneLine(r.must("plan"))
	r.quotes("legacy = true + tier", planned)
	r.quotes("The apply removes the property legacy from customer-002, ", planned)
	r.write("customers.csv", list)
	r.write("main.tf", before)
}

// backsUp runs the block that makes a backup of the plan.
func (r *reader) backsUp() {
	r.t.Helper()
	r.runs()
	var backup map[string]struct{ Name, Properties string }
	err := json.Unmarshal([]byte(r.read("backup.json")), &backup)
	if one := backup["customer-001"]; err != nil || len(backup) != 150 || one.Name != "Customer 001" ||
		one.Properties != `{"legacy":true}` {
		r.t.Errorf("the backup has %d groups, %+v, %v", len(backup), one, err)
	}
}

// asksAboutName checks that a plan warns of a name that differs from the one in the list.
func (r *reader) asksAboutName(warning string) {
	r.t.Helper()
	r.replace("customers.csv", "Customer 001", "Another customer")
	r.says(oneLine(warning)+"customer-001 ", "plan")
	r.replace("customers.csv", "Another customer", "Customer 001")
}

// restores puts the names and the properties of the backup back, and then those of the list again.
func (r *reader) restores() {
	r.t.Helper()
	configuration := r.read("main.tf")
	argument := regexp.MustCompile(`(?m)^ *customers += local\.customers$`)
	if len(argument.FindAllString(configuration, -1)) != 1 {
		r.t.Fatal("the page says to replace an argument that is not there once")
	}
	r.write("main.tf", argument.ReplaceAllLiteralString(configuration, r.take("hcl")))
	r.quotes("0 to add, 150 to change, 0 to destroy", r.must("plan"))
	r.apply()
	for id, want := range map[string]string{"customer-001": `{"legacy":true}`, "customer-150": `{"tier":"gold"}`} {
		if group, _ := r.service.In("Customer").Group(id); string(group.Properties) != want {
			r.t.Errorf("%s has the properties %s, want %s", id, group.Properties, want)
		}
	}
	r.write("main.tf", configuration)
	r.apply()
}
