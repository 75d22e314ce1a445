package provider

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// othersSection is the heading of the section of the troubleshooting guide about messages whose titles the
// provider does not define.
const othersSection = "## Other messages"

// TestTroubleshootingHasEveryTitle checks that each title that the provider can print is a heading of the guide, that
// each heading before othersSection is such a title, and that titles fit into one line of a terminal, even with an ID
// of 20 characters.
func TestTroubleshootingHasEveryTitle(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../templates/guides/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	ours, _, _ := strings.Cut(string(guide), "\n"+othersSection+"\n")
	var headings []string
	for line := range strings.Lines(ours) {
		if heading, is := strings.CutPrefix(strings.TrimSpace(line), "### "); is {
			headings = append(headings, heading)
		}
	}
	slices.Sort(headings)
	titles := slices.Sorted(maps.Keys(allTitles(t)))
	for _, title := range titles {
		if !slices.Contains(headings, title) {
			t.Errorf("the guide has no heading %q", title)
		}
		shown := strings.ReplaceAll(title, "…", strings.Repeat("x", 20))
		if got := utf8.RuneCountInString(shown); got > 80 {
			t.Errorf("%d columns: %s", got, shown)
		}
	}
	for i, heading := range headings {
		if !slices.Contains(titles, heading) || i > 0 && heading == headings[i-1] {
			t.Errorf("the heading %q of the guide is a duplicate or matches no title", heading)
		}
	}
}

// allTitles returns the title constants and the titles in the tables of words. An ellipsis stands for the ID.
func allTitles(t *testing.T) map[string]bool {
	t.Helper()
	titles := map[string]bool{}
	definition := regexp.MustCompile(`(?m)^\s*(?:const )?(?:title[A-Z]\w* +=|title:|failed:) +(.+?),?$`)
	for _, defined := range definition.FindAllStringSubmatch(sources(t, "."), -1) {
		title, err := strconv.Unquote(defined[1])
		if err != nil {
			t.Fatalf("the title %s is not a string literal", defined[1])
		}
		title = strings.ReplaceAll(title, "%q", `"…"`)
		if strings.ContainsAny(title, "%{}") {
			t.Errorf("the ID must be the only variable part of a title: %q", title)
		}
		titles[title] = true
	}
	if len(titles) < 30 {
		t.Fatalf("found only %d titles", len(titles))
	}
	return titles
}

// TestEveryDiagnosticHasATitleConstant checks that the title of every diagnostic is a constant or comes from the tables
// of words. TestTroubleshootingHasEveryTitle would miss any other title.
func TestEveryDiagnosticHasATitleConstant(t *testing.T) {
	t.Parallel()
	source := sources(t, ".")
	added := regexp.MustCompile(
		`\.(?:Add(?:Error|Warning)\(|(?:AddAttribute(?:Error|Warning)|add)\([^,]+,)\s*((?:titleFor\()?[^(,]+)`)
	isTitle := regexp.MustCompile(`^(titleFor\()?title[A-Z]\w*$|^words\.title$`)
	found, passedOn := 0, 0
	for _, call := range added.FindAllStringSubmatch(source, -1) {
		found++
		if call[1] == "title" {
			passedOn++
		} else if !isTitle.MatchString(call[1]) {
			t.Errorf("in %s, the title is not a constant", call[0])
		}
	}
	if passedOn != 2 {
		t.Errorf("%d calls pass a title on, and not only the two in argumentReader.add", passedOn)
	}
	if found < 20 {
		t.Errorf("found only %d diagnostics: are they added in a new way?", found)
	}
	if made := regexp.MustCompile(`\bdiag\.New\w+\(`).FindString(source); made != "" {
		t.Errorf("%s: use AddError or a similar method, whose titles this test checks", made)
	}
}

// sources returns the text of the Go files in a directory, except tests.
func sources(t *testing.T, directory string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			all.Write(text)
		}
	}
	return all.String()
}

// TestInternalErrorsAreShown checks that errors that only a bug can cause are reported as well.
func TestInternalErrorsAreShown(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	report(&diags, errors.New("unforeseen"))
	dataFrom[resourceData]("something else", &diags)
	if len(diags) != 2 || diags.ErrorsCount() != 2 ||
		diags[0].Summary() != titleInternal || diags[1].Summary() != titleInternal {
		t.Errorf("want two errors, got %v", diags)
	}
	dataFrom[resourceData](nil, &diags)
	if len(diags) != 2 {
		t.Errorf("a provider that is not configured yet caused an error: %v", diags)
	}
}

// TestTitlesShortenLongIDs checks that a title with a long ID has at most 80 characters.
func TestTitlesShortenLongIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"acme":                    "Cannot create user group \"acme\"",
		strings.Repeat("x", 53):   "Cannot create user group \"" + strings.Repeat("x", 53) + "\"",
		strings.Repeat("é", 300):  "Cannot create user group \"" + strings.Repeat("é", 52) + "…\"",
		strings.Repeat("\"", 300): "Cannot create user group \"" + strings.Repeat(`\"`, 26) + "…\"",
	} {
		if got := titleFor("Cannot create user group %q", id); got != want {
			t.Errorf("%q: got %s, want %s", id, got, want)
		}
	}
}
