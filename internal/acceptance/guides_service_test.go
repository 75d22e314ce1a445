package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// clearing is a service that clears what an update does not send.
var clearing = emulator.Options{
	Environments: map[string]string{emulator.DefaultKey: "Testing"}, Updates: emulator.UpdatesClear,
}

// probes runs the probe, and tries make probe.
func probes(r *reader) {
	printed := r.probes()
	r.quotes("is cleared: name, properties", printed)
	r.has()
	r.probesEmulator()
}

// probes runs the next block, with a program instead of go run, and returns the output.
func (r *reader) probes() string {
	r.t.Helper()
	program := filepath.Join(r.t.TempDir(), "embed-probe")
	build := exec.CommandContext(r.t.Context(), "go", "build", "-o", program, "../../cmd/embed-probe")
	if out, err := build.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	script := strings.Replace(r.take("shell"), "embed_testing_api_key", "embed_api_key", 1)
	before, found := strings.CutSuffix(script, "go run ./cmd/embed-probe\n")
	if !found {
		r.t.Errorf("the page does not run the probe:\n%s", script)
	}
	return r.shell(before + program + " || [ $? = 3 ]\n")
}

// TestAccManagingEverythingKeepsIt changes a name with a service that clears what an update does not send. Nothing is
// lost if the configuration manages name, mapping and properties, as the page says.
func TestAccManagingEverythingKeepsIt(t *testing.T) {
	t.Parallel()
	pageSays(t, "guides/service-behavior.md", "Manage `name`, `mapping` and `properties` of every group")
	w := workbenchWith(t, clearing)
	for _, name := range []string{"Acme Ltd", "Acme Inc."} {
		w.applied(group("acme", `user_group_id = "acme"`, `name = "`+name+`"`, `mapping = { sales = "acme-postgres" }`,
			"properties = jsonencode({})"))
		acme, _ := w.service.Group("acme")
		if acme.Name != name || acme.Mapping["sales"] != "acme-postgres" || string(acme.Properties) != "{}" {
			t.Errorf("the group is %+v", acme)
		}
	}
}

// probesEmulator runs make probe with the settings of another service, which it must ignore.
func (r *reader) probesEmulator() {
	r.t.Helper()
	r.service.ResetCounts()
	command := exec.CommandContext(r.t.Context(), engine.NeedsProgram(r.t, "make"), "probe", "ARGS=-updates clear")
	command.Dir = "../.."
	command.Env = append(os.Environ(), "EMBED_BASE_URL="+r.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	out, err := command.CombinedOutput()
	if code, err := engine.ExitCode(command, err); err != nil || code != 2 ||
		!strings.Contains(string(out), "Manage everything\n\n  What an update does not send is cleared") {
		r.t.Errorf("make exited with %d, %v\n%s", code, err, out)
	}
	r.madeNoCall()
}

// key sets the API key and the expected environment for the commands that follow.
func (r *reader) key(key, environment string) {
	r.env = append(slices.Clone(r.env), "EMBED_API_KEY="+key, "EMBED_ENVIRONMENT="+environment)
}

// undoesApply follows both ways of the guide, with an older state and without. It checks that no customer is changed
// and no copy is left.
func undoesApply(r *reader) {
	r.key(customerKey, "")
	r.begins("locals {\n  customers = { customer-001 = { sales = \"a\" }, customer-002 = null }\n}\n" +
		group("customer", "for_each = local.customers", "user_group_id = each.key", "name = each.key", "mapping = each.value",
			"deletion_protection = true"))
	customers := r.service.In("Customer").Groups()
	before := r.read("terraform.tfstate")
	r.key(testingKey, "")
	r.quotes("2 to add, 0 to change, 0 to destroy", r.must("plan"))
	if copies := r.service.In("Testing").Groups(); len(copies) > 0 || r.read("terraform.tfstate") != before {
		r.t.Errorf("the plan changed the state, or left %v", copies)
	}
	r.apply()
	wrong := r.read("terraform.tfstate")

	saves, restores, prepares, removes := r.take("shell"), r.take("shell"), r.take("shell"), r.take("shell")
	r.shell(saves)
	r.write("before.tfstate", before)
	r.shell(restores)
	r.key(customerKey, "Customer")
	r.plansNothing()

	r.write("terraform.tfstate", wrong)
	r.runs()
	_, example, _ := strings.Cut(readPage(r.t, examplesDir+"/data-sources/embed_user_groups/data-source.tf"), "\n\n")
	imports, _, _ := strings.Cut(example, "resource")
	r.write("import.tf", imports)
	r.quotes("2 to import, 0 to add, 2 to change, 0 to destroy", r.must("plan", "-out=planned"))
	r.must("apply", "planned")
	r.write("import.tf", "")
	r.plansNothing()
	state := r.read("terraform.tfstate")
	for _, customer := range customers {
		if !strings.Contains(state, customer.Token) {
			r.t.Errorf("the state does not contain the token of %s", customer.ID)
		}
	}

	r.key(testingKey, "Testing")
	right := r.dir
	r.dir = filepath.Join(right, "../wrong")
	r.replace("main.tf", "deletion_protection = true", "deletion_protection = false")
	r.dir = right
	r.quotes("0 added, 2 changed, 0 destroyed", r.shell(prepares+removes))
	if left := r.service.In("Testing").Groups(); len(left) > 0 {
		r.t.Errorf("these copies are left in Testing: %v", left)
	}
	if !reflect.DeepEqual(customers, r.service.In("Customer").Groups()) {
		r.t.Error("a customer was changed")
	}
}
