package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

const pipelinesDir = examplesDir + "/ci"

// job is a job of a pipeline: what it runs, one script after the other, and when.
type job struct {
	scripts []string
	env     map[string]string
	when    string
}

// environment is what a pipeline or a job sets, as in YAML.
type environment map[string]any

// jobs reads the jobs of a pipeline for GitHub or GitLab.
func (w *workbench) jobs(file string) map[string]job {
	w.t.Helper()
	text := w.asJSON(readPage(w.t, filepath.Join(pipelinesDir, file)))
	all := map[string]job{}
	if strings.HasPrefix(file, "github") {
		var pipeline struct {
			Env  environment
			Jobs map[string]struct {
				If    string
				Env   environment
				Steps []struct{ Run string }
			}
		}
		w.unmarshal(text, &pipeline)
		for name, it := range pipeline.Jobs {
			one := job{env: merged(pipeline.Env, it.Env), when: it.If}
			for _, step := range it.Steps {
				if step.Run != "" {
					one.scripts = append(one.scripts, step.Run)
				}
			}
			all[name] = one
		}
		return all
	}
	var pipeline struct {
		Stages    []string
		Variables environment
		Default   struct {
			Image struct {
				Name       string
				Entrypoint []string
			}
			Before []string `json:"before_script"`
		}
		Plan, Apply, Drift gitlabJob
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&pipeline); err != nil {
		w.t.Fatal(err)
	}
	for name, it := range map[string]gitlabJob{"plan": pipeline.Plan, "apply": pipeline.Apply, "drift": pipeline.Drift} {
		w.wantJob(file, name, it, pipeline.Stages)
		// All lines of a job are one script.
		script := strings.Join(slices.Concat(pipeline.Default.Before, it.Script), "\n")
		one := job{[]string{script}, merged(pipeline.Variables, it.Variables), ""}
		for _, rule := range it.Rules {
			one.when += rule.If
		}
		all[name] = one
	}
	return all
}

// gitlabJob has every key that a job for GitLab may have here. A misspelled one fails the test. actionlint checks the
// files for GitHub.
type gitlabJob struct {
	Stage, Environment string
	ResourceGroup      string `json:"resource_group"`
	Interruptible      bool
	AllowFailure       struct {
		ExitCodes int `json:"exit_codes"`
	} `json:"allow_failure"`
	Variables environment
	Script    []string
	Rules     []struct{ If string }
}

// wantJob checks what a runner makes of a job, except for its script and when it runs. Jobs that change something run
// one at a time, and with the protected key.
func (w *workbench) wantJob(file, name string, it gitlabJob, stages []string) {
	w.t.Helper()
	environment := "production"
	if name == "plan" {
		environment = ""
	}
	code := 0
	if name == "drift" {
		code = driftCode[file]
	}
	if !slices.Contains(stages, it.Stage) || it.AllowFailure.ExitCodes != code || it.Interruptible ||
		it.Environment != environment || it.ResourceGroup != environment {
		w.t.Errorf("%s: the job %s is %+v", file, name, it)
	}
}

func (w *workbench) unmarshal(text string, into any) {
	w.t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		w.t.Fatal(err)
	}
}

// merged returns the texts of two environments, without those that a runner fills in.
func merged(environments ...environment) map[string]string {
	all := map[string]string{}
	for _, one := range environments {
		for name, value := range one {
			if text, is := value.(string); is && !strings.Contains(text, "${{") {
				all[name] = text
			}
		}
	}
	return all
}

