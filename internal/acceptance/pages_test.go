package acceptance

import (
	"fmt"
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

// script returns the indented block below the given line of a page, without its indentation. The page must contain
// the line exactly once.
func script(t *testing.T, page, line string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, line+"\n")
	if !found || strings.Contains(rest, line+"\n") {
		t.Fatalf("the page does not have exactly one line %q", line)
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

// TestPipelinesApplyOnlyPlansWithChanges checks that the jobs of the guide apply only a plan with changes, and fail if
// the plan fails. It runs their scripts with a fake terraform and various exit codes of its plan.
func TestPipelinesApplyOnlyPlansWithChanges(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the jobs are shell scripts")
	}
	shell := engine.NeedsProgram(t, "bash")
	page := readPage(t, docsDir+"/guides/pipeline.md")
	if !strings.Contains(page, "        if: steps.plan.outputs.exitcode == '2'\n        run: terraform apply ") {
		t.Error("the apply of the GitHub job does not depend on the plan's exit code")
	}
	gitHub := script(t, page, "        id: plan\n        run: |")
	gitLab := script(t, page, "  script:\n    - |")
	for _, code := range []int{0, 1, 2, 11, 137} {
		for name, run := range map[string]struct{ script, source string }{
			"GitHub": {gitHub, ""}, "GitLab": {gitLab, "push"}, "GitLab on schedule": {gitLab, "schedule"},
		} {
			t.Run(fmt.Sprintf("%s, %d", name, code), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				fake := fmt.Sprintf("#!/bin/sh\necho \"$1 $2\" >>calls\n[ $1 = plan ] || exit 0\n"+
					"[ %[1]d = 137 ] && kill -9 $$\nexit %[1]d\n", code)
				if err := os.WriteFile(filepath.Join(dir, "terraform"), []byte(fake), 0o700); err != nil {
					t.Fatal(err)
				}
				// GitHub and GitLab run scripts with these options.
				command := exec.CommandContext(t.Context(), shell, "-eo", "pipefail", "-c", run.script)
				command.Dir = dir
				command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"),
					"GITHUB_OUTPUT="+filepath.Join(dir, "output"), "CI_PIPELINE_SOURCE="+run.source)
				out, err := command.CombinedOutput()
				if succeeded := code == 0 || code == 2; (err == nil) != succeeded {
					t.Errorf("terraform exited with %d, and the script with %v\n%s", code, err, out)
				}
				called := readPage(t, filepath.Join(dir, "calls"))
				if name == "GitHub" {
					if output := readPage(t, filepath.Join(dir, "output")); output != fmt.Sprintf("exitcode=%d\n", code) {
						t.Errorf("the step's output is %q", output)
					}
				} else if applied := strings.Contains(called, "apply -input"); applied != (code == 2) {
					t.Errorf("terraform exited with %d, and its calls were:\n%s", code, called)
				}
				if refreshed := strings.HasPrefix(called, "apply -refresh-only\nplan"); refreshed != (run.source == "schedule") {
					t.Errorf("the job must refresh the state on schedule only, but its calls were:\n%s", called)
				}
			})
		}
	}
}
