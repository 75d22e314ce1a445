package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestReadUsages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	leave := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	leave("1", "1500000 1024\n")
	leave("2", "500000 4096\n")
	if cpu, peak, err := readUsages(dir); cpu != 2*time.Millisecond || peak != 4096 || err != nil {
		t.Error(cpu, peak, err)
	}
	leave("3", "")
	if cpu, peak, err := readUsages(dir); err == nil {
		t.Errorf("a provider that was killed counts for nothing: %s, %d", cpu, peak)
	}
}
