package provider_test

import (
	"fmt"
	"maps"
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
	state := Silent(p.Apply(plan, known...))
	p.WantCalls(calls)
	p.WantTruth(state, "acme")
	return state
}

// TestThePlanDecidesWhetherATokenIsTooOld checks that an apply rotates if and only if its plan shows it, whatever time
// it is by then, or on the machine that applies, and whatever unknown values turn out to be. Only a refresh decides.
func TestThePlanDecidesWhetherATokenIsTooOld(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		state  []any
		change []any
		young  string // the calls of an apply without a rotation by age
		tooOld string // and with one
		// known is what a change with unknown values turns out to be; nil if there are none.
		known []any
	}{
		"no change":        {tooOld: "POST"},
		"token not stored": {state: []any{"store_token", false}, tooOld: "GET > POST"},
		"an update":        {change: []any{"name", "New"}, young: "PUT", tooOld: "PUT > POST"},
		"a flag":           {change: []any{"adopt_existing", true}, tooOld: "POST"},
		"nothing to send":  {change: []any{"mapping", nil}, tooOld: "POST"},
		"a trigger":        {change: []any{"rotate_token_when_changed", Quarter("Q2")}, young: "POST", tooOld: "POST"},
		"an unknown value": {change: []any{"name", Unknown}, known: []any{}, tooOld: "POST"},
		"an unknown value that is another": {
			change: []any{"name", Unknown}, known: []any{"name", "New"}, young: "PUT", tooOld: "PUT > POST",
		},
		"an unknown map": {change: []any{"mapping", Unknown}, known: []any{}, tooOld: "POST"},
		"an unknown value in a map": {
			change: []any{"mapping", Object{"sales": Unknown}}, known: []any{}, tooOld: "POST",
		},
	} {
		for _, isOld := range []bool{false, true} {
			for _, refreshed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, too old %t, refreshed %t", name, isOld, refreshed), func(t *testing.T) {
					t.Parallel()
					p, clock := dated(t, emulator.Options{})
					rotatedAt := clock.at(0)
					state := p.Created(aging(row.state...))
					planned, after := int64(ninety), int64(ninety+day)
					switch {
					case isOld && refreshed:
						planned, after = ninety+1, ninety-day
					case isOld:
						planned, after = ninety+1, ninety+60
					}
					clock.at(planned)
					if refreshed {
						state = p.Refreshed(state)
					}
					p.WantState(state, "token_rotated_at", rotatedAt)
					config, calls := aging(append(row.state, row.change...)...), row.young
					if isOld && refreshed {
						calls = row.tooOld
					}
					plan := p.Plan(state, config)
					rotates := strings.HasSuffix(calls, "POST")
					wantRotation(t, plan, rotates)
					now := clock.at(after)
					if row.known != nil {
						config = aging(row.known...)
					}
					state = applied(p, plan, calls, config)
					if rotates {
						rotatedAt = now
						clock.at(after + ninety)
						p.WantSettled(state, config)
						p.WantSettled(p.Refreshed(state), config)
					}
					p.WantState(state, "token_rotated_at", rotatedAt)
				})
			}
		}
	}
}

