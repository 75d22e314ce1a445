package emulator_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

func randomStrikes(t *testing.T, seed int64, oneIn int, ids []string, rounds int) map[string][]string {
	t.Helper()
	e, c := start(t, emulator.Options{})
	e.FailRandomly(seed, oneIn, emulator.CutAfterWork, emulator.CutBefore, emulator.Unavailable503)
	for range rounds {
		for _, id := range ids {
			c.send("GET", byID(id))
		}
	}
	strikes := map[string][]string{}
	for _, call := range e.Calls() {
		strikes[call.ID] = append(strikes[call.ID], call.Fault)
	}
	return strikes
}

func TestRandomFaultsRepeatWithTheirSeed(t *testing.T) {
	one := randomStrikes(t, 42, 3, []string{"a", "b"}, 100)
	turned := randomStrikes(t, 42, 3, []string{"b", "a"}, 100)
	other := randomStrikes(t, 43, 3, []string{"a", "b"}, 100)
	for _, id := range []string{"a", "b"} {
		if !slices.Equal(one[id], turned[id]) {
			t.Errorf("%s: the order of the callers changed the strikes", id)
		}
		if slices.Equal(one[id], other[id]) {
			t.Errorf("%s: another seed struck the same", id)
		}
	}
	if slices.Equal(one["a"], one["b"]) {
		t.Error("two ids are struck alike")
	}
}

func TestRandomFaultsStrikeOneInSoMany(t *testing.T) {
	struck, kinds := 0, map[string]int{}
	for _, fault := range randomStrikes(t, 7, 4, []string{"a"}, 1000)["a"] {
		if fault != "" {
			struck++
			kinds[fault]++
		}
	}
	if struck < 180 || struck > 300 || len(kinds) != 3 {
		t.Errorf("%d of 1000 were struck: %v", struck, kinds)
	}
}

func TestRandomFaultsSpareTheThird(t *testing.T) {
	for i, fault := range randomStrikes(t, 1, 1, []string{"a"}, 30)["a"] {
		if (fault == "") != (i%3 == 2) {
			t.Errorf("call %d was struck by %q", i, fault)
		}
	}
}

func TestRandomFaultsEnd(t *testing.T) {
	e, c := start(t, emulator.Options{})
	for name, end := range map[string]func(){
		"ClearFaults": e.ClearFaults,
		"no kinds":    func() { e.FailRandomly(1, 1) },
		"one in none": func() { e.FailRandomly(1, 0, emulator.CutBefore) },
	} {
		e.FailRandomly(1, 1, emulator.CutBefore)
		noAnswer(t, c.send("GET", byID("acme")))
		end()
		for i := range 3 {
			if got := c.send("GET", byID(fmt.Sprint("acme", i))); got.status != 200 {
				t.Errorf("%s: call %d: %+v", name, i, got)
			}
		}
	}
}
