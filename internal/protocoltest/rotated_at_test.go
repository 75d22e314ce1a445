package protocoltest_test

import (
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// TestAnUnknownAgeCountsFromTheNextApply checks that the argument never rotates a token of unknown age, even if the
// plan does not know the number of days yet, and that setting token_rotated_at makes no call.
func TestAnUnknownAgeCountsFromTheNextApply(t *testing.T) {
	t.Parallel()
	plain := Object{"user_group_id": "acme", "name": "Acme"}
	for name, bring := range map[string]func(*Provider) State{
		"imported": func(p *Provider) State {
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
			return p.Imported("acme")
		},
		"adopted": func(p *Provider) State {
			p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
			state, diags := p.Create(With(plain, "adopt_existing", true))
			diags.WantWarning(adopted)
			return state
		},
		"with the argument": func(p *Provider) State {
			state := p.Created(With(plain, "rotate_token_after_days", int64(90)))
			state.Value = Value(p.Type(), With(state.Members(), "token_rotated_at", nil))
			return state
		},
		"with a text that is no time": func(p *Provider) State {
			state := p.Created(plain)
			state.Value = Value(p.Type(), With(state.Members(), "token_rotated_at", "yesterday"))
			return state
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock := dated(t, emulator.Options{})
			state := bring(p)
			clock.at(2 * ninety)
			state = p.Refreshed(state)
			if name != "with a text that is no time" {
				p.WantState(state, "token_rotated_at", nil)
			}
			if name != "with the argument" {
				without := With(plain, "adopt_existing", state.Get("adopt_existing"))
				p.WantSettled(state, without)
			}
			config := With(plain, "rotate_token_after_days", int64(90))
			var plan Plan
			for _, days := range []any{int64(90), Unknown} {
				plan = p.Plan(state, With(config, "rotate_token_after_days", days))
				if plan.Get("token_rotated_at") != Unknown || plan.Get("token_fingerprint") == Unknown {
					t.Errorf("the plan is %v, %v", plan.Get("token_rotated_at"), plan.Get("token_fingerprint"))
				}
			}
			p.WantState(applied(p, plan, "", plain), "token_rotated_at", state.Get("token_rotated_at"))
			now := clock.at(2*ninety + 5)
			state = applied(p, plan, "", config)
			p.WantState(state, "token_rotated_at", now)
			clock.at(3*ninety + 5)
			p.WantSettled(state, config)
			clock.at(3*ninety + 6)
			wantRotation(t, p.Plan(state, config), true)
		})
	}
}

func TestARotationElsewherePostponesTheNext(t *testing.T) {
	p, clock := dated(t, emulator.Options{})
	clock.at(0)
	state := p.Created(aging())
	p.Service.RotateBehind("acme")
	seen := clock.at(ninety + 60)
	state = p.Refreshed(state)
	p.WantState(state, "token_rotated_at", seen)
	clock.at(2*ninety + 60)
	p.WantSettled(state, aging())
	clock.at(2*ninety + 61)
	wantRotation(t, p.Plan(state, aging()), true)
}
