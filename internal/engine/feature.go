package engine

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/hashicorp/go-version"
)

// Feature is a capability that not every engine has.
type Feature string

const (
	Moved             Feature = "moved blocks"
	OptionalMembers   Feature = "optional attributes of objects"
	PlannedDestroy    Feature = "asking the provider before a destroy is planned"
	PlanTimestamp     Feature = "plantimestamp()"
	ImportBlock       Feature = "import blocks"
	GenerateConfig    Feature = "-generate-config-out"
	GenerateJSON      Feature = "jsonencode in generated configuration"
	ForEachImport     Feature = "for_each in import blocks"
	Removed           Feature = "removed blocks that do not destroy"
	Mocks             Feature = "mock_provider in tests"
	EphemeralResource Feature = "ephemeral resources"
	WriteOnly         Feature = "write-only arguments"
	Identity          Feature = "resource identity"
	Actions           Feature = "actions"
	Query             Feature = "list resources"
	Functions         Feature = "functions of providers"
)

// none means that no version has the feature yet.
const none = "none"

type versions struct{ terraform, openTofu string }

// since lists the first version of Terraform and of OpenTofu in which a feature works under terraform-plugin-testing.
// The engine itself may have had the feature before.
var since = map[Feature]versions{
	Moved:             {"1.1", "1.6"},
	OptionalMembers:   {"1.3", "1.6"},
	PlannedDestroy:    {"1.3", "1.6"},
	PlanTimestamp:     {"1.5", "1.6"},
	ImportBlock:       {"1.5", "1.6"},
	GenerateConfig:    {"1.5", "1.6"},
	GenerateJSON:      {"1.8", "1.8"},
	ForEachImport:     {"1.7", "1.7"},
	Removed:           {"1.7", "1.10"},
	Mocks:             {"1.7", "1.8"},
	EphemeralResource: {"1.10", "1.12"},
	WriteOnly:         {"1.11", "1.11"},
	Identity:          {"1.12", "1.12"},
	Actions:           {"1.14", none},
	Query:             {"1.14", none},
	Functions:         {"1.8", "1.7"},
}

func (v versions) of(e Engine) string {
	if e.Name == OpenTofu {
		return v.openTofu
	}
	return v.terraform
}

// In reports whether the engine is new enough for the feature. A prerelease counts as its release.
func (f Feature) In(e Engine) bool {
	least := since[f].of(e)
	return least != none &&
		version.Must(version.NewVersion(e.Version)).Core().GreaterThanOrEqual(version.Must(version.NewVersion(least)))
}

// ForTest returns the engine that AtHand returns, for a test that runs it. Without TF_ACC, it skips the test.
func ForTest(t *testing.T) Engine {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("it runs an engine, so it needs TF_ACC=1")
	}
	found, err := AtHand()
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Needs skips a test if the engine that ForTest returns does not have the feature. If EMBED_TEST_NO_SKIPS is set, it
// fails the test instead.
func Needs(t *testing.T, wanted Feature) {
	t.Helper()
	e := ForTest(t)
	least, known := since[wanted]
	// tools/test/engines extracts the part before the colon for the table in README.md.
	why := fmt.Sprintf("needs %s: %s %s or later, not %s", wanted, e.Name, least.of(e), e.Version)
	switch {
	case !known:
		t.Fatal("no engine is known to have " + wanted)
	case wanted.In(e):
		return
	case least.of(e) == none:
		why = fmt.Sprintf("needs %s: no %s has that yet", wanted, e.Name)
	}
	skip(t, why)
}

// NeedsProgram returns the path of a program. If the program is not on PATH, it skips the test or, if
// EMBED_TEST_NO_SKIPS is set, fails it.
func NeedsProgram(t *testing.T, program string) (path string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		skip(t, "needs "+program+" on PATH")
	}
	return path
}

func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("EMBED_TEST_NO_SKIPS") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
