package main

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// threeRounds returns lives in which each operation used this CPU time and memory, and made the expected calls for n
// groups.
func threeRounds(n int, cpu, peak float64) []life {
	var all []life
	for range 3 {
		one := life{}
		for _, o := range operations {
			calls := maps.Clone(o.calls)
			for method := range calls {
				calls[method] *= n
			}
			one[o.name] = sample{cpu: cpu, peak: peak, calls: calls, connections: 10 + n*o.changes()}
		}
		all = append(all, one)
	}
	return all
}

func change(round life, operation string, to func(*sample)) {
	one := round[operation]
	to(&one)
	round[operation] = one
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		n      int
		change func(ours, bare []life)
		// want is the expected error, or empty for none.
		want string
	}{
		{"everything is as promised", 1000, func(_, _ []life) {}, ""},
		{"one slow round of three, and one that was slow for both", 1000, func(ours, bare []life) {
			change(ours[0], "plan", func(s *sample) { s.cpu = 5 })
			change(ours[1], "rotate", func(s *sample) { s.cpu *= 9 })
			change(bare[1], "rotate", func(s *sample) { s.cpu *= 9 })
		}, ""},
		{"two slow rounds of three", 1000, func(ours, _ []life) {
			change(ours[0], "plan", func(s *sample) { s.cpu = 0.96 })
			change(ours[2], "plan", func(s *sample) { s.cpu = 1.2 })
		}, "target missed: plan: most CPU time, divided by that of the bare provider: 0.95, measured 0.96 (0.90–1.20)"},
		{"the bare provider was not measured", 1000, func(ours, bare []life) {
			for i := range bare {
				change(ours[i], "apply", func(s *sample) { s.cpu = 0 })
				change(bare[i], "apply", func(s *sample) { s.cpu = 0 })
			}
		}, "target missed: apply: most CPU time, divided by that of the bare provider: 0.95, measured NaN (NaN–NaN)"},
		{"too much memory once", 1000, func(ours, _ []life) {
			change(ours[1], "rotate", func(s *sample) { s.peak = 80.5 })
		}, "target missed: rotate: most memory, in MiB: 80, measured 80.5"},
		{"one call too many in the first round", 1000, func(ours, _ []life) {
			change(ours[0], "destroy", func(s *sample) { s.calls["GET"]++ })
		}, "target missed: destroy: calls for each group: 1 DELETE, 1 GET, measured 1 DELETE, 1.001 GET or 1 DELETE, 1 GET"},
		{"no calls at all", 1000, func(ours, _ []life) {
			for _, round := range ours {
				change(round, "apply", func(s *sample) { clear(s.calls) })
			}
		}, "target missed: apply: calls for each group: 1 GET, measured "},
		{"too many connections", 1000, func(ours, _ []life) {
			change(ours[1], "apply", func(s *sample) { s.connections = 21 })
		}, "target missed: apply: connections beyond one for each change: 1 to 20, measured 10.00 (10.00–21.00)"},
		{"a change on the connection of a lookup", 1000, func(ours, _ []life) {
			change(ours[1], "destroy", func(s *sample) { s.connections = 1000 })
		}, "target missed: destroy: connections beyond one for each change: 1 to 20, measured 10.00 (0.00–10.00)"},
		{"few groups: calls are judged, CPU time is not", 5, func(ours, _ []life) {
			change(ours[0], "apply", func(s *sample) { s.calls["GET"] = 6 })
			for _, round := range ours {
				change(round, "plan", func(s *sample) { s.cpu = 9 })
			}
		}, "target missed: apply: calls for each group: 1 GET, measured 1.2 GET or 1 GET"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ours, bare := threeRounds(test.n, 0.9, 36), threeRounds(test.n, 1, 150)
			test.change(ours, bare)
			got := ""
			if err := judge(results(ours, bare, test.n), test.n); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSummarize checks the median of an even number of values. TestJudge has odd ones.
func TestSummarize(t *testing.T) {
	t.Parallel()
	if got, want := summarize([]float64{4, 1, 2, 3}).String(), "2.50 (1.00–4.00)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
