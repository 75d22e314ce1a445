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

// importsCustomers follows the whole page: it brings 400 customers, 150 of which exist, under management with one plan,
// after a rehearsal with five, and compares the output with the page.
func importsCustomers(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	customers := r.service.In("Customer")
	r.prepares()
	before := customers.Groups()
	if list := r.take("text"); !strings.HasPrefix(r.read("customers.csv"), list) {
		r.t.Errorf("the page shows another list:\n%s", list)
	}
	r.readsLikeCSV()
	r.rehearses()
	if !reflect.DeepEqual(before, customers.Groups()) {
		r.t.Error("the rehearsal has changed customers")
	}

	r.service.ResetCounts()
	planned := r.runs("CUSTOMER_KEY=" + customerKey)
	r.quotes(r.take("text"), planned)
	r.quotes(`+ "customer-151",`, planned)
	r.asksAboutName()
	r.listsNoProperties()
	r.quotes("The apply removes the property legacy from customer-001, customer-002,", oneLine(planned))
	r.quotes("The apply changes the property tier of customer-101, customer-102,", oneLine(planned))
	r.keepsProperty()
	r.backsUp()
	applied := r.runs()
	r.quotes("Resources: 150 imported, 250 added, 150 changed, 0 destroyed", applied)
	for _, group := range customers.Groups() {
		if number := strings.TrimPrefix(group.ID, "customer-"); group.Mapping["sales"] != "database-"+number {
			r.t.Errorf("%s has the mapping %v", group.ID, group.Mapping)
		}
	}
	if updated := countOf("PUT", r.service.Calls()); updated < 150 {
		r.t.Errorf("the apply updates %d groups, but the page says each imported one, which are 150", updated)
	}
	removes := r.must("plan")
	r.quotes("- missing_ids", removes)
	r.quotes(onlyOutputs, removes)
	r.apply()
	r.wantNoFileWith(tokenPattern)
	if there := len(customers.Groups()); there != 400 {
		r.t.Errorf("the service has %d groups, want 400", there)
	}
	r.restores()
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
		"sales,,\n", "sales,leaving,incident\n",
		",database-002,,", ",database-002,yes,",
		",database-003,,", ",database-003,,1",
	).Replace(list))
	planned := r.must("plan", "-refresh=false")
	r.quotes("0 to add, 2 to change, 0 to destroy", planned)
	if rotated := strings.Count(planned, "~ token_fingerprint "); rotated != 1 {
		r.t.Errorf("the plan rotates %d tokens, want 1:\n%.900s", rotated, planned)
	}
}

// onlyOutputs is what a plan says that changes no resource.
const onlyOutputs = "without changing any real infrastructure"

// prepares takes the blocks up to the list. It copies the files, and makes the list and the groups of the emulator.
func (r *reader) prepares() {
	r.t.Helper()
	r.followsMake(r.take("shell"), "")
	r.packs()
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
	r.followsMake(r.take("shell"), "go run ./cmd/embed-probe")

	clone := filepath.Join(r.t.TempDir(), "clone")
	examples, err := filepath.Abs(examplesDir)
	made := os.Mkdir(clone, 0o700)
	if err := errors.Join(err, made, os.Symlink(examples, filepath.Join(clone, "examples"))); err != nil {
		r.t.Fatal(err)
	}
	r.dir = clone
	r.runs()
	r.dir = filepath.Join(clone, "../customers")
	engine.NeedsProgram(r.t, "curl")
	r.runs("CUSTOMER_KEY=" + customerKey)
}

