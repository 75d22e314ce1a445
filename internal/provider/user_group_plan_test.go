package provider

import (
	"math/rand/v2"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// modelComputed are the attributes that the provider computes.
func modelComputed(m *userGroupModel) map[string]attr.Value {
	return map[string]attr.Value{
		"id": m.ID, "token": m.Token, "token_fingerprint": m.TokenFingerprint, "team_id": m.TeamID, "api_environment_tag": m.APIEnvironmentTag,
	}
}

func TestPlanUpdate(t *testing.T) {
	t.Parallel()
	rename := func(plan, _ *userGroupModel) { plan.Name = types.StringValue("B") }
	rotate := func(plan, _ *userGroupModel) { plan.RotateTokenWhenChanged = modelMap(map[string]any{"quarter": "Q2"}) }
	both := func(changes ...func(plan, state *userGroupModel)) func(plan, state *userGroupModel) {
		return func(plan, state *userGroupModel) {
			for _, change := range changes {
				change(plan, state)
			}
		}
	}
	store := func(flag types.Bool) func(plan, state *userGroupModel) {
		return func(plan, _ *userGroupModel) { plan.StoreToken = flag }
	}
	noTag := func(_, state *userGroupModel) { state.APIEnvironmentTag = types.StringNull() }
	noTeam := func(_, state *userGroupModel) { state.TeamID = types.Int64Null() }
	noToken := func(_, state *userGroupModel) { state.Token = types.StringNull() }
	const token, fingerprint, tag, team = "token", "token_fingerprint", "api_environment_tag", "team_id"
	tests := map[string]struct {
		change  func(plan, state *userGroupModel)
		unknown []string
		null    []string
	}{
		"nothing":                        {func(_, _ *userGroupModel) {}, nil, nil},
		"nothing, no tag":                {noTag, nil, []string{tag}},
		"nothing, no team":               {noTeam, nil, []string{team}},
		"rename":                         {rename, nil, nil},
		"rename, no tag":                 {both(rename, noTag), []string{tag}, nil},
		"rename, no team":                {both(rename, noTeam), []string{team}, nil},
		"rotate":                         {rotate, []string{token, fingerprint}, nil},
		"rotate, no tag":                 {both(rotate, noTag), []string{token, fingerprint, tag}, nil},
		"store nothing":                  {store(types.BoolValue(false)), nil, []string{token}},
		"store nothing, rotate":          {both(store(types.BoolValue(false)), rotate), []string{fingerprint}, []string{token}},
		"store again":                    {both(store(types.BoolValue(true)), noToken), nil, []string{token}},
		"store again, rotate":            {both(store(types.BoolValue(true)), noToken, rotate), []string{token, fingerprint}, nil},
		"store unknown":                  {store(types.BoolUnknown()), []string{token}, nil},
		"store unknown, nothing stored":  {both(store(types.BoolUnknown()), noToken), nil, []string{token}},
		"store unknown, rotate":          {both(store(types.BoolUnknown()), rotate), []string{token, fingerprint}, nil},
		"store unknown, rotate, no one ": {both(store(types.BoolUnknown()), rotate, noToken), []string{token, fingerprint}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, state := modelState(), modelState()
			test.change(&plan, &state)
			planUpdate(&plan, &state)
			want := modelComputed(&state)
			for _, attribute := range test.null {
				want[attribute] = nil
			}
			for _, attribute := range test.unknown {
				want[attribute] = types.StringUnknown()
			}
			for attribute, got := range modelComputed(&plan) {
				switch wanted := want[attribute]; {
				case wanted == nil:
					if !got.IsNull() {
						t.Errorf("%s is %s, want null", attribute, got)
					}
				case wanted.IsUnknown() != got.IsUnknown(), !wanted.IsUnknown() && !wanted.Equal(got):
					t.Errorf("%s is %s, want %s", attribute, got, wanted)
				}
			}
		})
	}
}

func TestPlanCreation(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]types.Bool{"unset": types.BoolNull(), "true": types.BoolValue(true), "unknown": types.BoolUnknown(), "false": types.BoolValue(false)} {
		plan := newUserGroupModel(types.StringValue("acme"), store)
		planCreation(&plan)
		for attribute, value := range modelComputed(&plan) {
			if known := attribute == "token" && name == "false"; value.IsUnknown() == known || value.IsNull() != known {
				t.Errorf("store_token %s: %s is %s", name, attribute, value)
			}
		}
	}
}

// modelDice draws models. Each value comes from a small set, so that equal ones are frequent.
type modelDice struct{ *rand.Rand }

func modelPick[T any](dice modelDice, values ...T) T { return values[dice.IntN(len(values))] }

