package protocoltest_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
	"github.com/dashembed/terraform-provider-embed/internal/provider"
)

// calendar is the provider's clock. It begins in the middle of a second, in another time zone.
type calendar struct{ seconds atomic.Int64 }

const (
	day    = 24 * 60 * 60
	ninety = 90 * day
)

func (c *calendar) now() time.Time {
	first := time.Date(2026, time.March, 1, 12, 0, 0, 500_000_000, time.FixedZone("", 2*60*60))
	return first.Add(time.Duration(c.seconds.Load()) * time.Second)
}

// at sets the clock to a number of seconds after the beginning, and returns token_rotated_at for a rotation then.
func (c *calendar) at(seconds int64) string {
	c.seconds.Store(seconds)
	return c.now().UTC().Format(time.RFC3339)
}

// dated returns a provider with a calendar.
func dated(t *testing.T, options emulator.Options) (*Provider, *calendar) {
	t.Helper()
	t.Parallel()
	clock := new(calendar)
	return Start(t, providerserver.NewProtocol6(provider.NewForTests("test", clock.now, nil)()), options), clock
}

// aging returns Acme with a token that is rotated after 90 days, with changes.
func aging(changes ...any) Object {
	return With(Acme("rotate_token_after_days", int64(90)), changes...)
}

// wantRotation checks that a plan rotates, or does not, and that it has no diagnostics.
func wantRotation(t *testing.T, plan Plan, want bool) {
	t.Helper()
	plan.Diags.WantNone()
	for _, attribute := range []string{"token_fingerprint", "token_rotated_at"} {
		if rotates := plan.Get(attribute) == Unknown; rotates != want {
			t.Errorf("%s is planned as %v, and the plan should rotate: %t", attribute, plan.Get(attribute), want)
		}
	}
}

// applied applies a plan, which must succeed, and checks the calls of the apply.
func applied(p *Provider, plan Plan, calls string, known ...Object) State {
	p.T.Helper()
	p.Service.ResetCounts()
	state, diags := p.Apply(plan, known...)
	diags.WantNone()
	p.WantCalls(calls)
	p.WantTruth(state, "acme")
	return state
}

func TestATokenIsRotatedOnceItIsTooOld(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		config    []any
		change    []any
		unread    bool // plan without a refresh
		wantCalls string
	}{
		"refreshed":                {wantCalls: "POST"},
		"not refreshed":            {unread: true, wantCalls: "POST"},
		"token not stored":         {config: []any{"store_token", false}, wantCalls: "GET > POST"},
		"token not stored, unread": {config: []any{"store_token", false}, unread: true, wantCalls: "GET > POST"},
		"with a trigger":           {change: []any{"rotate_token_when_changed", Quarter("Q2")}, wantCalls: "POST"},
		"with a trigger, unread": {
			change: []any{"rotate_token_when_changed", Quarter("Q2")}, unread: true, wantCalls: "POST",
		},
		"with an update": {change: []any{"name", "New"}, wantCalls: "PUT > POST"},
		"with a flag":    {change: []any{"adopt_existing", true}, wantCalls: "POST"},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock := dated(t, emulator.Options{})
			created := clock.at(0)
			state := p.Created(aging(row.config...))
			p.WantState(state, "token_rotated_at", created)
			clock.at(ninety)
			state = p.Refreshed(state)
			p.WantSettled(state, aging(row.config...))
			p.WantState(state, "token_rotated_at", created)

			clock.at(ninety + 1)
			if !row.unread {
				state = p.Refreshed(state)
			}
			config := aging(append(row.config, row.change...)...)
			plan := p.Plan(state, config)
			wantRotation(t, plan, true)
			rotated := clock.at(ninety + 60)
			state = applied(p, plan, row.wantCalls)
			p.WantState(state, "token_rotated_at", rotated)
			clock.at(2*ninety + 60)
			p.WantSettled(state, config)
			p.WantSettled(p.Refreshed(state), config)
		})
	}
}

