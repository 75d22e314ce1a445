package provider

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
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
	add := func(text ast.Expr) {
		literal, is := text.(*ast.BasicLit)
		if !is {
			t.Fatalf("the title %s is not a string literal", types.ExprString(text))
		}
		title, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		title = strings.ReplaceAll(title, "%q", `"…"`)
		if strings.ContainsAny(title, "%{}") {
			t.Errorf("the ID must be the only variable part of a title: %q", title)
		}
		titles[title] = true
	}
	inspect(t, ".", func(node ast.Node) {
		constants, is := node.(*ast.ValueSpec)
		if !is {
			return
		}
		for i, value := range constants.Values {
			if strings.HasPrefix(constants.Names[i].Name, "title") {
				add(value)
			}
		}
	})
	here := len(titles)
	inspect(t, ".", func(node ast.Node) {
		entry, is := node.(*ast.KeyValueExpr)
		if is && slices.Contains([]string{"title", "failed"}, types.ExprString(entry.Key)) {
			add(entry.Value)
		}
	})
	if here < 10 || len(titles) < here+20 {
		t.Fatalf("found only %d titles", len(titles))
	}
	return titles
}

// TestEveryDiagnosticHasATitleConstant checks that the title of every diagnostic is a constant or comes from the tables
// of words. TestTroubleshootingHasEveryTitle would miss any other title.
func TestEveryDiagnosticHasATitleConstant(t *testing.T) {
	t.Parallel()
	// position maps each function to the index of its title argument.
	position := map[string]int{
		"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1, "add": 1,
	}
	isTitle := regexp.MustCompile(`^(title\w+|titleFor\(title\w+, .*\)|words\.title\(\))$`)
	found, passedOn := 0, 0
	inspect(t, ".", func(node ast.Node) {
		call, is := node.(*ast.CallExpr)
		if !is {
			return
		}
		function := types.ExprString(call.Fun)
		name := function[strings.LastIndex(function, ".")+1:]
		if at, adds := position[name]; adds {
			found++
			title := types.ExprString(call.Args[at])
			if title == "title" {
				passedOn++
			} else if !isTitle.MatchString(title) {
				t.Errorf("in a call of %s, the title %s is not a constant", name, title)
			}
		}
		if strings.HasPrefix(name, "New") && strings.HasSuffix(name, "Diagnostic") {
			t.Errorf("%s: use AddError or a similar method, whose titles this test checks", name)
		}
	})
	if passedOn != 2 {
		t.Errorf("%d calls pass a title on, and not only the two in argumentReader.add", passedOn)
	}
	if found < 10 {
		t.Errorf("found only %d diagnostics: are they added in a new way?", found)
	}
}

// inspect visits every syntax node in the Go files of a directory, except in tests.
func inspect(t *testing.T, directory string, visit func(ast.Node)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			visit(node)
			return true
		})
	}
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
