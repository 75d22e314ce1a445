package acceptance

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

const docsDir = "../../docs"

// othersSection is the heading of the section of the troubleshooting guide about messages that do not come from this
// provider.
const othersSection = "## Messages of Terraform and OpenTofu"

func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages returns the texts of all pages that the registries show, by their path in docs/.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := filepath.Glob(filepath.Join(docsDir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name, _ := filepath.Rel(docsDir, path)
			texts[filepath.ToSlash(name)] = readPage(t, path)
		}
	}
	if len(texts) < 15 {
		t.Fatalf("found only %d pages", len(texts))
	}
	return texts
}

var (
	codeBlock  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	notInLinks = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	htmlAnchor = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	link       = regexp.MustCompile(`\]\(([^) ]+)\)`)
)

// anchor returns the anchor that GitHub and the registries give to a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(notInLinks.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func anchors(page string) []string {
	var all []string
	for _, found := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		all = append(all, anchor(found[1]))
	}
	for _, found := range htmlAnchor.FindAllStringSubmatch(page, -1) {
		all = append(all, found[1])
	}
	return all
}

// TestLinksOfPages checks that each link to a page, a heading or a file of this project has a target. Only links
// between guides are relative, because the registries break all other relative links.
func TestLinksOfPages(t *testing.T) {
	t.Parallel()
	const repository = "https://github.com/dashembed/terraform-provider-embed/"
	all := pages(t)
	for name, page := range all {
		for _, found := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
			target, fragment, _ := strings.Cut(found[1], "#")
			inRepository, ours := strings.CutPrefix(target, repository)
			switch {
			case target == "":
				target = name
			case ours:
				_, path, _ := strings.Cut(inRepository, "/main/")
				if _, err := os.Stat(filepath.Join("../..", path)); err != nil || path == "" {
					t.Errorf("%s: %s is not in the repository", name, found[1])
				}
				if target = strings.TrimPrefix(path, "docs/"); target == path {
					continue
				}
			case strings.Contains(target, "://"):
				continue
			case strings.Contains(target, "/") || !strings.HasPrefix(name, "guides/"):
				t.Errorf("%s: the link %s breaks on the registries: it must be absolute", name, found[1])
				continue
			default:
				target = "guides/" + target
			}
			if page, exists := all[target]; !exists && strings.HasSuffix(target, ".md") {
				t.Errorf("%s: there is no page for %s", name, found[1])
			} else if fragment != "" && !slices.Contains(anchors(page), fragment) {
				t.Errorf("%s: %s has no heading for %s", name, target, found[1])
			}
		}
	}
}

// TestIndexHasEveryArgument checks that the table on the provider's page lists each argument with its environment
// variable.
func TestIndexHasEveryArgument(t *testing.T) {
	t.Parallel()
	page := readPage(t, docsDir+"/index.md")
	schemas, err := provider.NewServer("test")().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, attribute := range schemas.Provider.Block.Attributes {
		row := fmt.Sprintf("| `%s` | `EMBED_%s` |", attribute.Name, strings.ToUpper(attribute.Name))
		if strings.Count(page, row) != 1 {
			t.Errorf("the table of arguments does not have exactly one row %s", row)
		}
	}
}

// TestTroubleshootingIndexHasEveryMessage checks that the table at the top of the page has a row for each message of
// the provider, in the order of the page.
func TestTroubleshootingIndexHasEveryMessage(t *testing.T) {
	t.Parallel()
	ours, _, _ := strings.Cut(readPage(t, "../../templates/guides/troubleshooting.md"), "\n"+othersSection+"\n")
	var listed, headings []string
	for line := range strings.Lines(ours) {
		if title, is := strings.CutPrefix(line, "### "); is {
			headings = append(headings, strings.TrimSpace(title))
		}
		if row, is := strings.CutPrefix(line, "| ["); is {
			title, rest, _ := strings.Cut(row, "](#")
			listed = append(listed, title)
			if !strings.HasPrefix(rest, anchor(title)+") |") || strings.Count(line, " | ") != 3 {
				t.Errorf("the row of %q does not link to its heading, or does not have four columns", title)
			}
		}
	}
	if !slices.Equal(listed, headings) {
		t.Errorf("the index lists\n%s\nbut the page has\n%s", strings.Join(listed, "\n"), strings.Join(headings, "\n"))
	}
}

// script returns the indented block below the given line of a job, without its indentation. The job must contain the
// line exactly once.
func script(t *testing.T, job, line string) string {
	t.Helper()
	_, rest, found := strings.Cut(job, line+"\n")
	if !found || strings.Contains(rest, line+"\n") {
		t.Fatalf("the job does not have exactly one line %q:\n%s", line, job)
	}
	indentation := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
	var block strings.Builder
	for line := range strings.Lines(rest) {
		text, belongs := strings.CutPrefix(line, indentation)
		if !belongs {
			break
		}
		block.WriteString(text)
	}
	return block.String()
}

