package provider

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// feature is something that not every engine can do.
type feature string

const (
	// Before, whatever else of a resource is null becomes empty, and empty is sent: github.com/hashicorp/terraform/issues/29921.
	featureIgnoreChanges  feature = "ignore_changes that leaves null maps null"
	featureOptional       feature = "optional attributes of objects"
	featurePlannedDestroy feature = "asking the provider before a destroy is planned"
	featurePlanTimestamp  feature = "plantimestamp()"
	featureImportBlock    feature = "import blocks"
	featureGenerateConfig feature = "-generate-config-out"
	featureForEachImport  feature = "for_each in import blocks"
	featureMocks          feature = "mock_provider in tests"
	featureEphemeral      feature = "ephemeral resources"
	featureWriteOnly      feature = "write-only arguments"
	featureIdentity       feature = "resource identity"
	featureActions        feature = "actions"
	featureQuery          feature = "list resources"
)

// since has the first Terraform and OpenTofu with a feature, "none" where there is none yet. It says from when on a
// feature works under terraform-plugin-testing, which may be later than from when on the engine has it.
var since = map[feature]struct{ terraform, openTofu string }{
	featureIgnoreChanges:  {"1.1", "1.6"},
	featureOptional:       {"1.3", "1.6"},
	featurePlannedDestroy: {"1.3", "1.6"},
	featurePlanTimestamp:  {"1.5", "1.6"},
	featureImportBlock:    {"1.5", "1.6"},
	featureGenerateConfig: {"1.5", "1.6"},
	featureForEachImport:  {"1.7", "1.7"},
	featureMocks:          {"1.7", "1.8"},
	featureEphemeral:      {"1.10", "1.12"},
	featureWriteOnly:      {"1.11", "1.11"},
	featureIdentity:       {"1.12", "1.12"},
	featureActions:        {"1.14", "none"},
	featureQuery:          {"1.14", "none"},
}

// needs skips a test that the engine at hand cannot run. A tool reads the message: its form is fixed.
func needs(t *testing.T, wanted feature) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		return // resource.Test skips in its own words.
	}
	engine, err := engineAtHand()
	if err != nil {
		t.Fatal(err)
	}
	if !engine.has(wanted) {
		from := since[wanted]
		t.Skipf("needs %s: Terraform >= %s, OpenTofu >= %s (this is %s %s)", wanted, from.terraform, from.openTofu, engine.name, engine.version)
	}
}

type engine struct{ name, version string }

func (e engine) has(wanted feature) bool {
	least := since[wanted].terraform
	if e.name == "OpenTofu" {
		least = since[wanted].openTofu
	}
	return least != "none" && !older(e.version, least)
}

// older compares the numbers of two versions; what follows a hyphen does not count.
func older(version, than string) bool {
	version, _, _ = strings.Cut(version, "-")
	has, wants := strings.Split(version, "."), strings.Split(than, ".")
	for i := range min(len(has), len(wants)) {
		a, _ := strconv.Atoi(has[i])
		b, _ := strconv.Atoi(wants[i])
		if a != b {
			return a < b
		}
	}
	return false
}

// engineAtHand is the engine that the tests run on. Its plain answer is read, since the one in JSON calls every version
// "terraform_version".
var engineAtHand = sync.OnceValues(func() (engine, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		path = "terraform"
	}
	answer, err := exec.Command(path, "version").Output()
	if err != nil {
		return engine{}, fmt.Errorf("%s version: %w", path, err)
	}
	line, _, _ := strings.Cut(string(answer), "\n")
	name, version, found := strings.Cut(strings.TrimSpace(line), " v")
	if !found {
		return engine{}, fmt.Errorf("%s version: cannot read %q", path, line)
	}
	return engine{name, version}, nil
})