// TestAccPipelinesRunWhenTheyShould checks on which events the jobs of each file run, which of them plan and apply, and
// that the plan job applies nothing. It needs an engine only to read YAML.
func TestAccPipelinesRunWhenTheyShould(t *testing.T) {
	t.Parallel()
	w := workbenchWith(t, emulator.Options{})
	files, _ := filepath.Glob(pipelinesDir + "/*.yml")
	if len(files) != len(driftCode) {
		t.Errorf("%d pipelines are tested, want %v", len(driftCode), files)
	}
	for file, when := range map[string]map[string]string{
		"github": {
			"plan": "github.event_name == 'pull_request'", "apply": "github.event_name == 'push'",
			"drift": "github.event_name == 'schedule'",
		},
		"gitlab": {
			"plan":  `$CI_PIPELINE_SOURCE == "merge_request_event"`,
			"apply": `$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH`,
			"drift": `$CI_PIPELINE_SOURCE == "schedule"`,
		},
	} {
		for variant, dirs := range map[string][]string{"": {""}, "-with-secrets": {" groups", " secrets"}} {
			jobs := w.jobs(file + variant + ".yml")
			if len(jobs) != len(when) {
				t.Errorf("%s%s has %d jobs", file, variant, len(jobs))
			}
			for name, it := range jobs {
				scripts := strings.Join(it.scripts, "\n")
				refreshes := name == "drift" || name == "apply" && len(dirs) > 1
				want := map[string]int{"plan": 1, "apply": len(dirs), "drift": len(dirs) - 1}[name]
				if it.when != when[name] || strings.Count(scripts, "ci/apply.sh") != want ||
					strings.Contains(scripts, "ci/refresh.sh"+dirs[0]) != refreshes ||
					strings.Contains(scripts, "terraform apply") || it.env["TF_VAR_max_deletions"] != "2" ||
					it.env["MAX_CREATIONS"] != "20" || it.env["MAX_ROTATIONS"] != "5" ||
					(it.env["PLAN_ONLY"] != "") != (name == "plan") {
					t.Errorf("%s%s, %s: %s, %q\n%s", file, variant, name, it.when, it.env, scripts)
				}
			}
		}
	}
}

// runner runs the jobs of a pipeline in a workbench, as GitHub and GitLab do.
type runner struct {
	*workbench
	jobs map[string]job
}

// runs runs a job, and returns its exit code and what it prints. more replaces what the file sets.
func (r runner) runs(name string, more ...string) (int, string) {
	r.t.Helper()
	it := r.jobs[name]
	env, outer := slices.Clone(r.env), r.env
	for _, variable := range slices.Sorted(maps.Keys(it.env)) {
		if variable != "EMBED_BASE_URL" {
			env = append(env, variable+"="+it.env[variable])
		}
	}
	r.env = append(env, more...)
	defer func() { r.env = outer }()
	printed := ""
	for _, script := range it.scripts {
		code, out := r.execute(engine.NeedsProgram(r.t, "bash"), "-eo", "pipefail", "-c", script)
		if printed += out; code != 0 {
			return code, printed
		}
	}
	return 0, printed
}

// ends runs a job, which has to end with the code and print the words.
func (r runner) ends(code int, words, name string, more ...string) {
	r.t.Helper()
	if got, out := r.runs(name, more...); got != code || !strings.Contains(oneLine(out), words) {
		r.t.Fatalf("the job %s ended with %d, want %d and %q\n%s", name, got, code, words, out)
	}
}

