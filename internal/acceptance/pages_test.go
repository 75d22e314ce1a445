package acceptance

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

const docsDir = "../../docs"

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

// TestLinksOfPages checks that each link to a page, a heading or a picture has a target. All of them are relative.
// Files outside of docs/ have no links before the release, because they would lead to a branch: see tools/release/flip.
func TestLinksOfPages(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name, page := range all {
		for _, found := range link.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
			target, fragment, _ := strings.Cut(found[1], "#")
			switch {
			case strings.Contains(target, "dashembed/"):
				t.Errorf("%s: %s is not relative", name, found[1])
				continue
			case strings.Contains(target, "://"):
				continue
			case target == "":
				target = name
			default:
				target = path.Join(path.Dir(name), target)
			}
			if _, err := os.Stat(filepath.Join(docsDir, target)); err != nil {
				t.Errorf("%s: there is no page or picture for %s", name, found[1])
			} else if fragment != "" && !slices.Contains(anchors(all[target]), fragment) {
				t.Errorf("%s: %s has no heading for %s", name, target, found[1])
			}
		}
	}
}

// TestLinksInRegistries checks that make generate leaves the links alone until a version is released, and that each
// link then has a target in a registry or, if it is a picture, in the repository at the tag.
func TestLinksInRegistries(t *testing.T) {
	t.Parallel()
	copied, all := t.TempDir(), pages(t)
	if err := os.CopyFS(copied, os.DirFS(docsDir)); err != nil {
		t.Fatal(err)
	}
	makeAbsolute(t, "## 0.1.0 (unreleased)", copied)
	for name, page := range all {
		if readPage(t, filepath.Join(copied, name)) != page {
			t.Errorf("%s was changed before the release", name)
		}
	}
	makeAbsolute(t, "## 0.1.0 (2026-12-01)", copied)
	links := 0
	for name := range all {
		page := codeBlock.ReplaceAllString(readPage(t, filepath.Join(copied, name)), "")
		for _, found := range link.FindAllStringSubmatch(page, -1) {
			target, isOurs := publishedTarget(name, found[1])
			if !isOurs {
				continue
			}
			links++
			target, fragment, _ := strings.Cut(target, "#")
			if _, err := os.Stat(filepath.Join(docsDir, target)); err != nil {
				t.Errorf("%s: there is no page or picture for %s", name, found[1])
			} else if fragment != "" && !slices.Contains(anchors(all[target]), fragment) {
				t.Errorf("%s: there is no heading for %s", name, found[1])
			}
		}
	}
	if links < 60 {
		t.Errorf("found only %d links", links)
	}
}

