package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
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