// TestThePlanDecidesWhetherATokenIsTooOld checks that an apply rotates if and only if its plan shows it, whatever time
// it is by then, or on the machine that applies.
func TestThePlanDecidesWhetherATokenIsTooOld(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change []any
		calls  string // before the rotation
	}{
		"an update":       {[]any{"name", "New"}, "PUT"},
		"a flag":          {[]any{"adopt_existing", true}, ""},
		"nothing to send": {[]any{"mapping", nil}, ""},
		"no change":       {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for when, unread := range map[string]bool{"refreshed": false, "not refreshed": true} {
				t.Run("before the day, "+when, func(t *testing.T) {
					p, clock := dated(t, emulator.Options{})
					state := p.Created(aging())
					clock.at(ninety)
					if !unread {
						state = p.Refreshed(state)
					}
					plan := p.Plan(state, aging(row.change...))
					wantRotation(t, plan, false)
					clock.at(ninety + day)
					applied(p, plan, row.calls)
				})
			}
			t.Run("after the day", func(t *testing.T) {
				p, clock := dated(t, emulator.Options{})
				state := p.Created(aging())
				clock.at(ninety + day)
				plan := p.Plan(p.Refreshed(state), aging(row.change...))
				wantRotation(t, plan, true)
				clock.at(ninety - day)
				applied(p, plan, strings.TrimPrefix(row.calls+" > POST", " > "))
			})
		})
	}
}

// TestValuesThatAreNotKnownYet covers plans with values that turn out to be the same when the plan is applied.
func TestValuesThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	for name, change := range map[string][]any{
		"a value": {"name", Unknown}, "a map": {"mapping", Unknown},
		"a value in a map": {"mapping", Object{"sales": Unknown}},
	} {
		for when, unread := range map[string]bool{"refreshed": false, "not refreshed": true} {
			t.Run(name+", "+when, func(t *testing.T) {
				p, clock := dated(t, emulator.Options{})
				state := p.Created(aging())
				clock.at(ninety)
				wantRotation(t, p.Plan(state, aging(change...)), false)
				clock.at(ninety + 1)
				if !unread {
					state = p.Refreshed(state)
				}
				plan := p.Plan(state, aging(change...))
				wantRotation(t, plan, true)
				applied(p, plan, "POST", aging())
			})
		}
	}
}

func TestNumbersOfDaysThatAreNotKnownYet(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		days      any
		wantCalls string
	}{
		"too old":              {int64(90), "POST"},
		"too old by a new one": {int64(30), "POST"},
		"young enough":         {int64(91), ""},
		"none":                 {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock := dated(t, emulator.Options{})
			created := clock.at(0)
			state := p.Created(aging())
			now := clock.at(ninety + 1)
			plan := p.Plan(p.Refreshed(state), aging("rotate_token_after_days", Unknown))
			wantRotation(t, plan, true)
			state = applied(p, plan, row.wantCalls, aging("rotate_token_after_days", row.days))
			p.WantState(state, "token_rotated_at", map[string]string{"": created, "POST": now}[row.wantCalls])
			p.WantSettled(state, aging("rotate_token_after_days", row.days))
		})
	}
}

// TestNumbersOfDaysThatAreNotKnownYetForAnUnknownAge checks that a plan with an unknown number and an unknown age may
// only start to count.
func TestNumbersOfDaysThatAreNotKnownYetForAnUnknownAge(t *testing.T) {
	p, clock := dated(t, emulator.Options{})
	p.Service.Seed(emulator.Group{ID: "acme", Name: "Acme"})
	state := p.Updated(p.Imported("acme"), Object{"user_group_id": "acme", "name": "Acme"})
	now := clock.at(day)
	for days, want := range map[any]any{nil: nil, int64(1): now} {
		config := Object{"user_group_id": "acme", "name": "Acme", "rotate_token_after_days": Unknown}
		plan := p.Plan(state, config)
		if plan.Get("token_rotated_at") != Unknown || plan.Get("token_fingerprint") == Unknown {
			t.Errorf("the plan is %v, %v", plan.Get("token_rotated_at"), plan.Get("token_fingerprint"))
		}
		p.WantState(applied(p, plan, "", With(config, "rotate_token_after_days", days)), "token_rotated_at", want)
	}
}

