package testengine

import (
	"os"
	"path/filepath"
	"testing"
)

// Not parallel: a file just written cannot be executed while another goroutine is forking.
func TestAsk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine")
	for _, says := range []string{"Terraform v1.16.4", "OpenTofu v1.12.6"} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+says+"'\necho on linux_amd64\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		engine, err := Ask(t.Context(), path, os.Environ())
		if err != nil || engine.String() != says || engine.Path != path {
			t.Errorf("%s: got %s at %s, %v", says, engine, engine.Path, err)
		}
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho hello\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Ask(t.Context(), path, os.Environ()); err == nil {
		t.Error("no error of what is no engine")
	}
}

func TestOlder(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version, than string
		want          bool
	}{
		{"1.9.8", "1.14", true},
		{"1.14.0", "1.14", false},
		{"1.14.0", "1.14.1", true},
		{"1.14.0-beta1", "1.14", false},
		{"2.0", "1.14", false},
	} {
		if got := Older(test.version, test.than); got != test.want {
			t.Errorf("%s older than %s: %t", test.version, test.than, got)
		}
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	for engine, want := range map[Engine]bool{
		{Name: "Terraform", Version: "1.13.5"}: false,
		{Name: "Terraform", Version: "1.14.0"}: true,
		{Name: "OpenTofu", Version: "1.99.0"}:  false,
	} {
		if got := engine.Has(Actions); got != want {
			t.Errorf("%s has actions: %t", engine, got)
		}
	}
}

func TestReasonIsUnderstood(t *testing.T) {
	t.Parallel()
	for feature, from := range since {
		said := Reason{feature, from, "Terraform", "1.0.11"}
		if got, ok := ParseReason(said.String()); !ok || got != said {
			t.Errorf("%q is understood as %+v, %t", said, got, ok)
		}
	}
	if got, ok := ParseReason("Terraform CLI version 1.0.11 is below minimum version 1.14.0"); ok {
		t.Errorf("understood as %+v", got)
	}
}
