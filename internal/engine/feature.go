package engine

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/hashicorp/go-version"
)

// Feature is a capability that not every engine has, with the first version of Terraform and of OpenTofu in which it
// works under terraform-plugin-testing. The engine itself may have had it before.
type Feature struct{ name, terraform, openTofu string }

// none means that no version has the feature yet.
const none = "none"

var (
	Moved             = Feature{"moved blocks", "1.1", "1.6"}
	OptionalMembers   = Feature{"optional object attributes", "1.3", "1.6"}
	PlannedDestroy    = Feature{"refusal of deletions during the plan", "1.3", "1.6"}
	PlanTimestamp     = Feature{"plantimestamp", "1.5", "1.6"}
	ImportBlock       = Feature{"import blocks", "1.5", "1.6"}
	GenerateConfig    = Feature{"-generate-config-out", "1.5", "1.6"}
	GenerateJSON      = Feature{"jsonencode in generated configuration", "1.8", "1.8"}
	ForEachImport     = Feature{"for_each in import blocks", "1.7", "1.7"}
	Removed           = Feature{"removed blocks with lifecycle", "1.7", "1.10"}
	Mocks             = Feature{"mock_provider in tests", "1.7", "1.8"}
	EphemeralResource = Feature{"ephemeral resources", "1.10", "1.12"}
	WriteOnly         = Feature{"write-only arguments", "1.11", "1.11"}
	Identity          = Feature{"resource identity", "1.12", "1.12"}
	Actions           = Feature{"actions", "1.14", none}
	Query             = Feature{"list resources", "1.14", none}
	Functions         = Feature{"provider functions", "1.8", "1.7"}
)

// since returns the first version of the engine that has the feature.
func (f Feature) since(e Engine) string {
	if e.Name == OpenTofu {
		return f.openTofu
	}
	return f.terraform
}

// In reports whether the engine is new enough for the feature. A prerelease counts as its release.
func (f Feature) In(e Engine) bool {
	least := f.since(e)
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
// fails the test instead. Every engine has the zero Feature.
func Needs(t *testing.T, wanted Feature) {
	t.Helper()
	e := ForTest(t)
	if wanted == (Feature{}) || wanted.In(e) {
		return
	}
	// tools/test/engines extracts the part before the colon for the table in README.md.
	why := fmt.Sprintf("needs %s: %s %s or later, not %s", wanted.name, e.Name, wanted.since(e), e.Version)
	if wanted.since(e) == none {
		why = fmt.Sprintf("needs %s: no %s has that yet", wanted.name, e.Name)
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
