package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTicks(t *testing.T) {
	t.Parallel()
	for most, want := range map[float64][]float64{
		0.07: {0, 0.02, 0.04, 0.06, 0.08},
		18.7: {0, 5, 10, 15, 20},
		159:  {0, 50, 100, 150, 200},
		500:  {0, 100, 200, 300, 400, 500},
	} {
		if diff := cmp.Diff(want, newAxis(0, 100, most).Ticks); diff != "" {
			t.Errorf("%g: %s", most, diff)
		}
	}
}
