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
			one[o.name] = sample{providerCPU: cpu, peak: peak, calls: calls, connections: 10}
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
		{"one slow round of three", 1000, func(ours, _ []life) {
			change(ours[0], "plan", func(s *sample) { s.providerCPU = 5 })
		}, ""},
		{"a round that was slow for both", 1000, func(ours, bare []life) {
			for i, factor := range []float64{1, 3, 9} {
				change(ours[i], "plan", func(s *sample) { s.providerCPU *= factor })
				change(bare[i], "plan", func(s *sample) { s.providerCPU *= factor })
			}
		}, ""},
		{"two slow rounds of three", 1000, func(ours, _ []life) {
			change(ours[0], "plan", func(s *sample) { s.providerCPU = 0.91 })
			change(ours[2], "plan", func(s *sample) { s.providerCPU = 1.2 })
		}, "target missed: plan: CPU over the bare provider's: ≤ 0.90, measured 0.91 (0.90–1.20)"},
		{"the bare provider was not measured", 1000, func(ours, bare []life) {
			for i := range bare {
				change(ours[i], "apply", func(s *sample) { s.providerCPU = 0 })
				change(bare[i], "apply", func(s *sample) { s.providerCPU = 0 })
			}
		}, "target missed: apply: CPU over the bare provider's: ≤ 0.90, measured NaN (NaN–NaN)"},
		{"too much memory once", 1024, func(ours, _ []life) {
			change(ours[1], "rotate", func(s *sample) { s.peak = 44.5 })
		}, "target missed: peak memory: ≤ 44.0 MiB, measured 44.5 MiB"},
		{"as much for more groups", 5120, func(ours, _ []life) {
			change(ours[1], "rotate", func(s *sample) { s.peak = 44.5 })
		}, ""},
		{"one call too many in the first round", 1000, func(ours, _ []life) {
			change(ours[0], "destroy", func(s *sample) { s.calls["GET"]++ })
		}, "target missed: destroy: calls for each group: 1 DELETE, 1 GET, measured 1 DELETE, 1.001 GET or 1 DELETE, 1 GET"},
		{"no calls at all", 1000, func(ours, _ []life) {
			for _, round := range ours {
				change(round, "apply", func(s *sample) { clear(s.calls) })
			}
		}, "target missed: apply: calls for each group: 1 GET, measured none"},
		{"a connection for many a call", 1000, func(ours, _ []life) {
			change(ours[1], "apply", func(s *sample) { s.connections = 21 })
			change(ours[1], "rotate", func(s *sample) { s.connections = 40 })
		}, "target missed: apply: connections: ≤ 20, measured 21"},
		{"few groups: calls are judged, CPU and memory are not", 5, func(ours, _ []life) {
			change(ours[0], "apply", func(s *sample) { s.calls["GET"], s.peak = 6, 400 })
			for _, round := range ours {
				change(round, "plan", func(s *sample) { s.providerCPU = 9 })
			}
		}, "target missed: apply: calls for each group: 1 GET, measured 1.2 GET or 1 GET"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ours, bare := threeRounds(test.n, 0.9, 36), threeRounds(test.n, 1, 150)
			test.change(ours, bare)
			checkFailure(t, judge(ours, bare, test.n), test.want)
		})
	}
}

// TestJudgeLimited: at 50 calls per second, 200 groups take 4 s for each method. A quarter more, 8 s for each process
// and 2 s for the engine are allowed.
func TestJudgeLimited(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		n         int
		operation string
		wall      float64
		refused   int
		want      string
	}{
		{"one process at its limits", 200, "plan", 15, 35, ""},
		{"two processes at their limits", 200, "rotate", 28, 70, ""},
		{"one process is too slow", 200, "plan", 15.1, 0, "target missed: plan: seconds: ≤ 15, measured 15.1"},
		{"two processes are too slow", 200, "rotate", 28.1, 0, "target missed: rotate: seconds: ≤ 28, measured 28.1"},
		{"too many refusals", 200, "plan", 15, 36, "target missed: plan: calls refused: ≤ 15 %, measured 15.3 %"},
		{"few groups: refusals are not judged", 10, "apply", 10.2, 10, ""},
		{"few groups: seconds are", 10, "apply", 10.3, 10, "target missed: apply: seconds: ≤ 10, measured 10.3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ours := threeRounds(test.n, 0.9, 36)
			change(ours[1], test.operation, func(s *sample) { s.wall, s.refused = test.wall, test.refused })
			checkFailure(t, judgeLimited(ours, test.n, 50), test.want)
		})
	}
}

// checkFailure checks the error for the targets. An empty want means none.
func checkFailure(t *testing.T, all []target, want string) {
	t.Helper()
	got := ""
	if err := failure(all); err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
