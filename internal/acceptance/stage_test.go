package acceptance

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/script"
)

// TestStage: a step that does not show what it claims must end the demo.
func TestStage(t *testing.T) {
	t.Setenv("TMPDIR", os.TempDir()) // Perform changes it
	for text, want := range map[string]string{
		"step First\ncalls nothing\nstep Second": "✓ the service got nothing",
		"step First\ncalls GET\nstep Second":     "the service was asked for\n  nothing\nand not for\n  GET",
		"step First\nsays no\nstep Second":       "the output does not say no",
		"step First\n! says no\nstep Second":     "the output does not say no",
		"step First\nfault GET refuse":           "1 faults have not struck",
	} {
		file := filepath.Join(t.TempDir(), "script.txtar")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		stage := &script.Stage{Out: &out}
		runner := &script.Runner{Context: t.Context()}
		err := stage.Perform(file, filepath.Join("..", "..", "examples", "demo"), t.TempDir(), runner)
		shown := out.String()
		if holds := strings.HasPrefix(want, "✓"); holds != (err == nil) || !holds && !errors.Is(err, script.ErrFailed) ||
			!strings.Contains(shown, want) || holds != strings.Contains(shown, "2. Second") {
			t.Errorf("%s: %v\n%s", text, err, shown)
		}
	}
}
