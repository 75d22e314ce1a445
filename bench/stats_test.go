package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSummarise(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		values []float64
		want   summary
		text   string
	}{
		{[]float64{3}, summary{3, 3, 3}, "3.00"},
		{[]float64{3, 1, 2}, summary{2, 1, 3}, "2.00 (1.00–3.00)"},
		{[]float64{4, 1, 2, 3}, summary{2.5, 1, 4}, "2.50 (1.00–4.00)"},
	} {
		got := summarise(one.values)
		if got != one.want || got.spread() != one.text {
			t.Errorf("%v: %v, %s", one.values, got, got.spread())
		}
	}
	if none := summarise(nil); !math.IsNaN(none.Median) || none.spread() != "–" {
		t.Errorf("nothing: %v, %s", none, none.spread())
	}
}

func TestRatios(t *testing.T) {
	t.Parallel()
	got := ratios([]float64{2, 9, 8, 7}, []float64{1, 3, 0})
	if diff := cmp.Diff([]float64{2, 3}, got); diff != "" {
		t.Error(diff)
	}
}