// runnerFor returns a runner in a workbench that has the scripts.
func runnerFor(t *testing.T, file string, needs ...engine.Feature) runner {
	t.Helper()
	w := workbenchWith(t, emulator.Options{}, needs...)
	engine.NeedsProgram(t, "jq")
	r := runner{w, w.jobs(file)}
	r.dir = t.TempDir()
	tools := filepath.Join(r.dir, "tools")
	copied := os.CopyFS(filepath.Join(r.dir, "ci"), os.DirFS(pipelinesDir))
	if err := errors.Join(copied, os.Mkdir(tools, 0o700)); err != nil {
		t.Fatal(err)
	}
	r.write("tools/apk", "#!/bin/sh\n")
	for _, script := range []string{"tools/apk", "ci/apply.sh", "ci/refresh.sh"} {
		if err := os.Chmod(filepath.Join(r.dir, script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	path := ""
	for _, variable := range r.env {
		if value, is := strings.CutPrefix(variable, "PATH="); is {
			path = value
		}
	}
	r.env = append(slices.Clone(r.env), "PATH="+tools+string(os.PathListSeparator)+path,
		"TF_CLI_CONFIG_FILE="+filepath.Join(buildDir, "mirror.tfrc"))
	return r
}

// driftCode is what the drift job of each pipeline ends with if the state differed. GitHub shows a warning instead.
var driftCode = map[string]int{
	"github.yml": 0, "gitlab.yml": 3, "github-with-secrets.yml": 0, "gitlab-with-secrets.yml": 3,
}

// TestAccPipelines runs each job: with changes within the limits and beyond them, without changes, with drift, and on
// an empty service.
func TestAccPipelines(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"github.yml", "gitlab.yml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := runnerFor(t, file)
			acme := group("acme", `user_group_id = "acme"`, `name          = "Acme"`, `rotate_token_when_changed = { a = "1" }`)
			three := group("more", `for_each = { a = "A", b = "B", c = "C" }`, "user_group_id = each.key", "name = each.value")
			const limits = "variable \"max_deletions\" {\n  type = number\n}\n\nprovider \"embed\" {\n" +
				"  max_deletions = var.max_deletions\n}\n"
			r.configure(limits, acme)
			r.must("init")
			r.must("fmt")
			r.ends(0, "1 to add", "plan")
			r.ends(1, "Creations: 1 of at most 0. Rotations: 0 of at most 5. Deletions: 0 of at most 2. Nothing was applied.",
				"plan", "MAX_CREATIONS=0")
			r.madeNoCall()
			r.ends(1, "Creations: 1 of at most 0.", "apply", "MAX_CREATIONS=0")
			r.has()
			r.ends(0, "Creations: 1 of at most 20. Rotations: 0 of at most 5.", "apply")
			r.has("acme")
			r.ends(0, "No changes", "apply")

			r.configure(limits, strings.Replace(acme, `"1"`, `"2"`, 1), three)
			r.must("fmt")
			r.ends(0, "3 to add, 1 to change", "plan")
			r.ends(1, "Rotations: 1 of at most 0.", "apply", "MAX_ROTATIONS=0")
			r.ends(1, "Creations: 3 of at most 2.", "apply", "MAX_CREATIONS=2")
			r.rotated("acme", 0)
			r.ends(0, "Apply complete", "apply")
			r.rotated("acme", 1)
			r.has("a", "acme", "b", "c")

			// Engines plan the replacement of a tainted resource without asking the provider.
			first, _ := r.service.Group("a")
			for _, id := range []string{"a", "b", "c"} {
				r.must("taint", fmt.Sprintf("embed_user_group.more[%q]", id))
			}
			r.ends(1, "Deletions: 3 of at most 2.", "plan")
			r.ends(1, "Deletions: 3 of at most 2.", "apply")
			if kept, _ := r.service.Group("a"); kept.Token != first.Token {
				t.Error("beyond the limit, the apply job has replaced a group")
			}
			for _, id := range []string{"a", "b", "c"} {
				r.must("untaint", fmt.Sprintf("embed_user_group.more[%q]", id))
			}

			r.configure(limits)
			r.must("fmt")
			r.ends(1, "More user groups would be deleted than max_deletions allows", "apply")
			r.configure(limits, strings.Replace(acme, `"1"`, `"2"`, 1), three)
			r.must("fmt")

			r.ends(0, "No changes", "drift")
			r.service.RotateBehind("acme")
			r.service.Remove("a")
			r.service.ResetCounts()
			r.ends(driftCode[file], "embed_user_group.more[\"a\"]", "drift")
			current, _ := r.service.Group("acme")
			if state := r.read("terraform.tfstate"); !strings.Contains(state, current.Token) ||
				strings.Contains(state, `"user_group_id": "a"`) {
				t.Error("the state does not contain the current token, or still has the group that was deleted")
			}

			before := r.read("terraform.tfstate")
			for _, id := range []string{"acme", "b", "c"} {
				r.service.Remove(id)
			}
			r.ends(1, "3 groups are gone, and at most 2 may be. The state keeps them: embed_user_group.acme", "drift")
			if r.read("terraform.tfstate") != before {
				t.Error("on an empty service, the drift job has changed the state")
			}
			r.has()
			for _, name := range []string{"tfplan", "drift"} {
				if _, err := os.Stat(filepath.Join(r.dir, name)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s is left: %v", name, err)
				}
			}
		})
	}
}

