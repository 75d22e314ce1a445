package acceptance

import (
	"slices"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/acceptance/engine"
)

// TestParse is about the output of engines that few machines have. All tests that run an engine use Find.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, want := range []engine.Engine{
		{Name: "Terraform", Version: "1.16.4", Platform: "linux_amd64", Path: "/engine"},
		{Name: "OpenTofu", Version: "1.12.6", Platform: "darwin_arm64", Path: "/engine"},
	} {
		got, err := engine.Parse("/engine", want.String()+"\non "+want.Platform+"\n\nYour version is out of date!")
		if err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	for _, other := range []string{"hello", "Terraform v1.16.4", "Packer v1.0.0\non linux_amd64"} {
		if got, err := engine.Parse("/engine", other); err == nil {
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
	if got, want := engine.Unbent(given), []string{"PATH=/bin", "GOPROXY=off", "X=TF_LOG"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	kept := []string{"PATH=/bin", "TF_LOG=TRACE", "https_proxy=p", "GOPROXY=off", "X=TF_LOG"}
	if got := engine.Unbent(given, "TF_LOG", "HTTPS_PROXY"); !slices.Equal(got, kept) {
		t.Errorf("got %q, want %q", got, kept)
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for e, want := range map[engine.Engine]bool{
		{Name: engine.Terraform, Version: "1.9.8"}:        false,
		{Name: engine.Terraform, Version: "1.14.0-beta1"}: true,
		{Name: engine.Terraform, Version: "2.0.0"}:        true,
		{Name: engine.OpenTofu, Version: "1.99.0"}:        false,
	} {
		if got := engine.Actions.In(e); got != want {
			t.Errorf("%s has actions: %t", e, got)
		}
	}
}
