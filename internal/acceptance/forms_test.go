package acceptance

import (
	"os"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// TestAccPagesOfGitHub checks that every file that GitHub reads from this repository is valid YAML. GitHub does not
// offer an issue form that it cannot parse, and says so to nobody.
func TestAccPagesOfGitHub(t *testing.T) {
	w := parallelWorkbench(t, emulator.Options{})
	if err := os.CopyFS(w.dir, os.DirFS("../../.github")); err != nil {
		t.Fatal(err)
	}
	w.write("main.tf", `
locals {
  files = { for name in fileset(path.module, "**/*.yml") : name => yamldecode(file(name)) }
}

output "files" {
  value = local.files

  precondition {
    condition     = can(local.files["workflows/test.yml"].jobs)
    error_message = "There is no workflow for tests."
  }
  precondition {
    condition     = alltrue([for it in ["bug", "feature"] : length(local.files["ISSUE_TEMPLATE/${it}.yml"].body) > 0])
    error_message = "An issue form asks nothing."
  }
}
`)
	w.must("apply", "-auto-approve")
}
