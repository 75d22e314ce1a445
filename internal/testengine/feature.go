package testengine

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// Feature is something that not every engine can do.
type Feature string

const (
	// IgnoreChanges: before, whatever else of a resource is null becomes empty, and empty is sent: github.com/hashicorp/terraform/issues/29921.
	IgnoreChanges     Feature = "ignore_changes that leaves null maps null"
	OptionalMembers   Feature = "optional attributes of objects"
	PlannedDestroy    Feature = "asking the provider before a destroy is planned"
	PlanTimestamp     Feature = "plantimestamp()"
	ImportBlock       Feature = "import blocks"
	GenerateConfig    Feature = "-generate-config-out"
	GenerateJSON      Feature = "jsonencode in generated configuration"
	ImportExpression  Feature = "import blocks whose id is an expression"
	ForEachImport     Feature = "for_each in import blocks"
	Removed           Feature = "removed blocks that do not destroy"
	Mocks             Feature = "mock_provider in tests"
	EphemeralResource Feature = "ephemeral resources"
	WriteOnly         Feature = "write-only arguments"
	Identity          Feature = "resource identity"
	Actions           Feature = "actions"
	Query             Feature = "list resources"
)

// None stands for a version that does not exist yet.
const None = "none"

type versions struct{ terraform, openTofu string }

// since has the first Terraform and OpenTofu with a feature. It says from when on a feature works under
// terraform-plugin-testing, which may be later than from when on the engine has it.
var since = map[Feature]versions{
	IgnoreChanges:     {"1.1", "1.6"},
	OptionalMembers:   {"1.3", "1.6"},
	PlannedDestroy:    {"1.3", "1.6"},
	PlanTimestamp:     {"1.5", "1.6"},
	ImportBlock:       {"1.5", "1.6"},
	GenerateConfig:    {"1.5", "1.6"},
	ImportExpression:  {"1.6", "1.6"},
	GenerateJSON:      {"1.8", "1.8"},
	ForEachImport:     {"1.7", "1.7"},
	Removed:           {"1.7", "1.10"},
	Mocks:             {"1.7", "1.8"},
	EphemeralResource: {"1.10", "1.12"},
	WriteOnly:         {"1.11", "1.11"},
	Identity:          {"1.12", "1.12"},
	Actions:           {"1.14", None},
	Query:             {"1.14", None},
}

func (v versions) of(e engine.Engine) string {
	if e.Name == engine.OpenTofu {
		return v.openTofu
	}
	return v.terraform
}

// In tells whether the engine is new enough for the feature.
func (f Feature) In(e engine.Engine) bool {
	least := since[f].of(e)
	return least != None && !engine.Older(e.Version, least)
}

// Needs skips a test that the engine at hand cannot run, with a message that ParseReason understands. Where no engine is to
// be run at all it does nothing: such a test skips in other words.
func Needs(t *testing.T, wanted Feature) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		return
	}
	found, err := AtHand()
	if err != nil {
		t.Fatal(err)
	}
	if !wanted.In(found) {
		t.Skip(Reason{wanted, since[wanted], found.Name, found.Version})
	}
}

// Reason is why a test was skipped.
type Reason struct {
	Feature Feature
	since   versions
	// Engine and Version are what the test took the engine for.
	Engine, Version string
}

// String is the message of Needs.
func (r Reason) String() string {
	return fmt.Sprintf("needs %s: Terraform >= %s, OpenTofu >= %s (this is %s %s)", r.Feature, r.since.terraform, r.since.openTofu, r.Engine, r.Version)
}

// Least is the first version of this engine with the feature, or None.
func (r Reason) Least(e engine.Engine) string { return r.since.of(e) }

var reasonForm = regexp.MustCompile(
	`^needs (.+): Terraform >= ([0-9.]+|none), OpenTofu >= ([0-9.]+|none) \(this is (\S+) (\S+)\)$`)

// ParseReason reads what Needs has written.
func ParseReason(text string) (Reason, bool) {
	parts := reasonForm.FindStringSubmatch(text)
	if parts == nil {
		return Reason{}, false
	}
	return Reason{Feature(parts[1]), versions{parts[2], parts[3]}, parts[4], parts[5]}, true
}
