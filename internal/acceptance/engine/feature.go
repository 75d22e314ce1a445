package engine

import (
	"os"
	"os/exec"
	"testing"

	"github.com/hashicorp/go-version"
)

// Feature is a capability that not every engine has, with the first version of Terraform and of OpenTofu in which it
// works under terraform-plugin-testing. The engine itself may have had it before. All have the zero Feature.
type Feature struct{ name, terraform, openTofu string }

const noVersion = "999"

var (
	ForEachImport     = Feature{"for_each in import blocks", "1.7", "1.7"}
	Removed           = Feature{"removed blocks with lifecycle", "1.7", "1.10"}
	Mocks             = Feature{"mock_provider in tests", "1.7", "1.8"}
	EphemeralResource = Feature{"ephemeral resources", "1.10", "1.12"}
	WriteOnly         = Feature{"write-only arguments", "1.11", "1.11"}
	Identity          = Feature{"resource identity", "1.12", "1.12"}
	Actions           = Feature{"actions", "1.14", noVersion}
	Query             = Feature{"list resources", "1.14", noVersion}
	Forgetting        = Feature{"lifecycle with destroy", "1.16", "1.12"}
	Functions         = Feature{"provider functions", "1.8", "1.7"}
)

// In reports whether the engine is new enough for the feature. A prerelease counts as its release.
func (f Feature) In(e Engine) bool {
	least := map[string]string{Terraform: f.terraform, OpenTofu: f.openTofu}[e.Name]
	return f == Feature{} ||
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
		t.Fatalf("no engine; set TF_ACC_TERRAFORM_PATH: %v", err)
	}
	return found
}

// Needs skips a test if the engine that ForTest returns does not have the feature. If EMBED_TEST_NO_SKIPS is set, it
// fails the test instead.
func Needs(t *testing.T, wanted Feature) {
	t.Helper()
	if e := ForTest(t); !wanted.In(e) {
		Skip(t, "needs "+wanted.name+": not in "+e.String()) // tools/test/engines reads this.
	}
}

// NeedsProgram returns the path of a program. If it is not on PATH, NeedsProgram skips or fails the test, like Needs.
func NeedsProgram(t *testing.T, program string) (path string) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		Skip(t, "needs "+program+" on PATH")
	}
	return path
}

// Skip skips a test because this machine lacks something. If EMBED_TEST_NO_SKIPS is set, it fails the test instead.
func Skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("EMBED_TEST_NO_SKIPS") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}
