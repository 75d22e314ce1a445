package protocoltest_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

var lives = flag.Int("lives", 16, "how many lives TestRandomLives leads")

// TestRandomLives checks that the token is rotated exactly when requested, and that a plan after a successful run has
// no changes, in random lives of groups in every reading. The configuration changes in any way, with and without
// unknown values and refreshes. Other clients rename, rotate, delete, and replace the group, and responses get lost.
// The harness compares every plan and every apply with an engine's rules.
func TestRandomLives(t *testing.T) {
	t.Parallel()
	var rotations, failures atomic.Int64
	all := readings()
	for seed := range *lives {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			one := life{rand: rand.New(rand.NewPCG(uint64(seed), 2)), rotations: &rotations, failures: &failures}
			options := all[seed%len(all)]
			t.Logf("%+v", options)
			one.p = start(t, options)
			one.state = one.p.Nothing()
			for step := 0; step < 20 && !t.Failed(); step++ {
				one.next()
			}
		})
	}
	t.Cleanup(func() {
		if rotations.Load() < 10 || failures.Load() < 3 {
			t.Errorf("only %d rotations and %d failures, so this test proves too little", rotations.Load(), failures.Load())
		}
	})
}

type life struct {
	rand                *rand.Rand
	p                   *Provider
	state               State
	rotations, failures *atomic.Int64
}

func pick[T any](l *life, values ...T) T { return values[l.rand.IntN(len(values))] }

func (l *life) config() Object {
	type o = Object
	return o{
		"user_group_id": "acme", "name": pick(l, "A", "B", "C"), "adopt_existing": true,
		"mapping":                   pick[any](l, nil, o{}, o{"a": "1"}, o{"a": "2", "b": "1"}),
		"properties":                pick[any](l, nil, `{}`, `{"x":1}`, ` { "x" : 1.0 } `, `{"x":2,"y":[null,"é"]}`),
		"rotate_token_when_changed": pick[any](l, nil, o{}, o{"q": "1"}, o{"q": "2"}, o{"q": "2", "r": nil}),
		"store_token":               pick[any](l, nil, nil, true, false),
		"deletion_protection":       pick[any](l, nil, nil, nil, false, true),
		"data_source_provided_id":   pick[any](l, nil, "db"),
	}
}

// veiled returns the configuration with some values unknown.
func (l *life) veiled(config Object) Object {
	veiled := With(config)
	for _, attribute := range slices.Sorted(maps.Keys(config)) { // sorted, so that a seed always gives the same life
		elements, isMap := config[attribute].(Object)
		switch {
		case attribute == "user_group_id" || l.rand.IntN(6) > 0:
		case isMap && l.rand.IntN(2) == 0:
			for key := range elements {
				veiled[attribute] = With(elements, key, Unknown)
			}
		default:
			veiled[attribute] = Unknown
		}
	}
	return veiled
}

func (l *life) next() {
	somebody := l.rand.IntN(11)
	if l.p.NoTeams && (somebody == 2 || somebody == 3) {
		somebody = 1 // Without a team_id, another group with the same ID looks like the one in the state.
	}
	switch somebody {
	case 0:
		l.p.Service.Change("acme", func(group *emulator.Group) {
			group.Name, group.Properties = "Elsewhere", json.RawMessage(`{"z":1}`)
		})
	case 1:
		l.p.Service.RotateBehind("acme")
	case 2:
		l.p.Service.Remove("acme")
	case 3:
		l.p.Service.Replace("acme")
	case 4:
		l.destroy()
	default:
		l.apply()
		return
	}
	l.p.T.Logf("another client renames, rotates, deletes or replaces the group, or a run destroys it")
}

func (l *life) refresh() {
	if l.state.Value.IsNull() {
		return
	}
	var diags Diags
	l.state, diags = l.p.Read(l.state)
	l.p.T.Logf("refresh\n%s", diags)
	if diags.HasError() {
		l.p.T.Error("a refresh failed")
	} else if l.state.Value.IsNull() {
		l.p.WantGroups()
	} else {
		l.p.WantTruth(l.state, "acme")
	}
}

