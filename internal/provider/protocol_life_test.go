package provider

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

var lives = flag.Int("lives", 16, "how many lives TestProtocolRandomLives leads")

// TestProtocolRandomLives leads groups through random lives, in every reading. The configuration changes in any way,
// with and without unknown values and refreshes. Other clients rename, rotate, delete, and replace the group, and
// responses get lost. The harness compares every plan and every apply with an engine's rules. In addition, this test
// checks that the token is rotated exactly when requested, and that a plan after a successful run has no changes.
func TestProtocolRandomLives(t *testing.T) {
	t.Parallel()
	var rotations, failures atomic.Int64
	readings := protocolReadings()
	for seed := range *lives {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			life := protocolLife{rand: rand.New(rand.NewPCG(uint64(seed), 2)), rotations: &rotations, failures: &failures}
			options := readings[seed%len(readings)]
			t.Logf("%+v", options)
			life.p = protocolStart(t, options)
			life.state = life.p.nothing()
			for step := 0; step < 20 && !t.Failed(); step++ {
				life.next()
			}
		})
	}
	t.Cleanup(func() {
		if rotations.Load() < 10 || failures.Load() < 3 {
			t.Errorf("only %d rotations and %d failures, so this test proves too little", rotations.Load(), failures.Load())
		}
	})
}

type protocolLife struct {
	rand                *rand.Rand
	p                   *protocol
	state               protocolState
	rotations, failures *atomic.Int64
}

func protocolPick[T any](l *protocolLife, values ...T) T { return values[l.rand.IntN(len(values))] }

func (l *protocolLife) config() protocolObject {
	type o = protocolObject
	return o{
		"user_group_id": "acme", "name": protocolPick(l, "A", "B", "C"), "adopt_existing": true,
		"mapping":                   protocolPick[any](l, nil, o{}, o{"a": "1"}, o{"a": "2", "b": "1"}),
		"properties":                protocolPick[any](l, nil, `{}`, `{"x":1}`, ` { "x" : 1.0 } `, `{"x":2,"y":[null,"é"]}`),
		"rotate_token_when_changed": protocolPick[any](l, nil, o{}, o{"q": "1"}, o{"q": "2"}, o{"q": "2", "r": nil}),
		"store_token":               protocolPick[any](l, nil, nil, true, false),
		"deletion_protection":       protocolPick[any](l, nil, nil, nil, false, true),
		"data_source_provided_id":   protocolPick[any](l, nil, "db"),
	}
}

// veiled returns the configuration with some values unknown.
func (l *protocolLife) veiled(config protocolObject) protocolObject {
	veiled := protocolWith(config)
	for _, attribute := range slices.Sorted(maps.Keys(config)) { // sorted, so that a seed always gives the same life
		elements, isMap := config[attribute].(protocolObject)
		switch {
		case attribute == "user_group_id" || l.rand.IntN(6) > 0:
		case isMap && l.rand.IntN(2) == 0:
			for key := range elements {
				veiled[attribute] = protocolWith(elements, key, protocolUnknown)
			}
		default:
			veiled[attribute] = protocolUnknown
		}
	}
	return veiled
}

func (l *protocolLife) next() {
	somebody := l.rand.IntN(11)
	if l.p.noTeams && (somebody == 2 || somebody == 3) {
		somebody = 1 // Without a team_id, another group with the same ID looks like the one in the state.
	}
	switch somebody {
	case 0:
		l.p.service.Change("acme", func(group *emulator.Group) {
			group.Name, group.Properties = "Elsewhere", json.RawMessage(`{"z":1}`)
		})
	case 1:
		l.p.service.RotateBehind("acme")
	case 2:
		l.p.service.Remove("acme")
	case 3:
		l.p.service.Replace("acme")
	case 4:
		l.destroy()
	default:
		l.apply()
		return
	}
	l.p.t.Logf("another client renames, rotates, deletes or replaces the group, or a run destroys it")
}

func (l *protocolLife) refresh() {
	if l.state.value.IsNull() {
		return
	}
	var diags protocolDiags
	l.state, diags = l.p.read(l.state)
	l.p.t.Logf("refresh\n%s", diags)
	if diags.hasError() {
		l.p.t.Error("a refresh failed")
	} else if l.state.value.IsNull() {
		l.p.wantGroups()
	} else {
		l.p.wantTruth(l.state, "acme")
	}
}

func (l *protocolLife) apply() {
	p := l.p
	fresh := l.rand.IntN(3) > 0
	if fresh {
		l.refresh()
	}
	config := l.config()
	plan := p.plan(l.state, l.veiled(config))
	l.p.t.Logf("plan to %s %v\n%s", plan.action, config, plan.diags)
	if plan.diags.hasError() {
		p.t.Error("the plan failed")
	}
	if plan.diags.hasError() || plan.action == "no-op" {
		return
	}
	if l.rand.IntN(5) < 3 {
		kind := protocolPick(l, emulator.CutAfterWork, emulator.CutBefore, emulator.Error500AfterWork, emulator.Refuse)
		method := protocolPick(l, http.MethodPut, http.MethodPost)
		l.p.t.Logf("fault on %s: %s", method, kind)
		p.fault(method, kind)
	}
	due, before := protocolRotates(l.state.members(), config), p.service.Rotations("acme")
	group, _ := p.service.Group("acme")
	stale := l.state.get("token_fingerprint") != fingerprint(group.Token)
	l.state, plan.diags = p.apply(plan, config)
	p.service.ClearFaults()
	rotated := p.service.Rotations("acme") - before
	l.rotations.Add(int64(rotated))
	l.p.t.Logf("apply, %d rotations\n%s", rotated, plan.diags)
	if plan.diags.hasError() {
		l.failures.Add(1)
		if rotated > 1 || rotated > 0 && !due {
			p.t.Errorf("a failed apply rotated %d times", rotated)
		}
		if plan.prior.value.IsNull() {
			p.wantNoState(l.state)
		}
		l.refresh()
		return
	}
	// If the response is lost, the provider takes a token that another client has rotated in the meantime for the
	// requested one.
	rotatedElsewhere := stale && l.state.get("token_fingerprint") == fingerprint(group.Token)
	if due != (rotated == 1 || rotatedElsewhere && due) || rotated > 1 {
		p.t.Errorf("rotated %d times, due: %t", rotated, due)
	}
	p.wantSettled(l.state, config)
	l.refresh()
	if fresh && !l.state.value.IsNull() {
		p.wantSettled(l.state, config)
	}
}

// protocolRotates reports whether a rotation is due. It is written independently of the provider.
func protocolRotates(state, config protocolObject) bool {
	before, _ := state["rotate_token_when_changed"].(protocolObject)
	after, _ := config["rotate_token_when_changed"].(protocolObject)
	for key := range before {
		if now, kept := after[key]; kept && now != before[key] {
			return true
		}
	}
	return false
}

func (l *protocolLife) destroy() {
	if l.state.value.IsNull() {
		return
	}
	plan := l.p.plan(l.state, nil)
	if l.state.get("deletion_protection") == true {
		plan.diags.wantError(isProtected)
		return
	}
	var diags protocolDiags
	l.state, diags = l.p.apply(plan)
	l.p.t.Logf("destroy\n%s", diags)
	if diags.hasError() {
		l.failures.Add(1)
		l.p.wantGroups("acme")
	}
}
