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
