// Package acceptance tests what only an engine decides, every example, and every page. Tests whose names begin with
// TestAcc run a real engine and need TF_ACC=1: TestAccLifeOfAGroup with terraform-plugin-testing, and all others with
// commands in a workbench.
package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

func TestMain(m *testing.M) {
	settings, err := engineSettings()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := protocoltest.Run(m, settings...)
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}

// engineSettings returns the variables that terraform-plugin-testing and the engine that it runs read. By default,
// terraform-plugin-testing knows only Terraform's registry.
func engineSettings() ([]string, error) {
	if os.Getenv("TF_ACC") == "" {
		return nil, nil
	}
	configuration, err := filepath.Abs("testdata/no-providers.tfrc")
	if err != nil {
		return nil, err
	}
	settings := []string{"TF_CLI_CONFIG_FILE=" + configuration, "CHECKPOINT_DISABLE=1"}
	found, err := engine.AtHand()
	if err == nil && found.Name == engine.OpenTofu {
		settings = append(settings,
			"TF_ACC_PROVIDER_HOST="+found.Registry(), "TF_ACC_PROVIDER_NAMESPACE="+engine.Namespace)
	}
	return settings, err
}
