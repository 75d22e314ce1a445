package gotest

import (
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/testengine"
	"github.com/dashembed/terraform-provider-embed/tools/testrun/tinymodule"
)

func TestRun(t *testing.T) {
	tinymodule.Enter(t)
	t.Setenv("EMBED_ENVIRONMENT", "Testing")
	t.Setenv("TF_WORKSPACE", "other")
	t.Setenv("EMBED_LONG_TESTS", "1")
	t.Setenv("TF_ACC", "1")
	for tests, want := range map[string]struct {
		passed, failed, skipped int
		problem                 string
	}{
		"Good":         {1, 0, 0, ""},
		"Good|Skipped": {1, 0, 1, ""},
		"Skipped":      {0, 0, 1, ""},
		"Good|Bad":     {1, 1, 0, "go test: exit status 1"},
		"None":         {0, 0, 0, "no test was run"},
		"Unbent":       {1, 0, 0, ""},
		"Acc":          {0, 0, 1, ""},
	} {
		var said strings.Builder
		report, err := Run(Options{Arguments: []string{"-run", "^Test(" + tests + ")$", "./..."}, To: &said})
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if report == nil || problem != want.problem ||
			report.Passed != want.passed || report.Failed != want.failed || len(report.Skips) != want.skipped {
			t.Errorf("%s: %q, want %+v\n%s", tests, problem, want, said.String())
		}
	}
}

func TestRunOnAnEngine(t *testing.T) {
	found, err := FindEngine(testengine.Script(t, engine.Engine{Name: engine.Terraform, Version: "1.16.4"}, ""), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tinymodule.Enter(t)
	t.Setenv("TF_ACC", "")
	var said strings.Builder
	report, err := Run(Options{Engine: &found, Arguments: []string{"-run", "^TestAcc$", "./..."}, To: &said})
	if err != nil || report.Passed != 1 || !strings.HasPrefix(said.String(), "Acceptance tests on Terraform v1.16.4 (") {
		t.Errorf("%v\n%s", err, said.String())
	}
}
