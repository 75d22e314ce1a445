package acceptance

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// contributorPages are for those who change the repository.
var contributorPages = []string{"CONTRIBUTING.md", "DESIGN.md", "RELEASING.md"}

// TestPagesNameWhatExists checks that every test, file and make target exists that stands on a page between backticks.
// A file has its path, or is one in Go below internal/.
func TestPagesNameWhatExists(t *testing.T) {
	t.Parallel()
	const root = "../.."
	tests := testNames(t, root)
	makefile := readPage(t, root+"/GNUmakefile")
	texts := everyPage(t)
	for _, name := range contributorPages {
		texts[name] = readPage(t, filepath.Join(root, name))
	}
	found := map[string]int{}
	for name, text := range texts {
		for _, words := range inlineCode.FindAllString(text, -1) {
			words = strings.Trim(words, "`")
			target, isTarget := strings.CutPrefix(words, "make ")
			exists, kind := true, "other"
			switch {
			case regexp.MustCompile(`^Test[A-Z]\w+$`).MatchString(words):
				kind, exists = "test", slices.Contains(tests, words)
			case regexp.MustCompile(`^(internal|tools|examples|templates|cmd|bench|docs|\.ci)/[\w./-]+$`).MatchString(words):
				_, err := os.Stat(filepath.Join(root, words))
				kind, exists = "file", err == nil
			case regexp.MustCompile(`^\w+\.go$`).MatchString(words):
				files, _ := filepath.Glob(root + "/internal/*/" + words)
				kind, exists = "file", len(files) > 0 || words == "main.go"
			case isTarget:
				target, _, _ = strings.Cut(target, " ")
				kind, exists = "target", strings.Contains(makefile, "\n"+target+":")
			}
			if found[kind]++; !exists {
				t.Errorf("%s names %s, which does not exist", name, words)
			}
		}
	}
	for kind, least := range map[string]int{"test": 20, "file": 20, "target": 8} {
		if found[kind] < least {
			t.Errorf("found only %d names of a %s", found[kind], kind)
		}
	}
}

// testNames returns the names of all tests.
func testNames(t *testing.T, root string) (names []string) {
	t.Helper()
	declaration := regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
	for _, dir := range []string{"internal/*", "internal/*/*", "cmd/*", "bench"} {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		for _, file := range files {
			for _, is := range declaration.FindAllStringSubmatch(readPage(t, file), -1) {
				names = append(names, is[1])
			}
		}
	}
	return names
}
