package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// TestMain gives every test the same environment, regardless of the variables that the shell sets for a real service
// or for Terraform.
func TestMain(m *testing.M) {
	if err := setEnvironment(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// Tests leave much garbage and keep little alive. By default, a quarter of their time would go into collecting it.
	debug.SetGCPercent(400)
	code := m.Run()
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}

func setEnvironment() error {
	environment := engine.Unbent(os.Environ(), "TF_ACC", "TF_LOG", "EMBED_TEST_")
	if os.Getenv("TF_ACC") != "" {
		// terraform-plugin-testing and the engine that it runs read these variables. By default, terraform-plugin-testing
		// knows only Terraform's registry.
		configuration, err := filepath.Abs("testdata/no-providers.tfrc")
		if err != nil {
			return err
		}
		environment = append(environment, "TF_CLI_CONFIG_FILE="+configuration, "CHECKPOINT_DISABLE=1")
		found, err := engine.AtHand()
		if err != nil {
			return err
		}
		if found.Name == engine.OpenTofu {
			environment = append(environment,
				"TF_ACC_PROVIDER_HOST="+engine.OpenTofuRegistry, "TF_ACC_PROVIDER_NAMESPACE="+engine.Namespace)
		}
	}
	os.Clearenv()
	for _, setting := range environment {
		name, value, _ := strings.Cut(setting, "=")
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
