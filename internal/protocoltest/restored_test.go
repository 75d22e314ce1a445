package protocoltest_test

import (
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
	. "github.com/dashembed/terraform-provider-embed/internal/protocoltest"
)

// rotated returns a provider with a clock, and the state of a group with one retired token, which it returns as well.
func rotated(t *testing.T, options emulator.Options) (p *Provider, clock *calendar, state State, retired string) {
	t.Helper()
	p, clock = dated(t, options)
	state = p.Created(Acme())
	retired = state.Token()
	state = p.Updated(state, NextQuarter())
	return p, clock, state, retired
}

// restore gives the group an earlier token, as if the service had been restored from a backup.
func restore(p *Provider, token string) {
	p.Service.Change("acme", func(g *emulator.Group) { g.Token = token })
	p.Service.ResetCounts()
}

// TestARetiredTokenThatIsCurrentAgain checks that a refresh does not believe a retired token shortly after a rotation,
// and that later on, the state gets this token with one warning. All rotations count as long ago if the state does not
// have the time.
func TestARetiredTokenThatIsCurrentAgain(t *testing.T) {
	p, clock, state, retired := rotated(t, emulator.Options{})
	config, rotatedAt := NextQuarter(), int64(0)
	for _, quarter := range []string{"Q3", "Q4"} { // The same token returns twice.
		restore(p, retired)
		for _, seconds := range []int64{0, 59, -59} { // The clock of another machine may be behind.
			clock.at(rotatedAt + seconds)
			p.WantSame(p.Refreshed(state), state)
		}
		clock.at(rotatedAt - 61) // But not by this much.
		second(p.Read(state)).WantWarning(tokenReturned)
		seen := clock.at(rotatedAt + 60)
		var diags Diags
		state, diags = p.Read(state)
		diags.WantWarning(tokenReturned, "lost the rotation", "backup", "locked out", "rotate it again")
		p.WantTruth(state, "acme")
		p.WantState(state, "token", retired, "token_rotated_at", seen)
		p.WantSettled(state, config)
		rotatedAt += 1000
		clock.at(rotatedAt)
		p.WantSame(p.Refreshed(state), state) // without another warning

		config = With(config, "rotate_token_when_changed", Quarter(quarter))
		p.Service.ResetCounts()
		state = p.Updated(state, config)
		p.WantCalls("POST")
		p.WantTruth(state, "acme")
	}
	state.Value = Value(p.Type(), With(state.Members(), "token_rotated_at", nil))
	restore(p, retired)
	state, diags := p.Read(state)
	diags.WantWarning(tokenReturned)
	p.WantTruth(state, "acme")
}

// TestARestoredServiceIsChanged checks that rotations and deletions use a retired token that is current again, also
// without a refresh, and that the token after a rotation is a new one, whatever the status that refuses a token that is
// not current.
func TestARestoredServiceIsChanged(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]emulator.Options{
		"refused with 400": {}, "refused with 500": {StaleTokenStatus: http.StatusInternalServerError},
		"no team_id": {Omit: []string{"team_id"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, clock, state, retired := rotated(t, options)
			restore(p, retired)
			clock.at(60)
			config := NextQuarter("name", "New")
			state = p.Updated(state, config) // The update says nothing about the token: the next refresh does.
			config = With(config, "rotate_token_when_changed", Quarter("Q3"))
			state = p.Updated(state, config)
			p.WantCalls("PUT > POST > GET > POST")
			p.WantTruth(state, "acme")
			p.WantSettled(p.Refreshed(state), config)
			if state.Token() == retired {
				t.Error("the token after the rotation is the retired one")
			}
			restore(p, retired)
			clock.at(120)
			p.WantDestroyed(state)
			p.WantGroups()
		})
	}
}
