package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const twoCustomers = `# A comment.

- id: first
  name: First
  token_issue: 1

- id: second
  name: Second
  token_issue: 1
`

func TestEditsShowWhatTheyChange(t *testing.T) {
	file := &customersFile{path: filepath.Join(t.TempDir(), "customers.yaml")}
	if err := file.write(twoCustomers); err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, got []string, err error, want ...string) {
		t.Helper()
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	shown, err := file.change("second", "token_issue: 1", "token_issue: 2")
	check(t, shown, err, "  - id: second", "-   token_issue: 1", "+   token_issue: 2")
	shown, err = file.add("- id: third\n  name: Third\n")
	check(t, shown, err, "+ - id: third", "+   name: Third")
	if n, err := file.count(); n != 3 || err != nil {
		t.Errorf("%d customers, %v", n, err)
	}
	shown, err = file.drop("third")
	check(t, shown, err, "- - id: third", "-   name: Third")
	shown, err = file.change("second", "token_issue: 2", "token_issue: 1")
	check(t, shown, err, "  - id: second", "-   token_issue: 2", "+   token_issue: 1")
	if text, err := os.ReadFile(file.path); err != nil || string(text) != twoCustomers {
		t.Errorf("all undone, the file is\n%s%v", text, err)
	}

	for name, edit := range map[string]func() ([]string, error){
		"nobody":  func() ([]string, error) { return file.change("nobody", "a", "b") },
		"nothing": func() ([]string, error) { return file.change("first", "absent", "b") },
		"twice":   func() ([]string, error) { return file.change("first", "irst", "b") },
	} {
		if _, err := edit(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The steps are written for these customers of the example.
func TestExampleHasWhatTheStepsNeed(t *testing.T) {
	room := workspace{dir: t.TempDir()}
	if err := room.copyExample(filepath.Join("..", "..", filepath.FromSlash(example))); err != nil {
		t.Fatal(err)
	}
	file := room.customers()
	if n, err := file.count(); n != 12 || err != nil {
		t.Errorf("%d customers, %v", n, err)
	}
	for _, id := range []string{renamed, rotated, removed} {
		if _, _, err := file.entry(id); err != nil {
			t.Error(err)
		}
	}
}
