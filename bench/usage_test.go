package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadUsages(t *testing.T) {
	t.Parallel()
	got, err := readUsages(strings.NewReader(`{"cpu_us":1500,"own_us":10,"peak_bytes":4096}
{"cpu_us":500,"own_us":20,"peak_bytes":1024}
`))
	want := usages{starts: 2, cpu: 2 * time.Millisecond, own: 30 * time.Microsecond, peak: 4096}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := readUsages(strings.NewReader(`{"cpu_us":15`)); err == nil {
		t.Error("half a line was taken for a whole one")
	}
}

func TestTakeUsages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "usage")
	if got, err := takeUsages(path); err != nil || got != (usages{}) {
		t.Errorf("without a file: %+v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("{\"cpu_us\":7}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := takeUsages(path); err != nil || got.starts != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := takeUsages(path); err != nil || got.starts != 0 {
		t.Errorf("taken twice: %+v, %v", got, err)
	}
}
