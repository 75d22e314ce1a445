package acceptance

import (
	"regexp"
	"strings"
	"testing"
)

// TestCompleteExamplesAreSafe checks that each example that can be applied as it is states the environment of its key,
// and loses no customers by mistake: it protects them, or limits deletions.
func TestCompleteExamplesAreSafe(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile(`(?ms)^(?:provider|resource) "embed[^\n]*\{$.*?^\}$`)
	complete := 0
	for name, text := range shownTexts(t) {
		switch {
		case !strings.HasPrefix(name, "examples/"), !strings.HasSuffix(name, ".tf"),
			!strings.Contains(text, `provider "embed" {`), !strings.Contains(text, "\n  required_providers {"):
			continue
		case strings.Contains(text, `provider "embed" {}`):
			t.Errorf("%s does not set environment", name)
		}
		complete++
		for _, it := range block.FindAllString(text, -1) {
			switch {
			case strings.HasPrefix(it, "provider"):
				if !strings.Contains(it, "\n  environment ") {
					t.Errorf("%s does not set environment:\n%s", name, it)
				}
			case !strings.Contains(it, "\n  deletion_protection ") && !strings.Contains(text, "\n  max_deletions "):
				t.Errorf("%s does not protect customers:\n%s", name, it)
			}
		}
	}
	if complete < 15 {
		t.Errorf("found only %d complete examples", complete)
	}
}