// TestChangesOfTheNumberOfDays checks that only a number that makes the token too old rotates it.
func TestChangesOfTheNumberOfDays(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after any
		rotates       bool
	}{
		"added":                   {nil, int64(60), true},
		"added, young enough":     {nil, int64(90), false},
		"lowered":                 {int64(90), int64(60), true},
		"lowered, young enough":   {int64(120), int64(90), false},
		"raised, young by now":    {int64(60), int64(90), false},
		"raised, still too old":   {int64(30), int64(60), true},
		"removed while too old":   {int64(60), nil, false},
		"removed while too young": {int64(90), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock := dated(t, emulator.Options{})
			state := p.Created(Acme("rotate_token_after_days", row.before))
			clock.at(70 * day)
			config := Acme("rotate_token_after_days", row.after)
			read := p.Refreshed(state)
			wantRotation(t, p.Plan(state, config), row.rotates)
			plan := p.Plan(read, config)
			wantRotation(t, plan, row.rotates)
			state = applied(p, plan, map[bool]string{true: "POST"}[row.rotates])
			p.WantSettled(state, config)
			p.WantSettled(p.Refreshed(state), config)
			wantRotation(t, p.Plan(state, With(config, "name", "New")), false)
		})
	}
}

func TestIgnoredChangesOfTheNumberOfDays(t *testing.T) {
	p, clock := dated(t, emulator.Options{})
	state := p.Created(aging())
	clock.at(ninety)
	ignored := p.Plan(p.Refreshed(state), aging("rotate_token_after_days", int64(1)), "rotate_token_after_days")
	wantRotation(t, ignored, false)
	clock.at(ninety + 1)
	plan := p.Plan(p.Refreshed(state), aging("rotate_token_after_days", nil), "rotate_token_after_days")
	wantRotation(t, plan, true)
	state = applied(p, plan, "POST")
	p.WantState(state, "rotate_token_after_days", int64(90))

	// With ignore_changes = all, Terraform 1.0 passes the whole prior state as the configuration, and rejects a plan that
	// differs from it.
	clock.at(2*ninety + 2)
	wantRotation(t, p.Plan(state, aging()), true)
	wantRotation(t, p.Plan(state, aging(), slices.Collect(maps.Keys(state.Members()))...), false)
}

// TestARotationByAgeThatFails checks that the next run rotates unless the token has changed by then.
func TestARotationByAgeThatFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		fault     emulator.FaultKind
		wantCalls string
	}{
		"refused": {emulator.Refuse, "GET > POST"},
		"lost":    {emulator.CutBefore, "GET > POST"},
		"done":    {emulator.Error500AfterWork, "GET"},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock := dated(t, emulator.Options{})
			created := clock.at(0)
			state := p.Created(aging())
			clock.at(ninety + 1)
			plan := p.Plan(p.Refreshed(state), aging())
			p.Always(http.MethodPost, row.fault)
			p.Always(http.MethodGet, emulator.Refuse)
			state, diags := p.Apply(plan)
			diags.WantErrors(cannotRotate)
			p.WantState(state, "token_rotated_at", created, "rotate_token_after_days", int64(90))
			p.Service.ClearFaults()
			p.Service.ResetCounts()
			now := clock.at(ninety + day)
			state, diags = p.Update(p.Refreshed(state), aging())
			diags.WantNone()
			p.WantCalls(row.wantCalls)
			p.WantTruth(state, "acme")
			p.WantState(state, "token_rotated_at", now)
			p.WantSettled(state, aging())
		})
	}
}

func TestInvalidNumbersOfDays(t *testing.T) {
	p, _ := dated(t, emulator.Options{})
	for _, days := range []any{int64(0), int64(-1), 1.5, int64(36501), 1e300} {
		p.Validate(aging("rotate_token_after_days", days)).WantErrorAt("rotate_token_after_days",
			"Invalid number", "a whole number between 1 and 36500", "No call was made")
	}
	for _, days := range []any{int64(1), int64(36500), nil, Unknown} {
		p.Validate(aging("rotate_token_after_days", days)).WantNone()
	}
	p.WantCalls("")
}