// job returns the text of a job of the guide "In a pipeline", from its name to the next empty line.
func job(t *testing.T, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(readPage(t, docsDir+"/guides/pipeline.md"), "\n"+name+":\n")
	if !found {
		t.Fatalf("the guide has no job %s", name)
	}
	text, _, _ := strings.Cut(rest, "\n\n")
	return text + "\n"
}

// runJob runs a script of a job with a fake terraform, whose plan exits with code and is shown as the given JSON. It
// returns the calls of terraform, and the error of the script.
func runJob(t *testing.T, script string, code int, shown string) (calls string, err error) {
	t.Helper()
	shell := engine.NeedsProgram(t, "bash")
	engine.NeedsProgram(t, "jq")
	dir := t.TempDir()
	fake := fmt.Sprintf("#!/bin/sh\necho \"$*\" >>calls\ncase $1 in\nshow) echo '%s' ;;\nplan)\n"+
		"[ %[2]d = 137 ] && kill -9 $$\nexit %[2]d ;;\nesac\n", shown, code)
	if err := os.WriteFile(filepath.Join(dir, "terraform"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	// GitHub and GitLab run scripts with these options.
	command := exec.CommandContext(t.Context(), shell, "-eo", "pipefail", "-c", script)
	command.Dir = dir
	command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "GITHUB_OUTPUT="+filepath.Join(dir, "output"),
		"MAX_ROTATIONS=5")
	out, err := command.CombinedOutput()
	t.Logf("terraform exited with %d, and the script with %v\n%s", code, err, out)
	return readPage(t, filepath.Join(dir, "calls")), err
}

// TestPipelinesApplyOnlyPlansWithinLimits checks that the jobs of the guide apply only a plan with changes, fail if the
// plan fails, and fail if it rotates too many tokens.
func TestPipelinesApplyOnlyPlansWithinLimits(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the jobs are shell scripts")
	}
	rotation := `{"type":"embed_user_group","change":{"actions":["update"],"after_unknown":{"token_fingerprint":true}}}`
	renaming := `{"type":"embed_user_group","change":{"actions":["update"],"after_unknown":{}}}`
	gitHub, _, gitHubApplies := strings.Cut(job(t, "  apply"), "      - name: Apply\n"+
		"        if: steps.plan.outputs.exitcode == '2'\n        run: terraform apply -input=false -lock-timeout=5m tfplan\n")
	if !gitHubApplies || !strings.Contains(gitHub, "        if: steps.plan.outputs.exitcode == '2'\n") {
		t.Error("the last steps of the GitHub job do not depend on the plan's exit code")
	}
	gitHub = script(t, gitHub, "        id: plan\n        run: |") +
		"[ $code -eq 0 ] || {\n" + script(t, gitHub, "exitcode == '2'\n        run: |") + "terraform apply tfplan\n}\n"
	gitLab := script(t, job(t, "apply"), "    - |")
	for name, script := range map[string]string{"GitHub": gitHub, "GitLab": gitLab} {
		for _, code := range []int{0, 1, 2, 11, 137} {
			for _, rotations := range []int{0, 5, 6} {
				t.Run(fmt.Sprintf("%s, %d, %d rotations", name, code, rotations), func(t *testing.T) {
					t.Parallel()
					shown := `{"resource_changes":[` + strings.Repeat(rotation+",", rotations) + renaming + `]}`
					calls, err := runJob(t, script, code, shown)
					mayApply := code == 2 && rotations < 6
					if succeeded := code == 0 || mayApply; (err == nil) != succeeded {
						t.Errorf("the script ended with %v", err)
					}
					if applied := strings.Contains(calls, "apply"); applied != mayApply {
						t.Errorf("the calls were:\n%s", calls)
					}
				})
			}
		}
	}
}

// TestScheduledJobsChangeNothing checks that the scheduled jobs of the guide apply only a refresh-only plan, and that
// no other job runs on schedule.
func TestScheduledJobsChangeNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the jobs are shell scripts")
	}
	for _, apply := range []string{job(t, "  apply"), job(t, "apply")} {
		if strings.Contains(apply, "schedule") || strings.Contains(apply, "!=") {
			t.Errorf("this job also runs on schedule:\n%s", apply)
		}
	}
	gitHub, gitLab := job(t, "  drift"), job(t, "drift")
	if !strings.Contains(gitHub, "event_name == 'schedule'") || !strings.Contains(gitLab, `SOURCE == "schedule"`) {
		t.Error("the jobs called drift do not run on schedule")
	}
	for name, script := range map[string]string{
		"GitHub": script(t, gitHub, "        run: |"), "GitLab": script(t, gitLab, "    - |"),
	} {
		for _, code := range []int{0, 1, 137} {
			for drift, shown := range map[bool]string{false: `{}`, true: `{"resource_drift":[{"address":"a.b"}]}`} {
				t.Run(fmt.Sprintf("%s, %d, %v", name, code, drift), func(t *testing.T) {
					t.Parallel()
					calls, err := runJob(t, script, code, shown)
					plan, rest, _ := strings.Cut(calls, "\n")
					if !strings.HasPrefix(plan, "plan -refresh-only -out=drift ") || strings.Contains(rest, "plan") {
						t.Errorf("the calls were:\n%s", calls)
					}
					if applied := strings.HasSuffix(rest, " drift\n") && strings.Count(rest, "apply") == 1; applied != (code == 0) {
						t.Errorf("the calls were:\n%s", calls)
					}
					// GitLab shows exit code 2 as a warning.
					if succeeded := code == 0 && (!drift || name == "GitHub"); (err == nil) != succeeded {
						t.Errorf("the script ended with %v", err)
					}
				})
			}
		}
	}
}

