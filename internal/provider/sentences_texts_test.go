package provider_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEverySentenceHasARow checks that the oracle has every sentence of the provider's messages, and no other one. Who
// writes a new sentence has to say there when it is true.
func TestEverySentenceHasARow(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, name := range []string{"messages.go", "../api/advice.go", "../api/kinds.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, textsOf(file)...)
	}
	longestFirst := slices.SortedFunc(slices.Values(oracle), func(a, b sentence) int { return len(b.says) - len(a.says) })
	used := map[string]bool{}
	for _, text := range texts {
		rest := text
		for _, row := range longestFirst {
			if strings.Contains(rest, row.says) {
				used[row.says] = true
				rest = strings.ReplaceAll(rest, row.says, "")
			}
		}
		if rest = strings.TrimSpace(rest); rest != "" {
			t.Errorf("messages.go says %q: add a row to the oracle that says when this is true", rest)
		}
	}
	for _, row := range oracle {
		if !used[row.says] {
			t.Errorf("messages.go does not say %q any more", row.says)
		}
	}
}

// TestMessagesNameSectionsThatExist checks that the guides have the sections to which messages send their readers.
func TestMessagesNameSectionsThatExist(t *testing.T) {
	t.Parallel()
	section := regexp.MustCompile(`"([^"]+)" in the guide (\w+)`)
	named := 0
	for _, row := range oracle {
		for _, match := range section.FindAllStringSubmatch(row.says, -1) {
			named++
			guide, err := os.ReadFile("../../templates/guides/" + strings.ToLower(match[2]) + ".md")
			if err != nil || !strings.Contains(string(guide), "\n## "+match[1]+"\n") {
				t.Errorf("the guide %s has no section %q: %v", match[2], match[1], err)
			}
		}
	}
	if named < 2 {
		t.Errorf("found only %d sections in the messages", named)
	}
}

// textsOf returns the texts of a file that have several words, with parts that are joined by a plus sign as one.
func textsOf(file *ast.File) (texts []string) {
	ast.Inspect(file, func(node ast.Node) bool {
		if _, isImport := node.(*ast.ImportSpec); isImport {
			return false
		}
		expression, _ := node.(ast.Expr)
		text, isText := textOf(expression)
		if strings.Contains(strings.TrimSpace(text), " ") {
			texts = append(texts, text)
		}
		return !isText
	})
	return texts
}

func textOf(expression ast.Expr) (text string, isText bool) {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := textOf(e.X)
		right, isRight := textOf(e.Y)
		return left + right, isLeft && isRight
	}
	return "", false
}
