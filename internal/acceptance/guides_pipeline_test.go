package acceptance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// plansWithoutKey checks that a plan with an invalid key works and makes no calls.
func plansWithoutKey(r *reader) {
	r.begins(acmeBlock)
	r.replace("main.tf", "Acme Ltd", "Acme")
	r.service.ResetCounts()
	r.quotes("1 to change", r.runs("EMBED_API_KEY=not-used"))
	r.madeNoCall()
}

func appliesPlanned(r *reader) {
	r.starts(acmeBlock)
	commands := r.take("shell")
	// The plan has changes, so it exits with 2.
	r.shell(strings.Replace(commands, "-detailed-exitcode\n", "-detailed-exitcode || [ $? = 2 ]\n", 1))
	r.has("acme")
	r.plansNothing()
}

// limitsRotations counts the rotations in a plan that rotates one token, renames one group, and creates another.
func limitsRotations(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	acme := group("acme", `user_group_id = "acme"`, `name = "Acme"`, `rotate_token_when_changed = { a = "1" }`)
	initech := group("initech", `user_group_id = "initech"`, `name = "Initech"`)
	r.begins(acme + initech)
	r.write("main.tf", strings.Replace(acme, `"1"`, `"2"`, 1)+strings.Replace(initech, `"Initech"`, `"Initech Inc."`, 1)+
		group("umbrella", `user_group_id = "umbrella"`, `name = "Umbrella"`))
	r.must("plan", "-out=tfplan")
	if printed := r.runs(); printed != "1\n" {
		r.t.Errorf("the command counts %q rotations, want 1", printed)
	}
}

// findsDrift follows the commands of the scheduled job, first without drift, and then after a rotation that was made
// elsewhere.
func findsDrift(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	r.begins(acmeBlock)
	commands := r.take("shell")
	const listed = "\nembed_user_group.acme\n"
	if printed := r.shell(commands); strings.Contains(printed, listed) {
		r.t.Errorf("there is no drift, but the commands print\n%s", printed)
	}
	r.service.RotateBehind("acme")
	r.plansNothing("-refresh=false")
	r.service.ResetCounts()
	if printed := r.shell(commands); !strings.Contains(printed, listed) {
		r.t.Errorf("the group is not listed in\n%s", printed)
	}
	current, _ := r.service.Group("acme")
	if !strings.Contains(r.read("terraform.tfstate"), current.Token) {
		r.t.Error("the state does not contain the current token")
	}
	r.onlyLooked()
}

// isGitHub and isGitLab check only the syntax. Tests of the sections above follow the commands, and
// TestPipelinesStayWithinLimits checks when the jobs run them.
func isGitHub(r *reader) { r.isWorkflow(r.take("yaml")) }

func isGitLab(r *reader) { r.decodes(r.take("yaml")) }

// locksPlatforms uses a mirror instead of the registry. No program in the mirror is run, so their content is
// arbitrary.
func locksPlatforms(r *reader) {
	r.starts(acmeBlock)
	command := strings.TrimSpace(r.take("shell"))
	platforms := regexp.MustCompile(`-platform=(\w+)`).FindAllStringSubmatch(command, -1)
	mirror := r.t.TempDir()
	for _, platform := range platforms {
		program := protocoltest.File(r.t, "program", platform[1])
		if err := engine.Mirror(mirror, "0.1.0", platform[1], program); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(r.dir, ".terraform.lock.hcl")); err != nil {
		r.t.Fatal(err)
	}
	r.shell(command + " -fs-mirror=" + mirror)
	lock := r.read(".terraform.lock.hcl")
	if strings.Count(lock, `"h1:`) != len(platforms) || len(platforms) != 4 {
		r.t.Error(lock)
	}
}

// testsWithEmulator runs this repository's emulator instead of a released one. The tests on the page must pass with it.
func testsWithEmulator(r *reader) {
	command := r.take("shell")
	const released = "go run github.com/dashembed/terraform-provider-embed/cmd/embed-emulator@v"
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

// TestAccIssueForms checks that GitHub can parse the issue forms. GitHub does not offer a form that it cannot parse,
// and says so to nobody.
func TestAccIssueForms(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	for _, form := range []string{"bug", "feature", "config"} {
		w.decodes(readPage(t, "../../.github/ISSUE_TEMPLATE/"+form+".yml"))
	}
}