// readsLikeCSV checks that customers.tf reads the same from YAML as from CSV, and a second schema, as the page says.
func (r *reader) readsLikeCSV() {
	r.t.Helper()
	list := readPage(r.t, filepath.Join(docsDir, "guides/getting-started.md"))
	customers := r.read("customers.tf")
	r.changes(list, &customers, `csvdecode(trimprefix(file("${path.module}/customers.csv"), "\ufeff"))`,
		`yamldecode(file("${path.module}/customers.yaml"))`)
	r.changes(list, &customers, `schemas = ["sales"]`, `schemas = ["sales", "billing"]`)
	r.changes(list, &customers, `jsonencode({ tier = row.tier })`, `jsonencode(merge({ tier = row.tier }, `+
		`{ for n, v in { seats = row.seats } : n => v if v != "" }))`)
	r.changes(list, &customers, "n => v", "n => tonumber(v)")
	dir := r.dir
	r.dir = r.t.TempDir()
	r.write("customers.yaml", "- { id: \"0042\", name: A, tier: gold, sales: a, billing: \"\", seats: 3, leaving: yes }\n"+
		"- { id: b, name: B, tier: gold, sales: \"\", billing: b, seats: \"\", incident: 1 }\n")
	r.write("customers.tf", customers+"output \"customers\" {\n  value = local.customers\n}\n")
	r.must("apply", "-auto-approve")
	const want = `{"0042":{"deletion_protection":false,"mapping":{"sales":"a"},"name":"A",` +
		`"properties":"{\"seats\":3,\"tier\":\"gold\"}","rotate_token_when_changed":{"incident":"0"}},` +
		`"b":{"deletion_protection":null,"mapping":{"billing":"b"},"name":"B","properties":"{\"tier\":\"gold\"}",` +
		`"rotate_token_when_changed":{"incident":"1"}}}`
	if read := strings.TrimSpace(r.must("output", "-json", "customers")); read != want {
		r.t.Errorf("the list is read as\n%s\nwant\n%s", read, want)
	}
	r.dir = dir
}

// changes replaces a text as a page says. The page must have what replaces it.
func (r *reader) changes(page string, text *string, from, to string) {
	r.t.Helper()
	if !strings.Contains(*text, from) || !strings.Contains(page, "`"+to+"`") {
		r.t.Fatalf("the file does not have %q, or the page does not say %q", from, to)
	}
	*text = strings.Replace(*text, from, to, 1)
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
	list, before := r.read("customers.csv"), r.read("customers.tf")
	added := strings.Replace(strings.ReplaceAll(list, "\n", ",\n"), "sales,\n", "sales,legacy\n", 1)
	r.write("customers.csv", strings.Replace(added, "silver,database-001,", "silver,database-001,true", 1))
	r.replace("customers.tf", "jsonencode({ tier = row.tier })", `jsonencode(merge({ tier = row.tier }, `+
		`{ for n, v in { legacy = row.legacy } : n => tobool(v) if v != "" }))`)
	planned := oneLine(r.must("plan"))
	r.quotes("legacy = true + tier", planned)
	r.quotes("The apply removes the property legacy from customer-002, ", planned)
	r.write("customers.csv", list)
	r.write("customers.tf", before)
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
func (r *reader) asksAboutName() {
	r.t.Helper()
	const warning = "The apply changes the names of these groups, which may belong to someone else: "
	pageSays(r.t, "guides/getting-started.md", strings.TrimSpace(warning))
	r.replace("customers.csv", "Customer 001", "Another customer")
	r.says(warning+"customer-001 ", "plan")
	r.replace("customers.csv", "Another customer", "Customer 001")
}

// listsNoProperties plans without properties. What compares them with those of the service must not need them.
func (r *reader) listsNoProperties() {
	r.t.Helper()
	const line = "      properties = jsonencode({ tier = row.tier })\n"
	r.replace("customers.tf", line, "")
	r.says("150 to import, 250 to add, 150 to change, 0 to destroy", "plan")
	r.replace("customers.tf", "      # Optional column: a new", line+"\n      # Optional column: a new")
}

// restores puts the names and the properties of the backup back, and then those of the list again.
func (r *reader) restores() {
	r.t.Helper()
	r.copy(filepath.Join(r.dir, "undo/restore_override.tf"))
	r.quotes("0 to add, 150 to change, 0 to destroy", r.must("plan"))
	list := r.read("customers.csv")
	r.write("customers.csv", strings.Replace(list, "customer-150,", "customer-900,", 1))
	r.fails(`User group "customer-150" is protected from deletion`, "plan")
	r.write("customers.csv", list)
	r.apply()
	for id, want := range map[string]string{"customer-001": `{"legacy":true}`, "customer-150": `{"tier":"gold"}`} {
		if group, _ := r.service.In("Customer").Group(id); string(group.Properties) != want {
			r.t.Errorf("%s has the properties %s, want %s", id, group.Properties, want)
		}
	}
	if err := os.Remove(filepath.Join(r.dir, "restore_override.tf")); err != nil {
		r.t.Error(err)
	}
	r.apply()
}
