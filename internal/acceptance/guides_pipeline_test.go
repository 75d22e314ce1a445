package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
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
	limit := steps["Rotations: "]
	r.quotes("Creations: 1 of at most 1. Rotations: 1 of at most 1.", r.shell(limit, "MAX_CREATIONS=1", "MAX_ROTATIONS=1"))
	r.fallsShort(limit, "MAX_CREATIONS=1", "MAX_ROTATIONS=0")
	r.fallsShort(limit, "MAX_CREATIONS=0", "MAX_ROTATIONS=1")
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
			"plan -input=false -refresh=false", "-detailed-exitcode", "Rotations: ", "5m tfplan", "-refresh-only",
		} {
			if strings.Contains(script, words) {
				found[words] = script
			}
		}
	}
	return found
}

// fallsShort runs a script that must fail, as a runner does.
func (r *reader) fallsShort(script string, env ...string) {
	r.t.Helper()
	r.write("limit.sh", script)
	r.quotes("exceeded", r.shell("bash -eo pipefail limit.sh || echo exceeded", env...))
}

// followsGitLab checks the syntax, and runs the script of the apply job, which its limits must stop.
// TestPipelinesStayWithinLimits checks when the jobs run.
func followsGitLab(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	pipeline := r.take("yaml")
	r.decodes(pipeline)
	_, job, _ := strings.Cut(pipeline, "\napply:\n")
	_, script, _ := strings.Cut(job, "    - |\n")
	script, _, _ = strings.Cut(script, "\n  rules:")
	script = strings.ReplaceAll("\n"+script, "\n      ", "\n")
	r.starts(acmeBlock)
	r.fallsShort(script, "MAX_CREATIONS=0", "MAX_ROTATIONS=1")
	r.has()
	r.shell(script, "MAX_CREATIONS=1", "MAX_ROTATIONS=0")
	r.has("acme")
}

// raisesLimit applies the settings, with the limit for one run.
func raisesLimit(r *reader) {
	r.writes("main.tf")
	r.init()
	r.quotes("1 to add", r.runs())
}

// movesState parses the backend, which needs a cloud, and moves a state to another one.
func movesState(r *reader) {
	parsesHCL(r)
	r.begins(acmeBlock)
	r.write("backend.tf", "terraform {\n  backend \"local\" {\n    path = \"../pipeline.tfstate\"\n  }\n}\n")
	r.runs()
	r.quotes("No changes", r.runs())
	r.runs()
	if _, err := os.Stat(filepath.Join(r.dir, "terraform.tfstate")); err == nil {
		r.t.Error("the local state is still there")
	}
	r.plansNothing()
}

// makeInstall stands in for make install, which would build for minutes. It installs another program for other
// platforms than this one.
const makeInstall = `make() {
  [ "$1 ${2%%=*}" = "install PLUGINS" ] || return 1
  program=$PROGRAM
  [ "${GOOS}_$GOARCH" = "$PLATFORM" ] || program=/dev/null
  PLUGINS=${2#*=} "$TOOLS/install" "$program" 0.1.0
}
`

// locksBuild packs a build for two platforms, unpacks it elsewhere, and locks its checksums.
func locksBuild(r *reader) {
	if !strings.Contains(readPage(r.t, "../../GNUmakefile"), "\t@tools/install \"$(BINARY)\" \"$(VERSION)\"\n") {
		r.t.Error("make install does something else than this test in its place")
	}
	tools, err := filepath.Abs("../../tools")
	if err != nil {
		r.t.Fatal(err)
	}
	r.dir = r.t.TempDir()
	r.write("main.tf", requiredProviders+acmeBlock)
	packs, unpacks, locks := r.take("shell"), r.take("shell"), r.take("shell")
	developer, job := r.t.TempDir(), r.t.TempDir()
	packs = strings.Replace(packs, "darwin_arm64", "darwin_arm64 "+r.engine.Platform, 1)
	r.shell(makeInstall+packs, "HOME="+developer, "PLATFORM="+r.engine.Platform, "TOOLS="+tools,
		"PROGRAM="+filepath.Join(buildDir, "terraform-provider-embed"))
	archive := filepath.Join(developer, "embed-provider.tar.gz")
	r.shell(strings.Replace(unpacks, "embed-provider.tar.gz", archive, 1), "HOME="+job)
	locks = strings.Replace(locks, " -platform=darwin_arm64", " -platform=darwin_arm64 -platform="+r.engine.Platform, 1)
	r.shell(locks, "HOME="+developer)
	if checksums := strings.Count(r.read(".terraform.lock.hcl"), `"h1:`); checksums < 2 {
		r.t.Errorf("the lock file has %d checksums", checksums)
	}
	const applies = "terraform init -lockfile=readonly && terraform apply -auto-approve"
	r.shell(applies, "HOME="+job, "TF_CLI_CONFIG_FILE="+os.DevNull)
	r.has("acme")
}

// readsGateways sends the header that the page sets. TestProxies runs the examples that it names.
func readsGateways(r *reader) {
	r.starts(acmeBlock)
	r.shell(r.take("shell") + "terraform apply -auto-approve\n")
	r.has("acme")
}

// testsWithEmulator runs the module's tests with an emulator of its own.
func testsWithEmulator(r *reader) {
	if command := r.take("shell"); command != "go run ./cmd/embed-emulator\n" {
		r.t.Errorf("%q does not run the emulator", command)
	}
	r.copy(customersModule)
	r.replace("tests/service.tftest.hcl", emulatorsAddress, r.service.URL())
	r.env = append(r.env, "EMBED_BASE_URL=http://127.0.0.1:1", "EMBED_API_KEY=of-production")
	r.quotes("tests/service.tftest.hcl... pass", r.runs())
}

// testsWithMocks runs the module's tests without a service. A mocked provider opens no ephemeral resource.
func testsWithMocks(r *reader) {
	r.copy(customersModule)
	r.env = append(r.env, "EMBED_BASE_URL=", "EMBED_API_KEY=")
	r.init()
	r.quotes("0 failed", r.runs())
}

// TestAccIssueForms checks that GitHub can parse the issue forms. GitHub does not offer a form that it cannot parse,
// and says so to nobody.
func TestAccIssueForms(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	for _, form := range []string{"bug", "feature", "config"} {
		w.decodes(readPage(t, "../../.github/ISSUE_TEMPLATE/"+form+".yml"))
	}
}