// A new number of days does not rotate before a refresh knows it. While the number is unknown, a plan shows the
// rotation that the last refresh found due. It is made if the number turns out to be the same.
func TestChangesOfTheNumberOfDays(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		before, after  any
		isDue, rotates bool // by the number before, and in the apply
		next           bool // whether the next plan with a refresh rotates
	}{
		"added":                   {nil, int64(60), false, false, true},
		"added, young enough":     {nil, int64(90), false, false, false},
		"lowered":                 {int64(90), int64(60), false, false, true},
		"lowered, young enough":   {int64(120), int64(90), false, false, false},
		"raised, young by now":    {int64(60), int64(90), true, false, false},
		"raised, still too old":   {int64(30), int64(60), true, false, true},
		"the same, too old":       {int64(60), int64(60), true, true, false},
		"removed while too old":   {int64(60), nil, true, false, false},
		"removed while too young": {int64(90), nil, false, false, false},
	} {
		for _, isKnown := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, known %t", name, isKnown), func(t *testing.T) {
				t.Parallel()
				p, clock := dated(t, emulator.Options{})
				rotatedAt := clock.at(0)
				state := p.Created(Acme("rotate_token_after_days", row.before))
				now := clock.at(70 * day)
				config := Acme("rotate_token_after_days", row.after)
				planned := config
				if !isKnown {
					planned = Acme("rotate_token_after_days", Unknown)
				}
				wantRotation(t, p.Plan(state, planned), false)
				plan := p.Plan(p.Refreshed(state), planned)
				wantRotation(t, plan, row.rotates || !isKnown && row.isDue)
				calls := ""
				if row.rotates {
					calls, rotatedAt = "POST", now
				}
				state = applied(p, plan, calls, config)
				p.WantState(state, "token_rotated_at", rotatedAt)
				p.WantSettled(state, config)
				wantRotation(t, p.Plan(p.Refreshed(state), config), row.next)
			})
		}
	}
}

func TestIgnoredChangesOfTheNumberOfDays(t *testing.T) {
	t.Parallel()
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
	state = p.Refreshed(state)
	wantRotation(t, p.Plan(state, aging()), true)
	wantRotation(t, p.Plan(state, aging(), slices.Collect(maps.Keys(state.Members()))...), false)
}

// TestAnUnknownAgeCountsFromTheNextApply checks that the argument never rotates a token of unknown age, even if the
// plan does not know the number of days yet, and that setting token_rotated_at makes no call. A time years ahead, for
// example of a clock that was wrong, says nothing.
func TestAnUnknownAgeCountsFromTheNextApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ days, rotatedAt any }{
		"added": {nil, nil}, "there already": {int64(90), nil}, "added, and the time is no time": {nil, "yesterday"},
		"there already, and the time is years ahead": {int64(90), "2031-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, clock := dated(t, emulator.Options{})
			before := Acme("rotate_token_after_days", test.days)
			state := p.Created(before)
			state = p.Edited(state, "token_rotated_at", test.rotatedAt)
			clock.at(2 * ninety)
			state = p.Refreshed(state)
			p.WantState(state, "token_rotated_at", test.rotatedAt)
			if test.days == nil {
				p.WantSettled(state, before)
			}
			var plan Plan
			for _, days := range []any{int64(90), Unknown} {
				plan = p.Plan(state, Acme("rotate_token_after_days", days))
				if plan.Get("token_rotated_at") != Unknown || plan.Get("token_fingerprint") == Unknown {
					t.Errorf("the plan is %v, %v", plan.Get("token_rotated_at"), plan.Get("token_fingerprint"))
				}
			}
			p.WantState(applied(p, plan, "", Acme()), "token_rotated_at", test.rotatedAt)
			now := clock.at(2*ninety + 5)
			state = applied(p, plan, "", aging())
			p.WantState(state, "token_rotated_at", now)
			clock.at(3*ninety + 5)
			p.WantSettled(p.Refreshed(state), aging())
			clock.at(3*ninety + 6)
			wantRotation(t, p.Plan(p.Refreshed(state), aging()), true)
		})
	}
}

func TestARotationElsewherePostponesTheNext(t *testing.T) {
	t.Parallel()
	p, clock := dated(t, emulator.Options{})
	clock.at(0)
	state := p.Created(aging())
	p.Service.RotateBehind("acme")
	seen := clock.at(ninety + 60)
	state = p.Refreshed(state)
	p.WantState(state, "token_rotated_at", seen)
	clock.at(2*ninety + 60)
	p.WantSettled(p.Refreshed(state), aging())
	clock.at(2*ninety + 61)
	wantRotation(t, p.Plan(p.Refreshed(state), aging()), true)
}
