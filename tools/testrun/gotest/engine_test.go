package gotest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Not parallel: a file just written cannot be executed while another goroutine is forking.
func TestFindEngine(t *testing.T) {
	for name, test := range map[string]struct {
		says   string
		asTofu bool
	}{
		"Terraform": {"Terraform v1.16.4", false},
		"OpenTofu":  {"OpenTofu v1.12.6", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			engine := filepath.Join(dir, "engine")
			script := "#!/bin/sh\necho '" + test.says + "'\necho on linux_amd64\n"
			if err := os.WriteFile(engine, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			found, err := FindEngine(engine, dir)
			if err != nil {
				t.Fatal(err)
			}
			settings := found.environment
			if found.String() != test.says || found.Path != engine {
				t.Errorf("found %s at %s, want %s at %s", found, found.Path, test.says, engine)
			}
			if want := "TF_ACC_TERRAFORM_PATH=" + engine; !slices.Contains(settings, want) {
				t.Errorf("%q lacks %s", settings, want)
			}
			if got := slices.Contains(settings, "TF_ACC_PROVIDER_HOST=registry.opentofu.org"); got != test.asTofu {
				t.Errorf("OpenTofu's registry named: %t, want %t", got, test.asTofu)
			}
			index := slices.IndexFunc(settings, func(s string) bool { return strings.HasPrefix(s, "TF_CLI_CONFIG_FILE=") })
			if _, err := os.Stat(strings.TrimPrefix(settings[index], "TF_CLI_CONFIG_FILE=")); err != nil {
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

func TestWithoutEngineSettings(t *testing.T) {
	t.Parallel()
	got := withoutEngineSettings([]string{"PATH=/bin", "TF_CLI_ARGS=-json", "TF_LOG=TRACE", "TF_ACC_LOG_PATH=x", "TF_WORKSPACE=w"})
	if want := []string{"PATH=/bin", "TF_LOG=TRACE", "TF_ACC_LOG_PATH=x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
