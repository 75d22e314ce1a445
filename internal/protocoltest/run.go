package protocoltest

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

// Run runs the tests of a package, and returns the exit code for TestMain. It gives every test the same environment,
// regardless of the variables that the shell sets for a real service or for Terraform, and adds the settings to it.
func Run(m *testing.M, settings ...string) int {
	environment := append(engine.Unbent(os.Environ(), "TF_ACC", "TF_LOG", "EMBED_TEST_"), settings...)
	os.Clearenv()
	for _, setting := range environment {
		name, value, _ := strings.Cut(setting, "=")
		if name == "" {
			continue // Windows keeps the current directory of each drive there
		}
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	// Tests leave much garbage and keep little alive. By default, a quarter of their time would go into collecting it.
	debug.SetGCPercent(400)
	return m.Run()
}
