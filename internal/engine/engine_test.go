package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestFind is not parallel, because executing a file that was just written can fail while another goroutine forks.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the engines in this test are shell scripts")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	path := filepath.Join(dir, "engine")
	for _, want := range []Engine{
		{"Terraform", "1.16.4", "linux_amd64", path},
		{"OpenTofu", "1.12.6", "darwin_arm64", path},
	} {
		says(t, path, want.String()+"\non "+want.Platform+"\n\nYour version is out of date!")
		for _, program := range []string{path, "./engine"} {
			if found, err := Find(t.Context(), program, os.Environ()); err != nil || found != want {
				t.Errorf("%s: got %+v, %v, want %+v", program, found, err, want)
			}
		}
	}
	for _, other := range []string{
		"hello", "Terraform v1.16.4", "Terraform\non linux_amd64", "Packer v1.0.0\non linux_amd64",
	} {
		says(t, path, other)
		if found, err := Find(t.Context(), path, os.Environ()); err == nil {
			t.Errorf("%q was identified as %+v", other, found)
		}
	}
	if _, err := Find(t.Context(), "./none", os.Environ()); err == nil {
		t.Error("no error for a program that does not exist")
	}
}

func says(t *testing.T, program, text string) {
	t.Helper()
	if err := os.WriteFile(program, []byte("#!/bin/sh\ncat <<END\n"+text+"\nEND\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestUnbent(t *testing.T) {
	t.Parallel()
	given := []string{
		"PATH=/bin", "TF_CLI_ARGS=-json", "tf_workspace=w", "TF_LOG=TRACE", "TF_LOG_PATH=x", "TERRAFORM_CONFIG=x",
		"EMBED_ENVIRONMENT=Testing", "https_proxy=p", "GOPROXY=off", "X=TF_LOG",
	}
	if got, want := Unbent(given), []string{"PATH=/bin", "GOPROXY=off", "X=TF_LOG"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	kept := []string{"PATH=/bin", "TF_LOG=TRACE", "TF_LOG_PATH=x", "https_proxy=p", "GOPROXY=off", "X=TF_LOG"}
	if got := Unbent(given, "TF_LOG", "HTTPS_PROXY"); !slices.Equal(got, kept) {
		t.Errorf("got %q, want %q", got, kept)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("EMBED_ENVIRONMENT", "Testing")
	got := Environment("cli.tfrc")
	if !slices.Contains(got, "TF_CLI_CONFIG_FILE=cli.tfrc") || slices.Contains(got, "EMBED_ENVIRONMENT=Testing") {
		t.Errorf("got %q", got)
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for e, want := range map[Engine]bool{
		{Name: Terraform, Version: "1.9.8"}:        false,
		{Name: Terraform, Version: "1.13.5"}:       false,
		{Name: Terraform, Version: "1.14.0-beta1"}: true,
		{Name: Terraform, Version: "1.14.0"}:       true,
		{Name: Terraform, Version: "2.0.0"}:        true,
		{Name: OpenTofu, Version: "1.99.0"}:        false,
	} {
		if got := Actions.In(e); got != want {
			t.Errorf("%s has actions: %t", e, got)
		}
	}
}
