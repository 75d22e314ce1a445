package engine

import "testing"

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
