package provider

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"reflect"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// lives is how many lives TestProtocolRandomLives leads; with the race detector one takes about half a second.
var lives = flag.Uint64("lives", 5, "how many lives TestProtocolRandomLives leads")

// TestProtocolRandomLives leads groups through random lives: any change of the configuration, with and without unknown
// values and refreshes, in any reading of the contract but the one in which an update merges (a service that merges keeps
// what was taken away, so that a plan without changes need not follow), while somebody else renames, rotates, deletes and replaces and
// answers get lost. The harness holds every plan and apply against an engine's rules; this test adds that the token is
// rotated exactly when it was asked for, and that a run which ends well is followed by a plan without changes.
func TestProtocolRandomLives(t *testing.T) {
	t.Parallel()
	var rotations, errors, refusals int
	for seed := range *lives {
		life := protocolLife{rand: rand.New(rand.NewPCG(seed, 2))}
		life.p = protocolStart(t, emulator.Options{
			Answers: emulator.Answers(life.rand.IntN(2)), Updates: emulator.UpdatesReplace, NameRequired: life.rand.IntN(2) == 0,
			Refusals: emulator.Refusals(life.rand.IntN(2)), UpsertOnPut: life.rand.IntN(4) == 0,
			ForgivingDeletes: life.rand.IntN(4) == 0,
		})
		life.state = life.p.nothing()
		life.lead(40)
		if t.Failed() {
			t.Fatalf("this was life %d:\n%v", seed, life.diary)
		}
		life.p.service.Close()
		rotations, errors, refusals = rotations+life.rotations, errors+life.errors, refusals+life.refusals
	}
	if rotations < 10 || errors < 3 || refusals < 1 {
		t.Errorf("%d rotations, %d errors, %d refusals: this test has lost its point", rotations, errors, refusals)
	}
}

type protocolLife struct {
	rand  *rand.Rand
	p     *protocol
	state protocolState
	diary []string

	rotations, errors, refusals int
}

func protocolPick[T any](life *protocolLife, values ...T) T {
	return values[life.rand.IntN(len(values))]
}

func (l *protocolLife) note(format string, args ...any) {
	l.diary = append(l.diary, fmt.Sprintf("%2d ", len(l.diary))+fmt.Sprintf(format, args...)+"\n")
}

// config draws a configuration, of which veiled makes some values unknown.
func (l *protocolLife) config() protocolObject {
	return protocolObject{
		"user_group_id": "acme", "name": protocolPick(l, "A", "B", "C"), "adopt_existing": true,
		"mapping":                   protocolPick[any](l, nil, protocolObject{}, protocolObject{"a": "1"}, protocolObject{"a": "2", "b": "1"}),
		"properties":                protocolPick[any](l, nil, `{}`, `{"x":1}`, ` { "x" : 1.0 } `, `{"x":2,"y":[null,"é"]}`),
		"rotate_token_when_changed": protocolPick[any](l, nil, protocolObject{}, protocolObject{"q": "1"}, protocolObject{"q": "2"}, protocolObject{"q": "2", "r": nil}),
		"store_token":               protocolPick[any](l, nil, nil, true, false),
		"deletion_protection":       protocolPick[any](l, nil, nil, nil, false, true),
		"data_source_provided_id":   protocolPick[any](l, nil, "db"),
	}
}

// veiled is the configuration with some values not known yet.
func (l *protocolLife) veiled(config protocolObject) protocolObject {
	veiled := protocolWith(config, nil)
	for _, attribute := range []string{"name", "mapping", "properties", "rotate_token_when_changed", "store_token", "data_source_provided_id"} {
		if l.rand.IntN(6) == 0 {
			veiled[attribute] = protocolUnknown
		}
	}
	for _, attribute := range []string{"mapping", "rotate_token_when_changed"} {
		if elements, isMap := veiled[attribute].(protocolObject); isMap && l.rand.IntN(6) == 0 {
			for key := range elements {
				veiled[attribute] = protocolWith(elements, protocolObject{key: protocolUnknown})
			}
		}
	}
	return veiled
}

func (l *protocolLife) lead(steps int) {
	for range steps {
		if l.p.t.Failed() {
			return
		}
		switch l.rand.IntN(11) {
		case 0:
			l.note("somebody renames")
			l.p.service.Change("acme", func(group *emulator.Group) {
				group.Name, group.Properties = "Elsewhere", json.RawMessage(`{"z":1}`)
			})
		case 1:
			l.note("somebody rotates")
			l.p.service.RotateBehind("acme")
		case 2:
			l.note("somebody deletes")
			l.p.service.Remove("acme")
		case 3:
			l.note("somebody replaces")
			l.p.service.Replace("acme")
		case 4:
			l.destroy()
		default:
			l.apply()
		}
	}
}

func (l *protocolLife) refresh() {
	if l.state.value.IsNull() {
		return
	}
	var diags protocolDiags
	l.state, diags = l.p.read(l.state)
	l.note("refresh\n%s", diags)
	if diags.hasError() {
		l.p.t.Errorf("a refresh failed:\n%s", diags)
	}
	if !l.state.value.IsNull() {
		l.p.wantTruth(l.state, "acme")
	} else {
		l.p.wantGroups()
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
	l.note("plan to %s %v\n%s", plan.action, config, plan.diags)
	if plan.diags.hasError() {
		p.t.Error("the plan failed")
		return
	}
	if plan.action == "no-op" {
		return
	}
	if lost := l.rand.IntN(5); lost < 3 {
		kind := protocolPick(l, emulator.CutAfterWork, emulator.CutBefore, emulator.Error500AfterWork, emulator.TooMany429, emulator.Refuse)
		method := protocolPick(l, http.MethodPut, http.MethodPost)
		l.note("fault on %s: %s", method, kind)
		p.fault(method, kind)
	}
	due := protocolRotates(l.state.members(), config)
	before := p.service.Rotations("acme")
	l.state, plan.diags = p.apply(plan, config)
	p.service.ClearFaults()
	rotated := p.service.Rotations("acme") - before
	l.rotations += rotated
	l.note("apply, %d rotations\n%s", rotated, plan.diags)
	if plan.diags.hasError() {
		l.errors++
		if rotated > 1 || rotated > 0 && !due {
			p.t.Errorf("an apply that failed rotated %d times", rotated)
		}
		if plan.prior.value.IsNull() {
			p.wantNoState(l.state)
			return
		}
		l.refresh()
		return
	}
	if want := map[bool]int{true: 1}[due]; rotated != want {
		p.t.Errorf("rotated %d times, want %d", rotated, want)
	}
	p.wantSettled(l.state, config)
	l.refresh()
	if fresh && !l.state.value.IsNull() {
		p.wantSettled(l.state, config)
	}
}

// protocolRotates says once more, in other words than the provider, when a rotation is due.
func protocolRotates(state, config protocolObject) bool {
	before, _ := state["rotate_token_when_changed"].(protocolObject)
	after, _ := config["rotate_token_when_changed"].(protocolObject)
	for key := range before {
		if now, kept := after[key]; kept && !reflect.DeepEqual(now, before[key]) {
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
	l.note("plan to %s", plan.action)
	if l.state.get("deletion_protection") == true {
		plan.diags.wantError(`User group "acme" is protected from deletion`)
		l.refusals++
		return
	}
	var diags protocolDiags
	l.state, diags = l.p.apply(plan)
	l.note("destroy\n%s", diags)
	if diags.hasError() {
		l.errors++
		l.p.wantGroups("acme")
	}
}
