package main

import (
	"strings"
	"testing"
	"time"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/testengine"
	"github.com/dashembed/terraform-provider-embed/tools/testrun/gotest"
	"github.com/dashembed/terraform-provider-embed/tools/testrun/tinymodule"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const actions = "needs actions: Terraform >= 1.14, OpenTofu >= none (this is "
	terraform := func(version string) engine.Engine { return engine.Engine{Name: "Terraform", Version: version} }
	tofu := engine.Engine{Name: "OpenTofu", Version: "1.12.6"}
	for name, test := range map[string]struct {
		engine   engine.Engine
		isNewest bool
		reason   string
		why      string
		problem  string
	}{
		"too old":                 {terraform("1.13.5"), false, actions + "Terraform 1.13.5)", "actions (1.14)", ""},
		"too old by a digit more": {terraform("1.9.8"), false, actions + "Terraform 1.9.8)", "actions (1.14)", ""},
		"just the one":            {terraform("1.14.0"), false, actions + "Terraform 1.14.0)", "", "not older"},
		"newer":                   {terraform("1.16.4"), false, actions + "Terraform 1.16.4)", "", "not older"},
		"a patch too old":         {terraform("1.14.0"), false, "needs x: Terraform >= 1.14.1, OpenTofu >= none (this is Terraform 1.14.0)", "x (1.14.1)", ""},
		"a beta counts":           {terraform("1.14.0-beta1"), false, actions + "Terraform 1.14.0-beta1)", "", "not older"},
		"OpenTofu has none":       {tofu, false, actions + "OpenTofu 1.12.6)", "actions (none yet)", ""},
		"OpenTofu is new enough":  {tofu, false, "needs x: Terraform >= 1.14, OpenTofu >= 1.12 (this is OpenTofu 1.12.6)", "", "not older"},
		"newest":                  {terraform("1.13.5"), true, actions + "Terraform 1.13.5)", "", "newest Terraform"},
		"another engine":          {tofu, false, actions + "Terraform 1.11.4)", "", "the engine is OpenTofu v1.12.6"},
		"another version":         {terraform("1.13.5"), false, actions + "Terraform 1.11.4)", "", "the engine is Terraform v1.13.5"},
		"other words":             {terraform("1.0.11"), false, "Terraform CLI version 1.0.11 is below minimum version 1.14.0", "", "names no minimal version"},
		"no words":                {terraform("1.0.11"), false, "no reason given", "", "names no minimal version"},
	} {
		why, problem := explain(test.engine, test.isNewest, gotest.Skip{Package: "p", Test: "TestAccX", Reason: test.reason})
		if why != test.why || (problem == "") != (test.problem == "") || !strings.Contains(problem, test.problem) {
			t.Errorf("%s: got %q and %q, want %q and %q", name, why, problem, test.why, test.problem)
		}
	}
}

func TestNewestTerraform(t *testing.T) {
	t.Parallel()
	engines := []gotest.Engine{
		{Engine: engine.Engine{Name: "Terraform", Version: "1.9.8", Path: "a"}},
		{Engine: engine.Engine{Name: "OpenTofu", Version: "1.99.0", Path: "b"}},
		{Engine: engine.Engine{Name: "Terraform", Version: "1.16.4", Path: "c"}},
		{Engine: engine.Engine{Name: "Terraform", Version: "1.5.7", Path: "d"}},
	}
	if got := newestTerraform(engines); got != "c" {
		t.Errorf("got %q", got)
	}
	if got := newestTerraform(engines[:2]); got != "" {
		t.Errorf("a single Terraform is no newest one: %q", got)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	old := engine.Engine{Name: "Terraform", Version: "1.0.11"}
	skip := func(feature string) gotest.Skip {
		return gotest.Skip{Reason: "needs " + feature + " (this is Terraform 1.0.11)"}
	}
	first := newRow(old, &gotest.Report{Passed: 120, Failed: 1, Skips: []gotest.Skip{
		skip("import blocks: Terraform >= 1.5, OpenTofu >= 1.6"),
		skip("actions: Terraform >= 1.14, OpenTofu >= none"),
		skip("actions: Terraform >= 1.14, OpenTofu >= none"),
		{Package: "p", Test: "TestAccX", Reason: "a whim"},
	}}, false)
	first.took = 61400 * time.Millisecond
	second := newRow(engine.Engine{Name: "OpenTofu", Version: "1.12.6"}, &gotest.Report{Passed: 7}, false)
	const want = `| Engine           | Passed | Failed | Skipped | Time | Why skipped: needs what, and from which version of the engine on |
|------------------|--------|--------|---------|------|---|
| Terraform 1.0.11 | 120    | 1      | 4       | 61 s | 2 actions (1.14), 1 import blocks (1.5), 1 unexpected |
| OpenTofu 1.12.6  | 7      | 0      | 0       | 0 s  |  |
`
	if got := (table{first, second}).String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if len(first.unexpected) != 1 || !strings.Contains(first.unexpected[0], "a whim") {
		t.Errorf("unexpected: %q", first.unexpected)
	}
}

func TestRun(t *testing.T) {
	tinymodule.Enter(t)
	script := func(version string) string {
		return testengine.Script(t, engine.Engine{Name: engine.Terraform, Version: version}, "")
	}
	first, second := script("1.13.5"), script("1.11.4")
	for name, test := range map[string]struct {
		engines []string
		tests   string
		want    []string // in the error; none means that there is none
	}{
		"good":               {[]string{first, second}, "Good|Acc", nil},
		"an expected skip":   {[]string{first}, "Good|Old", nil},
		"an unexpected skip": {[]string{first}, "Good|Skipped", []string{"Terraform v1.13.5: tiny TestSkipped was skipped: a whim"}},
		"a failure on each":  {[]string{first, second}, "Bad", []string{"Terraform v1.13.5: go test", "Terraform v1.11.4: go test"}},
		"skipped on the newest": {
			[]string{first, second},
			"Old",
			[]string{"nothing may be skipped on the newest Terraform", "the engine is Terraform v1.11.4"},
		},
		"no test":        {[]string{first}, "None", []string{"no test was run"}},
		"no such engine": {[]string{first, "./none"}, "Good", []string{"./none"}},
		"no engine":      {nil, "Good", []string{"no engine was given"}},
	} {
		var said strings.Builder
		err := run(test.engines, []string{"-run", "^Test(" + test.tests + ")$", "./..."}, &said)
		if (err == nil) != (test.want == nil) {
			t.Errorf("%s: %v\n%s", name, err, said.String())
			continue
		}
		for _, words := range test.want {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%s: %v, want %s", name, err, words)
			}
		}
	}
}
