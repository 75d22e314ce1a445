// Package decisions holds how much a reader of one function has to decide. A gauge for branches alone does not see the
// expressions of a case and the operators of a condition, into which branches can be compressed.
package decisions

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// most is the number of decisions that a function may have: each if, each expression of a case, each loop, each &&, and
// each ||. A condition or an expression of a case with fourTerms operators or more is a knot, and no function has one.
const (
	most      = 12
	fourTerms = 3
)

// allowed lists the functions that exceed the limits, with what they have. No entry is added, and none grows. Once a
// function has less, its entry must say so, or go.
var allowed = map[string]count{}

// count is what the reader of a function meets.
type count struct{ decisions, knots int }

// TestFunctionsStayReadable counts in all Go files that are not tests.
func TestFunctionsStayReadable(t *testing.T) {
	t.Parallel()
	exceeding := map[string]count{}
	functions := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			function, is := declaration.(*ast.FuncDecl)
			if !is {
				continue
			}
			functions++
			if has := countIn(function); has.decisions > most || has.knots > 0 {
				exceeding[nameOf(path, function)] = has
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if functions < 500 {
		t.Errorf("found only %d functions", functions)
	}
	names := slices.Collect(maps.Keys(exceeding))
	names = slices.AppendSeq(names, maps.Keys(allowed))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if has, may := exceeding[name], allowed[name]; has != may {
			t.Errorf("%s has %d decisions (at most %d) and %d knots (none), but its entry in allowed has %d and %d",
				name, has.decisions, most, has.knots, may.decisions, may.knots)
		}
	}
}

// TestAllowanceShrinks keeps anyone from making the limits meaningless.
func TestAllowanceShrinks(t *testing.T) {
	t.Parallel()
	var long, knots int
	for _, has := range allowed {
		knots += has.knots
		if has.decisions > most {
			long++
		}
	}
	if long > 4 || knots > 3 {
		t.Errorf("%d functions with more than %d decisions and %d knots are allowed, want at most 4 and 3", long, most, knots)
	}
}

// TestCountIn: if, else if, each expression of a case, loops, and operators are decisions. default and else are not.
func TestCountIn(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]count{
		"":                                       {},
		"if a { } else if b { } else { }":        {decisions: 2},
		"for a { for range b { } }":              {decisions: 2},
		"switch { case a, b: default: }":         {decisions: 2},
		"if a && b || c { }":                     {decisions: 3},
		"x := a && b && c && d":                  {decisions: 3},
		"if a && b && c && d { }":                {decisions: 4, knots: 1},
		"switch { case a || b || c || d: }":      {decisions: 4, knots: 1},
		"go func() { if a { } }()":               {decisions: 1},
		"select { case <-a: case b <- 1: }":      {decisions: 2},
		"if f(func() bool { return a && b }) {}": {decisions: 2},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() { "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := countIn(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// nameOf returns a name such as internal/api.(*Client).do.
func nameOf(path string, function *ast.FuncDecl) string {
	dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../../")
	if function.Recv == nil {
		return dir + "." + function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, is := receiver.(*ast.StarExpr); is {
		return fmt.Sprintf("%s.(*%s).%s", dir, typeName(pointer.X), function.Name.Name)
	}
	return fmt.Sprintf("%s.%s.%s", dir, typeName(receiver), function.Name.Name)
}

// typeName returns the name of a type without its parameters.
func typeName(expression ast.Expr) string {
	if generic, is := expression.(*ast.IndexExpr); is {
		expression = generic.X
	}
	return fmt.Sprint(expression)
}

func countIn(function *ast.FuncDecl) (has count) {
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt:
			has.decisions++
			has.knots += knot(node.Cond)
		case *ast.ForStmt, *ast.RangeStmt:
			has.decisions++
		case *ast.CaseClause:
			has.decisions += len(node.List)
			for _, expression := range node.List {
				has.knots += knot(expression)
			}
		case *ast.CommClause:
			if node.Comm != nil {
				has.decisions++
			}
		case *ast.BinaryExpr:
			has.decisions += operator(node)
		}
		return true
	})
	return has
}

// knot returns 1 if an expression has too many operators, apart from those in functions that it contains.
func knot(expression ast.Expr) int {
	operators := 0
	ast.Inspect(expression, func(node ast.Node) bool {
		if binary, is := node.(*ast.BinaryExpr); is {
			operators += operator(binary)
		}
		_, isFunction := node.(*ast.FuncLit)
		return !isFunction
	})
	if operators >= fourTerms {
		return 1
	}
	return 0
}

// operator returns 1 for && and ||, and else 0.
func operator(expression *ast.BinaryExpr) int {
	if expression.Op == token.LAND || expression.Op == token.LOR {
		return 1
	}
	return 0
}
