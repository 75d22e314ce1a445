package main

import (
	"testing"
)

func TestSummarize(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		values []float64
		want   summary
		text   string
	}{
		{[]float64{3}, summary{3, 3, 3}, "3.00"},
		{[]float64{3, 1, 2}, summary{2, 1, 3}, "2.00 (1.00–3.00)"},
		{[]float64{4, 1, 2, 3}, summary{2.5, 1, 4}, "2.50 (1.00–4.00)"},
		{[]float64{0.12345, 0.12345}, summary{0.12345, 0.12345, 0.12345}, "0.12"},
	} {
		got := summarize(one.values)
		if got != one.want || got.String() != one.text {
			t.Errorf("%v: got %+v, %s", one.values, got, got)
		}
	}
}
