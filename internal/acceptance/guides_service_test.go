package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// clearing is the service that the guide "Which service is this?" shows.
var clearing = emulator.Options{
	Environments: map[string]string{emulator.DefaultKey: "Testing"}, Updates: emulator.UpdatesClear,
}

// probes compares what embed-probe prints with what the page shows.
func probes(r *reader) {
	printed := r.probes()
	for _, shown := range []string{r.take("text"), r.take("text")} {
		if !strings.Contains(printed, shown) {
			r.t.Errorf("the page shows\n%s\nbut the probe prints\n%s", shown, printed)
		}
	}
	r.has()
}

// probesFromReadme checks only that the command runs, and that it finds the error of this service.
func probesFromReadme(r *reader) {
	r.quotes("is cleared: properties and name", r.probes())
	r.has()
}

// probes runs the next block with this repository's embed-probe instead of a released one, and returns the output.
func (r *reader) probes() string {
	r.t.Helper()
	program := filepath.Join(r.t.TempDir(), "embed-probe")
	build := exec.CommandContext(r.t.Context(), "go", "build", "-o", program, "../../cmd/embed-probe")
	if out, err := build.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	script := strings.Replace(r.take("shell"), "embed_testing_api_key", "embed_api_key", 1)
	before, version, found := strings.Cut(script, "go run github.com/dashembed/terraform-provider-embed/cmd/embed-probe@v")
	if !found || strings.TrimSpace(version) == "" {
		r.t.Errorf("the page does not run the probe:\n%s", script)
	}
	return r.shell(before + program + " || [ $? = 3 ]\n")
}

// keepsEverything changes a name with a service that clears what an update does not send.
func keepsEverything(r *reader) {
	configuration := r.take("terraform")
	r.begins(configuration)
	r.write("main.tf", strings.Replace(configuration, "Acme Ltd", "Acme Inc.", 1))
	r.apply()
	acme, _ := r.service.Group("acme")
	if acme.Name != "Acme Inc." || acme.Mapping["sales"] != "acme-postgres" || string(acme.Properties) != "{}" {
		r.t.Errorf("the group is %+v", acme)
	}
	r.plansNothing()
}

func rejectsTwins(r *reader) {
	r.writes("main.tf")
	r.must("plan", `-var=customers={ acme = "Acme", initech = "Initech" }`)
	r.fails("Two customers have IDs that differ only in case.", "plan", `-var=customers={ acme = "A", Acme = "B" }`)
}

// probesEmulator runs make probe with the settings of another service, which it must ignore.
func probesEmulator(r *reader) {
	engine.NeedsProgram(r.t, "make")
	command := exec.CommandContext(r.t.Context(), engine.NeedsProgram(r.t, "bash"), "-c", r.take("shell"))
	command.Dir = "../.."
	command.Env = append(os.Environ(), "EMBED_BASE_URL="+r.service.URL(), "EMBED_API_KEY="+emulator.DefaultKey)
	out, err := command.CombinedOutput()
	if code, err := engine.ExitCode(command, err); err != nil || code != 2 ||
		!strings.Contains(string(out), "ERROR  What an update does not send is cleared") {
		r.t.Errorf("make exited with %d, %v\n%s", code, err, out)
	}
	r.madeNoCall()
}

// key sets the API key and the expected environment for the commands that follow.
func (r *reader) key(key, environment string) {
	r.env = append(slices.Clone(r.env), "EMBED_API_KEY="+key, "EMBED_ENVIRONMENT="+environment)
}

func stopsWithWrongKey(r *reader) {
	r.key(customerKey, "Customer")
	r.begins(group("acme", `user_group_id = "acme"`, `name = "Acme Ltd"`))
	r.key(testingKey, "Customer")
	r.replace("main.tf", "Acme Ltd", "Acme")
	code, said := r.run("plan", "-refresh=false", "-out=planned")
	if code == 0 {
		code, said = r.run("apply", "planned")
	}
	if code != 1 {
		r.t.Errorf("the run exited with %d, want 1", code)
	}
	r.quotes(r.take("text"), said)
	if left := r.service.In("Testing").Groups(); len(left) > 0 {
		r.t.Errorf("these groups are left in Testing: %v", left)
	}
}

func plansWithWrongKey(r *reader) {
	r.key(customerKey, "")
	r.begins(group("customer", `for_each = { for i in range(40) : format("customer-%03d", i) => "Customer ${i}" }`,
		"user_group_id = each.key", "name = each.value"))
	state := r.read("terraform.tfstate")
	r.key(testingKey, "")
	r.quotes(strings.Replace(r.take("text"), "400", "40", 1), r.must("plan"))
	if copies := r.service.In("Testing").Groups(); len(copies) > 0 {
		r.t.Errorf("the plan left these groups in Testing: %v", copies)
	}
	if r.read("terraform.tfstate") != state {
		r.t.Error("the plan changed the state")
	}
}

// undoesApply follows both ways of the guide, with an older state and without. It checks that no customer is changed
// and no copy is left.
func undoesApply(r *reader) {
	r.key(customerKey, "")
	r.begins(group("customer", `for_each = { customer-001 = { sales = "a" }, customer-002 = null }`,
		"user_group_id = each.key", "name = each.key", "mapping = each.value", "deletion_protection = true"))
	customers := r.service.In("Customer").Groups()
	before := r.read("terraform.tfstate")
	r.key(testingKey, "")
	r.apply()
	wrong := r.read("terraform.tfstate")

	saves, restores, removes := r.take("shell"), r.take("shell"), r.take("shell")
	r.shell(saves)
	r.write("before.tfstate", before)
	r.shell(restores)
	r.key(customerKey, "Customer")
	r.plansNothing()

	r.write("terraform.tfstate", wrong)
	said := r.must("plan", "-out=planned")
	r.quotes(r.take("text"), said)
	r.quotes("0 to add, 1 to change, 0 to destroy", said)
	r.must("apply", "planned")
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
	r.quotes("0 added, 2 changed, 0 destroyed", r.shell(removes))
	if left := r.service.In("Testing").Groups(); len(left) > 0 {
		r.t.Errorf("these copies are left in Testing: %v", left)
	}
	if !reflect.DeepEqual(customers, r.service.In("Customer").Groups()) {
		r.t.Error("a customer was changed")
	}
}
