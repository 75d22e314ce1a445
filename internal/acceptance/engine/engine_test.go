package engine

import (
	"slices"
	"testing"
)

// TestRead is about the output of engines that few machines have. All tests that run an engine use Find.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, want := range []Engine{
		{"Terraform", "1.16.4", "linux_amd64", "/engine"}, {"OpenTofu", "1.12.6", "darwin_arm64", "/engine"},
	} {
		got, err := read("/engine", want.String()+"\non "+want.Platform+"\n\nYour version is out of date!")
		if err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	for _, other := range []string{"hello", "Terraform v1.16.4", "Packer v1.0.0\non linux_amd64"} {
		if got, err := read("/engine", other); err == nil {
			t.Errorf("%q was identified as %+v", other, got)
		}
	}
}

func TestUnbent(t *testing.T) {
	t.Parallel()
	given := []string{
		"PATH=/bin", "TF_CLI_ARGS=-json", "tf_workspace=w", "TF_LOG=TRACE", "TERRAFORM_CONFIG=x",
		"EMBED_ENVIRONMENT=Testing", "https_proxy=p", "GOPROXY=off", "X=TF_LOG",
	}
	if got, want := Unbent(given), []string{"PATH=/bin", "GOPROXY=off", "X=TF_LOG"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	kept := []string{"PATH=/bin", "TF_LOG=TRACE", "https_proxy=p", "GOPROXY=off", "X=TF_LOG"}
	if got := Unbent(given, "TF_LOG", "HTTPS_PROXY"); !slices.Equal(got, kept) {
		t.Errorf("got %q, want %q", got, kept)
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for e, want := range map[Engine]bool{
		{Name: Terraform, Version: "1.9.8"}:        false,
		{Name: Terraform, Version: "1.14.0-beta1"}: true,
		{Name: Terraform, Version: "2.0.0"}:        true,
		{Name: OpenTofu, Version: "1.99.0"}:        false,
	} {
		if got := Actions.In(e); got != want {
			t.Errorf("%s has actions: %t", e, got)
		}
	}
}