// TestAccPipelinesWithSecrets runs each job of the variants with the two root modules of the example. The apply job
// writes a secret after its rotation, and the drift job after one elsewhere.
func TestAccPipelinesWithSecrets(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"github-with-secrets.yml", "gitlab-with-secrets.yml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := runnerFor(t, file, engine.EphemeralResource, engine.WriteOnly)
			store := r.bringsStores()
			root := r.dir
			r.copy(examplesDir + "/tokens-in-two-root-modules")
			for _, module := range []string{"groups", "secrets"} {
				r.dir = filepath.Join(root, module)
				r.must("init")
			}
			r.dir = root
			wrote := func(secrets int) {
				t.Helper()
				acme, _ := r.service.Group("acme")
				if written := store.secrets(); len(written) != secrets || !slices.Contains(written, acme.Token) {
					t.Errorf("%d secrets were written, want %d and the current token", len(written), secrets)
				}
			}
			r.ends(0, "2 to add", "plan")
			r.madeNoCall()
			r.ends(1, "Creations: 2 of at most 1.", "apply", "MAX_CREATIONS=1")
			if len(store.secrets()) > 0 {
				t.Error("a secret was written, although the limit has stopped the job")
			}
			r.ends(0, "Apply complete", "apply")
			wrote(2)
			r.replace("groups/main.tf", "2026-Q4", "2027-Q1")
			r.ends(0, "Rotations: 2 of at most 5.", "apply")
			wrote(4)
			r.replace("groups/main.tf", "2027-Q1", "2027-Q2")
			r.service.Fail(emulator.Fault{Method: "POST", ID: "initech", Nth: 1, Kind: emulator.Refuse})
			r.ends(1, "Cannot rotate the token", "apply")
			wrote(5)
			r.ends(0, "Rotations: 1 of at most 5.", "apply")
			wrote(6)
			r.ends(0, "No changes", "drift")
			wrote(6)
			r.service.RotateBehind("acme")
			r.ends(driftCode[file], "token_fingerprint", "drift")
			wrote(7)
			r.ends(0, "No changes", "apply")
			r.wantNoFileWith(tokenPattern)
		})
	}
}

// makeInstall stands in for make install, which would build for minutes. It installs another program for other
// platforms than this one.
const makeInstall = `#!/bin/sh
[ "$1 $2 ${3%%=*}" = "--no-print-directory install PLUGINS" ] || exit 1
program=$PROGRAM
[ "${GOOS}_$GOARCH" = "$PLATFORM" ] || program=/dev/null
PLUGINS=${3#*=} tools/install "$program" 0.1.0
`

// packs packs a build for two platforms, and runs what this prints: it unpacks it elsewhere, and locks its checksums.
func (r *reader) packs() {
	r.t.Helper()
	if !strings.Contains(readPage(r.t, "../../GNUmakefile"), "\t@tools/install \"$(BINARY)\" \"$(VERSION)\"\n") {
		r.t.Error("make install does something else than this test in its place")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		r.t.Fatal(err)
	}
	dir, env, home := r.dir, r.env, r.t.TempDir()
	r.dir = r.t.TempDir()
	r.write("make", makeInstall)
	if err := os.Chmod(filepath.Join(r.dir, "make"), 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.write("main.tf", requiredProviders+acmeBlock)
	script := strings.Replace(r.take("shell"), "tools/pack", "PATH=$PWD:$PATH "+root+"/tools/pack", 1)
	script = strings.Replace(script, "darwin_arm64", "darwin_arm64 "+r.engine.Platform, 1)
	printed := r.shell(strings.TrimSpace(script)+" 2>log", "PLATFORM="+r.engine.Platform,
		"PROGRAM="+filepath.Join(buildDir, "terraform-provider-embed"))
	r.env = append(slices.Clone(env), "HOME="+home, "TF_CLI_CONFIG_FILE="+os.DevNull)
	r.shell(printed)
	if checksums := strings.Count(r.read(".terraform.lock.hcl"), `"h1:`); checksums < 2 {
		r.t.Errorf("the lock file has %d checksums", checksums)
	}
	r.must("init", "-lockfile=readonly")
	r.must("validate")
	r.dir, r.env = dir, env
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