func (l *life) apply() {
	p := l.p
	fresh := l.rand.IntN(3) > 0
	if fresh {
		l.refresh()
	}
	config := l.config()
	plan := p.Plan(l.state, l.veiled(config))
	l.p.T.Logf("plan to %s %v\n%s", plan.Action, config, plan.Diags)
	if plan.Diags.HasError() {
		p.T.Error("the plan failed")
	}
	if plan.Diags.HasError() || plan.Action == "no-op" {
		return
	}
	if l.rand.IntN(5) < 3 {
		kind := pick(l, emulator.CutAfterWork, emulator.CutBefore, emulator.Error500AfterWork, emulator.Refuse)
		method := pick(l, http.MethodPut, http.MethodPost)
		l.p.T.Logf("fault on %s: %s", method, kind)
		p.Fault(method, kind)
	}
	due, before := rotates(l.state.Members(), config), p.Service.Rotations("acme")
	group, _ := p.Service.Group("acme")
	stale := l.state.Get("token_fingerprint") != Fingerprint(group.Token)
	l.state, plan.Diags = p.Apply(plan, config)
	p.Service.ClearFaults()
	rotated := p.Service.Rotations("acme") - before
	l.rotations.Add(int64(rotated))
	l.p.T.Logf("apply, %d rotations\n%s", rotated, plan.Diags)
	if plan.Diags.HasError() {
		l.failures.Add(1)
		if rotated > 1 || rotated > 0 && !due {
			p.T.Errorf("a failed apply rotated %d times", rotated)
		}
		if plan.Prior.Value.IsNull() {
			p.WantNoState(l.state)
		}
		l.refresh()
		return
	}
	// If the response is lost, the provider takes a token that another client has rotated in the meantime for the
	// requested one.
	rotatedElsewhere := stale && l.state.Get("token_fingerprint") == Fingerprint(group.Token)
	if due != (rotated == 1 || rotatedElsewhere && due) || rotated > 1 {
		p.T.Errorf("rotated %d times, due: %t", rotated, due)
	}
	p.WantSettled(l.state, config)
	l.refresh()
	if fresh && !l.state.Value.IsNull() {
		p.WantSettled(l.state, config)
	}
}

// rotates reports whether a rotation is due. It is written independently of the provider.
func rotates(state, config Object) bool {
	before, _ := state["rotate_token_when_changed"].(Object)
	after, _ := config["rotate_token_when_changed"].(Object)
	for key := range before {
		if now, kept := after[key]; kept && now != before[key] {
			return true
		}
	}
	return false
}

func (l *life) destroy() {
	if l.state.Value.IsNull() {
		return
	}
	plan := l.p.Plan(l.state, nil)
	if l.state.Get("deletion_protection") == true {
		plan.Diags.WantError(isProtected)
		return
	}
	var diags Diags
	l.state, diags = l.p.Apply(plan)
	l.p.T.Logf("destroy\n%s", diags)
	if diags.HasError() {
		l.failures.Add(1)
		l.p.WantGroups("acme")
	}
}

// readings returns a selection of readings. It covers every combination of the values of any two options.
func readings() (readings []emulator.Options) {
	for row := range uint(16) {
		// The parities of different subsets of the bits form an orthogonal array.
		is := func(columns uint) int { return bits.OnesCount(row&columns) % 2 }
		options := emulator.Options{
			StaleTokenStatus: []int{0, 401, 403, 500}[2*is(1)+is(2)],
			Answers:          emulator.Answers(is(4)), Updates: emulator.Updates(is(8)), Refusals: emulator.Refusals(is(5)),
			NameRequired: is(6) == 1, UpsertOnPut: is(9) == 1, ForgivingDeletes: is(10) == 1, TrimNames: is(12) == 1,
			Environments: map[string]string{emulator.DefaultKey: []string{"Customer", ""}[is(13)]},
		}
		if is(14) == 1 {
			options.Omit = []string{"team_id"}
		}
		readings = append(readings, options)
	}
	return readings
}