// makeAbsolute runs the last step of make generate on a directory, with the heading of the newest version.
func makeAbsolute(t *testing.T, heading, dir string) {
	t.Helper()
	changelog := protocoltest.File(t, "CHANGELOG.md", "# Changelog\n\n"+heading+"\n")
	command := exec.CommandContext(t.Context(), "../../tools/generate/absolute-links", changelog, dir)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// publishedTarget returns the file below docs/ and the heading that a link on a published page leads to. isOurs is
// false for a link to somewhere else.
func publishedTarget(page, address string) (target string, isOurs bool) {
	const registry, files = "https://registry.terraform.io/providers/dashembed/embed/0.1.0/docs",
		"https://raw.githubusercontent.com/dashembed/terraform-provider-embed/v0.1.0/docs/"
	if picture, is := strings.CutPrefix(address, files); is {
		return picture, true
	}
	if path, is := strings.CutPrefix(address, registry); is {
		path, fragment, _ := strings.Cut(path, "#")
		return strings.TrimPrefix(cmp.Or(path, "/index"), "/") + ".md#" + fragment, true
	}
	if strings.HasPrefix(address, "#") {
		return page + address, true
	}
	return "relative: " + address, !strings.Contains(address, "://")
}

// TestTroubleshootingIndex checks that each message in the index has one row with two columns, and that the recipe with
// curl stands only where messages refer to it.
func TestTroubleshootingIndex(t *testing.T) {
	t.Parallel()
	const heading = "\n## Remove an empty group\n"
	for name, page := range pages(t) {
		_, recipe, found := strings.Cut(page, heading)
		if is := name == "guides/troubleshooting.md"; found != is ||
			strings.Count(page, "curl ") != strings.Count(recipe, "curl ") ||
			is != strings.Contains(recipe, "curl ") {
			t.Errorf("%s has the recipe or the heading: %t", name, found)
		}
	}
	_, rest, _ := strings.Cut(readPage(t, "../../templates/guides/troubleshooting.md"), "\n## Messages\n")
	ours, _, _ := strings.Cut(rest, "\n## ")
	seen := map[string]bool{}
	for line := range strings.Lines(ours) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		head := strings.TrimSpace(cells[0])
		if !strings.HasPrefix(line, "|") || head == "Message" || head == "---" {
			continue
		}
		for title := range strings.SplitSeq(head, "<br>") {
			if len(cells) != 2 || seen[title] {
				t.Errorf("the row of %q has %d columns, want 2, or is a duplicate", title, len(cells))
			}
			seen[title] = true
		}
	}
	if len(seen) < 12 {
		t.Errorf("found only %d messages", len(seen))
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
	if found == 0 {
		t.Error("no line is about these rights")
	}
}

// exampleFiles returns the texts of all files in examples/, by their path there.
func exampleFiles(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(examplesDir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			texts[path] = readPage(t, filepath.Join(examplesDir, path))
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
	texts := pages(t)
	maps.Copy(texts, exampleFiles(t))
	texts["README.md"] = readPage(t, "../../README.md")
	constraint := regexp.MustCompile(`"dashembed/embed"\n *version += "(.*)"`)
	constraints := 0
	for name, text := range texts {
		want := "~> 0.1.0"
		if strings.HasPrefix(name, "modules/") { // A module leaves the choice among these to its caller.
			want = ">= 0.1.0, < 0.2.0"
		}
		for _, found := range constraint.FindAllStringSubmatch(text, -1) {
			if constraints++; found[1] != want {
				t.Errorf("%s has the version constraint %s", name, found[1])
			}
		}
		for _, block := range codeBlock.FindAllString(text, -1) {
			if strings.Count(block, "provider \"embed\" {") > 1 {
				t.Errorf("%s has two keys in one state:\n%s", name, block)
			}
		}
	}
	if constraints < 15 {
		t.Errorf("found only %d version constraints", constraints)
	}
}

// TestCompleteExamplesAreSafe checks that each example that can be applied as it is has one key, states its
// environment, and loses no customers by mistake: it protects them, or limits deletions. Only the smallest one has no
// environment, which requires a service that shows environments.
func TestCompleteExamplesAreSafe(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile(`(?ms)^(provider|resource) "embed[^\n]*\{(?:\}|$.*?^\})$`)
	complete := 0
	for name, text := range exampleFiles(t) {
		providers := strings.Count(text, "provider \"embed\" {")
		if !strings.HasSuffix(name, ".tf") || providers == 0 || !strings.Contains(text, "\n  required_providers {") {
			continue
		}
		if complete++; providers > 1 {
			t.Errorf("%s has %d keys in one state", name, providers)
		}
		for _, found := range block.FindAllStringSubmatch(text, -1) {
			safe := strings.Contains(found[0], "\n  environment ") || name == "provider/provider.tf"
			if found[1] == "resource" {
				safe = strings.Contains(found[0], "\n  deletion_protection ") || strings.Contains(text, "\n  max_deletions ")
			}
			if !safe {
				t.Errorf("%s does not set environment, or does not protect customers:\n%s", name, found[0])
			}
		}
	}
	if complete < 9 {
		t.Errorf("found only %d complete examples", complete)
	}
}

// TestIndexLinksEveryGuide checks that a reader of the provider's page finds every guide.
func TestIndexLinksEveryGuide(t *testing.T) {
	t.Parallel()
	_, guides, _ := strings.Cut(readPage(t, docsDir+"/index.md"), "\n## Guides\n")
	guides, _, _ = strings.Cut(guides, "\n## ")
	for name := range pages(t) {
		if strings.HasPrefix(name, "guides/") && !strings.Contains(guides, "("+name+")") {
			t.Errorf("the list of guides does not have %s", name)
		}
	}
}
