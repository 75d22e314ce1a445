package main

import (
	"io"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/testengine"
	"github.com/dashembed/terraform-provider-embed/tools/testrun/tinymodule"
)

func TestRun(t *testing.T) {
	tinymodule.Enter(t)
	program := testengine.Script(t, engine.Engine{Name: engine.Terraform, Version: "1.16.4"}, "")
	for name, test := range map[string]struct {
		engine, tests string
		noSkips, ends bool
	}{
		"skips may be":             {"", "Good|Skipped", false, true},
		"no skip may be":           {"", "Good|Skipped", true, false},
		"no skip is":               {"", "Good", true, true},
		"a failure":                {"", "Good|Bad", false, false},
		"a failure and no skip":    {"", "Good|Bad", true, false},
		"no test":                  {"", "None", false, false},
		"skipped without engine":   {"", "Acc", true, false},
		"not skipped on an engine": {program, "Acc", true, true},
		"no such engine":           {"./none", "Good", false, false},
	} {
		err := run(test.engine, false, test.noSkips, []string{"-run", "^Test(" + test.tests + ")$", "./..."}, io.Discard)
		if (err == nil) != test.ends {
			t.Errorf("%s: %v", name, err)
		}
	}
}
