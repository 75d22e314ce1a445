package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The targets are judged by the last of each, and a cell that is named twice would have twice the samples.
func TestListsAreSortedAndHoldNothingTwice(t *testing.T) {
	t.Parallel()
	sizes, err := parseSizes("1000,100,1000")
	if diff := cmp.Diff([]int{100, 1000}, sizes); diff != "" || err != nil {
		t.Error(err, diff)
	}
	latencies, err := parseLatencies("20ms,0,20ms")
	if diff := cmp.Diff([]int{0, 20}, latencies); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, text := range []string{"0", "1,", "x", "-1"} {
		if _, err := parseSizes(text); err == nil {
			t.Errorf("-n %s was taken", text)
		}
	}
	for _, text := range []string{"", "1", "-1ms", "1500us"} {
		if _, err := parseLatencies(text); err == nil {
			t.Errorf("-latency %s was taken", text)
		}
	}
}
