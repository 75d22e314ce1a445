package acceptance

import (
	"bufio"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

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

// parses checks the syntax of the next block with bash.
func (r *reader) parses() {
	r.t.Helper()
	if out, err := exec.CommandContext(r.t.Context(), engine.NeedsProgram(r.t, "bash"), "-n", "-c", r.take("shell")).
		CombinedOutput(); err != nil {
		r.t.Errorf("%v\n%s", err, out)
	}
}

// testsWithEmulator runs this repository's emulator instead of a released one. Its output, its default address and
// its flags must be those on the page, and the tests on the page must pass with it.
func testsWithEmulator(r *reader) {
	command := r.take("shell")
	const released = "go run github.com/dashembed/terraform-provider-embed/internal/emulator/cmd@v"
	if !strings.HasPrefix(command, released) {
		r.t.Errorf("%q does not run the emulator", command)
	}
	program := filepath.Join(r.t.TempDir(), "emulator")
	build := exec.CommandContext(r.t.Context(), "go", "build", "-o", program, "../emulator/cmd")
	if out, err := build.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	r.quotes(r.take("text"), "export EMBED_BASE_URL=http://127.0.0.1:8642\nexport EMBED_API_KEY="+emulator.DefaultKey)
	help, _ := exec.CommandContext(r.t.Context(), program, "-help").CombinedOutput()
	if !strings.Contains(string(help), `"127.0.0.1:8642"`) {
		r.t.Errorf("the default address of the emulator is not the one on the page:\n%s", help)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(-[a-z][^`]*)` \\|").
		FindAllStringSubmatch(readPage(r.t, docsDir+"/guides/test-your-module.md"), -1) {
		r.exports(program, strings.Fields(row[1])...)
	}
	r.env = append(r.env, r.exports(program)...)

	r.copy(customersModule)
	if err := os.RemoveAll(filepath.Join(r.dir, "tests")); err != nil {
		r.t.Fatal(err)
	}
	r.must("init")
	r.write("service.tftest.hcl", r.take("terraform"))
	r.quotes("2 passed, 0 failed", r.runs())
	workflow := r.take("yaml")
	r.isWorkflow(workflow)
	start := script(r.t, workflow, "      - name: Start the emulator\n        run: |")
	gopath := r.t.TempDir()
	start = regexp.MustCompile(`(?m)^go install .*@v.*$`).ReplaceAllString(start, "mkdir bin && cp "+program+" bin/cmd")
	start = strings.Replace(start, "/bin/cmd\" ", "/bin/cmd\" -addr=127.0.0.1:0 ", 1)
	r.dir = gopath
	r.shell(start, "GOPATH="+gopath, "GITHUB_ENV="+filepath.Join(gopath, "env"))
	set := readPage(r.t, filepath.Join(gopath, "env"))
	if !regexp.MustCompile(`^EMBED_BASE_URL=\S+\nEMBED_API_KEY=\S+\n$`).MatchString(set) {
		r.t.Errorf("the job sets the variables %q", set)
	}
}

// exports starts the emulator on a free port until the test ends, and returns the two settings that it prints.
func (r *reader) exports(program string, flags ...string) (settings []string) {
	r.t.Helper()
	command := exec.CommandContext(r.t.Context(), program, append([]string{"-addr=127.0.0.1:0"}, flags...)...)
	stdout, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		setting, _ := strings.CutPrefix(lines.Text(), "export ")
		settings = append(settings, setting)
	}
	if len(settings) != 2 {
		r.t.Errorf("the emulator with %q printed %q", flags, settings)
	}
	return settings
}

func testsWithMocks(r *reader) {
	r.copy(customersModule)
	r.env = append(r.env, "EMBED_BASE_URL=", "EMBED_API_KEY=")
	r.must("init")
	r.write("tests/mocked.tftest.hcl", r.take("terraform"))
	r.quotes("1 passed, 0 failed", r.runs())
}

// policy matches a row in the page's table of rules, and condition matches a condition in its last column.
var (
	policy    = regexp.MustCompile("(?m)^\\| Is a (.*)\\? \\| (`.*`) \\|$")
	condition = regexp.MustCompile("^`(?:resource_changes\\[\\]\\.)?([a-z_.]+)` (contains|is|is not) `(.+)`$")
)

// readsPolicies applies the page's three rules, translated to jq, to a plan that deletes one group, rotates one, and
// leaves one unprotected. A deleted group is unprotected, too.
func readsPolicies(r *reader) {
	engine.NeedsProgram(r.t, "jq")
	three := group("rotated", `user_group_id = "rotated"`, `name = "R"`, "deletion_protection = true",
		`rotate_token_when_changed = { a = "1" }`) +
		group("unprotected", `user_group_id = "unprotected"`, `name = "U"`)
	r.begins(three + group("deleted", `user_group_id = "deleted"`, `name = "D"`))
	r.write("main.tf", strings.Replace(three, `"1"`, `"2"`, 1))
	r.must("plan", "-out=tfplan")
	if printed := r.runs(); printed != "rotates embed_user_group.rotated\n" {
		r.t.Error(printed)
	}
	matched := map[string]string{}
	for _, row := range policy.FindAllStringSubmatch(readPage(r.t, docsDir+"/guides/other-tools.md"), -1) {
		var all []string
		for text := range strings.SplitSeq(row[2], " where ") {
			parts := condition.FindStringSubmatch(text)
			if parts == nil {
				r.t.Fatalf("the test does not understand %s", text)
			}
			operation := map[string]string{
				"contains": `index("` + parts[3] + `")`, "is": ". == " + parts[3], "is not": ". != " + parts[3],
			}[parts[2]]
			all = append(all, "(."+parts[1]+" | "+operation+")")
		}
		names := r.shell("terraform show -json tfplan | jq -r '[.resource_changes[] | select(" +
			strings.Join(all, " and ") + ") | .name] | join(\" \")'")
		matched[row[1]] = strings.TrimSpace(names)
	}
	if want := map[string]string{
		"customer deleted": "deleted", "token rotated": "rotated", "customer unprotected": "deleted unprotected",
	}; !maps.Equal(matched, want) {
		r.t.Errorf("the rules match %q, want %q", matched, want)
	}
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

// readsTerragrunt applies the settings in the blocks as Terragrunt would, without Terragrunt.
func readsTerragrunt(r *reader) {
	root, unit := r.left[0].text, r.left[1].text
	parsesHCL(r)
	parsesHCL(r)
	r.parses()
	r.dir = r.t.TempDir()
	r.copy(examplesDir + "/customers-in-shards")
	for _, setting := range regexp.MustCompile(`(?m)^ +(EMBED_\w+) = "(.*)"$`).FindAllStringSubmatch(root, -1) {
		r.env = append(r.env, setting[1]+"="+setting[2])
	}
	for _, input := range regexp.MustCompile(`(?m)^  (\w+) += (\d+)$`).FindAllStringSubmatch(unit, -1) {
		r.env = append(r.env, "TF_VAR_"+input[1]+"="+input[2])
	}
	r.init()
	r.apply()
	r.plansNothing()
}