// TestPagesNameEveryRightOfTheKey checks that whoever says that a key must be allowed to create and delete groups also
// says when it must be allowed to update them.
func TestPagesNameEveryRightOfTheKey(t *testing.T) {
	t.Parallel()
	found := 0
	for name, page := range pages(t) {
		for line := range strings.Lines(page) {
			if !strings.Contains(line, "create and delete") {
				continue
			}
			if found++; !strings.Contains(line, "update") && !strings.Contains(line, "#permissions-of-the-key") {
				t.Errorf("%s leaves out that the key must be allowed to update groups:\n%s", name, line)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d lines are about these rights", found)
	}
}

// shownTexts returns the texts of README.md, of all pages and of all example configurations, by path.
func shownTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := pages(t)
	texts["README.md"] = readPage(t, "../../README.md")
	err := fs.WalkDir(os.DirFS(examplesDir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			texts["examples/"+path] = readPage(t, filepath.Join(examplesDir, path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestPagesDoNotContradictEachOther checks what one page advises and others would show differently: the version
// constraint, and one key for each state.
func TestPagesDoNotContradictEachOther(t *testing.T) {
	t.Parallel()
	constraint := regexp.MustCompile(`"dashembed/embed"\n *version += "(.*)"`)
	constraints := 0
	for name, text := range shownTexts(t) {
		for _, found := range constraint.FindAllStringSubmatch(text, -1) {
			want := "~> 0.1.0"
			if strings.HasPrefix(name, "examples/modules/") { // A module leaves the choice among these to its caller.
				want = ">= 0.1.0, < 0.2.0"
			}
			if constraints++; found[1] != want {
				t.Errorf("%s has the version constraint %s", name, found[1])
			}
		}
		blocks := []string{text}
		if strings.HasSuffix(name, ".md") {
			blocks = codeBlock.FindAllString(text, -1)
		}
		for _, block := range blocks {
			if strings.Count(block, "provider \"embed\" {") > 1 {
				t.Errorf("%s has two keys in one state:\n%s", name, block)
			}
		}
	}
	if constraints < 20 {
		t.Errorf("found only %d version constraints", constraints)
	}
}

// TestPicturesShowTheWholeStory checks that pictures have the labels whose absence would mislead, and that nothing is
// cut off.
func TestPicturesShowTheWholeStory(t *testing.T) {
	t.Parallel()
	tag := regexp.MustCompile("<[^>]*>")
	for name, labels := range map[string][]string{
		"lookup-of-a-missing-group":   {"The check of the service", `DELETE  {"current_token":"…","user_group_id":"acme"}`},
		"rotation-with-a-lost-answer": {"It was rotated.", "It was not rotated.", "The outcome is unknown."},
		"pipeline":                    {"-refresh-only -out=drift", "Within the limits?", "looks up each group"},
		"import-query-or-adopt":       {"not in OpenTofu"},
		"demo":                        {"No key and no token was printed."},
	} {
		picture := tag.ReplaceAllString(readPage(t, docsDir+"/images/"+name+".svg"), "")
		for _, label := range labels {
			if !strings.Contains(picture, label) {
				t.Errorf("%s.svg does not say %q", name, label)
			}
		}
		if strings.Contains(picture, "…\n") {
			t.Errorf("a line of %s.svg is cut off", name)
		}
	}
}

// TestIndexLinksEveryGuide checks that a reader of the provider's page finds every guide.
func TestIndexLinksEveryGuide(t *testing.T) {
	t.Parallel()
	_, guides, _ := strings.Cut(readPage(t, docsDir+"/index.md"), "\n## Guides\n")
	guides, _, _ = strings.Cut(guides, "\n## ")
	for name := range pages(t) {
		if strings.HasPrefix(name, "guides/") && !strings.Contains(guides, "/"+name+")") {
			t.Errorf("the list of guides does not have %s", name)
		}
	}
}