// configured draws what a person may configure, known or not.
func (d modelDice) configured(mayBeUnknown bool) userGroupModel {
	var unknown []any
	if mayBeUnknown {
		unknown = []any{protocolUnknown}
	}
	text := func(values ...any) types.String { return modelText(modelPick(d, append(values, unknown...)...)) }
	elements := func() types.Map {
		switch {
		case mayBeUnknown && d.IntN(6) == 0:
			return types.MapUnknown(types.StringType)
		case d.IntN(4) == 0:
			return modelMap(nil)
		}
		values := map[string]any{}
		for _, key := range []string{"a", "b"} {
			if d.IntN(2) == 0 {
				values[key] = modelPick(d, append([]any{"1", "2"}, unknown...)...)
			}
		}
		return modelMap(values)
	}
	model := newUserGroupModel(types.StringValue("acme"), modelPick(d, types.BoolNull(), types.BoolValue(true), types.BoolValue(false)))
	if mayBeUnknown && d.IntN(4) == 0 {
		model.StoreToken = types.BoolUnknown()
	}
	model.Name = text("A", "B")
	model.Mapping, model.RotateTokenWhenChanged = elements(), elements()
	model.Properties = propertiesValue{text(nil, `{}`, `{"a":1}`, `{"a":1.0}`)}
	return model
}

func (d modelDice) state() userGroupModel {
	state := d.configured(false)
	state.ID = state.UserGroupID
	state.Name = modelText(modelPick[any](d, "A", "B", nil))
	state.Token = modelText(modelPick[any](d, "token-1", nil))
	state.TokenFingerprint = modelText(fingerprint("token-1"))
	state.TeamID = modelPick(d, types.Int64Value(1001), types.Int64Null())
	state.APIEnvironmentTag = modelText(modelPick[any](d, "Customer", nil))
	return state
}

// resolved draws what the unknown parts of a configuration may turn out to be.
func (d modelDice) resolved(m userGroupModel) userGroupModel {
	other := d.configured(false)
	whole := func(mine, its types.Map) types.Map {
		if mine.IsUnknown() {
			return its
		}
		if mine.IsNull() {
			return mine
		}
		values := map[string]any{}
		for key, value := range mine.Elements() {
			if text := value.(types.String); text.IsUnknown() {
				values[key] = modelPick[any](d, "1", "2")
			} else {
				values[key] = text.ValueString()
			}
		}
		return modelMap(values)
	}
	m.Mapping = whole(m.Mapping, other.Mapping)
	m.RotateTokenWhenChanged = whole(m.RotateTokenWhenChanged, other.RotateTokenWhenChanged)
	if m.Name.IsUnknown() {
		m.Name = other.Name
	}
	if m.Properties.IsUnknown() {
		m.Properties = other.Properties
	}
	if m.StoreToken.IsUnknown() {
		m.StoreToken = other.StoreToken
	}
	return m
}

// Whatever the unknown parts of a configuration turn out to be, the plan that is made once they are known keeps all
// that the first one promised, and asks for no more than the first one announced. What apply then does is held against
// plans by every protocol test, and by TestProtocolRandomLives above all.
func TestPlanPromisesHoldWhenMoreIsKnown(t *testing.T) {
	t.Parallel()
	rotations := 0
	for seed := range uint64(5000) {
		dice := modelDice{rand.New(rand.NewPCG(seed, 1))}
		state, config := dice.state(), dice.configured(true)
		first, final := config, dice.resolved(config)
		updated, rotated := config.needsUpdate(&state), config.needsRotation(&state)
		planUpdate(&first, &state)
		planUpdate(&final, &state)
		kept := modelComputed(&final)
		for attribute, promised := range modelComputed(&first) {
			if !promised.IsUnknown() && !promised.Equal(kept[attribute]) {
				t.Fatalf("seed %d: %s was planned as %s, and as %s once more was known", seed, attribute, promised, kept[attribute])
			}
		}
		if final.needsUpdate(&state) && !updated || final.needsRotation(&state) && !rotated {
			t.Fatalf("seed %d: the final plan calls where the first did not", seed)
		}
		if rotated {
			rotations++
		} else if first.TokenFingerprint.IsUnknown() {
			t.Fatalf("seed %d: the fingerprint is unknown although nothing rotates", seed)
		}
		// What apply starts from: the state's values wherever the plan has promised something.
		done := final
		done.keepComputed(&state)
		planned := modelComputed(&final)
		for attribute, value := range modelComputed(&done) {
			if value.IsUnknown() || !planned[attribute].IsUnknown() && !planned[attribute].Equal(value) {
				t.Fatalf("seed %d: apply starts with %s as %s, planned was %s", seed, attribute, value, planned[attribute])
			}
		}
	}
	if rotations < 500 {
		t.Errorf("only %d of the plans rotate: this test has lost its point", rotations)
	}
}
