package gotest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
	"github.com/dashembed/terraform-provider-embed/internal/testengine"
)

func TestFindEngine(t *testing.T) {
	for _, like := range []engine.Engine{{Name: engine.Terraform, Version: "1.16.4"}, {Name: engine.OpenTofu, Version: "1.12.6"}} {
		t.Run(like.Name, func(t *testing.T) {
			program, dir := testengine.Script(t, like, ""), t.TempDir()
			found, err := FindEngine(program, dir)
			if err != nil {
				t.Fatal(err)
			}
			if found.String() != like.String() || found.Path != program {
				t.Errorf("found %s at %s, want %s at %s", found, found.Path, like, program)
			}
			for _, want := range []string{"TF_ACC_TERRAFORM_PATH=" + program, "TMPDIR=" + dir, "TF_ACC_TEMP_DIR=" + dir} {
				if !slices.Contains(found.settings, want) {
					t.Errorf("%q lacks %s", found.settings, want)
				}
			}
			isTofu := like.Name == engine.OpenTofu
			if got := slices.Contains(found.settings, "TF_ACC_PROVIDER_HOST=registry.opentofu.org"); got != isTofu {
				t.Errorf("OpenTofu's registry named: %t, want %t", got, isTofu)
			}
			index := slices.IndexFunc(found.settings, func(s string) bool { return strings.HasPrefix(s, "TF_CLI_CONFIG_FILE=") })
			if _, err := os.Stat(strings.TrimPrefix(found.settings[index], "TF_CLI_CONFIG_FILE=")); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestFindEngineThatIsNone(t *testing.T) {
	t.Parallel()
	if _, err := FindEngine(filepath.Join(t.TempDir(), "none"), t.TempDir()); err == nil {
		t.Error("no error")
	}
}
