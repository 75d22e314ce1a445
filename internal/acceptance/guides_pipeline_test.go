package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// followsJobs checks the workflow, and runs the scripts of its jobs: with a change, and then without and with drift.
func followsJobs(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	workflow := r.take("yaml")
	r.isWorkflow(workflow)
	steps := scripts(workflow)
	configuration := group("acme", `user_group_id = "acme"`, `name = "Acme"`, `rotate_token_when_changed = { a = "1" }`)
	r.begins(configuration)
	r.write("main.tf", strings.Replace(configuration, `"1"`, `"2"`, 1)+
		group("umbrella", `user_group_id = "umbrella"`, `name = "Umbrella"`))
	r.service.ResetCounts()
	r.quotes("1 to add, 1 to change", r.shell(steps["plan -input=false -refresh=false"], "EMBED_API_KEY=not-used"))
	r.madeNoCall()

	r.shell(steps["-detailed-exitcode"], "GITHUB_OUTPUT="+filepath.Join(r.dir, "outputs"))
	if output := r.read("outputs"); output != "exitcode=2\n" {
		r.t.Errorf("the plan has changes, but the job goes on with %q", output)
	}
	limit := steps["Rotations in the plan"]
	r.quotes("Rotations in the plan: 1. Limit: 1.", r.shell(limit, "MAX_ROTATIONS=1"))
	r.quotes("exceeded", r.shell("("+limit+") || echo exceeded", "MAX_ROTATIONS=0"))
	r.shell(steps["5m tfplan"])
	r.rotated("acme", 1)
	r.has("acme", "umbrella")

	const warning = "::warning::"
	drift := steps["-refresh-only"]
	if printed := r.shell(drift); strings.Contains(printed, warning) {
		r.t.Errorf("there is no drift, but the job prints\n%s", printed)
	}
	r.service.RotateBehind("acme")
	r.service.ResetCounts()
	r.quotes(warning, r.shell(drift))
	current, _ := r.service.Group("acme")
	if !strings.Contains(r.read("terraform.tfstate"), current.Token) {
		r.t.Error("the state does not contain the current token")
	}
	r.onlyLooked()
}

// scripts returns the scripts of a workflow by words that only they contain.
func scripts(workflow string) map[string]string {
	found := map[string]string{}
	step := regexp.MustCompile(`(?m)^ +(?:- )?run: (?:\|\n((?: {10}.*\n)+)|(.*\n))`)
	for _, parts := range step.FindAllStringSubmatch(workflow, -1) {
		script := strings.ReplaceAll("\n"+parts[1]+parts[2], "\n          ", "\n")
		for _, words := range []string{
			"plan -input=false -refresh=false", "-detailed-exitcode", "Rotations in the plan", "5m tfplan", "-refresh-only",
		} {
			if strings.Contains(script, words) {
				found[words] = script
			}
		}
	}
	return found
}

// isGitLab checks only the syntax. The commands are those of the other workflow, and TestPipelinesStayWithinLimits
// checks when the jobs run them.
func isGitLab(r *reader) { r.decodes(r.take("yaml")) }

// readsState parses the backend, which needs a cloud, moves a state to another backend, and locks the provider from a
// mirror. No program in the mirror is run, so their content is arbitrary.
func readsState(r *reader) {
	parsesHCL(r)
	r.begins(acmeBlock)
	r.write("backend.tf", "terraform {\n  backend \"local\" {\n    path = \"../pipeline.tfstate\"\n  }\n}\n")
	r.quotes("No changes", r.runs())

	command := strings.TrimSpace(r.take("shell"))
	platforms := regexp.MustCompile(`-platform=(\w+)`).FindAllStringSubmatch(command, -1)
	mirror := r.t.TempDir()
	for _, platform := range platforms {
		program := protocoltest.File(r.t, "program", platform[1])
		if _, err := engine.Mirror(mirror, "0.1.0", platform[1], program); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(r.dir, ".terraform.lock.hcl")); err != nil {
		r.t.Fatal(err)
	}
	r.shell(command + " -fs-mirror=" + mirror)
	lock := r.read(".terraform.lock.hcl")
	if strings.Count(lock, `"h1:`) != len(platforms) || len(platforms) < 2 {
		r.t.Error(lock)
	}
}

// readsGateways sends the header that the page sets. TestProxies runs haproxy with the other
// block.
func readsGateways(r *reader) {
	if !strings.Contains(r.take("text"), "backend dashboards") {
		r.t.Error("the page has no lines for haproxy")
	}
	r.starts(acmeBlock)
	r.shell(r.take("shell") + "terraform apply -auto-approve\n")
	r.has("acme")
}

// readsMap checks nothing: TestProxies runs nginx with the block.
func readsMap(r *reader) { r.take("text") }

// testsWithEmulator runs the tests on the page with an emulator of its own.
func testsWithEmulator(r *reader) {
	if command := r.take("shell"); command != "go run ./cmd/embed-emulator\n" {
		r.t.Errorf("%q does not run the emulator", command)
	}
	r.quotes(r.take("text"), "export EMBED_BASE_URL="+emulatorsAddress+"\nexport EMBED_API_KEY="+emulator.DefaultKey)
	r.copy(customersModule)
	if err := os.RemoveAll(filepath.Join(r.dir, "tests")); err != nil {
		r.t.Fatal(err)
	}
	r.writes("service.tftest.hcl")
	r.replace("service.tftest.hcl", emulatorsAddress, r.service.URL())
	r.env = append(r.env, "EMBED_BASE_URL=http://127.0.0.1:1", "EMBED_API_KEY=of-production")
	r.quotes("2 passed, 0 failed", r.runs())
}

func testsWithMocks(r *reader) {
	r.copy(customersModule)
	r.env = append(r.env, "EMBED_BASE_URL=", "EMBED_API_KEY=")
	r.write("tests/mocked.tftest.hcl", r.take("terraform"))
	r.quotes("1 passed, 0 failed", r.runs())
}

// TestAccIssueForms checks that GitHub can parse the issue forms. GitHub does not offer a form that it cannot parse,
// and says so to nobody.
func TestAccIssueForms(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	for _, form := range []string{"bug", "feature", "config"} {
		w.decodes(readPage(t, "../../.github/ISSUE_TEMPLATE/"+form+".yml"))
	}
}
