package provider

import (
	"fmt"
	"math/bits"
	"net/http"
	"testing"

	"github.com/dashembed/terraform-provider-embed/internal/emulator"
)

// protocolReadings are ways to read what the service's contract leaves open: each two of them meet in every
// combination.
func protocolReadings() map[string]emulator.Options {
	readings := map[string]emulator.Options{}
	for row := range uint(16) {
		// The parities of different sets of bits are an orthogonal array.
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
		readings[fmt.Sprintf("row %d", row)] = options
	}
	return readings
}

// A group's whole life in every reading: after each change there is nothing more to do, and nobody is left behind.
func TestProtocolLifeInEveryReading(t *testing.T) {
	t.Parallel()
	const triggers = "rotate_token_when_changed"
	for name, options := range protocolReadings() {
		t.Run(name, func(t *testing.T) {
			t.Logf("%+v", options)
			p := protocolStart(t, options)
			step := func(state protocolState, calls string, changes ...any) protocolState {
				t.Helper()
				p.service.ResetCounts()
				state = p.updated(state, protocolAcme(changes...))
				p.wantCalls(calls)
				p.wantTruth(state, "acme")
				p.wantSettled(state, protocolAcme(changes...))
				state = p.refreshed(state)
				p.wantTruth(state, "acme")
				p.wantSettled(state, protocolAcme(changes...))
				return state
			}
			state := step(p.nothing(), "GET")
			state = step(state, "PUT", "name", "Acme Ltd")
			state = step(state, "POST", "name", "Acme Ltd", triggers, quarter("Q2"))
			state = step(state, "PUT > POST", triggers, quarter("Q3"))
			tag := any("Customer")
			if options.Environments[emulator.DefaultKey] == "" {
				tag = nil
			}
			p.wantState(state, "api_environment_tag", tag)

			p.service.RotateBehind("acme")
			if p.noTeams {
				// Without a refresh it may be another group, unless the call may have been carried out.
				if options.StaleTokenStatus != http.StatusInternalServerError {
					second(p.update(state, protocolAcme(triggers, quarter("Q4")))).wantError(
						`User group "acme" may be another group`, "was not rotated")
				}
				state = p.refreshed(state)
			}
			state = p.updated(state, protocolAcme(triggers, quarter("Q4")))
			p.wantTruth(state, "acme")

			listed, diags := p.list(100, true, "nobody", "acme")
			diags.wantNone()
			if len(listed) != 1 || listed[0].id != "acme" {
				t.Errorf("listed %v", listed)
			}
			second(p.dataSource(byID("nobody"))).wantError(doesNotExist)
			read, diags := p.dataSource(byID("acme"))
			diags.wantNone()
			shown := protocolObject{"name": "Acme", "properties": `{"rows":10,"tier":"gold"}`}
			if options.Answers == emulator.AnswersEcho {
				shown = protocolObject{}
			}
			if read["name"] != shown["name"] || read["properties"] != shown["properties"] || read["token"] != state.token() {
				t.Errorf("the data source has %v", read)
			}
			second(p.invoke(byID("acme"))).wantNone()
			state = p.refreshed(state)
			p.wantTruth(state, "acme")
			p.wantGroups("acme")

			p.service.Remove("acme")
			p.wantNoState(p.refreshed(state))
			p.wantGroups()
			p.wantDestroyed(state)
			p.wantGroups()

			p.service.Seed(emulator.Group{ID: "acme", Name: "Old"})
			state, diags = p.create(protocolAdopting())
			diags.wantWarning(adopted)
			state = p.refreshed(state)
			p.wantTruth(state, "acme")
			p.wantSettled(state, protocolAdopting())
			p.wantDestroyed(state)
			p.wantGroups()
		})
	}
}
