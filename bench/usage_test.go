package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadUsages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, text := range []string{"1500000 1048576\n", "500000 4194304\n"} {
		if err := os.WriteFile(filepath.Join(dir, text[:4]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if cpu, peak, err := readUsages(dir); cpu != 0.002 || peak != 4 || err != nil {
		t.Error(cpu, peak, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "killed"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if cpu, peak, err := readUsages(dir); err == nil {
		t.Errorf("no error for a provider that was killed: %g, %g", cpu, peak)
	}
}
