package provider

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// engineSection is the part of the troubleshooting guide about messages that are not this provider's own.
const engineSection = "## Messages of the engine"

// TestTroubleshootingHasEveryTitle holds the guide against the code: each title that the provider can print is a
// heading, and each heading outside the engine's section is such a title.
func TestTroubleshootingHasEveryTitle(t *testing.T) {
	titles := map[string]bool{}
	for _, dir := range []string{".", "../usergroup"} {
		for _, file := range parseSources(t, dir) {
			for name, title := range titleConstants(t, file) {
				if strings.Count(title, "%") != strings.Count(title, "%q") {
					t.Errorf("%s: only %%q can be shown in a heading: %q", name, title)
				}
				heading := strings.ReplaceAll(title, "%q", `"…"`)
				if titles[heading] {
					t.Errorf("%s: another constant has the title %q too", name, title)
				}
				titles[heading] = true
			}
		}
	}
	headings := readHeadings(t, "../../templates/guides/troubleshooting.md")
	for i, heading := range headings {
		if slices.Contains(headings[:i], heading) {
			t.Errorf("the guide has the heading %q twice", heading)
		}
		if !titles[heading] {
			t.Errorf("the guide has the heading %q, which no title has", heading)
		}
	}
	for title := range titles {
		if !slices.Contains(headings, title) {
			t.Errorf("the guide has no heading %q", title)
		}
	}
}

func readHeadings(t *testing.T, guide string) []string {
	t.Helper()
	file, err := os.Open(guide)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var headings []string
	ours := true
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "## ") {
			ours = lines.Text() != engineSection
		}
		if heading, ok := strings.CutPrefix(lines.Text(), "### "); ok && ours {
			headings = append(headings, heading)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return headings
}

// TestEveryDiagnosticHasATitleConstant holds the code against the guide's source: a title that is no constant would
// escape TestTroubleshootingHasEveryTitle.
func TestEveryDiagnosticHasATitleConstant(t *testing.T) {
	// Which argument of a call is the title.
	position := map[string]int{"AddError": 0, "AddWarning": 0, "AddAttributeError": 1, "AddAttributeWarning": 1}
	found := 0
	for _, file := range parseSources(t, ".") {
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := calledName(call)
			if strings.HasPrefix(name, "New") && strings.HasSuffix(name, "Diagnostic") {
				t.Errorf("%s: %s: use AddError and its like, whose titles are checked", file.at(call), name)
			}
			at, adds := position[name]
			if !adds {
				return true
			}
			found++
			if at >= len(call.Args) || !isTitle(call.Args[at]) {
				t.Errorf("%s: the title of %s is neither a title constant nor that of a usergroup.Problem", file.at(call), name)
			}
			return true
		})
	}
	if found == 0 {
		t.Error("no diagnostic was found; has the way to add one changed?")
	}
}

// TestEveryProblemHasATitleConstant is the same for the problems of package usergroup, which become diagnostics.
func TestEveryProblemHasATitleConstant(t *testing.T) {
	found := 0
	for _, file := range parseSources(t, "../usergroup") {
		for _, declaration := range file.syntax.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			// The two constructors hand on the title that they are given.
			isConstructor := ok && function.Recv == nil && (function.Name.Name == "problem" || function.Name.Name == "failed")
			ast.Inspect(declaration, func(node ast.Node) bool {
				switch node := node.(type) {
				case *ast.CompositeLit:
					if name, ok := node.Type.(*ast.Ident); ok && name.Name == "Problem" && !isConstructor {
						t.Errorf("%s: make problems with problem() or failed(), whose titles are checked", file.at(node))
					}
				case *ast.CallExpr:
					if name := calledName(node); isConstructor || name != "problem" && name != "failed" {
						return true
					}
					found++
					if len(node.Args) == 0 || !isTitle(node.Args[0]) {
						t.Errorf("%s: the title of the problem is no title constant", file.at(node))
					}
				}
				return true
			})
		}
	}
	if found == 0 {
		t.Error("no problem was found; has the way to make one changed?")
	}
}

// isTitle accepts titleX, fmt.Sprintf(titleX, …) and problem.Title.
func isTitle(argument ast.Expr) bool {
	switch argument := argument.(type) {
	case *ast.Ident:
		return isTitleName(argument.Name)
	case *ast.SelectorExpr:
		return argument.Sel.Name == "Title"
	case *ast.CallExpr:
		return calledName(argument) == "Sprintf" && len(argument.Args) > 0 && isTitle(argument.Args[0])
	}
	return false
}

func isTitleName(name string) bool { return strings.HasPrefix(name, "title") }

func calledName(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return function.Name
	case *ast.SelectorExpr:
		return function.Sel.Name
	}
	return ""
}

type source struct {
	files  *token.FileSet
	syntax *ast.File
}

func (s source) at(node ast.Node) string {
	position := s.files.Position(node.Pos())
	return fmt.Sprintf("%s:%d", filepath.ToSlash(position.Filename), position.Line)
}

// parseSources reads the Go files of a directory, tests left out.
func parseSources(t *testing.T, dir string) []source {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var sources []source
	files := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, source{files: files, syntax: syntax})
	}
	if len(sources) == 0 {
		t.Fatalf("there are no Go files in %s", dir)
	}
	return sources
}

func titleConstants(t *testing.T, file source) map[string]string {
	t.Helper()
	titles := map[string]string{}
	for _, declaration := range file.syntax.Decls {
		constants, ok := declaration.(*ast.GenDecl)
		if !ok || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, name := range value.Names {
				if !isTitleName(name.Name) {
					continue
				}
				if i >= len(value.Values) {
					t.Errorf("%s: %s has no text of its own", file.at(name), name.Name)
					continue
				}
				literal, ok := value.Values[i].(*ast.BasicLit)
				if !ok || literal.Kind != token.STRING {
					t.Errorf("%s: %s is not a plain text", file.at(name), name.Name)
					continue
				}
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				titles[name.Name] = text
			}
		}
	}
	return titles
}
