// Package acceptance tests what only Terraform decides, every example, and every page. Tests whose names begin with
// TestAcc run Terraform or OpenTofu and need TF_ACC=1: TestAccLifeOfAGroup with terraform-plugin-testing,
// TestAccScripts and TestAccRelease with the scripts in testdata/scripts, and all others with commands in a workbench.
// TestLongScripts takes minutes and TestProxies needs other programs, so only targets of the makefile run them.
package acceptance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) {
	// For terraform-plugin-testing. By default, it knows only Terraform's registry.
	configuration, _ := filepath.Abs("testdata/no-providers.tfrc")
	settings := []string{"TF_CLI_CONFIG_FILE=" + configuration, "CHECKPOINT_DISABLE=1"}
	if found, err := engine.AtHand(); err == nil && found.Name == engine.OpenTofu {
		settings = append(settings, "TF_ACC_PROVIDER_HOST="+found.Registry(), "TF_ACC_PROVIDER_NAMESPACE="+engine.Namespace)
	}
	code := protocoltest.Run(m, settings...)
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}
