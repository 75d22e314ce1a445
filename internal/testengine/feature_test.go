package testengine

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/engine"
)

func TestIn(t *testing.T) {
	t.Parallel()
	for e, want := range map[engine.Engine]bool{
		{Name: engine.Terraform, Version: "1.13.5"}: false,
		{Name: engine.Terraform, Version: "1.14.0"}: true,
		{Name: engine.OpenTofu, Version: "1.99.0"}:  false,
	} {
		if got := Actions.In(e); got != want {
			t.Errorf("%s has actions: %t", e, got)
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
