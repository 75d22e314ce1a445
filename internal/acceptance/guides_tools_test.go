package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// validates validates a block that cannot be applied here, or has nothing to apply.
func validates(r *reader) {
	r.writes("main.tf")
	r.init("-backend=false")
	r.must("validate")
}

// parsesHCL checks the syntax and the format of a block that needs something unavailable, such as a backend in a
// cloud.
func parsesHCL(r *reader) {
	r.writes("main.tf")
	r.must("fmt", "-check")
}

// isWorkflow checks a workflow with actionlint, which also checks the workflows of this repository.
func (r *reader) isWorkflow(text string) {
	r.t.Helper()
	r.write("workflow.yml", text)
	lint := exec.CommandContext(r.t.Context(), "go", "tool", "-modfile=../../tools/test/go.mod", "actionlint",
		"-no-color", filepath.Join(r.dir, "workflow.yml"))
	if out, err := lint.CombinedOutput(); err != nil {
		r.t.Errorf("%v\n%s", err, out)
	}
}

// testsWithEmulator runs this repository's emulator instead of a released one. The tests on the page must pass with it.
func testsWithEmulator(r *reader) {
	command := r.take("shell")
	const released = "go run github.com/dashembed/terraform-provider-embed/internal/emulator/cmd@v"
	if !strings.HasPrefix(command, released) {
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
	r.isWorkflow(r.take("yaml"))
}

func testsWithMocks(r *reader) {
	r.copy(customersModule)
	r.env = append(r.env, "EMBED_BASE_URL=", "EMBED_API_KEY=")
	r.write("tests/mocked.tftest.hcl", r.take("terraform"))
	r.quotes("1 passed, 0 failed", r.runs())
}

// readsProxies checks only the YAML. TestSnippets in internal/proxies runs the programs with the other blocks.
func readsProxies(r *reader) {
	for _, name := range []string{"haproxy", "nginx"} {
		if r.take("text") == "" {
			r.t.Errorf("the page has no lines for %s", name)
		}
	}
	r.decodes(r.take("yaml"))
	r.decodes(r.take("yaml"))
}

// splits checks only the syntax. TestAccSplittingTheStateMakesOnlyLookups applies the configuration.
func splits(r *reader) {
	r.isWorkflow("on: push\n" + r.take("yaml"))
	parsesHCL(r)
	parsesHCL(r)
	parses := exec.CommandContext(r.t.Context(), engine.NeedsProgram(r.t, "bash"), "-n", "-c", r.take("shell"))
	if out, err := parses.CombinedOutput(); err != nil {
		r.t.Errorf("%v\n%s", err, out)
	}
}

// TestAccIssueForms checks that GitHub can parse the issue forms. It does not offer a form that it cannot parse, and says
// so to nobody.
func TestAccIssueForms(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	for _, form := range []string{"bug", "feature", "config"} {
		w.decodes(readPage(t, "../../.github/ISSUE_TEMPLATE/"+form+".yml"))
	}
}
